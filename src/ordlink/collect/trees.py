"""The tree of a study: how it is built, its bootstrap support, and the dashboard's drawings."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._text import shorten, whole_percent
from ordlink._typing import FloatArray
from ordlink.comparisons import ListedComparisons
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import METHODS, cluster, warn_of_ties
from ordlink.metrics import agreements
from ordlink.plotting import dendrogram_layout
from ordlink.validation import FIRM_SUPPORT, WEAK_SUPPORT, branch_support

N_BOOTSTRAP_SAMPLES = 20  # fewer than `ordlink cluster` draws: trees are rebuilt every few seconds
# Options of methods that embed; these were best over all trees that were tried.
_EMBEDDING = {"n_components": 3, "metric": "euclidean", "seed": 0}
_FLAGS = {"n_components": "dimension"}
TREE_WIDTH = 400.0
_BRANCHES = 236.0
_MARGIN = 12.0
_PICTURE_ROW, _TEXT_ROW = 34.0, 19.0
_LEAST_STEP_FOR_NUMBERS = 17.0
_LONGEST_NAME = 23


@dataclass(frozen=True)
class LiveTree:
    """A tree and how far it can be trusted."""

    tree: Hierarchy  # what ``ordlink cluster`` builds from the exported answers
    support: FloatArray  # of branches; NaN where a tie decided: bootstrap samples break it the same
    n_answers: int  # including "can't tell"
    agreement: dict[int, float]  # share of each participant's comparisons that the tree agrees with
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return what the dashboard needs to draw it."""
        return {
            "method": self.tree.method,
            "command": cluster_command(str(self.tree.method)),
            "merges": self.tree.merges.tolist(),
            "leaf_order": self.tree.leaf_order.tolist(),
            "support": [
                None if np.isnan(share) else round(float(share), 3) for share in self.support
            ],
            "notes": list(self.notes),
            "n_tied_merges": self.tree.n_tied_merges,
            "n_answers": self.n_answers,
            "newick": self.tree.to_newick(),
        }


def grow_tree(comparisons: ListedComparisons, method: str, n_answers: int) -> LiveTree | None:
    """Return the tree of comparisons with its support; None without comparisons."""
    if not comparisons.n_comparisons:
        return None
    tree = build_tree(comparisons, method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        trusted = branch_support(
            comparisons, method, n_bootstrap=N_BOOTSTRAP_SAMPLES, **tree_options(method)
        )
    return LiveTree(
        tree,
        np.where(tree.tied, np.nan, trusted.support),
        n_answers,
        _agreement(tree, comparisons),
        (*comparisons.warnings(), *warn_of_ties(tree)),
    )


def tree_options(method: str) -> dict[str, Any]:
    """Return the options with which a study's tree is built, as the method takes them."""
    known = METHODS[method].options
    return {name: value for name, value in _EMBEDDING.items() if name in known}


def cluster_command(method: str) -> str:
    """Return the command that builds the same tree from the exported answers."""
    options = "".join(
        f" --{_FLAGS.get(name, name)} {value}" for name, value in tree_options(method).items()
    )
    return f"ordlink cluster answers.csv --method {method}{options}"


def build_tree(comparisons: ListedComparisons, method: str) -> Hierarchy:
    """Return the tree of comparisons, with the options of `tree_options`, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        return cluster(comparisons, method, **tree_options(method))


def bootstrap_trees(
    comparisons: ListedComparisons, method: str, n_trees: int, rng: np.random.Generator
) -> list[Hierarchy]:
    """Return trees of answers drawn with replacement, whole answers at a time."""
    answers, rows_of = np.unique(comparisons.answer_ids, return_inverse=True)
    order = np.argsort(rows_of, kind="stable")
    starts = np.searchsorted(rows_of[order], np.arange(len(answers) + 1))
    lengths = np.diff(starts)
    trees = []
    for _ in range(n_trees):
        drawn = np.sort(rng.integers(0, len(answers), len(answers)))
        within = np.arange(lengths[drawn].sum()) - np.repeat(
            np.cumsum(lengths[drawn]) - lengths[drawn], lengths[drawn]
        )
        rows = order[np.repeat(starts[drawn], lengths[drawn]) + within]
        trees.append(build_tree(comparisons.take(rows), method))
    return trees


def _agreement(tree: Hierarchy, comparisons: ListedComparisons) -> dict[int, float]:
    details = comparisons.details
    if details is None or details.annotators is None:
        return {}
    people, of_row = np.unique(details.annotators.astype(str), return_inverse=True)
    shares = np.bincount(of_row, weights=agreements(comparisons, tree)) / np.bincount(of_row)
    return {
        int(person.removeprefix("P")): round(float(share), 4)
        for person, share in zip(people.tolist(), shares, strict=True)
    }


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
    tree: Mapping[str, Any]


def draw_tree(
    tree: Mapping[str, Any] | None, names: Sequence[str], urls: Sequence[str]
) -> TreeDrawing | None:
    """Return the coordinates of a tree from `LiveTree.as_json`, with the pictures at `urls`."""
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
        is_bare = is_root or step < _LEAST_STEP_FOR_NUMBERS
        branches.append(
            Branch(
                path="M" + " L".join(points),
                x=x_of(layout.heights[node]),
                y=y_of(layout.positions[node]),
                trust="root" if is_root else trust_of(share),
                label="" if is_bare or share is None else whole_percent(share),
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
        tree=tree,
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
