"""Comparisons under the Bradley-Terry model: every pair of objects has a strength."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ordlink._typing import BoolArray, FloatArray, Int32Array
from ordlink.comparisons import ListedComparisons, n_pairs

_PARTS = 2
_ROWS_PER_PART = 1 << 16
_ROWS_AT_ONCE = 1 << 15
_TILE_BITS = 17
"""Sums are made in parts that depend on the input alone, not on the number of threads."""
DENSE_AT_MOST = 400
"""Of larger matrices, leading eigenvectors are found by Lanczos' method."""


@dataclass(frozen=True)
class PairAnswers:
    """What was answered about pairs, each answer counted, repeated and contradicting ones too."""

    n_objects: int  # number of objects N
    winners: Int32Array  # (n_rows,): pair ids: the winner was said to be the more similar pair
    losers: Int32Array
    weights: FloatArray  # (n_rows,) or (0,): how often; empty if once each
    # Share of the answers that are lapses: the opposite of what was meant, from 0 to below 1/2
    lapse_rate: float = 0.0

    @classmethod
    def of(cls, comparisons: ListedComparisons) -> PairAnswers:
        """Return the rows of comparisons as they were given."""
        counts = comparisons.counts
        weights = np.empty(0) if counts is None else counts.astype(np.float64)
        return cls(comparisons.n_objects, comparisons.winners, comparisons.losers, weights)

    def with_lapse_rate(self, lapse_rate: float) -> PairAnswers:
        """Return the same rows with another lapse rate."""
        return replace(self, lapse_rate=lapse_rate)

    def in_tiles(self) -> PairAnswers:
        """Return the same rows, sorted for the cache: similar pair ids come together."""
        n_blocks = (self.n_pairs >> _TILE_BITS) + 1
        tiles = (self.winners >> _TILE_BITS).astype(np.int64) * n_blocks
        tiles += self.losers >> _TILE_BITS
        small = n_blocks * n_blocks <= 1 << 16  # then the sort is a matter of two passes
        order = np.argsort(tiles.astype(np.uint16) if small else tiles, kind="stable")
        weights = self.weights[order] if len(self.weights) else self.weights
        return replace(
            self, winners=self.winners[order], losers=self.losers[order], weights=weights
        )

    @property
    def n_pairs(self) -> int:
        """Number of pairs E, compared or not."""
        return n_pairs(self.n_objects)

    @property
    def total_weight(self) -> float:
        """Number of comparisons, repeated ones counted as often as they were given."""
        return float(self.weights.sum()) if len(self.weights) else float(len(self.winners))

    def take(self, rows: BoolArray) -> PairAnswers:
        """Return the rows of a mask."""
        weights = self.weights[rows] if len(self.weights) else self.weights
        return replace(self, winners=self.winners[rows], losers=self.losers[rows], weights=weights)

    def likelihood(
        self, strengths: FloatArray, *, curved: bool = False
    ) -> tuple[float, FloatArray, FloatArray]:
        """Return minus the log-likelihood of strengths, and what it says of each pair.

        Parameters
        ----------
        strengths : ndarray of shape (E,)
            x, with P(e beats f) = q + (1 - 2 q) / (1 + exp(x_f - x_e)), q the lapse rate.
        curved : bool
            Whether the curvatures are asked for.

        Returns
        -------
        loss : float
            Minus the log-likelihood.
        slopes : ndarray of shape (E,)
            Its first derivatives times -1; without lapses, the sum of y - P.
        curvatures : ndarray of shape (E,), or (0,) if not asked for
            Fisher information of each pair; without lapses, the sum of P (1 - P).
        """
        from ordlink._threads import in_threads
        from ordlink.methods.spectral._kernels_strengths import add_likelihood, take_differences

        n_rows = len(self.winners)
        n_parts = min(_PARTS, max(1, n_rows // _ROWS_PER_PART))
        losses = np.zeros(n_parts)
        slopes = np.zeros((n_parts, self.n_pairs))
        curvatures = np.zeros((n_parts, self.n_pairs if curved else 0))

        def add(first: int, last: int) -> None:
            differences = np.empty(min(_ROWS_AT_ONCE, n_rows))
            for part in range(first, last):
                end = n_rows * (part + 1) // n_parts
                for begin in range(n_rows * part // n_parts, end, _ROWS_AT_ONCE):
                    rows = slice(begin, min(begin + _ROWS_AT_ONCE, end))
                    winners, losers = self.winners[rows], self.losers[rows]
                    ahead = differences[: len(winners)]
                    take_differences(strengths, winners, losers, ahead)
                    losses[part] += add_likelihood(
                        ahead,
                        np.exp(-np.abs(ahead)),
                        self.lapse_rate,
                        winners,
                        losers,
                        self.weights[rows],
                        slopes[part],
                        curvatures[part],
                    )

        in_threads(add, n_parts)
        return float(losses.sum()), slopes.sum(axis=0), curvatures.sum(axis=0)

    def mean_loss(self, strengths: FloatArray) -> float:
        """Return minus the mean log-likelihood of a comparison."""
        return self.likelihood(strengths)[0] / max(self.total_weight, 1.0)


def as_matrix(by_pair: FloatArray, n_objects: int) -> FloatArray:
    """Return the symmetric matrix of one number per pair, 0 on the diagonal."""
    from ordlink.methods.spectral._kernels_strengths import fill_symmetric

    matrix = np.empty((n_objects, n_objects))
    fill_symmetric(by_pair, matrix)
    return matrix


def by_pair(matrix: FloatArray) -> FloatArray:
    """Return the numbers above the diagonal, one per pair."""
    from ordlink.methods.spectral._kernels_strengths import take_upper

    numbers = np.empty(n_pairs(len(matrix)))
    take_upper(np.ascontiguousarray(matrix), numbers)
    return numbers


def leading_eigenpairs(matrix: FloatArray, n_pairs: int) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalues of a symmetric matrix, falling, and their eigenvectors."""
    from scipy.linalg import eigh
    from scipy.sparse.linalg import ArpackError, eigsh

    n = len(matrix)
    n_pairs = min(n_pairs, n)
    if n > DENSE_AT_MOST:
        start = (matrix * matrix).sum(axis=1)  # the same for the same objects in any order
        try:
            values, vectors = eigsh(matrix, k=n_pairs, which="LA", v0=start, tol=1e-4)
            return values[::-1], vectors[:, ::-1]
        except ArpackError:
            pass  # no eigenvalue stands out, or all are 0: take the slow way
    values, vectors = eigh(matrix, subset_by_index=[n - n_pairs, n - 1])
    return values[::-1], vectors[:, ::-1]
