"""Quality of annotators: agreement with themselves, each other and the tree of the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import Progress
from ordlink._validate import Seed, seed_number
from ordlink.comparisons import ListedComparisons
from ordlink.validation._annotator_accuracy import held_out_accuracy
from ordlink.validation._annotator_flags import flags_of, habits_of
from ordlink.validation._cycles import Cycles, count_cycles
from ordlink.validation._folds import check_listed
from ordlink.validation._repeats import (
    RepeatAgreement,
    agreement_of_repeats,
    answers_of,
    estimate_skills,
    take_answers,
    within_and_between,
)


@dataclass(frozen=True)
class AnnotatorQuality:
    """Quality of the answers of one person; NaN where a value is unknown.

    Attributes
    ----------
    name : str
    n_answers, n_comparisons : int
        Number of their answers and comparisons.
    accuracy, accuracy_error : float
        Share of their comparisons that the tree learnt without them agrees with, and its standard
        error.
    others_accuracy : float
        Expected accuracy of somebody else.
    p_value : float
        Probability that somebody like the others agrees as little with the tree, or less.
    repeats : RepeatAgreement
        How often they give the same answer again.
    skill : float
        Estimated share of true responses to questions that others answered too (Dawid and Skene).
    n_shared : int
        Number of answers that the skill is estimated from.
    first_share : float
        Share of their answers that chose the option shown first.
    first_chance : float
        The same by chance: one over the number of options.
    n_placed : int
        Number of answers with known positions.
    median_time : float
        Median response time, in the unit of the source.
    fast_share : float
        Share of answers in less than a quarter of the usual time.
    flags : tuple of str
        What is unusual: a reason to look closer, not to exclude.
    """

    name: str
    n_answers: int
    n_comparisons: int
    accuracy: float
    accuracy_error: float
    others_accuracy: float
    p_value: float
    repeats: RepeatAgreement
    skill: float
    n_shared: int
    first_share: float
    first_chance: float
    n_placed: int
    median_time: float
    fast_share: float
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class CrowdQuality:
    """Consistency of the answers, and the quality of each annotator.

    Attributes
    ----------
    repeats : RepeatAgreement
        Agreement of answers to the same question, whoever gave them.
    within, between : RepeatAgreement
        The same within one person, and between two.
    n_distinct : int
        Number of different comparisons.
    n_contradictions : int
        How many of them were answered in both directions.
    cycles : Cycles
        Circular triads.
    method : str
        Method of the trees that people are compared with.
    usual_time : float
        Median over people of their median response times; NaN where not recorded.
    annotators : tuple of AnnotatorQuality
        One for each person, in the order of their names; empty where no annotator is known.
    """

    repeats: RepeatAgreement
    within: RepeatAgreement
    between: RepeatAgreement
    n_distinct: int
    n_contradictions: int
    cycles: Cycles
    method: str
    usual_time: float
    annotators: tuple[AnnotatorQuality, ...]

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
    `weighting_effect`. It covers:

    - repeated questions: how often two answers agree, within and between people. A question is
      the two pairs or the three objects shown; an answer of two comparisons counts once;
    - consistency: comparisons answered in both directions, and circular triads of pairs;
    - the agreement of each person with the tree learnt without them (up to 20 people one by one,
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
    seed : int, numpy.random.Generator or None
        Random seed: of the groups, the order of the objects, and the sample of triads.
    progress : callable, optional
        Called with (trees built, trees in all).
    **options
        Options of the method.

    Returns
    -------
    CrowdQuality

    Raises
    ------
    InputError, InputKindError
        If comparisons are not listed, or as in `ordlink.cluster`.

    Examples
    --------
    >>> import ordlink as ol
    >>> rows = [[0, 1, 2], [0, 1, 2], [0, 2, 1], [1, 0, 2]]
    >>> c = ol.Comparisons.from_triplets(rows, annotators=["ann", "bob", "eve", "ann"])
    >>> quality = crowd_quality(c)
    >>> quality.repeats.n_pairs, round(quality.repeats.agreement, 3), quality.n_contradictions
    (3, 0.333, 1)
    >>> [person.name for person in quality.annotators]
    ['ann', 'bob', 'eve']
    """
    check_listed(comparisons)
    seed = seed_number(seed)
    answers = answers_of(comparisons)
    habits = habits_of(comparisons, answers, chose_first)
    accuracy = held_out_accuracy(comparisons, method, options, seed=seed, progress=progress)
    skills, n_shared = estimate_skills(answers)
    within, between = within_and_between(answers)
    people = [
        AnnotatorQuality(
            name=name,
            n_answers=int(own.counts.sum()),
            n_comparisons=_n_comparisons(comparisons, name),
            accuracy=float(accuracy.accuracies[number]),
            accuracy_error=float(accuracy.errors[number]),
            others_accuracy=float(accuracy.others[number]),
            p_value=float(accuracy.p_values[number]),
            repeats=agreement_of_repeats(own),
            skill=float(skills[number]),
            n_shared=int(n_shared[number]),
            first_share=float(habits.first_shares[number]),
            first_chance=float(habits.first_chances[number]),
            n_placed=int(habits.n_placed[number]),
            median_time=float(habits.median_times[number]),
            fast_share=float(habits.fast_shares[number]),
        )
        for number, name in enumerate(answers.names)
        for own in [take_answers(answers, np.flatnonzero(answers.annotators == number))]
    ]
    chance = float((1 / answers.n_options).mean()) if len(answers.n_options) else 0.5
    return CrowdQuality(
        repeats=agreement_of_repeats(answers),
        within=within,
        between=between,
        n_distinct=comparisons.tally.n_distinct,
        n_contradictions=comparisons.tally.n_contradictions,
        cycles=count_cycles(comparisons, seed=seed),
        method=method,
        usual_time=habits.usual_time,
        annotators=tuple(
            replace(
                person,
                flags=flags_of(
                    person,
                    everybody=within,
                    n_people=len(people),
                    usual_time=habits.usual_time,
                    chance=chance,
                    others_skill=_others_skill(people, number),
                ),
            )
            for number, person in enumerate(people)
        ),
    )


def _others_skill(people: Sequence[AnnotatorQuality], person: int) -> float:
    """Return the mean skill of the others, weighted by their answers; NaN if none."""
    others = [one for number, one in enumerate(people) if number != person and one.n_shared]
    n_shared = sum(one.n_shared for one in others)
    return sum(one.n_shared * one.skill for one in others) / n_shared if n_shared else math.nan


def _n_comparisons(comparisons: ListedComparisons, name: str) -> int:
    assert comparisons.details is not None
    assert comparisons.details.annotators is not None
    own = comparisons.details.annotators == name
    return int(own.sum()) if comparisons.counts is None else int(comparisons.counts[own].sum())
