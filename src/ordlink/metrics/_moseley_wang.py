"""Moseley and Wang's revenue, the complement of Dasgupta's cost."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from ordlink.comparisons import check_similarities
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_tree
from ordlink.metrics._dasgupta import lca_size_sum


def moseley_wang_revenue(similarities: ArrayLike, tree: Hierarchy) -> float:
    r"""Return the revenue of a tree on known similarities: higher is better.

    .. math:: \sum_{i < j} w_{ij} \, (N - |\mathrm{leaves\ under\ } \mathrm{lca}(i, j)|)

    over unordered pairs: N times the sum of all similarities, minus Dasgupta's cost. The mean over
    all relabellings of the leaves is (N - 2) / 3 times the sum of the similarities.

    Parameters
    ----------
    similarities : array_like of shape (n_objects, n_objects)
        Symmetric; the diagonal is ignored.
    tree : Hierarchy
        The tree to judge.

    Returns
    -------
    float
        O(n_objects^2) time and memory.

    Raises
    ------
    InputError, InputKindError
        If the matrix is not square, finite and symmetric, or not one of the tree's objects.

    References
    ----------
    B. Moseley, J. R. Wang: Approximation bounds for hierarchical clustering: average linkage,
    bisecting k-means, and local search, NeurIPS 2017.

    Examples
    --------
    >>> from ordlink.hierarchy import Hierarchy
    >>> moseley_wang_revenue([[0, 1, 0], [1, 0, 1], [0, 1, 0]], Hierarchy([[0, 1], [2, 3]]))
    1.0
    """
    check_tree(tree, "the similarities come first, then the tree")
    matrix = check_similarities(similarities, n_objects=tree.n_objects)
    total = math.fsum(float(row[i + 1 :].sum()) for i, row in enumerate(matrix))
    return tree.n_objects * total - lca_size_sum(tree, matrix)
