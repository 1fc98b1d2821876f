"""Averaged adjusted Rand index: whether a tree has the true partitions, level by level."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import AnyArray, FloatArray
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_same_objects, check_tree
from ordlink.metrics._labels import check_labels


def aari(truth: ArrayLike | Hierarchy, tree: Hierarchy, *, n_levels: int | None = None) -> float:
    """Return the averaged adjusted Rand index of a tree: the mean of `ari_per_level`.

    It is 1 exactly where the tree, cut by merge order, has the true partition at every level, and
    about 0 for a tree that knows nothing of it; it can be slightly negative.

    Parameters
    ----------
    truth : array_like of int of shape (n_levels, n_objects) or Hierarchy
        As in `ari_per_level`.
    tree : Hierarchy
        The tree to judge.
    n_levels : int, optional
        As in `ari_per_level`.

    Returns
    -------
    float

    References
    ----------
    D. Ghoshdastidar, M. Perrot, U. von Luxburg: Foundations of Comparison-Based Hierarchical
    Clustering, 2019: AARI(C, C') = 1/L sum over l = 1..L of ARI(C^l, C'^l).

    Examples
    --------
    >>> from ordlink.hierarchy import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> aari([[0, 0, 1, 1]], tree)
    1.0
    >>> aari(Hierarchy([[0, 2], [1, 3], [4, 5]]), tree, n_levels=1)
    -0.5
    """
    return float(ari_per_level(truth, tree, n_levels=n_levels).mean())


def ari_per_level(
    truth: ArrayLike | Hierarchy, tree: Hierarchy, *, n_levels: int | None = None
) -> FloatArray:
    """Return the adjusted Rand index between the true and the learned partition at each level.

    Parameters
    ----------
    truth : array_like of int of shape (n_levels, n_objects) or Hierarchy
        Labels: row l holds the true partition at that level, with any number of clusters and any
        labels; the tree is cut into as many clusters as the row has. A single row may be given
        as an array of shape (n_objects,). Or the true tree: level l = 1, ..., n_levels then
        compares both trees cut into 2**l clusters.
    tree : Hierarchy
        The tree to judge.
    n_levels : int, optional
        How many levels to compare, from the coarsest: needed where the truth is a Hierarchy, at
        most log2(n_objects). For labels, the number of leading rows; all of them if not given.

    Returns
    -------
    ndarray of shape (n_levels,), dtype float64

    Raises
    ------
    InputError
        If the numbers of objects differ, or there are not as many levels.
    InputKindError
        If the truth is neither whole-number labels nor a Hierarchy.

    Examples
    --------
    >>> from ordlink.hierarchy import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> ari_per_level([[0, 0, 1, 1], [7, 8, 9, 9]], tree)
    array([ 1. , -0.2])
    """
    check_tree(tree, "the truth comes first, then the tree")
    if isinstance(truth, Hierarchy):
        rows = _levels_of_tree(truth, tree, n_levels)
    else:
        rows = _levels_of_labels(truth, tree, n_levels)
    return np.array([_adjusted_rand_index(row, tree) for row in rows], dtype=np.float64)


def _levels_of_tree(truth: Hierarchy, tree: Hierarchy, n_levels: int | None) -> AnyArray:
    check_same_objects(truth, tree)
    most = truth.n_objects.bit_length() - 1  # the largest l with 2**l <= n_objects
    if not most:
        raise InputError("truth: expected at least two objects, got one, which has no levels.")
    if n_levels is None:
        raise InputError(
            "n_levels: expected the number of levels to compare since the truth is a Hierarchy, "
            f"got none; pass n_levels, at most {most} for {truth.n_objects} objects."
        )
    _check_n_levels(
        n_levels, most, f"level l has 2**l clusters and there are {truth.n_objects} objects"
    )
    return np.stack([truth.cut(2**level) for level in range(1, n_levels + 1)])


def _levels_of_labels(truth: ArrayLike, tree: Hierarchy, n_levels: int | None) -> AnyArray:
    labels = check_labels(truth, tree.n_objects)
    if n_levels is None:
        return labels
    _check_n_levels(n_levels, len(labels), f"the truth has {len(labels)} rows")
    return labels[:n_levels]


def _check_n_levels(n_levels: int, most: int, reason: str) -> None:
    if isinstance(n_levels, bool) or not isinstance(n_levels, int | np.integer):
        raise InputKindError(
            f"n_levels: expected a whole number, got {n_levels!r}; pass the number of levels."
        )
    if not 1 <= n_levels <= most:
        raise InputError(
            f"n_levels: expected 1 to {most}, since {reason}, got {n_levels}; compare fewer levels."
            if n_levels > most
            else f"n_levels: expected at least 1, got {n_levels}; compare 1 to {most} levels."
        )


def _adjusted_rand_index(true_labels: AnyArray, tree: Hierarchy) -> float:
    from sklearn.metrics import adjusted_rand_score  # takes most of a second to import

    learned = tree.cut(len(np.unique(true_labels)))
    with warnings.catch_warnings():
        # Many small clusters are what a deep level is; scikit-learn suspects a regression target.
        warnings.filterwarnings("ignore", message="The number of unique classes")
        return float(adjusted_rand_score(true_labels, learned))
