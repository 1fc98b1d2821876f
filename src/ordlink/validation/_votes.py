"""Votes on each question, counted anew when some people are drawn several times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, Int32Array, Int64Array, LabelArray
from ordlink.comparisons import ListedComparisons


@dataclass(frozen=True, eq=False)
class Votes:
    """Which rows are votes on the same question, two pairs to be ordered.

    Attributes
    ----------
    low, high : ndarray of shape (n_questions,), dtype int32
        The two pairs of each question.
    first_rows : ndarray of shape (n_questions,), dtype int64
        The first row of each question.
    n_votes : ndarray of shape (n_questions,), dtype int64 or float64
        How often each question was answered.
    questions : ndarray of shape (n_rows,), dtype intp
        The question of each row.
    signs : ndarray of shape (n_rows,), dtype int64
        1 where the row is a vote for `low`, -1 where for `high`.
    """

    low: Int32Array
    high: Int32Array
    first_rows: Int64Array
    n_votes: AnyArray
    questions: LabelArray
    signs: Int64Array

    @classmethod
    def of(cls, comparisons: ListedComparisons) -> Votes:
        """Return the votes behind comparisons."""
        winners, losers = comparisons.winners, comparisons.losers
        low, high = np.minimum(winners, losers), np.maximum(winners, losers)
        keys = (low.astype(np.int64) << 32) | high
        _, first, questions = np.unique(keys, return_index=True, return_inverse=True)
        questions = questions.ravel()
        return cls(
            low=low[first],
            high=high[first],
            first_rows=first,
            n_votes=np.bincount(questions, weights=comparisons.counts, minlength=len(first)),
            questions=questions,
            signs=np.where(winners < losers, 1, -1),
        )

    def decide(self, drawn: AnyArray) -> tuple[Int64Array, Int32Array, Int32Array, Int64Array]:
        """Return what the majority says if each row is there as often as it was drawn.

        A question counts as often as its votes were drawn on average, in whole numbers and at
        least once: the votes decide what is said, and how often they were drawn decides how much
        it counts. With every vote drawn once, each question counts once. Ties are left out.

        Parameters
        ----------
        drawn : ndarray of shape (n_rows,)
            How many votes each row has become.

        Returns
        -------
        rows, winners, losers, counts : ndarray
            One entry for each question that is decided; `rows` are the first rows of these.
        """
        n = len(self.first_rows)
        ahead = np.bincount(self.questions, weights=drawn * self.signs, minlength=n)
        in_all = np.bincount(self.questions, weights=drawn, minlength=n)
        decided = np.flatnonzero(ahead)
        for_low = ahead[decided] > 0
        low, high = self.low[decided], self.high[decided]
        counts = np.rint(in_all[decided] / self.n_votes[decided]).astype(np.int64)
        return (
            self.first_rows[decided],
            np.where(for_low, low, high),
            np.where(for_low, high, low),
            np.maximum(counts, 1),
        )
