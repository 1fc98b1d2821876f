"""Comparisons in compressed columns, the form that the methods compute with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink.comparisons._net import NetComparisons
from ordlink.comparisons._pairs import n_pairs
from ordlink.typing import Int32Array, Int64Array


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
    rows : ndarray of shape (2 n_entries,), dtype int32
        Pair ids e with A[e, f] not 0.
    values : ndarray of shape (2 n_entries,) or (0,), dtype int32
        Weights; empty if all are 1.
    """

    starts: Int64Array
    splits: Int64Array
    rows: Int32Array
    values: Int32Array


def compress(net: NetComparisons) -> ComparisonColumns:
    """Return the columns of A by counting sort, O(n_entries + E)."""
    from ordlink.kernels.columns import count_entries, fill_entries

    n = n_pairs(net.n_objects)
    beaten_by = np.zeros(n, dtype=np.int64)
    beats = np.zeros(n, dtype=np.int64)
    count_entries(net.winners, net.losers, beaten_by, beats)
    starts = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(beaten_by + beats, out=starts[1:])
    splits = starts[:-1] + beaten_by
    rows = np.empty(int(starts[-1]), dtype=np.int32)
    weights = np.empty(0, dtype=np.int32) if net.weights is None else net.weights
    values = np.empty(0 if net.weights is None else len(rows), dtype=np.int32)
    fill_entries(net.winners, net.losers, weights, starts[:-1].copy(), splits.copy(), rows, values)
    return ComparisonColumns(starts, splits, rows, values)
