"""The tree of a study: from the record to what the dashboard shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._typing import FloatArray
from ordlink.collect.reading import Record
from ordlink.collect.samplers import bootstrap_trees, grow, tree_options
from ordlink.comparisons import ListedComparisons
from ordlink.hierarchy import Hierarchy
from ordlink.methods import warn_of_ties
from ordlink.metrics import agreements

N_BOOTSTRAP_TREES = 20
_SUPPORT_SEED = 0


@dataclass(frozen=True)
class LiveTree:
    """A tree and how far it can be trusted.

    Attributes
    ----------
    tree : Hierarchy
        Exactly what ``ordlink cluster`` makes of the exported answers with the study's method.
    support : ndarray of shape (N-1,), dtype float64
        For each merge, the share of trees of resampled answers that have the same cluster; NaN
        where a tie decided: resampled answers break it the same way.
    n_answers : int
        Answers that count, "can't tell" included.
    agreement : dict from int to float
        For each person, the share of their comparisons that the tree agrees with; one half
        where it says nothing.
    notes : tuple of str
        What ``ordlink cluster`` warns of.
    """

    tree: Hierarchy
    support: FloatArray
    n_answers: int
    agreement: dict[int, float]
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


def grow_tree(record: Record) -> LiveTree | None:
    """Return the tree of a record; None while there is no comparison."""
    comparisons = record.comparisons
    if not comparisons.n_comparisons:
        return None
    method = record.study.method
    tree = grow(comparisons, method)
    notes = (*comparisons.warnings(), *warn_of_ties(tree))
    others = bootstrap_trees(
        comparisons, method, N_BOOTSTRAP_TREES, np.random.default_rng(_SUPPORT_SEED)
    )
    return LiveTree(
        tree,
        np.where(tree.tied, np.nan, support_of(tree, others)),
        len(record.answers),
        _agreement(tree, comparisons),
        notes,
    )


def cluster_command(method: str) -> str:
    """Return the command that makes the same tree of the exported answers.

    Examples
    --------
    >>> cluster_command("AddS-AL")
    'ordlink cluster answers.csv --method AddS-AL'
    """
    options = "".join(f" --{name} {value}" for name, value in tree_options(method).items())
    return f"ordlink cluster answers.csv --method {method}{options}"


def support_of(tree: Hierarchy, others: list[Hierarchy]) -> FloatArray:
    """Return, for each merge of a tree, the share of other trees with the same cluster.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> support_of(tree, [tree, Hierarchy([[0, 1], [2, 4], [3, 5]])])
    array([1. , 0.5, 1. ])
    """
    theirs = [{members.tobytes() for _, members in other.clusters()} for other in others]
    shares = [
        np.mean([members.tobytes() in clusters for clusters in theirs])
        for _, members in tree.clusters()
    ]
    return np.array(shares, dtype=np.float64)


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
