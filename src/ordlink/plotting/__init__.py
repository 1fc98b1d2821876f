"""Drawings of hierarchies: what to draw is computed apart from drawing it."""

from ordlink.plotting._curves import Curve, save_curves
from ordlink.plotting._dendrogram import plot_hierarchy, save_plot
from ordlink.plotting._figure import check_drawing
from ordlink.plotting._layout import HEIGHTS, DendrogramLayout, dendrogram_layout

__all__ = [
    "HEIGHTS",
    "Curve",
    "DendrogramLayout",
    "check_drawing",
    "dendrogram_layout",
    "plot_hierarchy",
    "save_curves",
    "save_plot",
]
