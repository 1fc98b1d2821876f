"""What looks wrong about an annotator, in plain words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordlink.trust._crowd import AnnotatorQuality
    from ordlink.trust._crowd_questions import RepeatAgreement

FEWEST_ANSWERS = 20
"""Nobody is judged by fewer answers."""
FEWEST_REPEATS = 10
LEVEL = 0.05
"""Of all flags of a kind, given to people who are like everybody else, so many are expected."""
LARGEST_FAST_SHARE = 0.2
SLOWEST_FAST_MEDIAN = 1 / 3
"""People whose median is below this share of the usual time are flagged."""
LARGEST_LEAN = 0.1
"""How far from one half the share of answers for one side may lie, whatever the number."""
CERTAIN = 1.645
"""Standard errors above chance that tell something from chance at the level of 5 %."""


def flags_of(
    person: AnnotatorQuality,
    *,
    everybody: RepeatAgreement,
    n_people: int,
    usual_time: float,
    chance: float,
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
    """
    if person.n_answers < FEWEST_ANSWERS:
        return ()
    found = [
        *_about_accuracy(person, n_people),
        *_about_repeats(person, everybody, n_people),
        *_about_skill(person, chance),
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
    would_show = person.others_accuracy - 0.5 > 2 * CERTAIN * error
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
    if own.n_pairs < FEWEST_REPEATS:
        return []
    n_same = round(own.agreement * own.n_pairs)
    unusual = binomtest(n_same, own.n_pairs, everybody.agreement, alternative="less").pvalue
    if unusual * n_people >= LEVEL:
        return []
    return [
        f"says the same again in {own.agreement:.0%} of {own.n_pairs} repeats, unusually few: "
        f"{everybody.agreement:.0%} is usual"
    ]


def _about_skill(person: AnnotatorQuality, chance: float) -> list[str]:
    if not math.isfinite(person.skill) or person.n_shared < FEWEST_ANSWERS:
        return []
    error = math.sqrt(chance * (1 - chance) / person.n_shared)
    if person.skill - chance >= CERTAIN * error:
        return []
    return [f"is right in an estimated {person.skill:.0%} of shared questions, as by guessing"]


def _about_sides(person: AnnotatorQuality, n_people: int) -> list[str]:
    from scipy.stats import binomtest

    if person.n_placed < FEWEST_ANSWERS or abs(person.first_share - 0.5) <= LARGEST_LEAN:
        return []
    n_first = round(person.first_share * person.n_placed)
    if binomtest(n_first, person.n_placed).pvalue * n_people >= LEVEL:
        return []
    return [f"chooses what is shown first in {person.first_share:.0%} of answers"]


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
