"""The tree of a study: how it is built, its bootstrap support, and the dashboard's drawings."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._text import shorten, whole_percent
from ordlink.comparisons import ListedComparisons
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import DEFAULT_METHOD, METHODS, cluster, warn_of_ties
from ordlink.plotting import dendrogram_layout
from ordlink.validation import FIRM_SUPPORT, WEAK_SUPPORT, agreement_with_others, branch_support

FIRST_METHOD, SLOW_METHODS = "tSTE-AL", ("auto", "search")
"""The method of a first tree, and of trees that only choose questions, instead of slow ones."""
MANY_ANSWERS = 50_000  # from here on, slow methods and their bootstrap samples take a minute
N_BOOTSTRAP_SAMPLES = 20  # fewer than `ordlink cluster` draws: trees are rebuilt every few seconds
# Options of methods that embed; these were best over all trees that were tried.
_EMBEDDING = {"n_components": 3, "metric": "euclidean", "seed": 0}
_FLAGS = {"n_components": "dimension"}
FEWEST_TO_AGREE = 5  # answers of a participant
ANSWERS_PER_STIMULUS = 2  # with fewer, a tree says little: it is folded, and nobody is compared
TREE_WIDTH = 400.0
_BRANCHES = 236.0
_MARGIN = 12.0
_PICTURE_ROW, _TEXT_ROW = 34.0, 19.0
_LEAST_STEP_FOR_NUMBERS = 17.0
_LONGEST_NAME = 23


RecordVersion = tuple[int, int, int]  # the last answer, number of answers, revision


@dataclass(frozen=True)
class Trees:
    """The trees with and without excluded participants, in the dashboard's form."""

    version: RecordVersion
    everybody: dict[str, Any] | None  # see `grow_tree`
    kept: dict[str, Any] | None
    agreement: dict[int, float]  # of each participant's comparisons with the tree of everybody
    n_told: int = 0  # answers other than "can't tell"
    n_told_kept: int = 0
    overall: float | None = None  # mean agreement, weighted by the numbers of answers
    is_first: bool = False  # by a quick method, until those of a slow one are ready


