"""The tree of a study: how it is built, its bootstrap support, what the dashboard shows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._typing import FloatArray
from ordlink.comparisons import ListedComparisons
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import METHODS, cluster, warn_of_ties
from ordlink.metrics import agreements
from ordlink.validation import branch_support

N_BOOTSTRAP_SAMPLES = 20  # fewer than `ordlink cluster` draws: trees are rebuilt every few seconds
# Options of methods that embed; these were best over all trees that were tried.
_EMBEDDING = {"n_components": 3, "metric": "euclidean", "seed": 0}
_FLAGS = {"n_components": "dimension"}


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
