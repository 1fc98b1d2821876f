"""What a choice about people does: the tree with and without it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np

from ordlink.comparisons import ListedComparisons
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import cluster
from ordlink.metrics import comparison_accuracy, triplet_distance
from ordlink.validation._shuffled import grow_shuffled

N_ORDERS = 4
"""Where ties decide merges, so many trees of each kind are grown, their ties decided by chance."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoTrees:
    """Two trees, how far they agree, and how well each fits the answers.

    Attributes
    ----------
    tree_with, tree_without : Hierarchy
        The trees, as `ordlink.cluster` gives them.
    agreement : float
        Share of the triples of objects that both trees resolve alike (1 minus the triplet
        distance); 1/3 for unrelated trees. Where ties decide merges, the mean over several trees
        of each kind whose ties are decided by chance: trees of the same ties would look alike.
    agreement_of_ties : float
        The same for two trees of one kind: what `agreement` would be if the trees differed by
        their ties alone. 1 where no tie decides a merge.
    accuracy_with, accuracy_without : float
        Share of the comparisons that each tree agrees with.
    """

    tree_with: Hierarchy
    tree_without: Hierarchy
    agreement: float
    agreement_of_ties: float
    accuracy_with: float
    accuracy_without: float


def grow_two(
    comparisons_with: ListedComparisons,
    comparisons_without: ListedComparisons,
    method: str,
    options: dict[str, Any],
    *,
    judge: ListedComparisons,
    seed: int,
) -> TwoTrees:
    """Grow the trees of two sets of comparisons, and compare them.

    Parameters
    ----------
    comparisons_with, comparisons_without : ListedComparisons
        What the trees are grown from.
    method : str
        A method that takes comparisons.
    options : dict
        Options of the method.
    judge : ListedComparisons
        What the accuracies are about.
    seed : int
        Draws the orders of the objects.
    """
    both = comparisons_with, comparisons_without
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        tree_with, tree_without = (cluster(one, method, **options) for one in both)
    agreement, of_ties = _agreement(tree_with, tree_without), 1.0
    if tree_with.n_tied_merges or tree_without.n_tied_merges:
        rng = np.random.default_rng(seed)
        first, second = (
            [grow_shuffled(one, method, rng, **options) for _ in range(N_ORDERS)] for one in both
        )
        agreement = _mean_agreement(product(first, second))
        of_ties = _mean_agreement([*combinations(first, 2), *combinations(second, 2)])
    return TwoTrees(
        tree_with=tree_with,
        tree_without=tree_without,
        agreement=agreement,
        agreement_of_ties=of_ties,
        accuracy_with=comparison_accuracy(judge, tree_with),
        accuracy_without=comparison_accuracy(judge, tree_without),
    )


def _agreement(one: Hierarchy, other: Hierarchy) -> float:
    return 1 - triplet_distance(one, other)


def _mean_agreement(pairs: Iterable[tuple[Hierarchy, Hierarchy]]) -> float:
    return float(np.mean([_agreement(one, other) for one, other in pairs]))
