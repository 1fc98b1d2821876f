"""Where linkage starts (singletons or initial clusters) and how slots become a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, Int64Array
from ordlink._validate import count_objects
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy


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
        """Return the sums of a matrix over objects within each pair of slots."""
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
        """Return the tree: merges inside the initial clusters first, then those of the slots.

        Parameters
        ----------
        pairs : ndarray of shape (n_slots - 1, 2), dtype int32
            Slots merged at each step; the first one, the smaller, stays.
        scores, tied : ndarrays of shape (n_slots - 1,)
            Score of each merge, and whether a tie decided it.
        names : sequence of str or None
            Names of the objects.
        """
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


def initial_partition(
    n_objects: int, initial_clusters: Sequence[Sequence[int] | AnyArray] | None = None
) -> InitialPartition:
    """Return the start of linkage; objects that no initial cluster names stay single.

    Raises
    ------
    InputError
        If an initial cluster is empty, names an unknown object, or two of them overlap.

    Examples
    --------
    >>> initial_partition(5, [[4, 1], [2, 3]]).labels
    array([0, 1, 2, 2, 1], dtype=int32)
    """
    owner = np.full(n_objects, -1, dtype=np.int64)
    clusters = _list_clusters(initial_clusters)
    for number, cluster in enumerate(clusters):
        for item in _check_cluster(cluster, number, n_objects):
            if owner[item] == number:
                raise InputError(
                    f"initial cluster {number}: object {item} is named twice; name each object once"
                )
            if owner[item] >= 0:
                raise InputError(
                    f"initial cluster {number}: object {item} is already in initial cluster "
                    f"{owner[item]}; clusters must not overlap"
                )
            owner[item] = number
    single = owner < 0
    owner[single] = len(clusters) + np.arange(int(single.sum()))
    first = np.full(int(owner.max(initial=-1)) + 1, n_objects)
    np.minimum.at(first, owner, np.arange(n_objects))
    slot_of_owner = np.empty(len(first), dtype=np.int32)
    slot_of_owner[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
    labels = slot_of_owner[owner]
    return InitialPartition(n_objects, labels, np.bincount(labels).astype(np.int64))


def clusters_of(labels: AnyArray) -> list[list[int]]:
    """Return the objects of equal labels, where these are two or more.

    Examples
    --------
    >>> clusters_of(np.array([7, 2, 7, 5]))
    [[0, 2]]
    """
    members: dict[int, list[int]] = {}
    for item, label in enumerate(labels.tolist()):
        members.setdefault(label, []).append(item)
    return [cluster for cluster in members.values() if len(cluster) > 1]


def _list_clusters(initial_clusters: object) -> list[Sequence[int] | AnyArray]:
    """Return the clusters as a list; a generator is refused, for it could be read only once."""
    if initial_clusters is None:
        return []
    if isinstance(initial_clusters, (Sequence, np.ndarray)) and not isinstance(
        initial_clusters, (str, bytes)
    ):
        return list(initial_clusters)
    raise InputKindError(
        "initial_clusters: expected a list of lists of object numbers, such as [[0, 1], [2, 3]], "
        f"got {type(initial_clusters).__name__}"
    )


def _check_cluster(cluster: Sequence[int] | AnyArray, number: int, n_objects: int) -> list[int]:
    try:
        items = np.asarray(cluster)
    except ValueError:
        items = np.empty((0, 0))
    if items.ndim != 1 or not len(items) or items.dtype.kind not in "iu":
        raise InputError(
            f"initial cluster {number}: expected a list of object numbers, got {cluster!r}"
        )
    for item in items.tolist():
        if not 0 <= item < n_objects:
            raise InputError(
                f"initial cluster {number}: object {item} is unknown; there "
                f"{count_objects(n_objects)}"
            )
    return [int(item) for item in items]
