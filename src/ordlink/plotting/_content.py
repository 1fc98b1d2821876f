"""What a figure has to hold: labels of clusters, the legend, the title, and how many leaves."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence

import numpy as np

from ordlink._text import counted
from ordlink._validate import check_whole_number
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy, Partition
from ordlink.plotting import _marks
from ordlink.plotting._arrange import Content, used_height
from ordlink.plotting._layout import DendrogramLayout
from ordlink.plotting._marks import Note
from ordlink.plotting._overview import Overview, one_line
from ordlink.plotting._page import LEAST_PITCH, LINE, POINTS, TALL, Paper

CLADOGRAM = "cladogram"
TITLE_SIZE = 9.0  # points
MOST_ASIDE, LONGEST_NAME = 8, 20  # names of objects that are set aside, and their columns


def cluster_labels(clusters: Partition | None, names: Sequence[str] | None) -> list[str]:
    """Return number, name and size of each cluster, in the order of the numbers."""
    if clusters is None:
        if names is not None:
            raise InputError(
                "cluster names need a number of clusters",
                parameter="cluster_names",
                remedy="pass {n_clusters}",
            )
        return []
    sizes = clusters.sizes
    if names is None:
        return [f"{number} ({size:,})" for number, size in enumerate(sizes, start=1)]
    if len(names) != len(sizes):
        raise InputError(
            f"expected {counted(len(sizes), 'name')}, one per cluster, got {len(names)}",
            parameter="cluster_names",
        )
    return [
        f"{number} {one_line(str(name))} ({size:,})"
        for number, (name, size) in enumerate(zip(names, sizes, strict=True), start=1)
    ]


def clusters_by_place(
    layout: DendrogramLayout, shown: Overview, clusters: Partition | None
) -> list[int]:
    """Return the index of each cluster along the leaves in the order of the numbers."""
    if clusters is None:
        return []
    along = layout.leaf_groups[layout.leaf_order]
    places = [int(np.flatnonzero(along == group)[0]) for group in range(clusters.n_clusters)]
    leaves = layout.leaf_order[places].tolist()
    return [int(clusters.labels[shown.members[leaf][0]]) for leaf in leaves]


def aside_notes(tree: Hierarchy, clusters: Partition | None) -> list[Note]:
    """Return what the legend says about objects that are set aside."""
    if clusters is None or not clusters.set_aside:
        return []
    names = [one_line(tree.name_of(i), LONGEST_NAME) for i in clusters.set_aside]
    more = f" and {len(names) - MOST_ASIDE} more" if len(names) > MOST_ASIDE else ""
    return [Note(f"grey names, set aside: {', '.join(names[:MOST_ASIDE])}{more}")]


def legend_width(room: Paper) -> float:
    """Return the inches that a line of the legend may take."""
    return room.width - 0.2


def all_notes(notes: Sequence[Note], heights: str, orientation: str) -> list[Note]:
    """Return the notes with one on heights, where no axis explains them."""
    if heights == CLADOGRAM:
        return [*notes, Note("lengths of branches have no meaning")]
    if orientation == "radial":
        return [*notes, Note(f"distance from the rim: {_marks.HEIGHT_LABELS[heights]}")]
    return list(notes)


def outside(
    room: Paper, heights: str, notes: Sequence[Note], title: str | None, orientation: str
) -> Content:
    """Return the room that title, legend and axis take; what else there is comes later."""
    lines = _marks.legend_lines(all_notes(notes, heights, orientation), legend_width(room))
    above = 0.0 if title is None else len(title_lines(title, room.width)) * _title_step() + 0.04
    has_axis = heights != CLADOGRAM and orientation != "radial"
    return Content(
        above=above,
        below=_marks.legend_height(lines),
        axis=_marks.AXIS_HEIGHT if has_axis else 0.0,
    )


def most_leaves(
    tree: Hierarchy,
    max_leaves: int | None,
    least: int,
    room: Paper,
    content: Content,
    orientation: str,
    page: str,
) -> int:
    """Return how many leaves to draw: at least the clusters and objects that are set aside."""
    if max_leaves is not None:
        return check_whole_number(max_leaves, "max_leaves", lowest=least)
    used = used_height(content)
    legible = room.leaves_on(used)
    if orientation == "top":
        legible = room.leaves_on(content.axis + 0.2, along_width=True)
    if orientation == "radial":  # names begin at a little less than half of the radius
        side = min(room.width, room.height - used)
        legible = max(2, math.floor(0.44 * math.pi * side / LEAST_PITCH))
    return tree.n_objects if page == TALL and orientation == "left" else max(legible, least)


def _title_step() -> float:
    return TITLE_SIZE * LINE / POINTS


def title_lines(title: str, width: float) -> list[str]:
    """Return the title, wrapped."""
    return textwrap.wrap(title, max(int(width * POINTS / (TITLE_SIZE * 0.62)), 10))
