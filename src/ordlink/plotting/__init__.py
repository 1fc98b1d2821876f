"""Drawings of hierarchies; the layout is computed separately from the drawing."""

from ordlink.plotting import _import  # noqa: F401 - before other modules import Matplotlib
from ordlink.plotting._arrange import SHAPES
from ordlink.plotting._curves import Curve, save_curves
from ordlink.plotting._dendrogram import (
    PICTURES_AT,
    SUPPORT_STYLES,
    plot_hierarchy,
    save_plot,
    save_plots,
    svg_text,
)
from ordlink.plotting._figure import check_drawing
from ordlink.plotting._layout import HEIGHTS, DendrogramLayout, dendrogram_layout
from ordlink.plotting._order import ORDERS, order_leaves
from ordlink.plotting._page import PAGES, TALL
from ordlink.plotting._tanglegram import plot_tanglegram

__all__ = [
    "HEIGHTS",
    "ORDERS",
    "PAGES",
    "PICTURES_AT",
    "SHAPES",
    "SUPPORT_STYLES",
    "TALL",
    "Curve",
    "DendrogramLayout",
    "check_drawing",
    "dendrogram_layout",
    "order_leaves",
    "plot_hierarchy",
    "plot_tanglegram",
    "save_curves",
    "save_plot",
    "save_plots",
    "svg_text",
]
