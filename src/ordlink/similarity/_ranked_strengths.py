"""The strength of every pair when all comparisons are known: a matter of its rank."""

from __future__ import annotations

import numpy as np

from ordlink.comparisons import RankedComparisons
from ordlink.similarity._bradley_terry import as_matrix
from ordlink.similarity._pair_strengths import PairStrengths
from ordlink.typing import FloatArray


class RankModel:
    """Strengths from ranks: the log-odds of beating a pair drawn at random."""

    def __init__(self, comparisons: RankedComparisons) -> None:
        n = len(comparisons.ranks)
        sizes = np.bincount(comparisons.ranks)
        below = np.cumsum(sizes) - 0.5 * sizes  # equal pairs share their middle
        share = below / n
        self._n_objects = comparisons.n_objects
        self._strengths: FloatArray = np.log(share / (1.0 - share))[comparisons.ranks]

    def fit(self, expected: FloatArray) -> FloatArray:
        """Return the strengths; nothing more is expected of them."""
        return self._strengths

    def observe(self, expected: FloatArray, *, calibrated: bool = True) -> PairStrengths:
        """Return the strengths, all as well known as their spread around the expected ones says."""
        spread = float(np.mean((self._strengths - expected) ** 2))
        precision = 1.0 / max(spread, 1e-9)
        n = self._n_objects
        return PairStrengths(
            as_matrix(self._strengths, n), as_matrix(np.full(len(expected), precision), n)
        )
