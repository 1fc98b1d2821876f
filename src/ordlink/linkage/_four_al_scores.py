"""How 4-AL gets its pair scores s = A u from listed comparisons: columns, then a dense matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from ordlink.comparisons import n_pairs, pair_members
from ordlink.comparisons._columns import ComparisonColumns, row_sums
from ordlink.typing import AnyArray, FloatArray, Int32Array, Int64Array

DENSE_ENTRIES = 1 << 22
"""A contracted matrix of at most this many entries is always kept dense."""
DENSE_SHARE = 1
"""Otherwise columns are contracted once the matrix has at most this many times their entries."""
_COLUMNS_PER_THREAD = 500


@dataclass
class Clusters:
    """The present clusters of slots 0..m-1; a cluster is called by its smallest slot.

    Attributes
    ----------
    labels : ndarray of shape (m,), dtype int32
        Cluster of each slot.
    sizes : ndarray of int64
        Number of objects of each cluster.
    alive : ndarray of shape (K,), dtype int32
        The clusters, in increasing order.
    """

    labels: Int32Array
    sizes: Int64Array
    alive: Int32Array

    def merge(self, p: int, q: int) -> None:
        """Let cluster p take in cluster q."""
        self.labels[self.labels == q] = p
        self.sizes[p] += self.sizes[q]
        self.alive = self.alive[self.alive != q]


class BestPair(NamedTuple):
    """The clusters p < q to merge, their score, and how many pairs the tie rule chose from."""

    p: int
    q: int
    score: float
    n_candidates: int


class PairScores(Protocol):
    """The scores of pairs of slots, brought up to date as clusters merge."""

    def best_pair(self, clusters: Clusters, unit: float) -> BestPair:
        """Return the cluster pair of the highest score under the tie rule."""
        ...

    def merged(self, clusters: Clusters, p: int, q: int) -> None:
        """Take note that cluster p has taken in cluster q."""
        ...

    def contraction_pays(self, n_clusters: int) -> bool:
        """Return whether scores of pairs of this many clusters should replace these."""
        ...

    def contract(self, contraction: Contraction) -> PairScores:
        """Return the scores of pairs of clusters in place of pairs of slots."""
        ...


@dataclass(frozen=True)
class Contraction:
    """From pairs of slots to pairs of the clusters that these are in now.

    Attributes
    ----------
    n_clusters : int
        Number of clusters, the slots from now on.
    new_pair : ndarray of int32
        Pair of clusters of each pair of slots, -1 inside a cluster.
    member_starts, members : ndarrays of int64 and int32
        The pairs of slots of cluster pair f are members[member_starts[f]:member_starts[f + 1]].
    """

    n_clusters: int
    new_pair: Int32Array
    member_starts: Int64Array
    members: Int32Array

    @classmethod
    def of_labels(cls, labels: Int32Array, n_clusters: int) -> Contraction:
        """Return the contraction of slots into clusters 0..n_clusters-1."""
        first, second = np.triu_indices(len(labels), 1)
        p, q = labels[first].astype(np.int64), labels[second].astype(np.int64)
        low, high = np.minimum(p, q), np.maximum(p, q)
        ids = low * (2 * n_clusters - low - 1) // 2 + (high - low - 1)
        new_pair = np.where(p == q, -1, ids).astype(np.int32)
        across = np.flatnonzero(new_pair >= 0)
        members = across[np.argsort(new_pair[across], kind="stable")].astype(np.int32)
        counts = np.bincount(new_pair[across], minlength=n_pairs(n_clusters))
        member_starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return cls(n_clusters, new_pair, member_starts, members)


class ColumnScores:
    """Scores from compressed columns; after a merge, only columns of changed u are touched."""

    def __init__(self, columns: ComparisonColumns, clusters: Clusters) -> None:
        from ordlink.kernels.four_al import weigh_all_columns

        n = len(clusters.sizes)
        first, second = np.triu_indices(len(clusters.labels), 1)
        p, q = clusters.labels[first], clusters.labels[second]
        self._where = (np.minimum(p, q) * n + np.maximum(p, q)).astype(np.int32)
        self._columns = columns
        self._u = np.ones(columns.n_pairs)
        sums = np.bincount(self._where, row_sums(columns), minlength=n * n)
        self._sums: FloatArray = np.asarray(sums, dtype=np.float64).reshape(n, n)
        weigh_all_columns(clusters.labels, clusters.sizes, *self._arrays)
        self._pairs_of_slots = _compared_pairs(columns, len(clusters.labels))

    @property
    def _arrays(self) -> tuple[AnyArray, ...]:
        c = self._columns
        return self._u, self._where, c.starts, c.splits, c.rows, c.values, self._sums

    def best_pair(self, clusters: Clusters, unit: float) -> BestPair:
        """Choose from the sums, which are up to date; see PairScores."""
        from ordlink.kernels.four_al import best_cluster_pair

        return BestPair(*best_cluster_pair(self._sums, clusters.sizes, clusters.alive, unit))

    def merged(self, clusters: Clusters, p: int, q: int) -> None:
        """Bring the sums up to date; see PairScores."""
        from ordlink.kernels.four_al import merge_columns

        merge_columns(
            p,
            q,
            clusters.labels,
            clusters.sizes,
            clusters.alive,
            *self._pairs_of_slots,
            *self._arrays,
        )

    def contraction_pays(self, n_clusters: int) -> bool:
        """Return whether a dense matrix would not be larger than the columns, or is small."""
        n_entries = n_pairs(n_clusters) ** 2
        return n_entries <= max(DENSE_ENTRIES, DENSE_SHARE * len(self._columns.rows))

    def contract(self, contraction: Contraction) -> PairScores:
        """Return the scores of a dense matrix."""
        from ordlink.kernels.contraction import columns_to_matrix
        from ordlink.kernels.threads import in_threads

        c = self._columns
        n = n_pairs(contraction.n_clusters)
        heaviest = int(c.values.max(initial=1)) * len(c.rows)
        matrix = np.zeros((n, n), dtype=np.int32 if heaviest < 2**31 else np.int64)
        in_threads(
            lambda first, last: columns_to_matrix(
                first,
                last,
                contraction.member_starts,
                contraction.members,
                contraction.new_pair,
                c.starts,
                c.splits,
                c.rows,
                c.values,
                matrix,
            ),
            n,
            smallest=_COLUMNS_PER_THREAD,
        )
        return MatrixScores(matrix, contraction.n_clusters)


def _compared_pairs(
    columns: ComparisonColumns, n_slots: int
) -> tuple[Int64Array, Int32Array, Int32Array]:
    """Return where each slot's list of compared pairs starts, the pairs, and the other slots."""
    compared = np.flatnonzero(np.diff(columns.starts)).astype(np.int32)
    low, high = pair_members(compared, n_slots)
    slots = np.concatenate([low, high])
    order = np.argsort(slots, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(slots, minlength=n_slots))])
    return (
        starts.astype(np.int64),
        np.concatenate([compared, compared])[order],
        np.concatenate([high, low])[order],
    )


