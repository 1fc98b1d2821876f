"""Rows about the same question, and rows in the order of the object that their pairs share."""

from __future__ import annotations

import numpy as np

from ordlink._kernels import inlined, kernel, whole
from ordlink._typing import AnyArray, BoolArray, Int32Array, Int64Array
from ordlink.comparisons._kernels_votes import mix


@inlined
def slot_of(winner: int, loser: int, n_pairs: int, n_slots: int) -> int:
    """Return the slot of a row's two pairs, whichever won; `n_slots` is a power of 2."""
    low, high = whole(min(winner, loser)), whole(max(winner, loser))
    return whole(mix(low * n_pairs + high) & np.uint64(n_slots - 1))


@kernel
def fill_slots(winners: Int32Array, losers: Int32Array, n_pairs: int, slots: AnyArray) -> None:
    """Set one of the two bits of a slot if a row has it, the other if several have; all were 0."""
    n_slots = 4 * slots.shape[0]
    for row in range(winners.shape[0]):
        slot = slot_of(winners[row], losers[row], n_pairs, n_slots)
        place, bit = slot >> 2, 2 * (slot & 3)
        is_taken = (slots[place] >> bit) & 1
        slots[place] |= 2 << bit if is_taken else 1 << bit


@kernel
def mark_repeated(
    winners: Int32Array, losers: Int32Array, n_pairs: int, slots: AnyArray, again: BoolArray
) -> None:
    """Mark the rows whose slot is that of another row too."""
    n_slots = 4 * slots.shape[0]
    for row in range(winners.shape[0]):
        slot = slot_of(winners[row], losers[row], n_pairs, n_slots)
        again[row] = (slots[slot >> 2] >> (2 * (slot & 3) + 1)) & 1


@kernel
def find_first_rows(
    winners: Int32Array,
    losers: Int32Array,
    starts: Int64Array,
    higher: Int32Array,
    first: Int64Array,
) -> None:
    """Write the first row about each question, whoever won.

    Questions about the lower pair e are starts[e]..starts[e + 1]-1; `higher` is the other pair.
    """
    for row in range(winners.shape[0] - 1, -1, -1):
        low, high = min(winners[row], losers[row]), max(winners[row], losers[row])
        for question in range(starts[low], starts[low + 1]):
            if higher[question] == high:
                first[question] = row


@kernel
def find_shared_objects(
    winners: Int32Array,
    losers: Int32Array,
    first: AnyArray,
    n_objects: int,
    shared: AnyArray,
    counts: Int64Array,
) -> None:
    """Write the object that both pairs of a row have, else the first of the winner, and count them.

    `first` is the smaller object of each pair.
    """
    for row in range(winners.shape[0]):
        i, k = whole(first[winners[row]]), whole(first[losers[row]])
        j = winners[row] - i * (2 * n_objects - i - 1) // 2 + i + 1
        m = losers[row] - k * (2 * n_objects - k - 1) // 2 + k + 1
        shared[row] = j if j in (k, m) else i
        counts[shared[row]] += 1


@kernel
def put_in_order(keys: AnyArray, places: Int64Array, rows: AnyArray, ordered: AnyArray) -> None:
    """Copy the rows of each key to one place after another; `places`, the next ones, advance."""
    for row in range(rows.shape[0]):
        ordered[places[keys[row]]] = rows[row]
        places[keys[row]] += 1
