"""Drawings of hierarchies: what to draw is computed apart from drawing it."""

from ordlink.plotting._dendrogram import plot_hierarchy, save_plot
from ordlink.plotting._layout import HEIGHTS, DendrogramLayout, dendrogram_layout

__all__ = ["HEIGHTS", "DendrogramLayout", "dendrogram_layout", "plot_hierarchy", "save_plot"]
