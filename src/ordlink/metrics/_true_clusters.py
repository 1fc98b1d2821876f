"""A true hierarchy as its clusters, whether it is a binary tree or a few levels of labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import AnyArray, BoolArray, Int32Array
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_same_objects, check_tree
from ordlink.metrics._labels import check_labels


@dataclass(frozen=True)
class TrueClusters:
    """The true clusters of at least two objects, with the one of all objects.

    Attributes
    ----------
    members : ndarray of shape (n_clusters, N), dtype bool
        Which objects each cluster holds.
    lca : ndarray of shape (N, N), dtype int32
        The smallest cluster that holds both objects; anything on the diagonal.
    """

    members: BoolArray
    lca: Int32Array

    @property
    def sizes(self) -> Int32Array:
        """Number of objects of each cluster."""
        return np.asarray(self.members.sum(axis=1), dtype=np.int32)

    def shared_with(self, tree: Hierarchy) -> Int32Array:
        """Count the objects shared by merge t of the tree and cluster c: shape (N-1, n_clusters).

        O(N n_clusters): what a merge shares is what its two children share.
        """
        shared = np.zeros((2 * tree.n_objects - 1, len(self.members)), dtype=np.int32)
        shared[: tree.n_objects] = self.members.T
        for t, (left, right) in enumerate(tree.merges.tolist()):
            np.add(shared[left], shared[right], out=shared[tree.n_objects + t])
        return shared[tree.n_objects :]


def true_clusters(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> TrueClusters:
    """Return the clusters of a truth about the objects of the tree, checked.

    Levels of labels, in any order, must nest: the clusters of a finer level lie inside those of
    each coarser one. They make a tree whose nodes may have more than two branches.
    """
    check_tree(tree, "the truth comes first, then the tree")
    if isinstance(truth, Hierarchy):
        check_same_objects(truth, tree)
        return _of_tree(truth)
    return _of_levels(check_labels(truth, tree.n_objects))


def _of_tree(truth: Hierarchy) -> TrueClusters:
    members = np.zeros((truth.n_objects - 1, truth.n_objects), dtype=np.bool_)
    for t, (_, objects) in enumerate(truth.clusters()):
        members[t, objects] = True
    return TrueClusters(members, truth.lca_ranks())


def _of_levels(labels: AnyArray) -> TrueClusters:
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
    return TrueClusters(np.array(masks, dtype=np.bool_).reshape(-1, n_objects), lca)


def _check_nested(finer: AnyArray, coarser: AnyArray) -> None:
    first = np.unique(finer, return_index=True)[1]  # an object of each finer cluster
    strays = np.flatnonzero(coarser != coarser[first][finer])
    if strays.size:
        i, j = int(first[finer[strays[0]]]), int(strays[0])
        raise InputError(
            f"truth: expected levels that nest, got objects {i} and {j} together at a finer level "
            "but apart at a coarser one; judge the levels one by one, for instance with "
            "ari_per_level."
        )