class MatrixScores:
    """Scores from a dense matrix whose row f is column f of A."""

    def __init__(self, matrix: AnyArray, n_clusters: int) -> None:
        self._matrix = matrix
        # Starting from u = 0, the first update adds every column: no sum of its own is needed.
        self._u = np.zeros(len(matrix))
        self._s = np.zeros(len(matrix))
        self._sums = np.empty((n_clusters, n_clusters))

    def best_pair(self, clusters: Clusters, unit: float) -> BestPair:
        """Bring s up to date, add it up and choose; see PairScores."""
        from ordlink.kernels.four_al import best_cluster_pair, sum_over_clusters, update_from_matrix

        update_from_matrix(clusters.labels, clusters.sizes, self._u, self._matrix, self._s)
        sum_over_clusters(self._s, clusters.labels, clusters.alive, self._sums)
        return BestPair(*best_cluster_pair(self._sums, clusters.sizes, clusters.alive, unit))

    def merged(self, clusters: Clusters, p: int, q: int) -> None:
        """Do nothing: the clusters tell all; see PairScores."""

    def contraction_pays(self, n_clusters: int) -> bool:
        """Return whether half of the clusters are gone."""
        return 2 * n_pairs(n_clusters) <= len(self._matrix)

    def contract(self, contraction: Contraction) -> PairScores:
        """Return the scores of a smaller matrix."""
        from ordlink.kernels.contraction import matrix_to_matrix

        n = n_pairs(contraction.n_clusters)
        matrix = np.zeros((n, n), dtype=self._matrix.dtype)
        matrix_to_matrix(
            contraction.member_starts,
            contraction.members,
            contraction.new_pair,
            self._matrix,
            matrix,
        )
        return MatrixScores(matrix, contraction.n_clusters)
