"""How often each pair of pairs was answered each way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, Int32Array, Int64Array
from ordlink.comparisons._pairs import n_pairs

_ROWS_PER_THREAD = 500_000


@dataclass(frozen=True)
class Majority:
    """The pairs of pairs that the votes decide, sorted by (low, high) pair.

    The winner has `net` more votes than the loser; None means 1 each.
    """

    winners: Int32Array
    losers: Int32Array
    net: Int32Array | Int64Array | None


@dataclass(frozen=True)
class Tally:
    """What the votes on comparisons come to.

    Attributes
    ----------
    n_distinct : int
        Number of different pairs of pairs.
    n_contradictions : int
        Number of pairs of pairs that were answered both ways.
    majority : Majority or None
        None if every row is about a pair of pairs of its own.
    """

    n_distinct: int
    n_contradictions: int = 0
    majority: Majority | None = None


def tally_votes(
    winners: Int32Array, losers: Int32Array, counts: Int32Array | None, n_objects: int
) -> Tally:
    """Return what the votes come to, O(n_rows + E); rows in order take one look.

    Rows go into one bucket for each lower pair, by counting sort. Within a bucket, votes are added
    up by the higher pair.
    """
    from ordlink.comparisons._kernels_votes import add_up_votes, are_in_order

    n_rows = len(winners)
    if are_in_order(winners, losers):
        return Tally(n_rows)
    n = n_pairs(n_objects)
    starts, packed = _fill_buckets(winners, losers, counts, n)
    rows = (starts, packed, 0 if counts is None else 32)
    scratch = (
        np.zeros(n, dtype=np.int8),
        np.zeros(n, dtype=np.int64),
        np.empty(n, dtype=np.int32),
    )
    nothing = np.empty(0, dtype=np.int32)
    n_distinct, n_decided, n_contradictions, largest = add_up_votes(
        *rows, *scratch, nothing, nothing, nothing
    )
    if n_distinct == n_rows:
        return Tally(n_rows)
    ahead, behind = (np.empty(n_decided, dtype=np.int32) for _ in range(2))
    net: AnyArray = nothing
    if largest > 1:
        net = np.empty(n_decided, dtype=np.int32 if largest < 2**31 else np.int64)
    add_up_votes(*rows, *scratch, ahead, behind, net)
    majority = Majority(ahead, behind, net if largest > 1 else None)
    return Tally(n_distinct, n_contradictions, majority)


def _fill_buckets(
    winners: Int32Array, losers: Int32Array, counts: Int32Array | None, n_buckets: int
) -> tuple[Int64Array, AnyArray]:
    """Return where each bucket starts, and the packed rows bucket by bucket."""
    from ordlink._threads import run_parts, split_range
    from ordlink.comparisons._kernels_votes import count_lower, pack_counted_rows, pack_rows

    parts = split_range(len(winners), smallest=_ROWS_PER_THREAD)
    sizes = np.zeros((len(parts), n_buckets), dtype=np.int64)
    run_parts(
        lambda number: count_lower(winners[parts[number]], losers[parts[number]], sizes[number]),
        len(parts),
    )
    starts = np.zeros(n_buckets + 1, dtype=np.int64)
    np.cumsum(sizes.sum(axis=0), out=starts[1:])
    place = starts[:-1] + np.cumsum(sizes, axis=0) - sizes  # each part behind those before it
    packed = np.empty(len(winners), dtype=np.uint32 if counts is None else np.uint64)

    def pack(number: int) -> None:
        part = parts[number]
        if counts is None:
            pack_rows(winners[part], losers[part], place[number], packed)
        else:
            pack_counted_rows(winners[part], losers[part], counts[part], place[number], packed)

    run_parts(pack, len(parts))
    return starts, packed
