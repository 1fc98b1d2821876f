"""4-AL by columns where these are short: each slot has the entries of all its columns in a row.

Memory is read in order, and slots of an entry give its clusters: no other table is looked up. An
entry of a column is one number: its two slots, and whether the column's pair lost. Entries of slot
i are entries[starts[i]:starts[i + 1]], those of its compared pairs one after another in the order
of `PairsOfSlots`, and `lengths` has the number of entries of each of these.

The best partner of each cluster p is bounded: row_bounds[p] is at least sums[p, q] / |q| for all
q > p. Only rows whose bound reaches the best score known are searched. Sums are made in the same
order as by `merge_by_columns`.
"""

from __future__ import annotations

import numpy as np

from ordlink._kernels import kernel
from ordlink._typing import BoolArray, FloatArray, Int32Array, Int64Array
from ordlink.linkage._kernels_average import TIE_OF_UNIT, TIE_RELATIVE
from ordlink.methods.four_al._kernels import (
    ClusterArrays,
    Columns,
    MergeArrays,
    PairsOfSlots,
    unite,
    weight_of_pair,
)
from ordlink.methods.four_al._slots import SLOT_BITS

_SLOT = (1 << SLOT_BITS) - 1
_LOST = 1 << (2 * SLOT_BITS)
Entries = tuple[Int64Array, Int32Array, Int32Array]  # starts, lengths, entries


@kernel
def fill_entries(
    first: int,
    last: int,
    pairs_of_slots: PairsOfSlots,
    columns: Columns,
    slots_of_pair: Int32Array,
    listed: Entries,
) -> None:
    """Write the entries of slots first..last-1; `slots_of_pair` has both slots in one number."""
    slot_starts, pairs, _ = pairs_of_slots
    column_starts, splits, rows, _ = columns
    starts, _, entries = listed
    for i in range(first, last):
        at = starts[i]
        for t in range(slot_starts[i], slot_starts[i + 1]):
            f = pairs[t]
            for place in range(column_starts[f], column_starts[f + 1]):
                lost = _LOST if place >= splits[f] else 0
                entries[at] = slots_of_pair[rows[place]] | lost
                at += 1


@kernel
def bound_row(
    a: int, sums: FloatArray, alive: Int32Array, inverse: FloatArray, row_bounds: FloatArray
) -> None:
    """Set the bound of the cluster alive[a] to the highest number of its row."""
    p = alive[a]
    row = sums[p]
    in_row = -np.inf
    for b in range(a + 1, alive.shape[0]):
        in_row = max(in_row, row[alive[b]] * inverse[alive[b]])
    row_bounds[p] = in_row


@kernel
def best_by_rows(
    sums: FloatArray,
    sizes: Int64Array,
    inverse: FloatArray,
    alive: Int32Array,
    row_bounds: FloatArray,
    unit: float,
) -> tuple[int, int, float, int]:
    """Return what `best_cluster_pair` returns, from the rows that may have the best."""
    n_clusters = alive.shape[0]
    highest, best = 0, -np.inf
    for a in range(n_clusters):
        bound = row_bounds[alive[a]] * inverse[alive[a]]
        if bound > best:
            highest, best = a, bound
    bound_row(highest, sums, alive, inverse, row_bounds)
    best = row_bounds[alive[highest]] * inverse[alive[highest]]
    for a in range(n_clusters):
        p = alive[a]
        if row_bounds[p] * inverse[p] > best:
            bound_row(a, sums, alive, inverse, row_bounds)
            best = max(best, row_bounds[p] * inverse[p])
    bound = best - (TIE_RELATIVE * abs(best) + TIE_OF_UNIT * unit)
    at_p, at_q, n_candidates = -1, -1, 0
    for a in range(n_clusters):
        p = alive[a]
        in_row = bound * sizes[p]
        if row_bounds[p] < in_row:
            continue
        row = sums[p]
        for b in range(a + 1, n_clusters):
            q = alive[b]
            if row[q] * inverse[q] >= in_row:
                n_candidates += 1
                if at_p < 0:
                    at_p, at_q = p, q
    share = 2.0 / (n_clusters * (n_clusters - 1.0))
    score = share * sums[at_p, at_q] / (sizes[at_p] * sizes[at_q])
    return at_p, at_q, score, n_candidates


