"""Revenue of a tree over comparisons: how far it tells the more similar pair from the other."""

from __future__ import annotations

from ordlink._typing import FloatArray
from ordlink.comparisons import (
    Comparisons,
    ListedComparisons,
    NetComparisons,
    Repeats,
    check_repeats,
    net_wins,
    square,
    wins_minus_losses,
)
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_comparisons, check_tree
from ordlink.metrics._dasgupta import lca_size_sum


def comparison_revenue(
    comparisons: Comparisons, tree: Hierarchy, *, repeats: Repeats = "net"
) -> float:
    r"""Return the revenue of a tree over comparisons: higher is better, 0 knows nothing.

    .. math:: \sum_{(i, j, k, l)} |\mathrm{lca}(k, l)| - |\mathrm{lca}(i, j)|

    over the comparisons "i and j are more alike than k and l", where \|lca(i, j)\| is the size of
    the smallest cluster that holds i and j. It is minus Dasgupta's cost of the AddS similarity,
    and needs no truth. Its mean over all relabellings of the leaves is exactly 0. For triplets
    this is the triplet revenue: one of the two clusters lies inside the other.

    Unlike `comparison_accuracy`, which goes by merge order, it depends on the shape of the tree
    alone, and a comparison counts the more the further the tree sets the two pairs apart.

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked, of the same objects.
    tree : Hierarchy
        The tree to judge.
    repeats : {"net", "majority"}
        "net": every comparison counts as often as it was given, so that contradicting ones
        cancel. "majority": two pairs that were compared several times count once, for the side
        with more votes, as methods see them by default.

    Returns
    -------
    float
        A whole number. O(n_objects^2 + n_comparisons) time and memory.

    Raises
    ------
    InputError
        If there are no comparisons, or they are of another number of objects.
    InputKindError
        If these are not a tree and comparisons.

    References
    ----------
    A. Mandal, M. Perrot, D. Ghoshdastidar: A revenue function for comparison-based hierarchical
    clustering, TMLR 2023.

    Examples
    --------
    >>> from ordlink.comparisons import Comparisons
    >>> from ordlink.hierarchy import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> comparison_revenue(Comparisons.from_quadruplets([[0, 1, 0, 2], [0, 3, 2, 3]]), tree)
    0.0
    >>> comparison_revenue(Comparisons.from_triplets([[0, 1, 2], [3, 2, 0]]), tree)
    4.0
    """
    return 0.0 - lca_size_sum(tree, _additive_similarity(tree, comparisons, repeats))


def normalised_comparison_revenue(
    comparisons: Comparisons, tree: Hierarchy, *, repeats: Repeats = "net"
) -> float:
    """Return the revenue of a tree on a scale from -1 to 1: the mean share per comparison.

    Every cluster of two objects has from 2 to N objects, so a comparison earns from -(N - 2) to
    N - 2: the revenue is divided by N - 2 times the number of comparisons. The value is 1 exactly
    where the winner of every comparison is merged directly and its loser joined at the root, -1
    where all comparisons are the other way round, and its mean over all relabellings of the
    leaves is 0. What trees can reach depends on the comparisons and may be well below 1: judge by
    it trees of the same objects, or one tree on several sets of comparisons of the same kind.

    Parameters
    ----------
    tree, comparisons, repeats
        As in `comparison_revenue`. With "majority", exact ties of the votes do not count.

    Returns
    -------
    float
        From -1 to 1; 0 where the votes tie on everything.

    Raises
    ------
    InputError, InputKindError
        As in `comparison_revenue`.

    Examples
    --------
    >>> from ordlink.comparisons import Comparisons
    >>> from ordlink.hierarchy import Hierarchy
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


def _additive_similarity(tree: Hierarchy, comparisons: Comparisons, repeats: Repeats) -> FloatArray:
    """Return wins minus losses of each pair; the revenue is linear in them."""
    check_tree(tree, "the comparisons come first, then the tree")
    check_comparisons(comparisons, tree)
    check_repeats(repeats)
    if repeats == "net" and isinstance(comparisons, ListedComparisons):
        # No need to find the repeated ones.
        c = comparisons
        wins = net_wins(NetComparisons(c.n_objects, c.winners, c.losers, c.counts))
    else:
        wins = wins_minus_losses(comparisons, repeats)
    return square(wins, comparisons.n_objects)
