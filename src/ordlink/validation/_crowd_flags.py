"""What looks wrong about an annotator, in plain words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordlink.validation._crowd import AnnotatorQuality
    from ordlink.validation._crowd_questions import RepeatAgreement

FEWEST_ANSWERS = 20
"""Nobody is judged by fewer answers."""
FEWEST_REPEATED = 10
"""Nobody is judged by fewer questions that they answered again."""
LEVEL = 0.05
"""Of all flags of a kind, given to people who are like everybody else, so many are expected."""
LARGEST_FAST_SHARE = 0.2
SLOWEST_FAST_MEDIAN = 1 / 3
"""People whose median is below this share of the usual time are flagged."""
LARGEST_LEAN = 0.1
"""How far from chance the share of answers for the first option may lie, whatever the number."""
CERTAIN = 1.645
"""Standard errors above chance that tell something from chance at the level of 5 %."""


def flags_of(
    person: AnnotatorQuality,
    *,
    everybody: RepeatAgreement,
    n_people: int,
    usual_time: float,
    chance: float,
    others_skill: float,
) -> tuple[str, ...]:
    """Return what looks wrong, one phrase each; nothing for people with few answers.

    Parameters
    ----------
    person : AnnotatorQuality
        Their figures.
    everybody : RepeatAgreement
        How often people agree with themselves.
    n_people : int
        Tests are made more careful by as many times as there are people (Bonferroni).
    usual_time : float
        Median over people of their median response times.
    chance : float
        Share of right answers by guessing, for the estimated skill.
    others_skill : float
        Mean estimated skill of the others.
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
        return [f"{reached}, which guessing would do; others reach {person.others_accuracy:.0%}"]
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
    # Pairs of answers to one question hang together, so questions are counted, not pairs.
    n_same = math.ceil(own.agreement * own.n_questions - 1e-9)
    unusual = binomtest(n_same, own.n_questions, everybody.agreement, alternative="less").pvalue
    if unusual * n_people >= LEVEL:
        return []
    return [
        f"says the same again in {own.agreement:.0%} of repeats of {own.n_questions} questions, "
        f"unusually few: {everybody.agreement:.0%} is usual"
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
        f"is right in an estimated {person.skill:.0%} of shared questions, as by guessing; others "
        f"reach {others_skill:.0%}"
    ]


def _needed(n_people: int) -> float:
    """Return how many standard errors above chance others must be for guessing to show.

    Somebody like them then comes within `CERTAIN` errors of chance with a probability of at most
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
        f"chooses what is shown first in {person.first_share:.0%} of answers; {by_chance:.0%} "
        "would be chance"
    ]


def _about_speed(person: AnnotatorQuality, usual_time: float) -> list[str]:
    if not (math.isfinite(person.median_time) and usual_time > 0):
        return []
    if person.median_time < SLOWEST_FAST_MEDIAN * usual_time:
        return [f"takes {person.median_time:,.3g} for an answer; {usual_time:,.3g} is usual"]
    if person.fast_share > LARGEST_FAST_SHARE:
        return [
            f"answers {person.fast_share:.0%} of questions in less than a quarter of the usual time"
        ]
    return []
