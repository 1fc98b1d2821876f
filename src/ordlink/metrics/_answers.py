"""How well a tree fits comparisons: the share it agrees with, and the revenue."""

from __future__ import annotations

import math

import numpy as np

from ordlink._typing import FloatArray
from ordlink.comparisons import (
    Comparisons,
    ListedComparisons,
    NetComparisons,
    RankedComparisons,
    Repeats,
    check_repeats,
    net_wins,
    square,
    wins_minus_losses,
)
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_comparisons
from ordlink.metrics._costs import lca_size_sum


def comparison_accuracy(comparisons: Comparisons, tree: Hierarchy) -> float:
    """Return the share of comparisons that the tree agrees with.

    The tree agrees with (i, j, k, l), "i and j are more alike than k and l", where the lowest
    cluster that contains i and j was merged before the lowest one that contains k and l. It
    is silent where both are the same cluster, which counts one half; so an uninformed tree
    scores about 0.5. A comparison that was given several times counts as many times.

    For triplets one of the two clusters lies inside the other, so the shape of the tree alone
    decides; merge order matters only for pairs in different branches. Score a tree on held-out
    comparisons, which were not used to build it.

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked, of the same objects.
    tree : Hierarchy
        The tree to score.

    Returns
    -------
    float
        From 0 to 1. O(n_objects^2 + n_comparisons) time and memory; all comparisons of a weak
        order of the pairs (ranked) take O(n_objects^2 log n_objects).

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> answers = Comparisons.from_quadruplets([[0, 1, 2, 3], [0, 2, 0, 1], [0, 2, 1, 3]])
    >>> comparison_accuracy(answers, tree)
    0.5
    """
    check_comparisons(comparisons, tree)
    if isinstance(comparisons, RankedComparisons):
        return _accuracy_of_order(comparisons, tree)
    assert isinstance(comparisons, ListedComparisons)
    return float(np.average(agreements(comparisons, tree), weights=comparisons.counts))


def agreements(comparisons: ListedComparisons, tree: Hierarchy) -> FloatArray:
    """Return for each comparison 1 where the tree agrees, 0 where not, 0.5 where it is silent."""
    ranks = tree.lca_ranks()
    i, j, k, other = comparisons.quadruplets.T
    return np.asarray((1 + np.sign(ranks[k, other].astype(np.int64) - ranks[i, j])) / 2)


def _accuracy_of_order(comparisons: RankedComparisons, tree: Hierarchy) -> float:
    """Count all comparisons of a weak order of the pairs at once: Kendall's tau, unnormalised."""
    from scipy.stats import kendalltau  # takes a while to import

    ranks = tree.lca_ranks()[np.triu_indices(tree.n_objects, 1)]
    n_tied = int((np.bincount(ranks).astype(np.int64) ** 2).sum())
    n_decided = (len(ranks) ** 2 - n_tied) // 2
    n_comparisons = comparisons.n_comparisons
    tau_b = kendalltau(-ranks, comparisons.ranks, method="asymptotic").statistic
    agreed_minus_not = round(tau_b * math.sqrt(n_decided) * math.sqrt(n_comparisons))
    return (1 + agreed_minus_not / n_comparisons) / 2


def comparison_revenue(
    comparisons: Comparisons, tree: Hierarchy, *, repeats: Repeats = "net"
) -> float:
    r"""Return the revenue of a tree over comparisons: higher is better, chance is 0.

    .. math:: \sum_{(i, j, k, l)} |\mathrm{lca}(k, l)| - |\mathrm{lca}(i, j)|

    over the comparisons "i and j are more alike than k and l", where \|lca(i, j)\| is the size of
    the smallest cluster that contains i and j. It is minus Dasgupta's cost of the AddS similarity,
    and needs no truth. Its mean over all relabellings of the leaves is exactly 0. Unlike
    `comparison_accuracy` it depends on the shape of the tree alone, and a comparison counts more
    the more the sizes of its two clusters differ.

    Parameters
    ----------
    comparisons, tree
        As in `comparison_accuracy`.
    repeats : {"net", "majority"}
        "net": every comparison counts as often as it was given, so that contradicting ones
        cancel. "majority": two pairs that were compared several times count once, for the side
        with more votes, as methods see them by default.

    Returns
    -------
    float
        A whole number. O(n_objects^2 + n_comparisons) time and memory.

    References
    ----------
    A. Mandal, M. Perrot, D. Ghoshdastidar: A revenue function for comparison-based hierarchical
    clustering, TMLR 2023.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> comparison_revenue(Comparisons.from_quadruplets([[0, 1, 0, 2], [0, 3, 2, 3]]), tree)
    0.0
    >>> comparison_revenue(Comparisons.from_triplets([[0, 1, 2], [3, 2, 0]]), tree)
    4.0
    """
    check_comparisons(comparisons, tree)
    check_repeats(repeats)
    # Minus the cost of the AddS similarity: wins minus losses of each pair.
    if repeats == "net" and isinstance(comparisons, ListedComparisons):
        c = comparisons  # no need to find the repeated ones
        wins = net_wins(NetComparisons(c.n_objects, c.winners, c.losers, c.counts))
    else:
        wins = wins_minus_losses(comparisons, repeats)
    return 0.0 - lca_size_sum(square(wins, comparisons.n_objects), tree)


def normalised_comparison_revenue(
    comparisons: Comparisons, tree: Hierarchy, *, repeats: Repeats = "net"
) -> float:
    """Return the revenue of a tree on a scale from -1 to 1: the mean share per comparison.

    A comparison earns from -(N - 2) to N - 2, so the revenue is divided by N - 2 times the number
    of comparisons (with "majority", without exact ties of the votes). It is 1 exactly where the
    winner of every comparison is merged directly and its loser joined at the root, and 0 where the
    votes tie on everything. The highest value that a tree can reach depends on the comparisons and
    may be well below 1: compare trees on the same comparisons, not studies.

    Parameters
    ----------
    comparisons, tree, repeats
        As in `comparison_revenue`.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> normalised_comparison_revenue(Comparisons.from_triplets([[0, 1, 2], [0, 2, 3]]), tree)
    0.5
    """
    revenue = comparison_revenue(comparisons, tree, repeats=repeats)
    n_counted = comparisons.n_comparisons
    if repeats == "majority" and isinstance(comparisons, ListedComparisons):
        majority = comparisons.tally.majority
        n_counted = comparisons.n_rows if majority is None else len(majority.winners)
    return revenue / ((tree.n_objects - 2) * n_counted) if n_counted else 0.0
