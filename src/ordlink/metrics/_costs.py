"""How well a tree fits known similarities: Dasgupta's cost, revenue, cophenetic correlation."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import FloatArray
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_matrix, check_tree, check_truth


def dasgupta_cost(similarities: ArrayLike, tree: Hierarchy) -> float:
    r"""Return Dasgupta's cost of a tree: lower is better.

    .. math:: \sum_{i < j} w_{ij} \, |\mathrm{leaves\ under\ } \mathrm{lca}(i, j)|

    over unordered pairs: {i, j} is counted once (twice the value where a text sums over both
    orders). O(n_objects^2) time and memory.

    Parameters
    ----------
    similarities : array_like of shape (n_objects, n_objects)
        Symmetric; w_ij in row i, column j. The diagonal is ignored. Negative values are allowed,
        and cost less the higher their pair is merged.
    tree : Hierarchy
        The tree to score.

    References
    ----------
    S. Dasgupta: A cost function for similarity-based hierarchical clustering, STOC 2016.

    Examples
    --------
    The pairs {0, 1} and {1, 2} have similarity 1: 2 leaves for the first, 3 for the second.

    >>> dasgupta_cost([[0, 1, 0], [1, 0, 1], [0, 1, 0]], Hierarchy([[0, 1], [2, 3]]))
    5.0
    """
    return lca_size_sum(check_matrix(similarities, tree), tree)


def normalised_dasgupta_cost(similarities: ArrayLike, tree: Hierarchy) -> float:
    r"""Return Dasgupta's cost on a scale from 0 to 1: lower is better.

    .. math:: \frac{\mathrm{cost} - 2 S}{(N - 2) S}

    where S is the sum of the similarities of all pairs: the smallest cluster around a pair has from
    2 to N objects, so the cost lies between 2S and NS. It does not depend on the unit of the
    similarities, and hardly on N. The mean over all relabellings of the leaves of a tree is 2/3: a
    tree below 2/3 is better than an uninformed one. The value is 0 where all trees cost the same:
    fewer than three objects, or similarities that are all 0.

    Parameters
    ----------
    similarities : array_like of shape (n_objects, n_objects)
        Symmetric and not negative. The diagonal is ignored.
    tree : Hierarchy
        The tree to score.

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
    all relabellings of the leaves is (N - 2) / 3 times the sum of the similarities.

    Parameters
    ----------
    similarities, tree
        As in `dasgupta_cost`.

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
    `Hierarchy.linkage`: methods on comparisons know an order and no distances.

    Parameters
    ----------
    truth : array_like of shape (n_objects, n_objects) or Hierarchy
        Known similarities (symmetric, the diagonal is ignored), or another tree, whose pairs are
        the more similar the earlier they are merged.
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
    check_tree(tree)
    if isinstance(truth, Hierarchy):
        check_truth(truth, tree)
        dissimilarities = truth.lca_ranks().astype(np.float64)
    else:
        dissimilarities = -check_matrix(truth, tree)
    if tree.n_objects < 3:
        raise InputError(
            f"expected at least three objects, got {tree.n_objects}, which leaves nothing to "
            "correlate",
            parameter="tree",
        )
    upper = np.triu_indices(tree.n_objects, 1)
    far = dissimilarities[upper]
    if far.min() == far.max():
        raise InputError(
            f"expected similarities that differ, got {-far[0]} for all pairs, which leaves nothing "
            "to correlate",
            parameter="truth",
        )
    far = far - far[0]  # so that a large common offset costs no digits
    return float(np.corrcoef(far, tree.lca_ranks()[upper])[0, 1])


def lca_size_sum(matrix: FloatArray, tree: Hierarchy) -> float:
    """Return the sum over pairs of their entry times the size of their smallest cluster."""
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
            raise InputError(
                "expected no negative similarity for the normalised cost, got "
                f"{row[j]} in row {i}, column {j}",
                parameter="similarities",
                remedy="subtract the smallest similarity from all, or use dasgupta_cost",
            )
