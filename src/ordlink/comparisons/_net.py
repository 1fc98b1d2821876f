"""Repeated and contradicting answers as one signed entry per pair of pairs: the matrix A."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ordlink._typing import AnyArray, FloatArray, Int32Array, Int64Array
from ordlink._validate import check_choice
from ordlink.comparisons._base import Comparisons
from ordlink.comparisons._listed import ROWS_PER_THREAD, ListedComparisons
from ordlink.comparisons._pairs import n_pairs, pair_members
from ordlink.comparisons._ranked import RankedComparisons
from ordlink.errors import InputError, InputKindError

Repeats = Literal["majority", "net"]
"""How repeated answers count: the sign of the net count, or the net count itself."""
LARGEST_WEIGHT = 2**20
LARGEST_TOTAL = 2**31 - 1
"""Bounds of net counts that keep all sums exact.

An entry of A contracted to clusters is at most the total of the weights, which fits into int32. An
entry of the kernel K adds products of two weights, each weight (twice in A) with one other: at most
2^20 x 2 x 2^31 = 2^52, which is exact in float64 too.
"""


@dataclass(frozen=True)
class NetComparisons:
    """The matrix A over N objects' pairs, one entry for each pair of pairs that is not 0.

    Attributes
    ----------
    winners, losers : ndarray of shape (n_entries,), dtype int32
        A[winner, loser] = weight and A[loser, winner] = -weight.
    weights : ndarray of shape (n_entries,), dtype int32, or None
        Weight of each entry, at least 1; None means all 1.
    """

    n_objects: int
    winners: Int32Array
    losers: Int32Array
    weights: Int32Array | None = None

    @property
    def largest_weight(self) -> int:
        """The largest entry of A, 1 if there is none."""
        return 1 if self.weights is None else int(self.weights.max(initial=1))


def net_comparisons(
    comparisons: ListedComparisons, repeats: Repeats = "majority"
) -> NetComparisons:
    """Return A: one entry per pair of pairs; an exact tie of the votes contributes 0.

    `repeats` takes the sign of the net count, or the net count as weight. Counts beyond 2^20 for
    one pair of pairs, or 2^31 - 1 in total, are refused, since sums would not be exact.
    """
    check_repeats(repeats)
    majority = comparisons.tally.majority
    if majority is None:  # every row is an entry
        winners, losers = comparisons.winners, comparisons.losers
        net: Int64Array | Int32Array | None = comparisons.counts
    else:
        winners, losers, net = majority.winners, majority.losers, majority.net
    if repeats == "majority" or net is None or not (net > 1).any():
        return NetComparisons(comparisons.n_objects, winners, losers)
    check_weights(net, winners, losers, comparisons.n_objects)
    return NetComparisons(comparisons.n_objects, winners, losers, net.astype(np.int32))


def check_repeats(repeats: str) -> None:
    """Raise InputError unless `repeats` is one of the two ways to count repeated answers."""
    check_choice(repeats, "repeats", get_args(Repeats))


def check_weights(
    net: Int64Array | Int32Array, winners: Int32Array, losers: Int32Array, n_objects: int
) -> None:
    """Raise InputError if net counts are too large to be added up exactly."""
    if not len(net):
        return
    remedy = "divide all counts by the same number, or pass {repeats:majority}"
    exact = "can be added up exactly"
    largest = int(net.argmax())
    if net[largest] > LARGEST_WEIGHT:
        (i, k), (j, l) = pair_members(np.array([winners[largest], losers[largest]]), n_objects)  # noqa: E741
        problem = f"the comparison ({i}, {j}, {k}, {l}) has a net count of {net[largest]:,}, but "
        raise InputError(f"{problem}at most {LARGEST_WEIGHT:,} {exact}", remedy=remedy)
    total = int(net.sum(dtype=np.int64))
    if total > LARGEST_TOTAL:
        problem = f"the net counts add up to {total:,}, but at most {LARGEST_TOTAL:,} {exact}"
        raise InputError(problem, remedy=remedy)


def wins_minus_losses(comparisons: Comparisons, repeats: Repeats = "majority") -> FloatArray:
    """Return each pair's wins minus losses (A 1), by pair id, as whole numbers."""
    if isinstance(comparisons, RankedComparisons):
        below, above = comparisons.counts_below_and_above
        return (below - above).astype(np.float64)
    if isinstance(comparisons, ListedComparisons):
        return net_wins(net_comparisons(comparisons, repeats))
    problem = f"expected Comparisons, got {type(comparisons).__name__}"
    raise InputKindError(problem, parameter="comparisons")


