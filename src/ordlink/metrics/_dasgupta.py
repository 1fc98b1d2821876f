"""Dasgupta's cost: similar objects should be merged low in the tree."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import FloatArray
from ordlink.comparisons import check_similarities
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_tree


def dasgupta_cost(similarities: ArrayLike, tree: Hierarchy) -> float:
    r"""Return Dasgupta's cost of a tree: lower is better.

    .. math:: \sum_{i < j} w_{ij} \, |\mathrm{leaves\ under\ } \mathrm{lca}(i, j)|

    over unordered pairs: {i, j} is counted once (twice the value where a text sums over both
    orders). O(n_objects^2) time and memory.

    Parameters
    ----------
    similarities : array_like of shape (n_objects, n_objects)
        Symmetric; w_ij in row i, column j. The diagonal is ignored. Negative values are allowed,
        and are cheaper the higher their pair is merged.
    tree : Hierarchy
        The tree to judge.

    Returns
    -------
    float

    Raises
    ------
    InputError, InputKindError
        If the matrix is not square, finite and symmetric, or not one of the tree's objects.

    References
    ----------
    S. Dasgupta: A cost function for similarity-based hierarchical clustering, STOC 2016.

    Examples
    --------
    The pairs {0, 1} and {1, 2} have similarity 1: 2 leaves for the first, 3 for the second.

    >>> from ordlink.hierarchy import Hierarchy
    >>> dasgupta_cost([[0, 1, 0], [1, 0, 1], [0, 1, 0]], Hierarchy([[0, 1], [2, 3]]))
    5.0
    """
    check_tree(tree, "the similarities come first, then the tree")
    return lca_size_sum(tree, check_similarities(similarities, n_objects=tree.n_objects))


def normalised_dasgupta_cost(similarities: ArrayLike, tree: Hierarchy) -> float:
    r"""Return Dasgupta's cost on a scale from 0 to 1: lower is better.

    Every pair lies in a cluster of at least 2 and at most N objects, so the cost lies between
    2S and NS, where S is the sum of the similarities of all pairs. The value is

    .. math:: \frac{\mathrm{cost} - 2 S}{(N - 2) S}

    i.e. the similarity-weighted mean of (\|leaves under lca\| - 2) / (N - 2). It does not depend on
    the unit of the similarities, and hardly on N: where all similarities are equal every
    tree costs 2/3, and 2/3 is also the mean over all orders of the leaves of a tree. So a value
    below 2/3 is better than a tree that knows nothing. A rate cost / (NS) would tend to 2/3
    with N only, and its lower end would move with N.

    The value 0 is given where all trees cost the same for want of anything to separate: fewer
    than three objects, or similarities that are all 0.

    Parameters
    ----------
    similarities : array_like of shape (n_objects, n_objects)
        Symmetric and not negative. The diagonal is ignored.
    tree : Hierarchy
        The tree to judge.

    Returns
    -------
    float
        From 0 (all weight on pairs merged directly) to 1 (all weight on pairs joined last).

    Raises
    ------
    InputError, InputKindError
        As for `dasgupta_cost`, and where a similarity is negative.

    Examples
    --------
    >>> from ordlink.hierarchy import Hierarchy
    >>> similarities = [[0, 3, 0], [3, 0, 1], [0, 1, 0]]
    >>> normalised_dasgupta_cost(similarities, Hierarchy([[0, 1], [2, 3]]))
    0.25
    """
    check_tree(tree, "the similarities come first, then the tree")
    matrix = check_similarities(similarities, n_objects=tree.n_objects)
    _check_not_negative(matrix)
    largest = max((float(row[:i].max()) for i, row in enumerate(matrix) if i), default=0.0)
    if tree.n_objects < 3 or largest == 0:
        return 0.0
    with np.errstate(over="ignore"):  # the diagonal, which may hold anything
        scaled = matrix / largest  # so that sums of huge or tiny similarities stay in range
    total = math.fsum(float(row[i + 1 :].sum()) for i, row in enumerate(scaled))
    value = (lca_size_sum(tree, scaled) / total - 2) / (tree.n_objects - 2)
    return min(max(value, 0.0), 1.0)  # rounding


def lca_size_sum(tree: Hierarchy, matrix: FloatArray) -> float:
    """Return the sum over pairs of their entry times the size of their smallest cluster."""
    sizes = tree.lca_sizes()
    # Row by row above the diagonal: the diagonal may hold anything, and no N x N temporary.
    return math.fsum(float(np.dot(row[i + 1 :], sizes[i, i + 1 :])) for i, row in enumerate(matrix))


def _check_not_negative(matrix: FloatArray) -> None:
    for i, row in enumerate(matrix):
        negative = np.flatnonzero(row[i + 1 :] < 0)
        if negative.size:
            j = i + 1 + int(negative[0])
            raise InputError(
                f"similarities, row {i}, column {j}: expected no negative similarity for the "
                f"normalised cost, got {row[j]}; subtract the smallest similarity from all, or "
                "use dasgupta_cost."
            )
