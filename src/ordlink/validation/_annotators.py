"""Quality of annotators: agreement with themselves, each other and the tree of the others."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordlink._html import Shown
from ordlink._typing import AnyArray, FloatArray, Progress
from ordlink._validate import Seed, seed_number
from ordlink.comparisons import ListedComparisons, check_sides
from ordlink.errors import InputError
from ordlink.validation._annotator_accuracy import CERTAIN, held_out_accuracy
from ordlink.validation._consistency import (
    UNKNOWN,
    Answers,
    Cycles,
    RepeatAgreement,
    agreement_of_repeats,
    annotators_of,
    answers_of,
    count_cycles,
    estimate_skills,
    take_answers,
    within_and_between,
)
from ordlink.validation._cross_validation import check_listed

FAST = 0.25  # an answer is fast if it took less than this share of the usual time
FEWEST_ANSWERS = 20  # nobody is judged by fewer answers
FEWEST_REPEATED = 10  # nobody is judged by fewer questions that they answered again
LEVEL = 0.05  # family-wise error rate of each kind of flag
LARGEST_FAST_SHARE = 0.2
SLOWEST_FAST_MEDIAN = 1 / 3  # people whose median is below this share of the usual time are flagged
LARGEST_LEAN = 0.1  # smaller differences of the share of first options from chance are not flagged


@dataclass(frozen=True)
class AnnotatorQuality:
    """Quality of the answers of one person; NaN where a value is unknown."""

    name: str
    n_answers: int
    n_comparisons: int
    accuracy: float  # share of their comparisons that the tree learnt without them agrees with
    accuracy_error: float  # its standard error
    others_accuracy: float  # expected accuracy of somebody else
    p_value: float  # that somebody like the others agrees as little with the tree, or less
    repeats: RepeatAgreement  # how often they give the same answer again
    skill: float  # share of true responses to questions that others answered too (Dawid and Skene)
    n_shared: int  # answers that the skill is estimated from
    first_share: float  # share of their answers that chose the option shown first
    first_chance: float  # the same by chance: one over the number of options
    n_placed: int  # answers with known positions
    median_time: float  # of their responses, in the unit of the source
    fast_share: float  # share of answers in less than a quarter of the usual time
    flags: tuple[str, ...] = ()  # what is unusual: a reason to look closer, not to exclude


@dataclass(frozen=True, eq=False)
class CrowdQuality(Shown):
    """Consistency of the answers, and the quality of each annotator."""

    repeats: RepeatAgreement  # of answers to the same question, whoever gave them
    within: RepeatAgreement  # the same within one person
    between: RepeatAgreement  # and between two people
    n_distinct: int  # different comparisons
    n_contradictions: int  # how many of them were answered in both directions
    cycles: Cycles
    method: str  # of the trees that people are compared with
    usual_time: float  # median over people of their median times; NaN where not recorded
    annotators: tuple[AnnotatorQuality, ...]  # by name; empty where no annotator is known

    @property
    def flagged(self) -> tuple[str, ...]:
        """Names of the people with flags."""
        return tuple(person.name for person in self.annotators if person.flags)


def crowd_quality(
    comparisons: ListedComparisons,
    method: str = "AddS-AL",
    *,
    chose_first: ArrayLike | None = None,
    seed: Seed = 0,
    progress: Progress | None = None,
    **options: Any,
) -> CrowdQuality:
    """Return how consistent the answers are, and the quality of each annotator.

    Nobody is excluded or down-weighted automatically, see `exclusion_effect` and
    `weighting_effect`. The result covers:

    - repeated questions: how often two answers agree, within and between people. A question is
      the two pairs or the three objects shown; an answer of two comparisons counts once;
    - consistency: comparisons answered in both directions, and circular triads of pairs;
    - the agreement of each person with the tree built without them (up to 20 people one by one,
      more in 20 groups), tested against the others;
    - each person's skill by Dawid and Skene's model, where questions repeat;
    - the share of answers for the option shown first, and response times, where known.

    Parameters
    ----------
    comparisons : ListedComparisons
        The answers; `details.annotators`, `details.response_times` and `details.chose_first` are
        used where available.
    method : str
        A method that takes comparisons; a fast one, since it runs once for each person or group.
    chose_first : array-like of shape (n_rows,), optional
        For each comparison, whether its answer chose the option shown first (or left); NaN where
        unknown. By default `details.chose_first`.
    seed, progress, **options
        As in `learning_curve`; the seed is also that of the groups and of the sample of triads.

    Examples
    --------
    >>> import ordlink as ol
    >>> rows = [[0, 1, 2], [0, 1, 2], [0, 2, 1], [1, 0, 2]]
    >>> c = ol.Comparisons.from_triplets(rows, annotators=["ann", "bob", "eve", "ann"])
    >>> quality = crowd_quality(c)
    >>> quality.repeats.n_pairs, round(quality.repeats.agreement, 3), quality.n_contradictions
    (3, 0.333, 1)
    """
    check_listed(comparisons)
    seed = seed_number(seed)
    answers = answers_of(comparisons)
    habits, usual_time = habits_of(comparisons, answers, chose_first)
    accuracy = held_out_accuracy(comparisons, method, options, seed=seed, progress=progress)
    skills, n_shared = estimate_skills(answers)
    within, between = within_and_between(answers)
    of_row, counts = annotators_of(comparisons)[0], comparisons.counts
    known = of_row != UNKNOWN
    n_comparisons = np.bincount(
        of_row[known], None if counts is None else counts[known], len(answers.names)
    )
    measured = habits | {
        "n_comparisons": n_comparisons.astype(np.int64),
        "accuracy": accuracy.accuracies,
        "accuracy_error": accuracy.errors,
        "others_accuracy": accuracy.others,
        "p_value": accuracy.p_values,
        "skill": skills,
        "n_shared": n_shared,
    }
    people = [
        AnnotatorQuality(
            name=name,
            n_answers=int(own.counts.sum()),
            repeats=agreement_of_repeats(own),
            **{quality: values[number].item() for quality, values in measured.items()},
        )
        for number, name in enumerate(answers.names)
        for own in [take_answers(answers, np.flatnonzero(answers.annotators == number))]
    ]
    crowd: dict[str, Any] = {
        "everybody": within,
        "n_people": len(people),
        "usual_time": usual_time,
        "chance": float((1 / answers.n_options).mean()) if len(answers.n_options) else 0.5,
    }
    others = _skills_of_others(skills, n_shared).tolist()
    flags = [
        flags_of(one, others_skill=skill, **crowd)
        for one, skill in zip(people, others, strict=True)
    ]
    return CrowdQuality(
        repeats=agreement_of_repeats(answers),
        within=within,
        between=between,
        n_distinct=comparisons.tally.n_distinct,
        n_contradictions=comparisons.tally.n_contradictions,
        cycles=count_cycles(comparisons, seed=seed),
        method=method,
        usual_time=usual_time,
        annotators=tuple(replace(one, flags=of) for one, of in zip(people, flags, strict=True)),
    )


def _skills_of_others(skills: FloatArray, n_shared: AnyArray) -> FloatArray:
    """Return for each person the mean skill of the others by answers; NaN if there are none."""
    right = np.nan_to_num(skills) * n_shared
    rest = n_shared.sum() - n_shared
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(rest > 0, (right.sum() - right) / rest, np.nan)


def habits_of(
    comparisons: ListedComparisons, answers: Answers, chose_first: ArrayLike | None
) -> tuple[dict[str, AnyArray], float]:
    """Return the habits of all people, by field of `AnnotatorQuality`, and the typical time."""
    first = np.unique(comparisons.answer_ids, return_index=True)[1]  # one row of each answer
    people, counts, n = answers.annotators, answers.counts, len(answers.names)
    details = comparisons.details
    times = None if details is None else details.response_times
    if chose_first is None and details is not None:
        chose_first = details.chose_first
    habits: dict[str, AnyArray] = dict.fromkeys(
        ("first_share", "first_chance", "median_time", "fast_share"), np.full(n, np.nan)
    )
    habits["n_placed"] = np.zeros(n, dtype=np.int64)
    usual = math.nan
    if chose_first is not None:
        side = _sides_of_rows(chose_first, comparisons.n_rows)[first]
        known = np.isfinite(side) & (people != UNKNOWN)
        placed, chosen, by_chance = (
            np.bincount(people[known], weights=weights[known], minlength=n)
            for weights in (counts, counts * side, counts / answers.n_options)
        )
        habits["n_placed"] = placed.astype(np.int64)
        with np.errstate(invalid="ignore"):
            habits |= {"first_share": chosen / placed, "first_chance": by_chance / placed}
    if times is not None:
        taken = times[first]
        of_person = [taken[(people == person) & np.isfinite(taken)] for person in range(n)]
        medians = np.array([np.median(own) if len(own) else np.nan for own in of_person])
        habits["median_time"] = medians
        if np.isfinite(medians).any():
            usual = float(np.nanmedian(medians))
            habits["fast_share"] = np.array(
                [(own < FAST * usual).mean() if len(own) else np.nan for own in of_person]
            )
    return habits, usual


def _sides_of_rows(chose_first: ArrayLike, n_rows: int) -> FloatArray:
    """Return 1, 0 or NaN (not known) for each comparison."""
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
    """Return what is unusual, as short phrases; nothing for people with few answers.

    Tests are corrected for the number of people (Bonferroni); `chance` is the skill of guessing.
    """
    if person.n_answers < FEWEST_ANSWERS:
        return ()
    return (
        *_about_accuracy(person, n_people),
        *_about_repeats(person, everybody, n_people),
        *_about_skill(person, chance, others_skill, n_people),
        *_about_sides(person, n_people),
        *_about_speed(person, usual_time),
    )


def _about_accuracy(person: AnnotatorQuality, n_people: int) -> list[str]:
    if not (math.isfinite(person.accuracy_error) and math.isfinite(person.others_accuracy)):
        return []
    reached = f"agrees with the tree of the others in {person.accuracy:.0%} of comparisons"
    error = max(person.accuracy_error, 0.5 / math.sqrt(person.n_comparisons))
    would_show = person.others_accuracy - 0.5 > _needed(n_people) * error
    if would_show and person.accuracy - 0.5 < CERTAIN * error:
        return [f"{reached}, no better than guessing; others reach {person.others_accuracy:.0%}"]
    if person.p_value * n_people < LEVEL:
        return [f"{reached}, unusually low: others reach {person.others_accuracy:.0%}"]
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
        f"questions, unusually low: {everybody.agreement:.0%} is typical"
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

    Somebody like them is then within `CERTAIN` errors of chance with probability `LEVEL` / n.
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
        return [f"takes {person.median_time:,.3g} per answer; {usual_time:,.3g} is typical"]
    if person.fast_share > LARGEST_FAST_SHARE:
        return [
            f"answers {person.fast_share:.0%} of questions in less than a quarter of the typical "
            f"time"
        ]
    return []
