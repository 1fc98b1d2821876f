"""Agreement with true partitions (AARI, Fowlkes-Mallows, purity) and true clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ordlink._text import counted
from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array
from ordlink._validate import check_whole_number
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_truth


def aari(truth: ArrayLike | Hierarchy, tree: Hierarchy, *, n_levels: int | None = None) -> float:
    """Return the averaged adjusted Rand index of a tree: the mean of `ari_per_level`.

    It is 1 exactly if the tree, cut by merge order, has the true partition at every level, and
    about 0 for an uninformative tree; it can be slightly negative.

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
        most, has = len(checked), f"the truth has {counted(len(checked), 'row')}"
        n = check_whole_number(n_levels, "n_levels", lowest=1, highest=most, remedy=has)
        rows = checked[:n]
    return np.array([_adjusted_rand_index(row, tree) for row in rows], dtype=np.float64)


def _binary_levels(truth: Hierarchy, n_levels: int | None) -> AnyArray:
    """Return the cuts of a true tree into 2, 4, ... clusters."""
    n = truth.n_objects
    most = n.bit_length() - 1  # the largest l with 2**l <= n
    if not most:
        problem = "expected at least two objects, got one, which has no levels"
        raise InputError(problem, parameter="truth")
    if n_levels is None:
        problem = "expected the number of levels to compare, since the truth is a Hierarchy"
        remedy = f"pass {{n_levels:{most}}} or fewer for {n} objects"
        raise InputError(problem, parameter="n_levels", remedy=remedy)
    remedy = f"level l has 2**l clusters and there are {n} objects"
    levels = check_whole_number(n_levels, "n_levels", lowest=1, highest=most, remedy=remedy)
    return truth.levels([2**level for level in range(1, levels + 1)])


