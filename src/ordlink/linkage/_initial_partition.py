"""Where linkage starts (single objects or initial clusters) and how slots become a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, Int64Array
from ordlink._validate import check_objects
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy

InitialClusters: TypeAlias = Sequence[Sequence[int] | AnyArray] | None
"""Clusters to start from, as lists of object numbers."""


@dataclass(frozen=True)
class InitialPartition:
    """The clusters that linkage starts from, as slots in the order of their smallest objects.

    A merged cluster keeps the smaller slot of the two, so at any time the order of the slots is
    the order of the smallest objects: the order in which the tie rule prefers clusters.

    Attributes
    ----------
    n_objects : int
        Number of objects N.
    labels : ndarray of shape (N,), dtype int32
        Slot of each object.
    sizes : ndarray of shape (n_slots,), dtype int64
        Number of objects in each slot.
    """

    n_objects: int
    labels: Int32Array
    sizes: Int64Array

    @classmethod
    def of_labels(cls, labels: AnyArray) -> InitialPartition:
        """Return the partition of the objects by their labels.

        >>> InitialPartition.of_labels(np.array([7, 2, 7, 5])).labels
        array([0, 1, 0, 2], dtype=int32)
        """
        _, first, owner = np.unique(labels, return_index=True, return_inverse=True)
        slots = np.empty(len(first), dtype=np.int32)
        slots[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
        return cls(len(owner), slots[owner], np.bincount(owner)[np.argsort(first)])

    @property
    def n_slots(self) -> int:
        """Number of clusters at the start."""
        return len(self.sizes)

    def clusters(self) -> list[list[int]]:
        """Return the objects of each slot, in increasing order."""
        members: list[list[int]] = [[] for _ in range(self.n_slots)]
        for item, slot in enumerate(self.labels.tolist()):
            members[slot].append(item)
        return members

    def contract(self, matrix: FloatArray) -> FloatArray:
        """Return the sums of a matrix over the objects of each pair of slots."""
        if self.n_slots == self.n_objects:
            return np.array(matrix, dtype=np.float64)
        rows = np.zeros((self.n_slots, self.n_objects))
        np.add.at(rows, self.labels, matrix)
        sums = np.zeros((self.n_slots, self.n_slots))
        np.add.at(sums.T, self.labels, rows.T)
        return sums

    def finish(
        self, pairs: Int32Array, scores: FloatArray, tied: BoolArray, *, names: Sequence[str] | None
    ) -> Hierarchy:
        """Return the tree: merges inside the initial clusters first, then those of the slots."""
        merges: list[tuple[int, int]] = []
        node_of_slot = []
        for cluster in self.clusters():
            node = cluster[0]
            for item in cluster[1:]:
                merges.append((node, item))
                node = self.n_objects + len(merges) - 1
            node_of_slot.append(node)
        n_inside = len(merges)
        for p, q in pairs.tolist():
            merges.append((node_of_slot[p], node_of_slot[q]))
            node_of_slot[p] = self.n_objects + len(merges) - 1
        return Hierarchy(
            np.array(merges, dtype=np.int32).reshape(-1, 2),
            scores=np.concatenate([np.full(n_inside, np.nan), scores]),
            tied=np.concatenate([np.zeros(n_inside, dtype=bool), tied]),
            names=names,
        )


def initial_partition(n_objects: int, initial_clusters: InitialClusters = None) -> InitialPartition:
    """Return the partition that linkage starts from; objects in no initial cluster stay single.

    Examples
    --------
    >>> initial_partition(5, [[4, 1], [2, 3]]).labels
    array([0, 1, 2, 2, 1], dtype=int32)
    """
    if n_objects < 2:
        raise InputError(f"a tree needs at least two objects, got {n_objects}")
    clusters: Any = () if initial_clusters is None else initial_clusters
    # A generator is refused too: it could be read only once.
    if not isinstance(clusters, Sequence | np.ndarray) or isinstance(clusters, str | bytes):
        expected = "a list of lists of object numbers, such as [[0, 1], [2, 3]]"
        problem = f"expected {expected}, got {type(clusters).__name__}"
        raise InputKindError(problem, parameter="initial_clusters")
    owner = n_objects + np.arange(n_objects)  # each object its own
    for number, cluster in enumerate(clusters):
        where = f"initial cluster {number}"
        items = check_objects(cluster, n_objects, where)
        taken = items[owner[items] < n_objects]
        if len(taken):
            problem = f"object {taken[0]} is already in initial cluster {owner[taken[0]]}"
            raise InputError(problem, where=where, remedy="clusters must not overlap")
        owner[items] = number
    return InitialPartition.of_labels(owner)
