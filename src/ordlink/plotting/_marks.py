"""Signs on a tree: support, the axis of heights, clusters, and the legend that explains them."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from ordlink._text import whole_percent
from ordlink._typing import BoolArray
from ordlink.hierarchy import Hierarchy
from ordlink.plotting._arrange import CLUSTER_LINE, GAP, MARGIN, WEDGE, Arrangement
from ordlink.plotting._figure import text_width
from ordlink.plotting._frame import Around, Left
from ordlink.plotting._layout import DendrogramLayout
from ordlink.plotting._page import LEAST_FONT, LINE, POINTS
from ordlink.validation import FIRM_SUPPORT, WEAK_SUPPORT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEUTRAL = "#6B6B6B"
WEAK_COLOUR = "#B9B9B9"
WEAK_TEXT = "#808080"
SMALL = LEAST_FONT + 2  # points: axis, legend, clusters
AXIS_HEIGHT = 0.36  # inches
MOST_NUMBERS = 150  # in trees of more leaves, numbers on weak branches would hide the others
SIGN = 0.16  # inches that a sign of the legend takes
MARKERS: dict[str, dict[str, Any]] = {
    "firm": {"marker": "o", "markerfacecolor": "black", "markeredgecolor": "black"},
    "middle": {"marker": "o", "markerfacecolor": "white", "markeredgecolor": "black"},
}
HEIGHT_LABELS = {
    "rank": "merge order (not a distance)",
    "depth": "merges on the longest way down (not a distance)",
    "size": "objects in the cluster",
    "dissimilarity": "probability of being judged less alike than a random pair",
}
FOREIGN = "height"
"""The axis of a tree whose heights another program gave: no method of ours built it."""


@dataclass(frozen=True)
class Note:
    """An entry of the legend: a sign, or none, and its meaning."""

    text: str
    sign: str = ""


def support_notes(tree: Hierarchy, style: str, min_support: float | None) -> list[Note]:
    """Return what the legend says about support; nothing if the tree has none."""
    if style == "none" or not np.isfinite(tree.support[:-1]).any():
        return []
    if style == "signs":
        notes = [Note("support at least 95 %", "firm"), Note("50 to 95 %", "middle")]
    else:
        notes = [Note("support at least 95 %", "firm"), Note("numbers: support in percent")]
    if min_support:
        notes.append(Note(f"branches below {whole_percent(min_support)} % are collapsed"))
    if not min_support or min_support < WEAK_SUPPORT:
        notes.append(Note("below 50 %", "weak"))
    return notes


def legend_lines(notes: Sequence[Note], width: float) -> list[list[Note]]:
    """Return the notes line by line; a note that is too long for a line is wrapped."""
    lines: list[list[Note]] = []
    left = 0.0
    for note in notes:
        needed = _note_width(note)
        if needed > width:
            per_line = max(10, int(len(note.text) * width / needed) - 1)
            lines += [[Note(part)] for part in textwrap.wrap(note.text, per_line)]
            left = 0.0
        elif not lines or needed > left:
            lines.append([note])
            left = width - needed
        else:
            lines[-1].append(note)
            left -= needed
    return lines


def legend_height(lines: Sequence[Sequence[Note]]) -> float:
    """Return the height of a legend in inches."""
    return len(lines) * SMALL * LINE / POINTS + (GAP if lines else 0.0)


def _note_width(note: Note) -> float:
    return text_width([note.text], SMALL) + (SIGN if note.sign else 0.0) + 3 * GAP


def draw_legend(ax: Axes, lines: Sequence[Sequence[Note]]) -> None:
    """Draw the legend at the bottom, from the left."""
    step = SMALL * LINE / POINTS
    for number, line in enumerate(lines):
        x, y = 2 * MARGIN, MARGIN + (len(lines) - number - 0.5) * step
        for note in line:
            start = x
            if note.sign:
                _draw_sign(ax, note.sign, x, y)
                start += SIGN
            ax.text(start, y, note.text, fontsize=SMALL, va="center_baseline", color="#333333")
            x += _note_width(note)


def _draw_sign(ax: Axes, sign: str, x: float, y: float) -> None:
    if sign == "weak":
        ends = [x, x + SIGN - GAP]
        ax.add_line(Line2D(ends, [y, y], color=WEAK_COLOUR, linewidth=1.4))
    else:
        ax.add_line(Line2D([x + SIGN / 3], [y], markersize=4, linestyle="", **MARKERS[sign]))


def draw_support(
    ax: Axes,
    tree: Hierarchy,
    layout: DendrogramLayout,
    collapsed: BoolArray,
    arrangement: Arrangement,
    style: str,
) -> None:
    """Draw a sign at each branch, or the support of branches that are not firm in percent."""
    n, frame = tree.n_objects, arrangement.frame
    size = float(np.clip(arrangement.font_size * 0.5, 1.5, 3.6))
    support = tree.support[:-1]
    shown = ~collapsed[:-1] & np.isfinite(support)
    places = frame.at(layout.positions[n:-1], layout.heights[n:-1])
    kinds = {"firm": support >= FIRM_SUPPORT}
    if style == "signs":
        kinds["middle"] = (support >= WEAK_SUPPORT) & ~kinds["firm"]
    for kind, has in kinds.items():
        points = places[shown & has]
        if len(points):
            line = Line2D(*points.T, markersize=size, linestyle="", zorder=4, **MARKERS[kind])
            line.set_markeredgewidth(0.6)
            line.set_gid(f"support-{kind}")
            ax.add_line(line)
    if style == "signs":
        return
    lowest = 0.0 if n <= MOST_NUMBERS else WEAK_SUPPORT
    halo = [withStroke(linewidth=1.2, foreground="white")]
    for t in np.flatnonzero(shown & ~kinds["firm"] & (support >= lowest)).tolist():
        ax.annotate(
            whole_percent(support[t]),
            (float(places[t, 0]), float(places[t, 1])),
            xytext=(-1.5, 0.8),
            textcoords="offset points",
            ha="right",
            va="bottom",
            fontsize=float(np.clip(arrangement.font_size * 0.72, 1.2, SMALL)),
            color="#333333" if support[t] >= WEAK_SUPPORT else WEAK_TEXT,
            path_effects=halo,
            zorder=4,
            gid=f"support-{t}",
        )


def draw_axis(ax: Axes, arrangement: Arrangement, heights: str, label: str | None = None) -> None:
    """Draw the axis of heights, below a tree whose root is left, or to the left of one on top."""
    frame = arrangement.frame
    if isinstance(frame, Around):
        return
    whole = heights != "dissimilarity"
    last = frame.n_leaves - 0.5
    locator = MaxNLocator(nbins=6, integer=whole, steps=[1, 2, 5, 10])
    ticks = np.asarray(locator.tick_values(0, frame.top))
    ticks = ticks[(ticks >= 0) & (ticks <= frame.top * (1 + 1e-9))]
    is_left = isinstance(frame, Left)
    out = np.array([0.0, -0.04] if is_left else [-0.04, 0.0])  # outwards
    start = frame.at(np.full(len(ticks), last if is_left else -0.5), ticks) + out
    ax.add_line(Line2D(*start[[0, -1]].T, color=NEUTRAL, linewidth=0.8))
    for tick, point in zip(ticks.tolist(), start, strict=True):
        ax.add_line(Line2D(*np.array([point, point + 0.75 * out]).T, color=NEUTRAL, linewidth=0.8))
        text = f"{2**tick:g}" if heights == "size" else f"{tick:g}"
        x, y = (point + 1.25 * out).tolist()
        align: Any = {"ha": "center", "va": "top"} if is_left else {"ha": "right", "va": "center"}
        ax.text(x, y, text, fontsize=LEAST_FONT + 1, color=NEUTRAL, **align)
    middle = start[[0, -1]].mean(axis=0) + (np.array([0, -0.2]) if is_left else np.array([-0.3, 0]))
    ax.text(
        float(middle[0]),
        float(middle[1]),
        label or HEIGHT_LABELS[heights],
        fontsize=SMALL,
        color="#333333",
        ha="center",
        va="top" if is_left else "center",
        rotation=0 if is_left else 90,
        gid="heights",
    )


def draw_clusters(
    ax: Axes, layout: DendrogramLayout, arrangement: Arrangement, colours: Sequence[str]
) -> None:
    """Draw a line along each cluster, in its colour, with its number and name."""
    frame, at = arrangement.frame, arrangement.clusters_at
    along = layout.leaf_groups[layout.leaf_order]
    for group, label in enumerate(arrangement.cluster_labels):
        places = np.flatnonzero(along == group)
        first, last = places[0] - 0.38, places[-1] + 0.38
        band = frame.band(first, last, at + CLUSTER_LINE / 2)
        width = CLUSTER_LINE * POINTS
        line = Line2D(*band.T, color=colours[group], linewidth=width, solid_capstyle="butt")
        line.set_gid(f"cluster-{group}")
        ax.add_line(line)
        middle = (first + last) / 2
        x, y = frame.beyond(middle, at + CLUSTER_LINE + GAP)
        options = frame.text(middle, upright=not isinstance(frame, Left | Around))
        if isinstance(frame, Around):
            half = text_width([label], SMALL) / 2
            x, y = frame.beyond(middle, at + CLUSTER_LINE + GAP + half)
            options = frame.text(middle, upright=True)
        ax.text(
            x, y, label, fontsize=SMALL, color="black", parse_math=False, **options,
            gid=f"cluster-label-{group}",
        )  # fmt: skip


def draw_wedges(ax: Axes, arrangement: Arrangement, groups: Sequence[int], colour: str) -> None:
    """Draw a triangle at each leaf that stands for several objects."""
    for place in groups:
        frame = arrangement.frame
        tip = frame.beyond(place, 0.0)
        corners = [frame.beyond(place + shift, WEDGE) for shift in (-0.36, 0.36)]
        ax.add_patch(Polygon([tip, *corners], closed=True, facecolor=colour, edgecolor="none"))
