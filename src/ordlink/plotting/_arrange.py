"""How the room of a figure is shared: tree, names, pictures, clusters, legend."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ordlink.plotting._figure import text_width
from ordlink.plotting._frame import Around, Frame, Left, Top
from ordlink.plotting._overview import one_line
from ordlink.plotting._page import LEAST_FONT, POINTS, WIDEST_PITCH, Paper, font_for

MARGIN = 0.06  # inches at the edges
GAP = 0.05  # inches between leaf, name, pictures and clusters
WEDGE = 0.1  # inches: the triangle of a group of objects
FILLED = 0.94  # share of the distance between leaves that pictures may take
MOST_LANES = 3  # pictures stand in up to so many lanes, neighbours in different ones
NAMES_AT_MOST, PICTURES_AT_MOST, CLUSTERS_AT_MOST = 0.4, 0.4, 0.3  # shares of the width
NAMES_ON_RIM = 0.5  # share of the radius
TREE_LENGTH = 3.2  # inches from the leaves to the root, with the root on top
LEAST_TREE = 0.2  # share of the room beyond the leaves that is the tree's in any case
LARGEST_DISC = 0.75  # share of the radius that the tree takes at most, for wide rims
CLUSTER_LINE = 0.045  # inches


@dataclass(frozen=True)
class Content:
    """What has to fit."""

    above: float  # inches of the title
    below: float  # inches of the legend
    axis: float  # inches of the axis of heights
    labels: Sequence[str] = ()  # of the leaves
    top: float = 1.0  # height of the root
    is_overview: bool = False
    aspect: float | None = None  # width / height of the widest picture; None without pictures
    at_groups: bool = False  # whether pictures stand for groups, in one lane
    picture_height: float = 0.0
    clusters: Sequence[str] = ()  # labels of the clusters


@dataclass(frozen=True)
class Arrangement:
    """Where everything goes; distances from the leaf line outwards, in inches."""

    size: tuple[float, float]  # of the figure
    frame: Frame
    labels: list[str]  # shortened where they are too long
    font_size: float
    names_at: float
    names_end: float
    picture_box: tuple[float, float]  # width and height
    lanes: list[float]  # where the centre of a picture is, lane by lane
    clusters_at: float
    cluster_labels: list[str]


def arrange(shape: str, content: Content, room: Paper) -> Arrangement:
    """Return where everything goes if the root is "left", on "top", or in the middle ("radial")."""
    return _SHAPES[shape](content, room)


def used_height(content: Content) -> float:
    """Return the inches of a page that are not for leaves."""
    return content.above + content.below + content.axis + 2 * MARGIN


def _wanted_pitch(content: Content, *, along: float) -> float:
    """Return the distance between leaves where there is room; `along` is the size of a picture."""
    if content.aspect is None or content.at_groups:
        return WIDEST_PITCH
    return max(WIDEST_PITCH, along / FILLED)


def _shortened(labels: Sequence[str], font_size: float, most: float) -> list[str]:
    """Return the labels, shortened so that they fit a width in inches."""
    longest = max(map(len, labels), default=0)
    shown = [one_line(label) for label in labels]
    while longest > 6 and text_width(shown, font_size) > most:
        longest = max(6, math.floor(longest * 0.93))
        shown = [one_line(label, longest) for label in labels]
    return shown


def _lanes(pitch: float, wanted: float) -> tuple[int, float]:
    """Return the number of lanes, and the size of pictures along the leaves."""
    n_lanes = min(MOST_LANES, max(1, math.ceil(wanted / (pitch * FILLED) - 1e-9)))
    return n_lanes, min(wanted, n_lanes * pitch * FILLED)


def _share_out(content: Content, along: float, room: float) -> tuple[float, float]:
    """Return the distance between leaves, and what pictures stick out at the first and the last."""
    n = len(content.labels)
    pitch = min(_wanted_pitch(content, along=along), room / n)
    if content.aspect is None or content.at_groups:
        return pitch, 0.0
    sticks_out = max(0.0, (_lanes(pitch, along)[1] - pitch) / 2)
    pitch = min(pitch, (room - 2 * sticks_out) / n)
    return pitch, sticks_out


@dataclass
class _Bands:
    """The rim beyond the leaves, filled from the leaf line outwards."""

    end: float = 0.0

    def take(self, width: float) -> float:
        start = self.end + GAP
        self.end = start + width
        return start

    def lanes(self, n_lanes: int, across: float) -> list[float]:
        return [self.take(across) + across / 2 for _ in range(n_lanes)]


def _from_left(content: Content, room: Paper) -> Arrangement:
    n = len(content.labels)
    along = content.picture_height
    pitch, ends = _share_out(content, along, room.height - used_height(content))
    font_size = font_for(pitch)
    labels = _shortened(content.labels, font_size, NAMES_AT_MOST * room.width)
    clusters = _shortened(content.clusters, LEAST_FONT + 2, CLUSTERS_AT_MOST * room.width)
    bands = _Bands(WEDGE if content.is_overview else 0.0)
    names_at = bands.take(text_width(labels, font_size))
    names_end, box, lanes = bands.end, (0.0, 0.0), []
    if content.aspect is not None:
        n_lanes, high = (1, along) if content.at_groups else _lanes(pitch, along)
        high = min(high, PICTURES_AT_MOST * room.width / n_lanes / content.aspect)
        box = content.aspect * high, high
        lanes = bands.lanes(n_lanes, box[0])
    clusters_at = bands.end
    if content.clusters:
        clusters_at = bands.take(CLUSTER_LINE)
        bands.take(text_width(clusters, LEAST_FONT + 2))
    leaf_line = max(room.width - MARGIN - bands.end, LEAST_TREE * room.width)
    bottom = MARGIN + content.below + content.axis + ends
    frame = Left(n, content.top, MARGIN + 0.06, leaf_line, bottom, n * pitch)
    size = room.width, bottom + n * pitch + ends + content.above + MARGIN
    found = labels, font_size, names_at, names_end, box, lanes, clusters_at, clusters
    return Arrangement(size, frame, *found)


def _from_top(content: Content, room: Paper) -> Arrangement:
    n, aspect = len(content.labels), content.aspect or 1.0
    along = content.picture_height * aspect
    pitch, ends = _share_out(content, along, room.width - content.axis - 2 * MARGIN)
    left = MARGIN + max(content.axis, ends)
    font_size = font_for(pitch)
    high = room.height - content.above - content.below - 2 * MARGIN
    labels = _shortened(content.labels, font_size, NAMES_AT_MOST * high)
    bands = _Bands(WEDGE if content.is_overview else 0.0)
    names_at = bands.take(text_width(labels, font_size))
    names_end, box, lanes = bands.end, (0.0, 0.0), []
    if content.aspect is not None:
        n_lanes, wide = (1, along) if content.at_groups else _lanes(pitch, along)
        wide = min(wide, PICTURES_AT_MOST * high / n_lanes * aspect)
        box = wide, wide / aspect
        lanes = bands.lanes(n_lanes, box[1])
    clusters_at = bands.end
    if content.clusters:
        clusters_at = bands.take(CLUSTER_LINE)
        bands.take(LEAST_FONT * 1.8 / POINTS)
    tree = min(TREE_LENGTH, max(high - bands.end, LEAST_TREE * high))
    leaf_line = MARGIN + content.below + bands.end
    frame = Top(n, content.top, left, n * pitch, leaf_line, leaf_line + tree)
    size = left + n * pitch + ends + MARGIN, leaf_line + tree + content.above + MARGIN
    clusters = [label.split(" ")[0] for label in content.clusters]
    found = labels, font_size, names_at, names_end, box, lanes, clusters_at, clusters
    return Arrangement(size, frame, *found)


def _around(content: Content, room: Paper) -> Arrangement:
    n = len(content.labels)
    side = min(room.width, room.height - content.above - content.below) - 2 * MARGIN
    outer, font_size = side / 2, font_for(WIDEST_PITCH)
    clusters = [label.split(" ")[0] for label in content.clusters]
    radius = outer / 2
    for _ in range(6):  # names, pictures and the radius depend on each other
        font_size = font_for(2 * math.pi * radius / n)
        most = (NAMES_AT_MOST if content.is_overview else NAMES_ON_RIM) * outer
        labels = _shortened(content.labels, font_size, most)
        bands = _Bands(WEDGE if content.is_overview else 0.0)
        names_at = bands.take(text_width(labels, font_size))
        names_end, box, lanes = bands.end, (0.0, 0.0), []
        if content.aspect is not None:
            pitch = 2 * math.pi * (radius + bands.end) / n
            slant = math.hypot(1.0, content.aspect)  # the diagonal: pictures stand upright
            wanted = content.picture_height * slant
            n_lanes, along = (1, wanted) if content.at_groups else _lanes(pitch, wanted)
            along = min(along, PICTURES_AT_MOST * outer / n_lanes)
            box = content.aspect * along / slant, along / slant
            lanes = bands.lanes(n_lanes, along)
        clusters_at = bands.end
        if content.clusters:
            clusters_at = bands.take(CLUSTER_LINE)
            bands.take(text_width(clusters, LEAST_FONT + 2))
        radius = min(max(outer - bands.end, LEAST_TREE * outer), LARGEST_DISC * outer)
    bottom = MARGIN + content.below
    centre = room.width / 2, bottom + outer
    frame = Around(n, content.top, centre, radius)
    size = room.width, bottom + side + content.above + MARGIN
    found = labels, font_size, names_at, names_end, box, lanes, clusters_at, clusters
    return Arrangement(size, frame, *found)


_SHAPES: dict[str, Callable[[Content, Paper], Arrangement]] = {
    "left": _from_left,
    "top": _from_top,
    "radial": _around,
}
SHAPES = tuple(_SHAPES)
"""Where the root of a drawn tree may be: on the left, on top, in the middle."""
