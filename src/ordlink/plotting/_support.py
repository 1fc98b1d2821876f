"""Bootstrap support of branches, shown in a dendrogram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patheffects import withStroke

from ordlink._text import whole_percent
from ordlink._typing import BoolArray
from ordlink.hierarchy import Hierarchy
from ordlink.plotting._layout import DendrogramLayout
from ordlink.validation import FIRM_SUPPORT, WEAK_SUPPORT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WEAK_COLOUR = "#B9B9B9"
WEAK_TEXT = "#808080"
MOST_NUMBERS = 150
"""In trees of more objects, weak branches have no numbers: they would hide the others."""
LEGEND = "support: dot at least 95 %, numbers in percent, grey below 50 %"


def shows_support(tree: Hierarchy) -> bool:
    """Return whether the support of any branch below the root is known."""
    return bool(np.isfinite(tree.support[:-1]).any())


def weak_links(tree: Hierarchy) -> BoolArray:
    """Return which merges have little support; never the root."""
    weak = np.zeros(tree.n_objects - 1, dtype=np.bool_)
    weak[:-1] = tree.support[:-1] < WEAK_SUPPORT
    return weak


def draw_support(
    ax: Axes,
    tree: Hierarchy,
    layout: DendrogramLayout,
    collapsed: BoolArray,
    *,
    orientation: str,
    font_size: float,
    colours: Sequence[Any],
) -> None:
    """Draw a dot at each firm branch, and the support in percent at others."""
    n = tree.n_objects
    halo = [withStroke(linewidth=1.2, foreground="white")]
    lowest = 0.0 if n <= MOST_NUMBERS else WEAK_SUPPORT
    for t in np.flatnonzero(~collapsed[:-1] & (tree.support[:-1] >= lowest)).tolist():
        at = float(layout.positions[n + t]), float(layout.heights[n + t])
        x, y = at[::-1] if orientation == "left" else at
        if tree.support[t] >= FIRM_SUPPORT:
            ax.plot(x, y, "o", markersize=font_size * 0.42, color=colours[t], zorder=3)
            continue
        ax.annotate(
            whole_percent(tree.support[t]),
            (x, y),
            xytext=(-1.5, 0.8) if orientation == "left" else (1.2, 1.5),
            textcoords="offset points",
            ha="right" if orientation == "left" else "left",
            va="bottom",
            fontsize=font_size,
            color="#333333" if tree.support[t] >= WEAK_SUPPORT else WEAK_TEXT,
            path_effects=halo,
            zorder=4,
        )
