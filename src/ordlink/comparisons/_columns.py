"""Comparisons in compressed columns, the form that the methods compute with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, FloatArray, Int32Array, Int64Array
from ordlink.comparisons._net import NetComparisons
from ordlink.comparisons._pairs import n_pairs

_ROWS_PER_THREAD = 500_000


@dataclass(frozen=True)
class ComparisonColumns:
    """The matrix A by columns: column f lists the pairs that beat f, then those that f beats.

    Attributes
    ----------
    starts : ndarray of shape (E + 1,), dtype int64
        Column f is rows[starts[f]:starts[f + 1]].
    splits : ndarray of shape (E,), dtype int64
        rows[starts[f]:splits[f]] beat f (A = +value), rows[splits[f]:starts[f + 1]] are beaten
        by f (A = -value).
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
    parts = split_range(len(net.winners), smallest=_ROWS_PER_THREAD)
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
        fill_columns(
            net.winners[part],
            net.losers[part],
            weights,
            next_above[number],
            next_below[number],
            rows,
            values,
        )

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