@kernel
def weigh_slot(
    i: int,
    p: int,
    inside: float,
    labels: Int32Array,
    was_q: BoolArray,
    changes: FloatArray,
    pairs_of_slots: PairsOfSlots,
    listed: Entries,
    inverse: FloatArray,
    sums: FloatArray,
    row_bounds: FloatArray,
) -> None:
    """Add the changes of u of the pairs of slot i, times their columns, to the sums.

    Slot i is in cluster p, which has just absorbed q. changes[x] is the change of u of a pair with
    a slot in cluster x, and `inside` that of a pair of which p and q had one slot each.
    """
    slot_starts, _, partners = pairs_of_slots
    starts, lengths, entries = listed
    at = starts[i]
    for t in range(slot_starts[i], slot_starts[i + 1]):
        begin, at = at, at + lengths[t]
        j = partners[t]
        x = labels[j]
        change = changes[x]
        if x == p:
            if was_q[i] == was_q[j] or j < i:  # inside a cluster already, or done as pair {j, i}
                continue
            change = inside
        for place in range(begin, at):
            entry = entries[place]
            a, b = labels[entry & _SLOT], labels[(entry >> SLOT_BITS) & _SLOT]
            low, high = min(a, b), max(a, b)
            value = sums[low, high] + (-change if entry & _LOST else change)
            sums[low, high] = value
            if value * inverse[high] > row_bounds[low] and low != high:
                row_bounds[low] = value * inverse[high]


@kernel
def merge_by_slots(
    unit: float,
    clusters: ClusterArrays,
    pairs_of_slots: PairsOfSlots,
    listed: Entries,
    sums: FloatArray,
    row_bounds: FloatArray,
    merges: MergeArrays,
) -> Int32Array:
    """Do what `merge_by_columns` does."""
    labels, sizes, alive = clusters
    pairs, scores, tied = merges
    inverse = 1.0 / np.maximum(sizes, 1)
    for t in range(pairs.shape[0]):
        p, q, scores[t], n_candidates = best_by_rows(sums, sizes, inverse, alive, row_bounds, unit)
        pairs[t, 0], pairs[t, 1], tied[t] = p, q, n_candidates > 1
        inside = 0.0 - weight_of_pair(p, q, sizes)
        was_q = labels == q
        changes_p, changes_q = np.zeros(sizes.shape[0]), np.zeros(sizes.shape[0])
        merged = sizes[p] + sizes[q]
        for r in alive:
            if r != p and r != q:
                sums[min(p, r), max(p, r)] += sums[min(q, r), max(q, r)]
                now = 1.0 / (merged * sizes[r])
                changes_p[r] = now - weight_of_pair(p, r, sizes)
                changes_q[r] = now - weight_of_pair(q, r, sizes)
        alive = unite(p, q, labels, sizes, alive)
        inverse[p] = 1.0 / sizes[p]
        for i in range(labels.shape[0]):
            if labels[i] == p:
                changes = changes_q if was_q[i] else changes_p
                weigh_slot(
                    i,
                    p,
                    inside,
                    labels,
                    was_q,
                    changes,
                    pairs_of_slots,
                    listed,
                    inverse,
                    sums,
                    row_bounds,
                )
        for a in range(alive.shape[0]):
            r = alive[a]
            if r < p:
                row_bounds[r] = max(row_bounds[r], sums[r, p] * inverse[p])
            elif r == p:
                bound_row(a, sums, alive, inverse, row_bounds)
    return alive