def net_wins(net: NetComparisons) -> FloatArray:
    """Return A 1, by pair id, from net comparisons."""
    n = n_pairs(net.n_objects)
    wins = np.bincount(net.winners, weights=net.weights, minlength=n)
    losses = np.bincount(net.losers, weights=net.weights, minlength=n)
    return np.asarray(wins - losses, dtype=np.float64)


@dataclass(frozen=True)
class ComparisonColumns:
    """The matrix A by columns: column f lists the pairs that beat f, then those that f beats.

    Attributes
    ----------
    starts : ndarray of shape (E + 1,), dtype int64
        Column f is rows[starts[f]:starts[f + 1]].
    splits : ndarray of shape (E,), dtype int64
        In column f, rows before splits[f] beat f (A = +value), f beats the others (A = -value).
    rows : ndarray of shape (2 n_entries,), dtype uint16 where pair ids fit, else int32
        Pair ids e with A[e, f] not 0.
    values : ndarray of shape (2 n_entries,) or (0,), dtype int32
        Weights; empty if all are 1.
    """

    starts: Int64Array
    splits: Int64Array
    rows: AnyArray
    values: Int32Array

    @property
    def n_pairs(self) -> int:
        """Number of columns E."""
        return len(self.splits)


def compress(net: NetComparisons) -> ComparisonColumns:
    """Return the columns of A by counting sort, O(n_entries + E)."""
    from ordlink._threads import run_parts, split_range
    from ordlink.comparisons._kernels_columns import count_pairs, fill_columns

    n = n_pairs(net.n_objects)
    parts = split_range(len(net.winners), smallest=ROWS_PER_THREAD)
    above, below = (np.zeros((len(parts), n), dtype=np.int64) for _ in range(2))

    def count(number: int) -> None:
        count_pairs(net.losers[parts[number]], above[number])
        count_pairs(net.winners[parts[number]], below[number])

    run_parts(count, len(parts))
    starts = np.zeros(n + 1, dtype=np.int64)
    np.cumsum((above + below).sum(axis=0), out=starts[1:])
    splits = starts[:-1] + above.sum(axis=0)
    # Each part writes behind the parts before it: the same columns on any number of threads.
    next_above = starts[:-1] + np.cumsum(above, axis=0) - above
    next_below = splits + np.cumsum(below, axis=0) - below
    rows = np.empty(int(starts[-1]), dtype=np.uint16 if n <= 2**16 else np.int32)
    nothing = np.empty(0, dtype=np.int32)
    values = nothing if net.weights is None else np.empty(len(rows), dtype=np.int32)

    def fill(number: int) -> None:
        part = parts[number]
        weights = nothing if net.weights is None else net.weights[part]
        places = next_above[number], next_below[number]
        fill_columns(net.winners[part], net.losers[part], weights, *places, rows, values)

    run_parts(fill, len(parts))
    return ComparisonColumns(starts, splits, rows, values)


def row_sums(columns: ComparisonColumns) -> FloatArray:
    """Return A 1: by antisymmetry, what each pair beats minus what beats it."""
    if len(columns.values):
        signed = columns.values.astype(np.int64)
        totals = np.concatenate([[0], np.cumsum(signed)])
        above = totals[columns.splits] - totals[columns.starts[:-1]]
        below = totals[columns.starts[1:]] - totals[columns.splits]
    else:
        above = columns.splits - columns.starts[:-1]
        below = columns.starts[1:] - columns.splits
    return np.asarray(below - above, dtype=np.float64)
