"""Comparisons in the form that ordinal embeddings need: the compared pairs and the winners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ordlink._typing import BoolArray, FloatArray, Int32Array
from ordlink.comparisons import (
    Comparisons,
    ListedComparisons,
    RankedComparisons,
    Repeats,
    n_pairs,
    net_comparisons,
    pair_members,
)
from ordlink.errors import InputKindError

LISTED_AT_MOST = 2_000_000
"""Of more comparisons of a similarity matrix, about so many are drawn."""
# Sums are made in parts that depend on the input alone, not on the number of threads.
_PARTS, _ROWS_PER_PART = 8, 1 << 16
RowKernel = Callable[..., float]  # adds up a loss over a range of rows, and its slopes by pair


@dataclass(frozen=True)
class ComparedPairs:
    """The pairs that were compared, numbered from 0, and the comparisons between them."""

    n_objects: int  # number of objects N
    low: Int32Array  # (n_pairs,): members of each pair that was compared
    high: Int32Array
    # (n_rows,): positions in `low` and `high`: the winner is the more similar pair
    winners: Int32Array
    losers: Int32Array
    weights: FloatArray  # (n_rows,) or (0,): weight of each row; empty if all are 1

    @classmethod
    def of(
        cls, comparisons: Comparisons, *, repeats: Repeats = "majority", seed: int = 0
    ) -> ComparedPairs:
        """Return the pairs of listed comparisons, or of a sample of ranked ones."""
        if isinstance(comparisons, RankedComparisons):
            n = n_pairs(comparisons.n_objects)
            share = LISTED_AT_MOST / max(1, n * (n - 1) // 2)
            comparisons = comparisons.sample(min(1.0, share), seed=seed)
        if not isinstance(comparisons, ListedComparisons):
            raise InputKindError(
                f"expected Comparisons, got {type(comparisons).__name__}", parameter="comparisons"
            )
        net = net_comparisons(comparisons, repeats)
        n_rows = len(net.winners)
        pairs, places = np.unique(np.concatenate([net.winners, net.losers]), return_inverse=True)
        low, high = pair_members(pairs, net.n_objects)
        weights = np.empty(0) if net.weights is None else net.weights.astype(np.float64)
        winners, losers = (side.astype(np.int32) for side in np.split(places, [n_rows]))
        return cls(net.n_objects, low, high, winners, losers, weights)

    @property
    def n_pairs(self) -> int:
        """Number of pairs that were compared."""
        return len(self.low)

    @property
    def n_rows(self) -> int:
        """Number of comparisons, each counted once."""
        return len(self.winners)

    @property
    def total_weight(self) -> float:
        """Sum of the weights."""
        return float(self.weights.sum()) if len(self.weights) else float(self.n_rows)

    @property
    def compared(self) -> BoolArray:
        """For each object, whether any comparison names it."""
        named = np.zeros(self.n_objects, dtype=bool)
        named[self.low] = True
        named[self.high] = True
        return named

    def balance(self) -> FloatArray:
        """Return the AddS similarity per comparison, (wins - losses) / (wins + losses), (N, N)."""
        weights = self.weights if len(self.weights) else None
        wins, losses = (
            np.bincount(side, weights=weights, minlength=self.n_pairs)
            for side in (self.winners, self.losers)
        )
        return self._matrix((wins - losses) / (wins + losses))

    def squared_distances(self, points: FloatArray) -> FloatArray:
        """Return D_e = |x_i - x_j|^2 of each pair e = {i, j}."""
        from ordlink.methods.embedding._kernels import squared_distances

        squares = np.empty(self.n_pairs)
        squared_distances(points, self.low, self.high, squares)
        return squares

    def mean_loss(self, row_kernel: RowKernel, by_pair: FloatArray) -> tuple[float, FloatArray]:
        """Return the mean loss per comparison and its derivatives by the value of each pair."""
        from ordlink._threads import in_threads

        n_parts = min(_PARTS, max(1, self.n_rows // _ROWS_PER_PART))
        losses, slopes = np.zeros(n_parts), np.zeros((n_parts, self.n_pairs))
        edges = [self.n_rows * part // n_parts for part in range(n_parts + 1)]
        rows = by_pair, self.winners, self.losers, self.weights

        def add(first: int, last: int) -> None:
            for part in range(first, last):
                losses[part] = row_kernel(edges[part], edges[part + 1], *rows, slopes[part])

        in_threads(add, n_parts)
        total = self.total_weight
        return float(losses.sum()) / total, slopes.sum(axis=0) / total

    def gradient_by_points(self, points: FloatArray, slopes: FloatArray) -> FloatArray:
        """Return dloss/dx, shape (N, d), from the slopes dloss/dD of the pairs."""
        from ordlink.methods.embedding._kernels import add_pulls

        gradient = np.zeros_like(points)
        add_pulls(points, self.low, self.high, slopes, gradient)
        return gradient

    def gradient_by_gram_matrix(self, slopes: FloatArray) -> FloatArray:
        """Return dloss/dK, shape (N, N), where D_ij = K_ii + K_jj - K_ij - K_ji."""
        gradient = self._matrix(-slopes)
        np.fill_diagonal(gradient, -gradient.sum(axis=1))
        return gradient

    def accuracy(self, points: FloatArray) -> float:
        """Return the share of the comparisons that distances agree with; equal ones count half."""
        from ordlink.methods.embedding._kernels import count_agreeing

        if not self.n_rows:
            return float("nan")
        squares = self.squared_distances(points)
        agreeing = count_agreeing(squares, self.winners, self.losers, self.weights)
        return agreeing / self.total_weight

    def _matrix(self, by_pair: FloatArray) -> FloatArray:
        """Return the symmetric matrix with these entries, and 0 where nothing was compared."""
        matrix = np.zeros((self.n_objects, self.n_objects))
        matrix[self.low, self.high] = by_pair
        matrix[self.high, self.low] = by_pair
        return matrix
