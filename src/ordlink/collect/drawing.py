"""The dashboard's drawings: the coordinates of the tree and of the bar chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ordlink._text import shorten, whole_percent
from ordlink.hierarchy import Hierarchy
from ordlink.plotting import dendrogram_layout
from ordlink.validation import FIRM_SUPPORT, WEAK_SUPPORT

TREE_WIDTH = 400.0
_BRANCHES = 236.0
_MARGIN = 12.0
_PICTURE_ROW, _TEXT_ROW = 34.0, 19.0
_LEAST_STEP_FOR_NUMBERS = 17.0
_LONGEST_NAME = 23


@dataclass(frozen=True)
class Branch:
    """A merge: its lines, the point where they join, and its support."""

    path: str
    x: float
    y: float
    trust: str
    label: str
    title: str


@dataclass(frozen=True)
class Leaf:
    """An object at the end of a branch; `url` is empty where there is no picture."""

    y: float
    name: str
    shown_name: str
    url: str


@dataclass(frozen=True)
class TreeDrawing:
    """A tree with its root at the left."""

    width: float
    height: float
    row: float
    leaf_x: float
    branches: tuple[Branch, ...]
    leaves: tuple[Leaf, ...]
    n_answers: int
    command: str
    newick: str
    notes: tuple[str, ...] = ()


def draw_tree(
    tree: Mapping[str, Any] | None, names: Sequence[str], urls: Sequence[str]
) -> TreeDrawing | None:
    """Return the coordinates of a tree from `LiveTree.as_json`; None while there is none.

    `urls` are the addresses of the objects' pictures, empty where there is none.
    """
    if tree is None:
        return None
    layout = dendrogram_layout(Hierarchy(tree["merges"]), heights="depth")
    row = _PICTURE_ROW if any(urls) else _TEXT_ROW
    step = _BRANCHES / float(layout.heights[-1])

    def x_of(height: float) -> float:
        return round(_MARGIN + _BRANCHES - step * float(height), 1)

    def y_of(position: float) -> float:
        return round((float(position) + 0.5) * row, 1)

    branches = []
    n_objects = len(names)
    for number, corners in enumerate(layout.links):
        points = [f"{x_of(height)} {y_of(position)}" for position, height in corners]
        node = n_objects + number
        is_root = number == n_objects - 2
        share = tree["support"][number]
        branches.append(
            Branch(
                path="M" + " L".join(points),
                x=x_of(layout.heights[node]),
                y=y_of(layout.positions[node]),
                trust="root" if is_root else trust_of(share),
                label=""
                if is_root or share is None or step < _LEAST_STEP_FOR_NUMBERS
                else whole_percent(share),
                title="" if is_root else describe_support(share),
            )
        )
    leaves = tuple(
        Leaf(y_of(place), names[one], shorten(names[one], _LONGEST_NAME), urls[one])
        for place, one in enumerate(layout.leaf_order.tolist())
    )
    return TreeDrawing(
        width=TREE_WIDTH,
        height=round(row * n_objects, 1),
        row=row,
        leaf_x=_MARGIN + _BRANCHES,
        branches=tuple(branches),
        leaves=leaves,
        n_answers=int(tree["n_answers"]),
        command=str(tree["command"]),
        newick=str(tree["newick"]),
        notes=tuple(tree.get("notes", ())),
    )


def describe_support(support: float | None) -> str:
    """Describe the support of a merge."""
    if support is None:
        return "decided by a tie, not by the answers"
    return f"bootstrap support {whole_percent(support)} %"


def trust_of(support: float | None) -> str:
    """Return firm, fair or weak; weak if a tie decided."""
    share = support or 0.0
    return "firm" if share >= FIRM_SUPPORT else "fair" if share >= WEAK_SUPPORT else "weak"


@dataclass(frozen=True)
class Bars:
    """Bars as (x, y, width, height) in a box of 600 by 100, and what they stand for."""

    bars: tuple[tuple[float, float, float, float], ...]
    most: int
    each: str
    since: str


def draw_bars(over_time: Mapping[str, Any]) -> Bars | None:
    """Return the bars of the answers over time; None while there are no answers."""
    counts = over_time["counts"]
    if not counts or not max(counts):
        return None
    width, most = 600 / len(counts), max(counts)
    gap = min(1.0, width / 6)
    bars = tuple(
        (
            round(number * width + gap, 2),
            round(100 - 100 * count / most, 2),
            round(width - 2 * gap, 2),
            round(100 * count / most, 2),
        )
        for number, count in enumerate(counts)
    )
    seconds = float(over_time["seconds"])
    return Bars(bars, most, duration(seconds), duration(seconds * len(counts)))


def duration(seconds: float) -> str:
    """Return a span of time in the unit that fits.

    Examples
    --------
    >>> [duration(seconds) for seconds in (1.4, 90, 5400, 200_000)]
    ['1 s', '2 min', '2 h', '2 d']
    """
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
