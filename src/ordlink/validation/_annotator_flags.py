"""Response habits of annotators, and what is unusual about one of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import FloatArray, Int64Array
from ordlink.comparisons import ListedComparisons, check_sides
from ordlink.errors import InputError
from ordlink.validation._repeats import UNKNOWN, Answers, RepeatAgreement

if TYPE_CHECKING:
    from ordlink.validation._annotators import AnnotatorQuality

FAST = 0.25
"""An answer is fast if it took less than this share of the usual time."""
FEWEST_ANSWERS = 20
"""Nobody is judged by fewer answers."""
FEWEST_REPEATED = 10
"""Nobody is judged by fewer questions that they answered again."""
LEVEL = 0.05
"""Family-wise error rate of each kind of flag."""
LARGEST_FAST_SHARE = 0.2
SLOWEST_FAST_MEDIAN = 1 / 3
"""People whose median is below this share of the usual time are flagged."""
LARGEST_LEAN = 0.1
"""Largest difference from chance of the share of first options that is never flagged."""
CERTAIN = 1.645
"""Standard errors above chance that are significant at the level of 5 %, one-sided."""


@dataclass(frozen=True, eq=False)
class Habits:
    """Response habits of each person, whatever the question; NaN where unknown."""

    first_shares: FloatArray  # share of answers that chose the option shown first
    first_chances: FloatArray  # the same by chance: one over the number of options
    n_placed: Int64Array  # number of answers with known positions
    median_times: FloatArray  # in the unit of the source
    fast_shares: FloatArray  # share of answers in less than `FAST` of the usual time
    usual_time: float  # median over people of their median times


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
            f"expected one entry for each of the {n_rows} comparisons, got an array of shape "
            f"{sides.shape}",
            parameter="chose_first",
            remedy="leave {chose_first} out if positions are unknown",
        )
    return sides


def flags_of(
    person: AnnotatorQuality,
    *,
    everybody: RepeatAgreement,
    n_people: int,
    usual_time: float,
    chance: float,
    others_skill: float,
) -> tuple[str, ...]:
    """Return what is unusual, one phrase each; nothing for people with few answers.

    Parameters
    ----------
    person : AnnotatorQuality
        Their figures.
    everybody : RepeatAgreement
        How often people agree with themselves.
    n_people : int
        Number of tests to correct for (Bonferroni).
    usual_time : float
        Median over people of their median response times.
    chance : float
        Expected skill of guessing.
    others_skill : float
        Mean skill of the others.
    """
    if person.n_answers < FEWEST_ANSWERS:
        return ()
    found = [
        *_about_accuracy(person, n_people),
        *_about_repeats(person, everybody, n_people),
        *_about_skill(person, chance, others_skill, n_people),
        *_about_sides(person, n_people),
        *_about_speed(person, usual_time),
    ]
    return tuple(found)


def _about_accuracy(person: AnnotatorQuality, n_people: int) -> list[str]:
    known = math.isfinite(person.accuracy_error) and math.isfinite(person.others_accuracy)
    if not known:
        return []
    reached = f"agrees with the tree of the others in {person.accuracy:.0%} of comparisons"
    error = max(person.accuracy_error, 0.5 / math.sqrt(person.n_comparisons))
    would_show = person.others_accuracy - 0.5 > _needed(n_people) * error
    if would_show and person.accuracy - 0.5 < CERTAIN * error:
        return [f"{reached}, no better than guessing; others reach {person.others_accuracy:.0%}"]
    if person.p_value * n_people < LEVEL:
        return [f"{reached}, unusually few: others reach {person.others_accuracy:.0%}"]
    return []


def _about_repeats(
    person: AnnotatorQuality, everybody: RepeatAgreement, n_people: int
) -> list[str]:
    from scipy.stats import binomtest

    own = person.repeats
    if own.n_questions < FEWEST_REPEATED:
        return []
    # Pairs of answers to one question are correlated, so questions are counted, not pairs.
    n_same = math.ceil(own.agreement * own.n_questions - 1e-9)
    unusual = binomtest(n_same, own.n_questions, everybody.agreement, alternative="less").pvalue
    if unusual * n_people >= LEVEL:
        return []
    return [
        f"gives the same answer again in {own.agreement:.0%} of repeats of {own.n_questions} "
        f"questions, unusually few: {everybody.agreement:.0%} is usual"
    ]


def _about_skill(
    person: AnnotatorQuality, chance: float, others_skill: float, n_people: int
) -> list[str]:
    if not math.isfinite(person.skill) or person.n_shared < FEWEST_ANSWERS:
        return []
    error = math.sqrt(chance * (1 - chance) / person.n_shared)
    would_show = others_skill - chance > _needed(n_people) * error
    if not would_show or person.skill - chance >= CERTAIN * error:
        return []
    return [
        f"has an estimated skill of {person.skill:.0%} on shared questions, no better than "
        f"guessing; others reach {others_skill:.0%}"
    ]


def _needed(n_people: int) -> float:
    """Return how many standard errors above chance others must be before guessing is flagged.

    Somebody like them is then within `CERTAIN` errors of chance with a probability of at most
    `LEVEL` divided by the number of people.
    """
    from scipy.stats import norm

    return CERTAIN + float(norm.isf(LEVEL / n_people))


def _about_sides(person: AnnotatorQuality, n_people: int) -> list[str]:
    from scipy.stats import binomtest

    by_chance = person.first_chance
    if person.n_placed < FEWEST_ANSWERS or abs(person.first_share - by_chance) <= LARGEST_LEAN:
        return []
    n_first = round(person.first_share * person.n_placed)
    if binomtest(n_first, person.n_placed, by_chance).pvalue * n_people >= LEVEL:
        return []
    return [
        f"chooses the option shown first in {person.first_share:.0%} of answers; by chance it "
        f"would be {by_chance:.0%}"
    ]


def _about_speed(person: AnnotatorQuality, usual_time: float) -> list[str]:
    if not (math.isfinite(person.median_time) and usual_time > 0):
        return []
    if person.median_time < SLOWEST_FAST_MEDIAN * usual_time:
        return [f"takes {person.median_time:,.3g} per answer; {usual_time:,.3g} is usual"]
    if person.fast_share > LARGEST_FAST_SHARE:
        return [
            f"answers {person.fast_share:.0%} of questions in less than a quarter of the usual time"
        ]
    return []
