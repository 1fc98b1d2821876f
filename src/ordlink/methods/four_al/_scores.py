"""How 4-AL gets its pair scores s = A u: from columns, then a dense matrix; `_ranks.py` has ranks.

With columns, the cost of a merge is the number of entries in the columns of the merged cluster's
pairs. Where one cluster absorbs one object after another, that is soon most of A; so columns are
contracted once a cluster is large, and stay columns while a matrix would be larger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, Int64Array
from ordlink.comparisons import (
    ComparisonColumns,
    n_pairs,
    pair_ids,
    pair_members,
    row_sums,
)

DENSE_ENTRIES = 1 << 22  # a contracted matrix of at most this many entries is always kept dense
DENSE_SHARE = 1  # otherwise columns become a matrix of at most this many times their entries
LARGE_SHARE = 0.25  # columns are contracted once a cluster has more than this share of the slots
_COLUMNS_PER_THREAD = 500


@dataclass
class Clusters:
    """The current clusters of slots 0..m-1; a cluster is identified by its smallest slot."""

    labels: Int32Array  # (m,): cluster of each slot
    sizes: Int64Array  # number of objects of each cluster
    alive: Int32Array  # (K,): the clusters, in increasing order

    @property
    def arrays(self) -> tuple[Int32Array, Int64Array, Int32Array]:
        """What kernels read and write."""
        return self.labels, self.sizes, self.alive

    def renumbered(self) -> Clusters:
        """Return the remaining clusters numbered 0..K-1, in their order."""
        numbers = np.arange(len(self.alive), dtype=np.int32)
        new = np.empty(len(self.sizes), dtype=np.int32)
        new[self.alive] = numbers
        return Clusters(new[self.labels], self.sizes[self.alive], numbers)


@dataclass(frozen=True)
class Merges:
    """Arrays for merges: the clusters p < q (p absorbs q), the score, and whether it was tied."""

    pairs: Int32Array
    scores: FloatArray
    tied: BoolArray

    @classmethod
    def room_for(cls, n_merges: int) -> Merges:
        """Return arrays for `n_merges` merges."""
        pairs, tied = np.empty((n_merges, 2), dtype=np.int32), np.empty(n_merges, dtype=bool)
        return cls(pairs, np.empty(n_merges), tied)

    def part(self, first: int, last: int) -> Merges:
        """Return the arrays for merges first..last-1."""
        return Merges(self.pairs[first:last], self.scores[first:last], self.tied[first:last])

    @property
    def arrays(self) -> tuple[Int32Array, FloatArray, BoolArray]:
        """The arrays that kernels write to."""
        return self.pairs, self.scores, self.tied


class PairScores(Protocol):
    """The scores of pairs of slots, updated as clusters merge."""

    def merge(self, clusters: Clusters, unit: float, merges: Merges) -> None:
        """Merge clusters of highest score under the tie rule, until the arrays are full."""
        ...

    def contraction_pays(self, clusters: Clusters) -> bool:
        """Return whether these should be replaced by scores of pairs of the current clusters."""
        ...

    def contract(self, contraction: Contraction, clusters: Clusters) -> PairScores:
        """Return the scores of pairs of the current clusters, which become the new slots."""
        ...


@dataclass(frozen=True)
class Contraction:
    """A map from pairs of slots to pairs of their current clusters."""

    n_clusters: int  # number of clusters, the slots from now on
    new_pair: Int32Array  # pair of clusters of each pair of slots, -1 inside a cluster
    # The pairs of slots of cluster pair f are members[member_starts[f]:member_starts[f + 1]]
    member_starts: Int64Array
    members: Int32Array

    @classmethod
    def of_labels(cls, labels: Int32Array, n_clusters: int) -> Contraction:
        """Return the contraction of slots into clusters 0..n_clusters-1."""
        first, second = (labels[ends] for ends in np.triu_indices(len(labels), 1))
        outside = first != second
        new_pair = np.full(len(first), -1, dtype=np.int32)
        new_pair[outside] = pair_ids(first[outside], second[outside], n_clusters)
        n_members = np.bincount(new_pair[outside], minlength=n_pairs(n_clusters))
        member_starts = np.concatenate([[0], np.cumsum(n_members)])
        members = np.argsort(new_pair, kind="stable")[-int(outside.sum()) :].astype(np.int32)
        return cls(n_clusters, new_pair, member_starts, members)

    @property
    def arrays(self) -> tuple[Int64Array, Int32Array, Int32Array]:
        """What kernels read."""
        return self.member_starts, self.members, self.new_pair


class ColumnScores:
    """Scores from compressed columns; a merge only touches the columns whose u changes."""

    def __init__(self, columns: ComparisonColumns, clusters: Clusters) -> None:
        from ordlink.methods.four_al._kernels import weigh_all_columns

        n = len(clusters.sizes)
        first, second = np.triu_indices(len(clusters.labels), 1)
        self._where = _places(clusters.labels[first], clusters.labels[second], n)
        self._columns = columns
        self._u = np.ones(columns.n_pairs)
        sums = np.bincount(self._where, row_sums(columns), minlength=n * n)
        self._sums: FloatArray = np.asarray(sums, dtype=np.float64).reshape(n, n)
        self._arrays = self._u, self._where, arrays_of(columns), self._sums
        if clusters.sizes.max() > 1:  # otherwise u is 1 everywhere
            weigh_all_columns(clusters.labels, clusters.sizes, *self._arrays)
        self._pairs_of_slots = _compared_pairs(columns, len(clusters.labels))

    def merge(self, clusters: Clusters, unit: float, merges: Merges) -> None:
        """Choose merges from the sums and update these; see PairScores."""
        from ordlink.methods.four_al._kernels import merge_by_columns

        clusters.alive = merge_by_columns(
            unit, clusters.arrays, self._pairs_of_slots, *self._arrays, merges.arrays
        )

    def contraction_pays(self, clusters: Clusters) -> bool:
        """Return whether a matrix fits and half of the clusters are gone, or one cluster is large.

        Contracting reads every entry a few times; a large cluster reads most of them at each merge.
        """
        n_slots, n_clusters = len(clusters.labels), len(clusters.alive)
        if 2 * n_clusters <= n_slots and self._matrix_pays(n_clusters):
            return True
        large = LARGE_SHARE * n_slots
        return n_slots - n_clusters >= large and int(np.bincount(clusters.labels).max()) > large

    def _matrix_pays(self, n_clusters: int) -> bool:
        """Return whether a dense matrix would not be larger than the columns, or is small."""
        n_entries = n_pairs(n_clusters) ** 2
        return n_entries <= max(DENSE_ENTRIES, DENSE_SHARE * len(self._columns.rows))

    def contract(self, contraction: Contraction, clusters: Clusters) -> PairScores:
        """Return the scores of a dense matrix, or of fewer columns."""
        if self._matrix_pays(contraction.n_clusters):
            return MatrixScores(_to_matrix(self._columns, contraction), contraction.n_clusters)
        return ColumnScores(_to_columns(self._columns, contraction), clusters)


def _to_matrix(columns: ComparisonColumns, contraction: Contraction) -> AnyArray:
    """Return the contracted A; row f is column f."""
    from ordlink._threads import in_threads
    from ordlink.methods.four_al._kernels import columns_to_matrix

    n = n_pairs(contraction.n_clusters)
    heaviest = int(columns.values.sum(dtype=np.int64)) or len(columns.rows)
    matrix = np.zeros((n, n), dtype=np.int32 if heaviest < 2**31 else np.int64)
    nowhere = np.empty(0, dtype=np.int32)
    arrays = contraction.arrays, arrays_of(columns), matrix, nowhere
    in_threads(
        lambda first, last: columns_to_matrix(first, last, *arrays),
        n,
        smallest=_COLUMNS_PER_THREAD,
    )
    return matrix


def _to_columns(columns: ComparisonColumns, contraction: Contraction) -> ComparisonColumns:
    """Return the contracted A as columns, opposite comparisons cancelled."""
    from ordlink.methods.four_al._kernels import columns_to_columns

    n, n_rows = n_pairs(contraction.n_clusters), len(columns.rows)
    kept = contraction.new_pair >= 0
    longest = np.bincount(contraction.new_pair[kept], np.diff(columns.starts)[kept]).max(initial=0)
    starts, splits = np.empty(n + 1, dtype=np.int64), np.empty(n, dtype=np.int64)
    rows, values = np.empty(n_rows, dtype=columns.rows.dtype), np.empty(n_rows, dtype=np.int32)
    net, touched = np.zeros(n, dtype=np.int64), np.empty(int(longest), dtype=np.int32)
    new = starts, splits, rows, values
    columns_to_columns(contraction.arrays, arrays_of(columns), net, touched, new)
    return ComparisonColumns(starts, splits, rows[: starts[-1]], values[: starts[-1]])


def arrays_of(columns: ComparisonColumns) -> tuple[Int64Array, Int64Array, AnyArray, Int32Array]:
    """Return what kernels read."""
    return columns.starts, columns.splits, columns.rows, columns.values


def _places(p: Int32Array, q: Int32Array, n: int) -> AnyArray:
    """Return where the cluster pairs are in a table of n x n laid out flat; small if it can be."""
    whole = np.int32 if n * n <= 2**31 else np.int64
    return np.asarray(np.minimum(p, q).astype(whole) * n + np.maximum(p, q), dtype=whole)


def _compared_pairs(
    columns: ComparisonColumns, n_slots: int
) -> tuple[Int64Array, Int32Array, Int32Array]:
    """Return where each slot's list of compared pairs starts, the pairs, and the other slots."""
    compared = np.flatnonzero(np.diff(columns.starts)).astype(np.int32)
    low, high = pair_members(compared, n_slots)
    slots = np.concatenate([low, high])
    order = np.argsort(slots, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(slots, minlength=n_slots))])
    pairs, partners = np.concatenate([compared, compared]), np.concatenate([high, low])
    return starts.astype(np.int64), pairs[order], partners[order]


