"""Complete linkage (CL) from an oracle."""

from __future__ import annotations

import numpy as np

from ordlink._typing import Int64Array, Progress
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition
from ordlink.methods.active._tournament import EMPTY, Tournament
from ordlink.methods.active._votes import AskUntilLead
from ordlink.oracles import AskOnce, Oracle


def run_complete(
    oracle: Oracle,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    votes: int = 1,
) -> Hierarchy:
    """Return the tree of Algorithm alg:hc with W(G, G') the smallest similarity (CL).

    Each cluster pair is represented by its least similar pair of objects. A tournament among the
    representatives, in the order of the tie rule, gives the cluster pair to merge. A merge costs
    one question per remaining cluster and the matches that change, about 3 per pair of objects in
    total; sorting the pairs (th:activecomplexitysclinkage) would take log2 of their number for
    each.

    Ties go to the cluster pair whose smallest objects come first. The tree is exact if the
    oracle's answers agree with some similarities; wrong answers ruin it, unless each question is
    repeated until one answer leads by `votes` (3 for 5 % wrong answers, at 3.3 times the cost).
    Scores are NaN: an oracle tells the order of similarities, not their size.
    """
    asker = AskUntilLead(oracle, votes)
    n_merges = partition.n_slots - 1
    pairs = np.zeros((n_merges, 2), dtype=np.int32)
    tied = np.zeros(n_merges, dtype=np.bool_)
    places = _PlacesOfSlotPairs(partition.n_slots)
    tournament = Tournament(asker, _representatives(partition, asker, places))
    for step in range(n_merges):
        kept, gone = places.slots(tournament.champion)
        pairs[step], tied[step] = (kept, gone), tournament.is_tied
        _merge(tournament, asker, places, kept, gone)
        if progress is not None:
            progress(step + 1, n_merges)
    return partition.finish(pairs, np.full(n_merges, np.nan), tied, names=asker.names)


class _PlacesOfSlotPairs:
    """Places of the pairs of slots in the tournament: (0,1), (0,2), ..., (1,2), ..."""

    def __init__(self, n_slots: int) -> None:
        slots = np.arange(n_slots, dtype=np.int64)
        self._row_starts = slots * (2 * n_slots - slots - 1) // 2
        self.active = np.ones(n_slots, dtype=np.bool_)

    def slots(self, place: int) -> tuple[int, int]:
        """Return the two slots of a place, the smaller first."""
        row = int(np.searchsorted(self._row_starts, place, side="right")) - 1
        # The last two rows start at the same place; the last one is empty.
        row = min(row, len(self._row_starts) - 2)
        return row, row + 1 + place - int(self._row_starts[row])

    def of(self, slot: int | Int64Array, others: Int64Array) -> Int64Array:
        """Return the places of the pairs of one slot with others, or of slots one by one."""
        low, high = np.minimum(slot, others), np.maximum(slot, others)
        return self._row_starts[low] + high - low - 1


def _merge(
    tournament: Tournament, asker: AskOnce, places: _PlacesOfSlotPairs, kept: int, gone: int
) -> None:
    """Let slot `kept` represent both: the less similar representative of the two stays."""
    places.active[[kept, gone]] = False
    others = np.flatnonzero(places.active)
    places.active[kept] = True
    staying, leaving = places.of(kept, others), places.of(gone, others)
    old, new = tournament.pairs(staying), tournament.pairs(leaving)
    weaker = asker.compare_pairs(old, new) > 0 if len(others) else np.zeros(0, dtype=np.bool_)
    emptied = np.append(leaving, places.of(kept, np.array([gone])))
    tournament.exchange(
        np.append(staying[weaker], emptied),
        np.append(new[weaker], np.full(len(emptied), EMPTY)),
        np.full(int(weaker.sum()) + len(emptied), -1),
    )


def _representatives(
    partition: InitialPartition, asker: AskOnce, places: _PlacesOfSlotPairs
) -> Int64Array:
    """Return the least similar object pair of each slot pair, in the order of places."""
    i, j = np.triu_indices(partition.n_objects, 1)
    pairs = i * np.int64(partition.n_objects) + j
    if partition.n_slots == partition.n_objects:
        return pairs
    slots_i, slots_j = partition.labels[i].astype(np.int64), partition.labels[j].astype(np.int64)
    across = slots_i != slots_j
    place = places.of(slots_i[across], slots_j[across])
    order = np.argsort(place, kind="stable")
    return _least_similar(asker, pairs[across][order], place[order])


def _least_similar(asker: AskOnce, pairs: Int64Array, place: Int64Array) -> Int64Array:
    """Return the least similar pair of each place by knock-out; places are in order."""
    while True:
        first = np.flatnonzero(np.diff(place, prepend=-1))
        if len(first) >= len(pairs):  # with no pair at all, `first` still holds one
            return pairs
        sizes = np.diff(np.append(first, len(pairs)))
        rank = np.arange(len(pairs)) - np.repeat(first, sizes)
        # Even ranks meet the odd rank that follows, if there is one.
        host = np.flatnonzero((rank % 2 == 0) & (rank + 1 < np.repeat(sizes, sizes)))
        loses = asker.compare_pairs(pairs[host], pairs[host + 1]) > 0
        stays = rank % 2 == 0
        stays[host[loses]], stays[host[loses] + 1] = False, True
        pairs, place = pairs[stays], place[stays]
