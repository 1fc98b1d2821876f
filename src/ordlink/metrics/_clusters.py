"""Whether a tree has the true clusters: Robinson-Foulds and triplet distance.

The truth is a binary tree, or a few levels of labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import AnyArray, BoolArray, Int32Array
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_truth


def robinson_foulds(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> int:
    """Return the number of missing true clusters plus that of false clusters: lower is better.

    A true cluster is missing if the tree does not have exactly it; a cluster of the tree is false
    if it cuts across a true one (they overlap, and neither contains the other). Single objects and
    the cluster of all objects, which every tree has, do not count.

    Where the truth is a binary tree this is the Robinson-Foulds distance of rooted trees, the
    number of clusters in one of the two trees alone. Where it is not, a binary tree must have
    clusters that the truth says nothing about: they refine it, and do not count as false.

    Parameters
    ----------
    truth : Hierarchy, or array_like of int of shape (n_levels, n_objects)
        The true tree, or the true partitions, which must nest.
    tree : Hierarchy
        The tree to score.

    Returns
    -------
    int
        0 where the tree has all true clusters. O(n_objects * n_true_clusters) time and memory.

    References
    ----------
    D. F. Robinson, L. R. Foulds: Comparison of phylogenetic trees, Mathematical Biosciences 1981.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 4], [3, 5]])
    >>> robinson_foulds(Hierarchy([[0, 1], [2, 3], [4, 5]]), tree)
    2
    >>> robinson_foulds([0, 0, 0, 1], tree)
    0
    """
    return _compare(truth, tree)[0]


def normalised_robinson_foulds(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> float:
    """Return the Robinson-Foulds distance as a share of the clusters: from 0 to 1.

    `robinson_foulds` divided by the number of clusters that could count, those of the truth plus
    those of the tree; 0 for fewer than three objects, which have one tree.

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

    Of three objects a binary tree joins two first. Where the truth is not binary it leaves some
    triples open, since three branches meet at one node; these do not count, whatever the tree
    does. Random relabelling of the leaves gives 2/3 on average. The value is 0 where the truth
    resolves no triple. O(n_objects^2) time and memory.

    Parameters
    ----------
    truth, tree
        As in `robinson_foulds`.

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
        raise InputError(
            f"expected levels that nest, got objects {i} and {j} together at a finer level but "
            "apart at a coarser one",
            parameter="truth",
            remedy="score the levels one by one, for instance with ari_per_level",
        )
