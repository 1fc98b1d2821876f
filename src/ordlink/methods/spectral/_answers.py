"""All answers about pairs, and the likelihood of strengths given them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ordlink._typing import AnyArray, FloatArray, Int32Array, Int64Array
from ordlink.comparisons import ListedComparisons, n_pairs
from ordlink.comparisons._base import FrozenArrays

_PARTS = 2
_ROWS_PER_PART = 1 << 16
_ROWS_AT_ONCE = 1 << 15
"""Sums are made in parts that depend on the input alone, not on the number of threads."""
PAIRS_PER_THREAD = 1 << 17
_FEW_PAIRS = 1 << 17  # what there is about so many pairs fits into the cache


@dataclass(frozen=True)
class PairAnswers(FrozenArrays):
    """All answers about pairs, including repeated and contradicting ones."""

    n_objects: int  # number of objects N
    winners: Int32Array  # (n_rows,): pair ids: the winner was said to be the more similar pair
    losers: Int32Array
    weights: FloatArray  # (n_rows,) or (0,): how often; empty if once each
    # Share of the answers that are lapses: the opposite of what was meant, from 0 to below 1/2
    lapse_rate: float = 0.0
    n_compared: int | None = None  # number of pairs, if compared ones alone have ids

    @property
    def n_pairs(self) -> int:
        """Number of pairs E: all of the objects, compared or not, or the compared ones."""
        return n_pairs(self.n_objects) if self.n_compared is None else self.n_compared

    @classmethod
    def of(cls, comparisons: ListedComparisons) -> PairAnswers:
        """Return the rows of comparisons as they were given."""
        counts = comparisons.counts
        weights = np.empty(0) if counts is None else counts.astype(np.float64)
        return cls(comparisons.n_objects, comparisons.winners, comparisons.losers, weights)

    def with_lapse_rate(self, lapse_rate: float) -> PairAnswers:
        """Return the same rows with another lapse rate."""
        return replace(self, lapse_rate=lapse_rate)

    def by_object(self) -> PairAnswers:
        """Return the same rows, for the cache in the order of the object that both pairs share.

        Of pairs without a common object, it is one of the winner's. Few pairs need no order.
        """
        from ordlink._threads import in_threads
        from ordlink.methods.spectral._kernels_rows import find_shared_objects, put_in_order

        if self.n_pairs <= _FEW_PAIRS:
            return self
        n = self.n_objects
        kind: Any = np.uint16 if n <= 1 << 16 else np.int32
        first = np.repeat(np.arange(n, dtype=kind), np.arange(n)[::-1])
        shared, counts = np.empty(len(self.winners), dtype=kind), np.zeros(n, dtype=np.int64)
        find_shared_objects(self.winners, self.losers, first, n, shared, counts)
        columns: list[AnyArray] = [self.winners, self.losers, self.weights]
        ordered = [np.empty_like(column) for column in columns]

        def put(first: int, last: int) -> None:
            for rows, copies in zip(columns[first:last], ordered[first:last], strict=True):
                put_in_order(shared, np.cumsum(counts) - counts, rows, copies)

        in_threads(put, 3 if len(self.weights) else 2)
        winners, losers, weights = ordered
        return replace(self, winners=winners, losers=losers, weights=weights)

    @property
    def total_weight(self) -> float:
        """Number of comparisons, repeated ones counted as often as they were given."""
        return float(self.weights.sum()) if len(self.weights) else float(len(self.winners))

    def take(self, rows: AnyArray) -> PairAnswers:
        """Return the rows given by a mask or by row numbers."""
        weights = self.weights[rows] if len(self.weights) else self.weights
        return replace(self, winners=self.winners[rows], losers=self.losers[rows], weights=weights)

    def of_compared(self) -> tuple[PairAnswers, Int64Array]:
        """Return the same rows about the pairs that occur in them, and the ids of these pairs."""
        occurs = np.zeros(self.n_pairs, dtype=bool)
        occurs[self.winners] = occurs[self.losers] = True
        ids, numbers = np.flatnonzero(occurs), (np.cumsum(occurs) - 1).astype(np.int32)
        winners, losers = numbers[self.winners], numbers[self.losers]
        return replace(self, winners=winners, losers=losers, n_compared=len(ids)), ids

    def likelihood(self, strengths: FloatArray) -> tuple[float, FloatArray]:
        """Return minus the log-likelihood of x, and its slopes times -1.

        P(e beats f) = q + (1 - 2 q) / (1 + exp(x_f - x_e)), q the lapse rate. Without lapses, the
        slopes are the sums of y - P.
        """
        from ordlink.methods.spectral._kernels_likelihood import add_likelihood

        return self._add_up(strengths, add_likelihood)

    def curvatures(self, strengths: FloatArray) -> FloatArray:
        """Return the Fisher information of each pair alone; without lapses, sums of P (1 - P)."""
        from ordlink.methods.spectral._kernels_likelihood import add_curvatures

        return self._add_up(strengths, add_curvatures)[1]

    def _add_up(
        self, strengths: FloatArray, kernel: Callable[..., float]
    ) -> tuple[float, FloatArray]:
        """Return what a kernel returns for the rows and adds to the pairs."""
        from ordlink._threads import in_threads
        from ordlink.methods.spectral._kernels_likelihood import take_differences

        n_rows = len(self.winners)
        n_parts = min(_PARTS, max(1, n_rows // _ROWS_PER_PART))
        totals, sums = np.zeros(n_parts), np.zeros((n_parts, self.n_pairs))

        def add(first: int, last: int) -> None:
            differences, decays = np.empty((2, min(_ROWS_AT_ONCE, n_rows)))
            for part in range(first, last):
                end = n_rows * (part + 1) // n_parts
                for begin in range(n_rows * part // n_parts, end, _ROWS_AT_ONCE):
                    rows = slice(begin, min(begin + _ROWS_AT_ONCE, end))
                    winners, losers = self.winners[rows], self.losers[rows]
                    ahead = differences[: len(winners)]
                    take_differences(strengths, winners, losers, ahead)
                    small = decays[: len(winners)]
                    np.exp(np.negative(np.abs(ahead, out=small), out=small), out=small)
                    given = ahead, small, self.lapse_rate, winners, losers, self.weights[rows]
                    totals[part] += kernel(*given, sums[part])

        def unite(first: int, last: int) -> None:
            for part in range(1, n_parts):
                sums[0, first:last] += sums[part, first:last]

        in_threads(add, n_parts)
        in_threads(unite, self.n_pairs, smallest=PAIRS_PER_THREAD)
        return float(totals.sum()), sums[0]

    def mean_loss(self, strengths: FloatArray) -> float:
        """Return minus the mean log-likelihood of a comparison."""
        return self.likelihood(strengths)[0] / max(self.total_weight, 1.0)
