"""Share of comparisons that a tree agrees with."""

from __future__ import annotations

import math

import numpy as np

from ordlink._typing import FloatArray, Int32Array
from ordlink.comparisons import Comparisons, ListedComparisons, RankedComparisons
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_comparisons, check_tree


def comparison_accuracy(comparisons: Comparisons, tree: Hierarchy) -> float:
    """Return the share of comparisons that the tree agrees with.

    The tree agrees with (i, j, k, l), "i and j are more alike than k and l", where the lowest
    cluster that holds i and j was merged before the lowest one that holds k and l. It says
    nothing where both are the same cluster, which counts one half; so a tree that knows nothing
    scores about 0.5. A comparison that was given several times counts as many times.

    For triplets (i, j, k) the two clusters both hold i, hence one lies inside the other, and the
    rule depends on the shape of the tree alone: i and j are closer than i and k where they meet
    below. Merge order decides only for pairs in different branches.

    Judge a tree on comparisons that were not used to build it.

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked, of the same objects.
    tree : Hierarchy
        The tree to judge.

    Returns
    -------
    float
        From 0 to 1. O(n_objects^2 + n_comparisons) time and memory; all comparisons of a weak
        order of the pairs (ranked) take O(n_objects^2 log n_objects).

    Raises
    ------
    InputError
        If there are no comparisons, or they are of another number of objects.
    InputKindError
        If these are not a tree and comparisons.

    Examples
    --------
    >>> from ordlink.comparisons import Comparisons
    >>> from ordlink.hierarchy import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> answers = Comparisons.from_quadruplets([[0, 1, 2, 3], [0, 2, 0, 1], [0, 2, 1, 3]])
    >>> comparison_accuracy(answers, tree)
    0.5
    """
    check_tree(tree, "the comparisons come first, then the tree")
    check_comparisons(comparisons, tree)
    if isinstance(comparisons, RankedComparisons):
        ranks = tree.lca_ranks()
        return _accuracy_of_order(ranks[np.triu_indices(len(ranks), 1)], comparisons)
    assert isinstance(comparisons, ListedComparisons)
    return float(np.average(agreements(comparisons, tree), weights=comparisons.counts))


def agreements(comparisons: ListedComparisons, tree: Hierarchy) -> FloatArray:
    """Return for each comparison 1 where the tree agrees, 0 where not, 0.5 where it is silent."""
    ranks = tree.lca_ranks()
    i, j, k, other = comparisons.quadruplets.T
    return np.asarray((1 + np.sign(ranks[k, other].astype(np.int64) - ranks[i, j])) / 2)


def _accuracy_of_order(lca_ranks: Int32Array, comparisons: RankedComparisons) -> float:
    """Count all comparisons of a weak order of the pairs at once: Kendall's tau, unnormalised."""
    from scipy.stats import kendalltau  # takes a while to import

    n_pairs = len(lca_ranks)
    n_told_apart = (n_pairs**2 - int((np.bincount(lca_ranks).astype(np.int64) ** 2).sum())) // 2
    n_comparisons = comparisons.n_comparisons
    tau_b = kendalltau(-lca_ranks, comparisons.ranks, method="asymptotic").statistic
    agreed_minus_not = round(tau_b * math.sqrt(n_told_apart) * math.sqrt(n_comparisons))
    return (1 + agreed_minus_not / n_comparisons) / 2
