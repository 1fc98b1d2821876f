"""Whether a tree has the true partitions: AARI, Fowlkes-Mallows and dendrogram purity."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ordlink._text import counted
from ordlink._typing import AnyArray, FloatArray
from ordlink._validate import check_whole_number
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_truth


def aari(truth: ArrayLike | Hierarchy, tree: Hierarchy, *, n_levels: int | None = None) -> float:
    """Return the averaged adjusted Rand index of a tree: the mean of `ari_per_level`.

    It is 1 exactly where the tree, cut by merge order, has the true partition at every level, and
    about 0 for an uninformed tree; it can be slightly negative.

    Parameters
    ----------
    truth, tree, n_levels
        As in `ari_per_level`.

    References
    ----------
    D. Ghoshdastidar, M. Perrot, U. von Luxburg: Foundations of Comparison-Based Hierarchical
    Clustering, 2019: AARI(C, C') = 1/L sum over l = 1..L of ARI(C^l, C'^l).

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
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
        Labels: row l is the true partition at that level, with any number of clusters and any
        labels; the tree is cut into as many clusters as the row has. A single row may be given
        as an array of shape (n_objects,). Or the true tree: level l = 1, ..., n_levels then
        compares both trees cut into 2**l clusters.
    tree : Hierarchy
        The tree to score.
    n_levels : int, optional
        How many levels to compare, from the coarsest: needed where the truth is a Hierarchy, at
        most log2(n_objects). For labels, the number of leading rows; all of them if not given.

    Returns
    -------
    ndarray of shape (n_levels,), dtype float64

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> ari_per_level([[0, 0, 1, 1], [7, 8, 9, 9]], tree)
    array([ 1. , -0.2])
    """
    checked = check_truth(truth, tree)
    if isinstance(checked, Hierarchy):
        rows = _binary_levels(checked, n_levels)
    elif n_levels is None:
        rows = checked
    else:
        has = f"the truth has {counted(len(checked), 'row')}"
        rows = checked[
            : check_whole_number(n_levels, "n_levels", lowest=1, highest=len(checked), remedy=has)
        ]
    return np.array([_adjusted_rand_index(row, tree) for row in rows], dtype=np.float64)


def _binary_levels(truth: Hierarchy, n_levels: int | None) -> AnyArray:
    """Return the cuts of a true tree into 2, 4, ... clusters."""
    n = truth.n_objects
    most = n.bit_length() - 1  # the largest l with 2**l <= n
    if not most:
        raise InputError(
            "expected at least two objects, got one, which has no levels", parameter="truth"
        )
    if n_levels is None:
        raise InputError(
            "expected the number of levels to compare, since the truth is a Hierarchy",
            parameter="n_levels",
            remedy=f"pass {{n_levels:{most}}} or fewer for {n} objects",
        )
    remedy = f"level l has 2**l clusters and there are {n} objects"
    levels = check_whole_number(n_levels, "n_levels", lowest=1, highest=most, remedy=remedy)
    return truth.levels([2**level for level in range(1, levels + 1)])


def _adjusted_rand_index(true_labels: AnyArray, tree: Hierarchy) -> float:
    from sklearn.metrics import adjusted_rand_score  # takes most of a second to import

    learned = tree.cut(len(np.unique(true_labels)))
    with warnings.catch_warnings():
        # A deep level has many small clusters; scikit-learn suspects a regression target.
        warnings.filterwarnings("ignore", message="The number of unique classes")
        return float(adjusted_rand_score(true_labels, learned))


def fowlkes_mallows(
    truth: ArrayLike | Hierarchy, tree: Hierarchy, *, n_clusters: Sequence[int] | None = None
) -> FloatArray:
    """Return Fowlkes and Mallows' B_k of each cut, from 0 to 1: which objects are together in both.

    With T pairs of objects together in both partitions, P together in the truth and Q in the
    tree, B_k = T / sqrt(P Q); 1 where each object is a cluster of its own. Unlike the adjusted Rand
    index it is not corrected for chance, and tends to be higher for fewer clusters.

    Parameters
    ----------
    truth : array_like of int of shape (n_levels, n_objects) or Hierarchy
        Labels: each row is compared with the tree cut into as many clusters. Or the true tree:
        both are cut into `n_clusters` clusters.
    tree : Hierarchy
        The tree to score.
    n_clusters : sequence of int, optional
        The cuts to compare where the truth is a Hierarchy: 2, ..., N-1 if not given.

    Returns
    -------
    ndarray of shape (n_levels,) or (len(n_clusters),), dtype float64

    References
    ----------
    E. B. Fowlkes, C. L. Mallows: A method for comparing two hierarchical clusterings, JASA 1983.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> fowlkes_mallows(Hierarchy([[0, 1], [2, 4], [3, 5]]), tree).round(3).tolist()
    [0.408, 1.0]
    >>> fowlkes_mallows([0, 0, 1, 1], tree)
    array([1.])
    """
    checked = check_truth(truth, tree)
    if isinstance(checked, Hierarchy):
        rows: AnyArray = checked.levels(
            range(2, tree.n_objects) if n_clusters is None else n_clusters
        )
    elif n_clusters is None:
        rows = checked
    else:
        raise InputError(
            f"expected None, since labels have their own numbers of clusters, got {n_clusters!r}",
            parameter="n_clusters",
            remedy="leave it out",
        )
    return np.array([_pair_agreement(row, tree) for row in rows], dtype=np.float64)


def _pair_agreement(true_labels: AnyArray, tree: Hierarchy) -> float:
    true = np.unique(true_labels, return_inverse=True)[1].ravel()
    n_clusters = int(true.max()) + 1
    if n_clusters == tree.n_objects:
        return 1.0  # no two objects are together, in the tree as in the truth
    mine = tree.cut(n_clusters)
    both = np.unique(true * n_clusters + mine, return_counts=True)[1]
    together, in_truth, in_tree = (
        int((sizes**2).sum()) - tree.n_objects
        for sizes in (both, np.bincount(true), np.bincount(mine))
    )
    return together / math.sqrt(in_truth * in_tree)


def dendrogram_purity(truth: ArrayLike, tree: Hierarchy) -> float:
    """Return the expected purity of the smallest cluster around two objects of one class.

    Two objects of the same class are drawn at random; the value is the mean share of that class
    in the smallest cluster that contains both. It is 1 exactly where every class is a cluster, and
    where no two objects share a class. O(n_objects * n_classes) time and memory.

    Parameters
    ----------
    truth : array_like of int of shape (n_objects,)
        The class of each object. For several levels, score them one by one.
    tree : Hierarchy
        The tree to score.

    References
    ----------
    K. A. Heller, Z. Ghahramani: Bayesian hierarchical clustering, ICML 2005.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> dendrogram_purity([0, 0, 1, 1], tree), dendrogram_purity([0, 1, 0, 1], tree)
    (1.0, 0.5)
    """
    rows = check_truth(truth, tree)
    if isinstance(rows, Hierarchy) or len(rows) > 1:
        got = "a Hierarchy" if isinstance(rows, Hierarchy) else f"{len(rows)} rows of labels"
        raise InputError(
            f"expected one label per object, got {got}",
            parameter="truth",
            remedy="score the levels one by one",
        )
    classes = np.unique(rows[0], return_inverse=True)[1].ravel()
    counts = np.zeros((2 * tree.n_objects - 1, classes.max() + 1), dtype=np.int32)
    counts[np.arange(tree.n_objects), classes] = 1
    purity, n_pairs = 0.0, 0
    for node, (left, right) in enumerate(tree.merges.tolist(), start=tree.n_objects):
        counts[node] = merged = counts[left] + counts[right]
        meeting = counts[left].astype(np.int64) * counts[right]  # pairs of each class
        purity += float(meeting @ merged) / int(tree.sizes[node])
        n_pairs += int(meeting.sum())
    return purity / n_pairs if n_pairs else 1.0
