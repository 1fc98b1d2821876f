"""Which rows compare the same two pairs, by a counting sort into buckets.

A row is the lower pair id, the higher one, whether the lower one won, and a count. The bucket of a
row is its lower pair; the rest is packed into one number, 2 high + won (below 2^32), followed by 32
bits for the count if there are any.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ordlink._kernels import inlined, kernel
from ordlink._typing import AnyArray, Int8Array, Int32Array, Int64Array, PairIdArray


@kernel
def are_in_order(winners: Int32Array, losers: Int32Array) -> bool:
    """Return whether (low, high) strictly increases, so that all rows are distinct."""
    last_low, last_high = np.int64(-1), np.int64(-1)
    for row in range(winners.shape[0]):
        low = np.int64(min(winners[row], losers[row]))
        high = np.int64(max(winners[row], losers[row]))
        if low < last_low or (low == last_low and high <= last_high):
            return False
        last_low, last_high = low, high
    return True


@kernel
def mix(number: Any) -> Any:
    """Return 64 random bits that depend on 64 given ones (the finaliser of SplitMix64)."""
    bits = np.uint64(number)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@kernel
def hash_rows(winners: PairIdArray, losers: PairIdArray) -> AnyArray:
    """Return a hash value of the two pairs of each row, whichever won."""
    hashes = np.empty(winners.shape[0], dtype=np.uint64)
    for row in range(winners.shape[0]):
        low, high = min(winners[row], losers[row]), max(winners[row], losers[row])
        hashes[row] = mix(mix(low + 1) + np.uint64(high))
    return hashes


@kernel
def count_lower(winners: Int32Array, losers: Int32Array, counts: Int64Array) -> None:
    """Add up how often each pair is the lower one of a row."""
    for row in range(winners.shape[0]):
        counts[min(winners[row], losers[row])] += 1


@kernel
def pack_rows(winners: Int32Array, losers: Int32Array, place: Int64Array, packed: AnyArray) -> None:
    """Write 2 high + won into the buckets; `place`, the position of the next row, is advanced."""
    for row in range(winners.shape[0]):
        winner, loser = winners[row], losers[row]
        low, high = min(winner, loser), max(winner, loser)
        packed[place[low]] = 2 * np.int64(high) + (winner < loser)
        place[low] += 1


@kernel
def pack_counted_rows(
    winners: Int32Array, losers: Int32Array, counts: Int32Array, place: Int64Array, packed: AnyArray
) -> None:
    """Write (2 high + won) 2^32 + count into the buckets, as `pack_rows` does."""
    for row in range(winners.shape[0]):
        winner, loser = winners[row], losers[row]
        low, high = min(winner, loser), max(winner, loser)
        head = np.uint64(2 * np.int64(high) + (winner < loser))
        packed[place[low]] = (head << np.uint64(32)) | np.uint64(counts[row])
        place[low] += 1


@kernel
def add_up_votes(
    first: int,
    last: int,
    starts: Int64Array,
    packed: AnyArray,
    count_bits: int,
    seen: Int8Array,
    balance: Int64Array,
    touched: Int32Array,
    winners: Int32Array,
    losers: Int32Array,
    net: AnyArray,
) -> tuple[int, int, int, int]:
    """Return how many pairs of pairs occur, are decided, are contradicted, and the largest net.

    Only buckets first..last-1 are looked at. `count_bits` is 0 or 32. `seen` and `balance` (all 0)
    and `touched` are scratch space, one place per pair. If there is room in `winners` and `losers`,
    and in `net`, the decided ones are written there in order: the winner's votes exceed the loser's
    by `net`.
    """
    n_buckets = starts.shape[0] - 1
    n_distinct, n_decided, n_contradicted = 0, 0, 0
    largest: int = 0
    written, weighted = winners.shape[0] > 0, net.shape[0] > 0
    for low in range(first, last):
        n_touched = 0
        for row in range(starts[low], starts[low + 1]):
            # Shifted without a sign: with counts, a pair from 2^30 on sets the highest bit.
            head = np.int64(np.uint64(packed[row]) >> np.uint64(count_bits))
            votes = np.int64(packed[row]) & np.int64(0xFFFFFFFF) if count_bits else np.int64(1)
            high, won = head >> 1, head & 1
            if seen[high] == 0:
                touched[n_touched] = high
                n_touched += 1
            seen[high] |= 1 + won
            balance[high] += votes if won else -votes
        n_distinct += n_touched
        # In order: look at all higher pairs where most were touched, else sort those that were.
        scan = written and n_touched * 16 > n_buckets - low
        if written and not scan:
            _sort(touched, n_touched)
        for place in range(n_buckets - low if scan else n_touched):
            other = low + place if scan else touched[place]
            if seen[other] == 0:
                continue
            n_contradicted += seen[other] == 3
            difference = balance[other]
            seen[other], balance[other] = 0, 0
            if difference == 0:
                continue
            largest = max(largest, abs(difference))
            if written:
                winners[n_decided] = low if difference > 0 else other
                losers[n_decided] = other if difference > 0 else low
                if weighted:
                    net[n_decided] = abs(difference)
            n_decided += 1
    return n_distinct, n_decided, n_contradicted, largest


@inlined
def _sort(numbers: Int32Array, n: int) -> None:
    """Sort the first n numbers by Shell's method; Numba's own sort takes a second to compile."""
    gap = 1
    while 3 * gap < n:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(gap, n):
            moving, at = numbers[place], place
            while at >= gap and numbers[at - gap] > moving:
                numbers[at] = numbers[at - gap]
                at -= gap
            numbers[at] = moving
        gap //= 3