class MatrixScores:
    """Scores from a dense matrix whose row f is column f of A."""

    def __init__(self, matrix: AnyArray, n_clusters: int) -> None:
        self._matrix = matrix
        # Starting from u = 0, the first update adds every column: no sum of its own is needed.
        self._u = np.zeros(len(matrix))
        self._s = np.zeros(len(matrix))
        self._sums = np.empty((n_clusters, n_clusters))

    def merge(self, clusters: Clusters, unit: float, merges: Merges) -> None:
        """Update s, sum it over clusters and choose; see PairScores."""
        from ordlink.methods.four_al._kernels import merge_by_matrix

        clusters.alive = merge_by_matrix(
            unit, clusters.arrays, self._u, self._matrix, self._s, self._sums, merges.arrays
        )

    def contraction_pays(self, clusters: Clusters) -> bool:
        """Return whether at least half of the clusters have been merged away."""
        return 2 * len(clusters.alive) <= len(clusters.labels)

    def contract(self, contraction: Contraction, clusters: Clusters) -> PairScores:
        """Return the scores of a smaller matrix."""
        from ordlink.methods.four_al._kernels import matrix_to_matrix

        n = n_pairs(contraction.n_clusters)
        matrix = np.zeros((n, n), dtype=self._matrix.dtype)
        matrix_to_matrix(contraction.arrays, self._matrix, matrix)
        return MatrixScores(matrix, contraction.n_clusters)
