"""Fowlkes and Mallows' B_k: agreement of two trees, or of a tree and labels, cut by cut."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import AnyArray, FloatArray
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_same_objects, check_tree
from ordlink.metrics._labels import check_labels


def fowlkes_mallows(
    truth: ArrayLike | Hierarchy, tree: Hierarchy, *, n_clusters: Sequence[int] | None = None
) -> FloatArray:
    """Return B_k of each cut: the agreement about which objects are together.

    With T pairs of objects together in both partitions, P together in the truth and Q in the
    tree, B_k = T / sqrt(P Q). Unlike the adjusted Rand index it has no correction for chance, and
    is the higher the fewer clusters there are.

    Parameters
    ----------
    truth : array_like of int of shape (n_levels, n_objects) or Hierarchy
        Labels: each row is compared with the tree cut into as many clusters. Or the true tree:
        both are cut into `n_clusters` clusters.
    tree : Hierarchy
        The tree to judge.
    n_clusters : sequence of int, optional
        The cuts to compare where the truth is a Hierarchy: 2, ..., N-1 if not given.

    Returns
    -------
    ndarray of shape (n_levels,) or (len(n_clusters),), dtype float64
        From 0 to 1 each; 1 where each object is a cluster of its own.

    Raises
    ------
    InputError, InputKindError
        If the truth is not one of the tree's objects, or the tree cannot be cut so.

    References
    ----------
    E. B. Fowlkes, C. L. Mallows: A method for comparing two hierarchical clusterings, JASA 1983.

    Examples
    --------
    >>> from ordlink.hierarchy import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> fowlkes_mallows(Hierarchy([[0, 1], [2, 4], [3, 5]]), tree).round(3).tolist()
    [0.408, 1.0]
    >>> fowlkes_mallows([0, 0, 1, 1], tree)
    array([1.])
    """
    check_tree(tree, "the truth comes first, then the tree")
    if isinstance(truth, Hierarchy):
        check_same_objects(truth, tree)
        cuts = range(2, tree.n_objects) if n_clusters is None else n_clusters
        rows = truth.levels(cuts)
    else:
        if n_clusters is not None:
            raise InputError(
                "n_clusters: expected none since the truth is labels, which have their own "
                f"numbers of clusters, got {n_clusters!r}; leave it out."
            )
        rows = check_labels(truth, tree.n_objects)
    return np.array([_agreement(row, tree) for row in rows], dtype=np.float64)


def _agreement(true_labels: AnyArray, tree: Hierarchy) -> float:
    true = np.unique(true_labels, return_inverse=True)[1].ravel()
    n_clusters = int(true.max()) + 1
    if n_clusters == tree.n_objects:
        return 1.0  # nobody is together, in the tree as in the truth
    mine = tree.cut(n_clusters)
    both = np.unique(true * n_clusters + mine, return_counts=True)[1]
    together, in_truth, in_tree = (
        int((sizes**2).sum()) - tree.n_objects
        for sizes in (both, np.bincount(true), np.bincount(mine))
    )
    return together / math.sqrt(in_truth * in_tree)
