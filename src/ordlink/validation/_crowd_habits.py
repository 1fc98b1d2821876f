"""Habits of answering that have nothing to do with the objects: side and speed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import FloatArray, Int64Array
from ordlink.comparisons import ListedComparisons, check_sides
from ordlink.errors import InputError
from ordlink.validation._crowd_questions import UNKNOWN, Answers

FAST = 0.25
"""An answer is fast if it took less than this share of the usual time."""


@dataclass(frozen=True, eq=False)
class Habits:
    """How each person answers, whatever the question.

    Attributes
    ----------
    first_shares : ndarray of shape (n_annotators,), dtype float64
        Share of answers that chose what was shown first; NaN where this is not known.
    first_chances : ndarray of shape (n_annotators,), dtype float64
        What the share would be by chance: one over the number of options.
    n_placed : ndarray of shape (n_annotators,), dtype int64
        Number of answers of which it is known.
    median_times : ndarray of shape (n_annotators,), dtype float64
        Median response time in the unit of the source; NaN where not known.
    fast_shares : ndarray of shape (n_annotators,), dtype float64
        Share of answers that took less than a quarter of the usual time.
    usual_time : float
        Median over people of their median times.
    """

    first_shares: FloatArray
    first_chances: FloatArray
    n_placed: Int64Array
    median_times: FloatArray
    fast_shares: FloatArray
    usual_time: float


def habits_of(
    comparisons: ListedComparisons, answers: Answers, chose_first: ArrayLike | None
) -> Habits:
    """Return the habits of each annotator; O(n_rows log n_rows)."""
    first = np.unique(comparisons.answer_ids, return_index=True)[1]  # one row of each answer
    people, names, counts = answers.annotators, answers.names, answers.counts
    details = comparisons.details
    times = None if details is None else details.response_times
    if chose_first is None and details is not None:
        chose_first = details.chose_first
    sides = _sides_of_rows(chose_first, comparisons.n_rows)
    n = len(names)
    first_shares, first_chances = np.full(n, np.nan), np.full(n, np.nan)
    n_placed = np.zeros(n, dtype=np.int64)
    if sides is not None:
        side = sides[first]
        known = np.isfinite(side) & (people != UNKNOWN)
        placed = np.bincount(people[known], weights=counts[known], minlength=n)
        chosen = np.bincount(people[known], weights=(counts * side)[known], minlength=n)
        with np.errstate(invalid="ignore"):
            first_shares = chosen / placed
            by_chance = (counts / answers.n_options)[known]
            first_chances = np.bincount(people[known], weights=by_chance, minlength=n) / placed
        n_placed = placed.astype(np.int64)
    medians, fast = np.full(n, np.nan), np.full(n, np.nan)
    usual = np.nan
    if times is not None:
        taken = times[first]
        of_person = [taken[(people == person) & np.isfinite(taken)] for person in range(n)]
        medians = np.array([np.median(own) if len(own) else np.nan for own in of_person])
        if np.isfinite(medians).any():
            usual = float(np.nanmedian(medians))
            fast = np.array(
                [(own < FAST * usual).mean() if len(own) else np.nan for own in of_person]
            )
    return Habits(first_shares, first_chances, n_placed, medians, fast, usual)


def _sides_of_rows(chose_first: ArrayLike | None, n_rows: int) -> FloatArray | None:
    """Return 1, 0 or NaN (not known) for each comparison."""
    if chose_first is None:
        return None
    sides = check_sides(chose_first)
    if sides.shape != (n_rows,):
        raise InputError(
            f"chose_first: expected one entry for each of the {n_rows} comparisons, got an array "
            f"of shape {sides.shape}; leave it out if it is not known what was shown first."
        )
    return sides