def adjusted_rand_index(truth: ArrayLike, labels: ArrayLike) -> float:
    """Return how far two partitions agree, corrected for chance: 1 if equal, 0 by chance.

    Parameters
    ----------
    truth, labels : array-like of shape (N,)
        The cluster of each object; any numbers or texts.

    References
    ----------
    Hubert and Arabie, Comparing Partitions, Journal of Classification 2, 1985.

    Examples
    --------
    >>> adjusted_rand_index([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    one = np.unique(np.asarray(truth), return_inverse=True)[1].astype(np.int64)
    other = np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64)
    if one.shape != other.shape or one.ndim != 1 or not len(one):
        problem = f"expected one label per object, got shapes {one.shape} and {other.shape}"
        raise InputError(problem, parameter="labels")
    n = len(one)
    cells = np.unique(one * (int(other.max()) + 1) + other, return_counts=True)[1]
    # Ordered pairs of objects: together in both, only in the first, only in the second.
    both = _sum_of_squares(cells)
    first = _sum_of_squares(np.bincount(one)) - both
    second = _sum_of_squares(np.bincount(other)) - both
    together, apart = both - n, n * n - both - first - second
    if not first and not second:
        return 1.0
    chance = (together + first) * (first + apart) + (together + second) * (second + apart)
    return 2.0 * (together * apart - first * second) / chance


def _sum_of_squares(counts: AnyArray) -> int:
    return int((counts.astype(np.int64) ** 2).sum())


def _adjusted_rand_index(true_labels: AnyArray, tree: Hierarchy) -> float:
    return adjusted_rand_index(true_labels, tree.cut(len(np.unique(true_labels))))


def fowlkes_mallows(
    truth: ArrayLike | Hierarchy, tree: Hierarchy, *, n_clusters: Sequence[int] | None = None
) -> FloatArray:
    """Return Fowlkes and Mallows' B_k of each cut, from 0 to 1: which objects are together in both.

    With T pairs of objects together in both partitions, P together in the truth and Q in the
    tree, B_k = T / sqrt(P Q); 1 where each object is a cluster of its own. It is not corrected for
    chance.

    Parameters
    ----------
    truth : array_like of int of shape (n_levels, n_objects) or Hierarchy
        Labels: each row is compared with the tree cut into as many clusters. Or the true tree:
        both are cut into `n_clusters` clusters.
    tree : Hierarchy
        The tree to score.
    n_clusters : sequence of int, optional
        The cuts to compare where the truth is a Hierarchy: 2, ..., N-1 if not given.

    References
    ----------
    E. B. Fowlkes, C. L. Mallows: A method for comparing two hierarchical clusterings, JASA 1983.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> fowlkes_mallows(Hierarchy([[0, 1], [2, 4], [3, 5]]), tree).round(3).tolist()
    [0.408, 1.0]
    """
    checked = check_truth(truth, tree)
    if isinstance(checked, Hierarchy):
        cuts = range(2, tree.n_objects) if n_clusters is None else n_clusters
        rows: AnyArray = checked.levels(cuts)
    elif n_clusters is None:
        rows = checked
    else:
        problem = f"expected None for labels, which have their own, got {n_clusters!r}"
        raise InputError(problem, parameter="n_clusters", remedy="leave it out")
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
    in the smallest cluster that contains both. It is 1 exactly if every class is a cluster, or no
    two objects share a class. O(n_objects * n_classes) time and memory.

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
        problem = f"expected one label per object, got {got}"
        raise InputError(problem, parameter="truth", remedy="score the levels one by one")
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


def robinson_foulds(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> int:
    """Return the number of missing true clusters plus false clusters: lower is better.

    A true cluster is missing if the tree does not contain exactly that cluster; a cluster of the
    tree is false if it cuts across a true one (they overlap, and neither contains the other).
    Single objects and the cluster of all objects, which every tree has, do not count.

    Where the truth is a binary tree this is the Robinson-Foulds distance of rooted trees, the
    number of clusters that are in only one of the two trees. Where it is not, a binary tree must
    have clusters that the truth says nothing about: they refine it, and do not count as false.
    O(n_objects * n_true_clusters) time and memory.

    Parameters
    ----------
    truth : Hierarchy, or array_like of int of shape (n_levels, n_objects)
        The true tree, or the true partitions, which must nest.
    tree : Hierarchy
        The tree to score.

    References
    ----------
    D. F. Robinson, L. R. Foulds: Comparison of phylogenetic trees, Mathematical Biosciences 1981.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 4], [3, 5]])
    >>> robinson_foulds(Hierarchy([[0, 1], [2, 3], [4, 5]]), tree)
    2
    """
    return _compare(truth, tree)[0]


def normalised_robinson_foulds(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> float:
    """Return the Robinson-Foulds distance as a share of the clusters: from 0 to 1.

    `robinson_foulds` divided by the number of clusters that could count, those of the truth plus
    those of the tree; 0 for fewer than three objects, which have only one tree.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 4], [3, 5]])
    >>> normalised_robinson_foulds(Hierarchy([[0, 1], [2, 3], [4, 5]]), tree)
    0.5
    """
    distance, n_clusters = _compare(truth, tree)
    return distance / n_clusters if n_clusters else 0.0


def _compare(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> tuple[int, int]:
    """Return the distance, and the number of clusters of both trees that could count."""
    true = _true_clusters(truth, tree)
    proper = true.sizes < tree.n_objects
    true_sizes = true.sizes[proper]
    shared = true.shared_with(tree)[:-1][:, proper]  # the last merge is of all objects
    sizes = tree.sizes[tree.n_objects : -1][:, None]
    whole_mine, whole_true = shared == sizes, shared == true_sizes
    n_missing = len(true_sizes) - int((whole_mine & whole_true).any(axis=0).sum())
    n_false = int(((shared > 0) & ~whole_mine & ~whole_true).any(axis=1).sum())
    return n_missing + n_false, len(true_sizes) + len(sizes)


def triplet_distance(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> float:
    """Return the share of the triples of objects that the tree resolves differently: from 0 to 1.

    A binary tree joins two of any three objects first. Triples that the truth leaves open, where
    three branches meet at one node, do not count; the value is 0 if it resolves none. Random
    relabelling of the leaves gives 2/3 on average. O(n_objects^2) time and memory. Parameters are
    as in `robinson_foulds`.

    References
    ----------
    D. E. Critchlow, D. K. Pearl, C. Qian: The triples distance for rooted bifurcating phylogenetic
    trees, Systematic Biology 1996.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 4], [3, 5]])
    >>> triplet_distance(Hierarchy([[0, 1], [2, 3], [4, 5]]), tree)
    0.5
    """
    true = _true_clusters(truth, tree)
    upper = np.triu_indices(tree.n_objects, 1)
    true_nodes, nodes = true.lca[upper], tree.lca_ranks()[upper]
    # i and j are joined before k where k lies outside their smallest cluster. So each pair
    # is joined before N - |cluster| others, and in both trees before N - |union|.
    outside_true = tree.n_objects - true.sizes[true_nodes].astype(np.int64)
    in_mine_alone = tree.sizes[tree.n_objects :][nodes] - true.shared_with(tree)[nodes, true_nodes]
    n_resolved = int(outside_true.sum())
    return int(in_mine_alone.sum()) / n_resolved if n_resolved else 0.0


@dataclass(frozen=True)
class _TrueClusters:
    """The true clusters of at least two objects, with the one of all objects.

    `members` of shape (n_clusters, N) marks their objects; `lca` of shape (N, N) is the smallest
    cluster that contains both objects (anything on the diagonal).
    """

    members: BoolArray
    lca: Int32Array

    @property
    def sizes(self) -> Int32Array:
        """Number of objects of each cluster."""
        return np.asarray(self.members.sum(axis=1), dtype=np.int32)

    def shared_with(self, tree: Hierarchy) -> Int32Array:
        """Count the objects that merge t and cluster c share: shape (N-1, n_clusters)."""
        shared = np.zeros((2 * tree.n_objects - 1, len(self.members)), dtype=np.int32)
        shared[: tree.n_objects] = self.members.T
        for t, (left, right) in enumerate(tree.merges.tolist()):
            np.add(shared[left], shared[right], out=shared[tree.n_objects + t])
        return shared[tree.n_objects :]


def _true_clusters(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> _TrueClusters:
    """Return the clusters of a true tree, or of levels of labels in any order, which must nest."""
    checked = check_truth(truth, tree)
    if not isinstance(checked, Hierarchy):
        return _clusters_of_levels(checked)
    members = np.zeros((checked.n_objects - 1, checked.n_objects), dtype=np.bool_)
    for t, (_, objects) in enumerate(checked.clusters()):
        members[t, objects] = True
    return _TrueClusters(members, checked.lca_ranks())


def _clusters_of_levels(labels: AnyArray) -> _TrueClusters:
    n_objects = labels.shape[1]
    rows = [np.unique(row, return_inverse=True)[1].ravel() for row in labels]
    rows.sort(key=lambda row: int(row.max()))  # the coarsest first
    masks = [np.ones(n_objects, dtype=np.bool_)][: n_objects - 1]  # one object has no cluster
    numbers = {mask.tobytes(): number for number, mask in enumerate(masks)}
    lca = np.zeros((n_objects, n_objects), dtype=np.int32)
    coarser = np.zeros(n_objects, dtype=np.intp)
    for row in rows:
        _check_nested(row, coarser)
        coarser = row
        for label in np.flatnonzero(np.bincount(row) > 1):
            mask = row == label
            number = numbers.setdefault(mask.tobytes(), len(masks))
            if number == len(masks):
                masks.append(mask)
            objects = np.flatnonzero(mask)
            lca[objects[:, None], objects] = number
    return _TrueClusters(np.array(masks, dtype=np.bool_).reshape(-1, n_objects), lca)


def _check_nested(finer: AnyArray, coarser: AnyArray) -> None:
    first = np.unique(finer, return_index=True)[1]  # an object of each finer cluster
    strays = np.flatnonzero(coarser != coarser[first][finer])
    if strays.size:
        i, j = int(first[finer[strays[0]]]), int(strays[0])
        got = f"objects {i} and {j} together at a finer level but apart at a coarser one"
        remedy = "score the levels one by one, for instance with ari_per_level"
        raise InputError(f"expected levels that nest, got {got}", parameter="truth", remedy=remedy)
