"""How well a tree fits known similarities (costs, revenue, correlation) or comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import AnyArray, FloatArray
from ordlink.comparisons import (
    Comparisons,
    ListedComparisons,
    NetComparisons,
    RankedComparisons,
    Repeats,
    check_chunks,
    check_repeats,
    net_wins,
    square,
    wins_minus_losses,
)
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_comparisons, check_matrix, check_truth


def dasgupta_cost(similarities: ArrayLike, tree: Hierarchy) -> float:
    r"""Return Dasgupta's cost of a tree: lower is better.

    .. math:: \sum_{i < j} w_{ij} \, |\mathrm{leaves\ under\ } \mathrm{lca}(i, j)|

    over unordered pairs: {i, j} is counted once (half the value of definitions that sum over both
    orders). O(n_objects^2) time and memory.

    Parameters
    ----------
    similarities : array_like of shape (n_objects, n_objects)
        Symmetric; w_ij in row i, column j. The diagonal is ignored. Negative values are allowed,
        and reduce the cost more the later their pair is merged.
    tree : Hierarchy
        The tree to score.

    References
    ----------
    S. Dasgupta: A cost function for similarity-based hierarchical clustering, STOC 2016.

    Examples
    --------
    >>> dasgupta_cost([[0, 1, 0], [1, 0, 1], [0, 1, 0]], Hierarchy([[0, 1], [2, 3]]))
    5.0
    """
    return lca_size_sum(check_matrix(similarities, tree), tree)


def normalised_dasgupta_cost(similarities: ArrayLike, tree: Hierarchy) -> float:
    r"""Return Dasgupta's cost on a scale from 0 to 1: lower is better.

    .. math:: \frac{\mathrm{cost} - 2 S}{(N - 2) S}

    where S is the sum of the similarities of all pairs, so that the cost lies between 2S and NS.
    The mean over all relabellings of the leaves of a tree is 2/3. The value is 0 where all trees
    cost the same: fewer than three objects, or similarities that are all 0. Parameters are as in
    `dasgupta_cost`, but no similarity may be negative.

    Examples
    --------
    >>> similarities = [[0, 3, 0], [3, 0, 1], [0, 1, 0]]
    >>> normalised_dasgupta_cost(similarities, Hierarchy([[0, 1], [2, 3]]))
    0.25
    """
    matrix = check_matrix(similarities, tree)
    _check_not_negative(matrix)
    largest = max((float(row[:i].max()) for i, row in enumerate(matrix) if i), default=0.0)
    if tree.n_objects < 3 or largest == 0:
        return 0.0
    with np.errstate(over="ignore"):  # the diagonal may contain anything
        scaled = matrix / largest  # so that sums of huge or tiny similarities stay in range
    value = (lca_size_sum(scaled, tree) / _pair_sum(scaled) - 2) / (tree.n_objects - 2)
    return min(max(value, 0.0), 1.0)  # rounding


def moseley_wang_revenue(similarities: ArrayLike, tree: Hierarchy) -> float:
    r"""Return Moseley and Wang's revenue of a tree on known similarities: higher is better.

    .. math:: \sum_{i < j} w_{ij} \, (N - |\mathrm{leaves\ under\ } \mathrm{lca}(i, j)|)

    over unordered pairs: N times the sum of all similarities, minus Dasgupta's cost. The mean over
    all relabellings of the leaves is (N - 2) / 3 times the sum of the similarities. Parameters are
    as in `dasgupta_cost`.

    References
    ----------
    B. Moseley, J. R. Wang: Approximation bounds for hierarchical clustering: average linkage,
    bisecting k-means, and local search, NeurIPS 2017.

    Examples
    --------
    >>> moseley_wang_revenue([[0, 1, 0], [1, 0, 1], [0, 1, 0]], Hierarchy([[0, 1], [2, 3]]))
    1.0
    """
    matrix = check_matrix(similarities, tree)
    return tree.n_objects * _pair_sum(matrix) - lca_size_sum(matrix, tree)


def cophenetic_correlation(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> float:
    """Return the correlation between dissimilarity and the height at which pairs are merged.

    Pearson's correlation over all pairs. The height of merge t is t + 1, as in
    `Hierarchy.linkage`: methods for comparisons know an order, not distances.

    Parameters
    ----------
    truth : array_like of shape (n_objects, n_objects) or Hierarchy
        Known similarities (symmetric, the diagonal is ignored), or another tree, in which pairs
        that merge earlier count as more similar.
    tree : Hierarchy
        The tree to score.

    References
    ----------
    R. R. Sokal, F. J. Rohlf: The comparison of dendrograms by objective methods, Taxon 1962.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3]])
    >>> round(cophenetic_correlation([[0, 3, 1], [3, 0, 2], [1, 2, 0]], tree), 3)
    0.866
    """
    if isinstance(truth, Hierarchy):
        check_truth(truth, tree)
        dissimilarities = truth.lca_ranks().astype(np.float64)
    else:
        dissimilarities = -check_matrix(truth, tree)
    if tree.n_objects < 3:
        problem = f"expected at least three objects to correlate, got {tree.n_objects}"
        raise InputError(problem, parameter="tree")
    upper = np.triu_indices(tree.n_objects, 1)
    far = dissimilarities[upper]
    if far.min() == far.max():
        problem = f"expected similarities that differ, got {-far[0]} for all pairs"
        raise InputError(problem, parameter="truth")
    far = far - far[0]  # so that a large common offset costs no digits
    return float(np.corrcoef(far, tree.lca_ranks()[upper])[0, 1])


def lca_size_sum(matrix: FloatArray, tree: Hierarchy) -> float:
    """Return the sum over pairs of their entry times the size of their smallest common cluster."""
    sizes = tree.lca_sizes()
    # Row by row above the diagonal, which may contain anything, and no N x N temporary.
    return math.fsum(float(np.dot(row[i + 1 :], sizes[i, i + 1 :])) for i, row in enumerate(matrix))


def _pair_sum(matrix: FloatArray) -> float:
    return math.fsum(float(row[i + 1 :].sum()) for i, row in enumerate(matrix))


def _check_not_negative(matrix: FloatArray) -> None:
    for i, row in enumerate(matrix):
        negative = np.flatnonzero(row[i + 1 :] < 0)
        if negative.size:
            j = i + 1 + int(negative[0])
            got = f"{row[j]} in row {i}, column {j}"
            problem = f"expected no negative similarity for the normalised cost, got {got}"
            remedy = "subtract the smallest similarity from all, or use dasgupta_cost"
            raise InputError(problem, parameter="similarities", remedy=remedy)


def comparison_accuracy(comparisons: Comparisons, tree: Hierarchy) -> float:
    """Return the share of comparisons that the tree agrees with, from 0 to 1.

    The tree agrees with (i, j, k, l), "i and j are more alike than k and l", if the smallest
    cluster that contains i and j was merged before the smallest one that contains k and l. If both
    are the same cluster, the tree is silent, which counts as one half; so an uninformative tree
    scores about 0.5. A comparison that was given several times counts several times. Score a tree
    on held-out comparisons. O(n_objects^2 + n_comparisons) time and memory; a weak order of all
    pairs (ranked) takes O(n_objects^2 log n_objects).

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked, of the same objects.
    tree : Hierarchy
        The tree to score.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> answers = Comparisons.from_quadruplets([[0, 1, 2, 3], [0, 2, 0, 1], [0, 2, 1, 3]])
    >>> comparison_accuracy(answers, tree)
    0.5
    """
    tree = check_comparisons(comparisons, tree)
    if isinstance(comparisons, RankedComparisons):
        return _accuracy_of_order(comparisons, tree)
    assert isinstance(comparisons, ListedComparisons)
    return float(np.average(agreements(comparisons, tree), weights=comparisons.counts))


def comparison_accuracy_of_chunks(chunks: Iterable[ListedComparisons], tree: Hierarchy) -> float:
    """Return `comparison_accuracy` of comparisons that come in chunks, in one pass over them.

    Parameters
    ----------
    chunks : iterable of ListedComparisons
        As for :func:`ordlink.comparisons.summarise_chunks`.
    tree : Hierarchy
        The tree to score.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> rows = [[0, 1, 2, 3], [0, 2, 0, 1], [0, 2, 1, 3]]
    >>> chunks = [Comparisons.from_quadruplets([row], n_objects=4) for row in rows]
    >>> comparison_accuracy_of_chunks(chunks, tree)
    0.5
    """
    agreed, n_comparisons = 0.0, 0
    for number, chunk in enumerate(check_chunks(chunks)):
        if not number:
            ranks = check_comparisons(chunk, tree).lca_ranks()
        found = _agreements(chunk, ranks)
        agreed += float(found.sum() if chunk.counts is None else found @ chunk.counts)
        n_comparisons += chunk.n_comparisons
    return agreed / n_comparisons if n_comparisons else math.nan


def agreements(comparisons: ListedComparisons, tree: Hierarchy) -> FloatArray:
    """Return for each comparison 1 where the tree agrees, 0 where not, 0.5 where it is silent."""
    return _agreements(comparisons, tree.lca_ranks())


def _agreements(comparisons: ListedComparisons, ranks: AnyArray) -> FloatArray:
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
    the smallest cluster that contains i and j: minus Dasgupta's cost of the AddS similarity. Its
    mean over all relabellings of the leaves is exactly 0. Unlike `comparison_accuracy` it depends
    on the shape of the tree alone. O(n_objects^2 + n_comparisons) time.

    Parameters
    ----------
    comparisons, tree
        As in `comparison_accuracy`.
    repeats : {"net", "majority"}
        "net": every comparison counts as often as it was given, so that contradicting ones
        cancel. "majority": two pairs that were compared several times count once, for the side
        with more votes, as methods see them by default.

    References
    ----------
    A. Mandal, M. Perrot, D. Ghoshdastidar: A revenue function for comparison-based hierarchical
    clustering, TMLR 2023.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> comparison_revenue(Comparisons.from_triplets([[0, 1, 2], [3, 2, 0]]), tree)
    4.0
    """
    tree = check_comparisons(comparisons, tree)
    check_repeats(repeats)
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

    A comparison earns from -(N - 2) to N - 2, so `comparison_revenue` is divided by N - 2 times the
    number of comparisons (with "majority", without exact ties of the votes); 0 if all votes tie.
    The highest value that a tree can reach depends on the comparisons and may be well below 1:
    compare trees on the same comparisons, not across studies.

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