def grow_tree(
    comparisons: ListedComparisons, method: str, n_answers: int
) -> tuple[dict[str, Any] | None, dict[int, float]]:
    """Return what the dashboard shows of a tree, and participants' agreement with the others.

    It is the tree that ``ordlink cluster`` builds from the exported answers; None without any.
    """
    if not comparisons.n_comparisons:
        return None, {}
    tree = build_tree(comparisons, method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        agreement = _agreement(comparisons)
        trusted = branch_support(
            comparisons, method, tree=tree, n_bootstrap=N_BOOTSTRAP_SAMPLES, **tree_options(method)
        )
    # Where a tie decided there is no support: bootstrap samples break it the same way.
    support = np.where(tree.tied, np.nan, trusted.support)
    chosen = [f"chose {tree.parameters['reason']}"] if "chosen" in tree.parameters else []
    shown = {
        "method": method,
        "command": cluster_command(method),
        "merges": tree.merges.tolist(),
        "leaf_order": tree.leaf_order.tolist(),
        "support": [None if np.isnan(share) else round(float(share), 3) for share in support],
        "notes": [*chosen, *comparisons.warnings(), *warn_of_ties(tree)],
        "n_tied_merges": tree.n_tied_merges,
        "n_answers": n_answers,
        "is_early": n_answers < ANSWERS_PER_STIMULUS * comparisons.n_objects,
        "newick": tree.to_newick(heights="rank"),  # the same as long as the merges are
    }
    return shown, agreement


def tree_options(method: str) -> dict[str, Any]:
    """Return the options for building a study's tree, in the method's form."""
    known = METHODS[method].options
    return {name: value for name, value in _EMBEDDING.items() if name in known}


def cluster_command(method: str) -> str:
    """Return the command that builds the same tree from the exported answers."""
    options = "".join(
        f" --{_FLAGS.get(name, name)} {value}" for name, value in tree_options(method).items()
    )
    named = "" if method == DEFAULT_METHOD else f" --method {method}{options}"
    return f"ordlink cluster answers.csv{named}"


def quick_method(method: str) -> str:
    """Return the method for questions and a first tree: the default one takes too long."""
    return FIRST_METHOD if method in SLOW_METHODS else method


def live_method(method: str, n_answers: int) -> str:
    """Return the method of the dashboard's tree: with many answers a quick one."""
    return method if n_answers < MANY_ANSWERS else quick_method(method)


def build_tree(comparisons: ListedComparisons, method: str) -> Hierarchy:
    """Return the tree of comparisons, with the options of `tree_options`, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        return cluster(comparisons, method, **tree_options(method))


def bootstrap_trees(
    comparisons: ListedComparisons, method: str, n_trees: int, rng: np.random.Generator
) -> list[Hierarchy]:
    """Return trees of answers drawn with replacement, whole answers at a time."""
    answers, answer_of = np.unique(comparisons.answer_ids, return_inverse=True)
    n_answers = len(answers)
    trees = []
    for _ in range(n_trees):
        n_drawn = np.bincount(rng.integers(0, n_answers, n_answers), minlength=n_answers)
        rows = np.repeat(np.arange(len(answer_of)), n_drawn[answer_of])
        trees.append(build_tree(comparisons.take(rows), method))
    return trees


def _agreement(comparisons: ListedComparisons) -> dict[int, float]:
    """Return each participant's agreement with the tree of the others, by AddS-AL.

    Nobody has one before there are enough answers: two per stimulus, and 5 of the participant.
    """
    if comparisons.n_answers < ANSWERS_PER_STIMULUS * comparisons.n_objects:
        return {}
    found = agreement_with_others(comparisons, fewest_answers=FEWEST_TO_AGREE)
    return {int(name.removeprefix("P")): round(share, 4) for name, share in found.items()}


def draw_tree(
    tree: Mapping[str, Any] | None, names: Sequence[str], urls: Sequence[str]
) -> dict[str, Any] | None:
    """Return the coordinates of a tree from `grow_tree`, its root at the left.

    `urls` are the addresses of pictures, empty where there are none. A tree may have no support.
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
        is_root = number == n_objects - 2 or "support" not in tree
        share = None if is_root else tree["support"][number]
        is_bare = is_root or step < _LEAST_STEP_FOR_NUMBERS
        branches.append(
            {
                "path": "M" + " L".join(points),
                "x": x_of(layout.heights[node]),
                "y": y_of(layout.positions[node]),
                "trust": "root" if is_root else trust_of(share),
                "label": "" if is_bare or share is None else whole_percent(share),
                "title": (
                    "decided by a tie, not by the answers"
                    if share is None
                    else f"bootstrap support {whole_percent(share)} %"
                ),
            }
        )
    leaves = [
        {"y": y_of(place), "name": names[one], "url": urls[one]}
        | {"shown_name": shorten(names[one], _LONGEST_NAME)}
        for place, one in enumerate(layout.leaf_order.tolist())
    ]
    size = {"width": TREE_WIDTH, "height": round(row * n_objects, 1), "row": row}
    leaf_x = _MARGIN + _BRANCHES
    return {**size, "leaf_x": leaf_x, "branches": branches, "leaves": leaves, "tree": tree}


def trust_of(support: float | None) -> str:
    """Return firm, fair or weak; weak if a tie decided."""
    share = support or 0.0
    return "firm" if share >= FIRM_SUPPORT else "fair" if share >= WEAK_SUPPORT else "weak"


def draw_bars(over_time: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the heights of bars in percent of the highest, with their labels; None without any."""
    counts = over_time["counts"]
    if not any(counts):
        return None
    most, seconds = max(counts), float(over_time["seconds"])
    heights = [round(100 * count / most, 2) for count in counts]
    each, since = duration(seconds), duration(seconds * len(counts))
    return {"heights": heights, "most": most, "each": each, "since": since}


def duration(seconds: float) -> str:
    """Return a duration in a suitable unit.

    Examples
    --------
    >>> [duration(seconds) for seconds in (1.4, 90, 5400, 200_000)]
    ['1 s', '2 min', '2 h', '2 d']
    """
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
