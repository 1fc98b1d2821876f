"""4-AL by columns where these are short: many objects and few answers about each pair."""

from __future__ import annotations

import numpy as np

from ordlink._threads import in_threads
from ordlink.comparisons import ComparisonColumns, pair_members
from ordlink.methods.four_al._scores import Clusters, ColumnScores, Merges, arrays_of

SLOT_BITS = 15  # of a slot in an entry
LONGEST = 64  # columns of more entries than this, on average, are not short
FEWEST_SLOTS = 256
_SLOTS_PER_THREAD = 64
_COMPACT = 0.75  # sums of clusters are copied once so few of them are left


def are_short(columns: ComparisonColumns, clusters: Clusters) -> bool:
    """Return whether the entries should be listed by slot."""
    n_slots = len(clusters.labels)
    fits = FEWEST_SLOTS <= n_slots <= 1 << SLOT_BITS and not len(columns.values)
    return fits and len(columns.rows) <= LONGEST * columns.n_pairs


class SlotScores(ColumnScores):
    """Scores from columns that are listed by slot; every entry is listed twice."""

    def __init__(self, columns: ComparisonColumns, clusters: Clusters) -> None:
        from ordlink.methods.four_al._kernels_slots import fill_entries

        super().__init__(columns, clusters)
        n_slots = len(clusters.labels)
        lengths = np.diff(columns.starts)[self._pairs_of_slots[1]].astype(np.int32)
        ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        starts = ends[self._pairs_of_slots[0]]
        self._listed = starts, lengths, np.empty(int(ends[-1]), dtype=np.int32)
        low, high = pair_members(np.arange(columns.n_pairs), n_slots)
        slots_of_pair = (low | high << SLOT_BITS).astype(np.int32)
        given = self._pairs_of_slots, arrays_of(columns), slots_of_pair, self._listed
        in_threads(
            lambda first, last: fill_entries(first, last, *given),
            n_slots,
            smallest=_SLOTS_PER_THREAD,
        )
        # The clusters as the sums number them, and what they are called elsewhere
        self._clusters = clusters.renumbered()
        self._called = np.arange(len(clusters.sizes), dtype=np.int32)
        self._row_bounds = np.full(len(clusters.sizes), np.inf)

    def merge(self, clusters: Clusters, unit: float, merges: Merges) -> None:
        """Choose merges from the sums and update these; see PairScores."""
        from ordlink.methods.four_al._kernels_slots import merge_by_slots

        own = self._clusters
        if len(own.alive) <= _COMPACT * len(own.sizes):
            self._compact()
            own = self._clusters
        given = own.arrays, self._pairs_of_slots, self._listed, self._sums, self._row_bounds
        own.alive = merge_by_slots(unit, *given, merges.arrays)
        merges.pairs[:] = self._called[merges.pairs]
        clusters.labels[:] = self._called[own.labels]
        clusters.alive = self._called[own.alive]
        clusters.sizes[clusters.alive] = own.sizes[own.alive]

    def _compact(self) -> None:
        """Leave out the sums of clusters that are gone: the others are nearer in memory."""
        own = self._clusters
        self._sums = self._sums[np.ix_(own.alive, own.alive)]
        self._row_bounds = self._row_bounds[own.alive]
        self._called = self._called[own.alive]
        self._clusters = own.renumbered()
