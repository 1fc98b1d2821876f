"""Strengths that are known well enough without a tree: from ranks, or from many answers."""

from __future__ import annotations

import numpy as np

from ordlink._typing import FloatArray
from ordlink.comparisons import ListedComparisons, RankedComparisons, n_pairs
from ordlink.methods.spectral._bradley_terry import PairAnswers, as_matrix
from ordlink.methods.spectral._pair_strengths import PairModel, PairStrengths

OFTEN, MOST = 6, 0.9
"""In so many comparisons must so large a share of the pairs be."""
VARIANCE = 3.0
"""Of strengths, before anything was answered."""


class KnownStrengths:
    """Strengths that do not depend on what a tree lets expect.

    Parameters
    ----------
    strengths : ndarray of shape (E,)
        One per pair.
    n_objects : int
        Number of objects N.
    """

    def __init__(self, strengths: FloatArray, n_objects: int) -> None:
        self._strengths = strengths
        self._n_objects = n_objects

    @classmethod
    def of_ranks(cls, comparisons: RankedComparisons) -> KnownStrengths:
        """Return the log-odds of beating a pair drawn at random."""
        sizes = np.bincount(comparisons.ranks)
        below = np.cumsum(sizes) - 0.5 * sizes  # equal pairs share their middle
        share = below / len(comparisons.ranks)
        strengths = np.log(share / (1.0 - share))[comparisons.ranks]
        return cls(strengths, comparisons.n_objects)

    @classmethod
    def of_answers(cls, comparisons: ListedComparisons) -> KnownStrengths:
        """Return the most likely strengths if all are normal around 0."""
        answers = PairAnswers.of(comparisons).in_tiles()
        strengths = PairModel(answers, VARIANCE).fit(np.zeros(answers.n_pairs))
        return cls(strengths, comparisons.n_objects)

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


def are_often_compared(comparisons: ListedComparisons) -> bool:
    """Return whether most pairs are in several comparisons each."""
    n = n_pairs(comparisons.n_objects)
    counts = np.bincount(comparisons.winners, minlength=n)
    counts += np.bincount(comparisons.losers, minlength=n)
    return bool(np.mean(counts >= OFTEN) >= MOST)
