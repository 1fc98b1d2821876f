"""How many answers are needed, before any are collected."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ordlink._html import Shown
from ordlink._parallel import check_n_jobs
from ordlink._typing import Progress
from ordlink._validate import Seed, check_choice, check_number, check_whole_number, seed_number
from ordlink.comparisons import find_form
from ordlink.comparisons._pairs import MAX_OBJECTS
from ordlink.methods import DEFAULT_METHOD
from ordlink.planning._scenario import (
    MEASURES,
    Scenario,
    check_clusters,
    check_difficulty,
    check_error_rate,
    check_method,
    check_target,
)
from ordlink.planning._search import STEPS_PER_DOUBLING, Search, SuccessModel, n_reached, search

SECONDS_PER_ANSWER = 4.0
CERTAINTY = 0.8  # the number in the plan is enough with this certainty ...
LARGEST_RESERVE = 1.5  # ... but at most so many times the median
INTERVAL = (0.1, 0.9)
N_RUNS = 72
MAX_ANSWERS = 200_000


@dataclass(frozen=True)
class Cost:
    """What answers cost: hours of answering, and money if the pay is known."""

    hours: float
    money: float | None


@dataclass(frozen=True)
class CurvePoint:
    """Runs with about the same number of answers."""

    n_answers: int  # the geometric mean
    n_runs: int
    mean: float  # quality: its mean, and the smallest and the largest
    low: float
    high: float
    reached: float  # share of these runs that reached the target
    chance: float  # of reaching the target, estimated from all runs


@dataclass(frozen=True, eq=False)
class Plan(Shown):
    """How many answers are needed."""

    scenario: Scenario  # what was simulated
    confidence: float  # share of studies like this that are to reach the target
    n_answers: int | None  # enough, with some reserve; None if the target is out of reach
    interval: tuple[float, float]
    """80 % interval of the smallest sufficient number; the upper end may be infinite."""
    ceiling: float
    """With all comparisons known, a share `confidence` of the runs has at least this quality."""
    limit_mean: float  # mean quality with all comparisons known
    curve: tuple[CurvePoint, ...]  # quality against number of answers
    max_answers: int  # the largest number that was considered
    out_of_reach: bool  # whether the target is so even with all comparisons known
    n_runs: int
    _model: SuccessModel

    def chance(self, n_answers: int) -> float:
        """Return the chance of reaching the target with this many answers."""
        return self._model.chance(check_whole_number(n_answers, "n_answers", lowest=1))

    def cost(
        self,
        n_answers: float | None = None,
        *,
        seconds_per_answer: float = SECONDS_PER_ANSWER,
        pay_per_hour: float | None = None,
    ) -> Cost:
        """Return the cost of this many answers, by default of those needed."""
        if n_answers is None:
            n_answers = math.inf if self.n_answers is None else self.n_answers
        return answers_cost(
            n_answers, seconds_per_answer=seconds_per_answer, pay_per_hour=pay_per_hour
        )


def plan_answers(
    n_objects: int,
    *,
    depth: int | None = None,
    n_clusters: int | None = None,
    difficulty: float | str = "medium",
    error_rate: float = 0.1,
    method: str = DEFAULT_METHOD,
    question: str = "triplet",
    target: float = 0.9,
    measure: str = "aari",
    confidence: float = 0.8,
    n_runs: int = N_RUNS,
    max_answers: int = MAX_ANSWERS,
    n_jobs: int | None = None,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> Plan:
    """Return how many answers are enough to reach a target, by simulating studies.

    Each run plants a tree, simulates answers to random questions, and scores the method's tree.
    The chance that a run reaches the target is modelled as a curve over the logarithm of the
    number of answers; further runs are made near the sufficient number, until it is known well
    enough. The result includes a margin: it is enough with 80 % certainty, or 1.5 times the median
    of its posterior if that is less.

    Parameters
    ----------
    n_objects : int
        Number of objects, at least 3.
    depth, n_clusters : int, optional
        The true tree: 2**depth pure clusters, or their number. Clusters are halved repeatedly and
        have about the same size; by default about 8 objects each.
    difficulty : float or {"easy", "medium", "hard"}
        delta / sigma: the loss of similarity per level of the tree in units of the noise in the
        similarities; 2, 1 and 0.5 for the names.
    error_rate : float
        Lapse rate: share of answers that are wrong whatever the similarities.
    method : str
        A method that takes comparisons. With "auto" the studies are simulated with spectral,
        whose tree the default method takes where there is a true one.
    question : {"triplet", "quadruplet", "most-central", "odd-one-out"}
        What people are asked.
    target, measure : float, {"aari", "accuracy"}
        Value to reach: of the averaged adjusted Rand index with the true tree, or of the share of
        new answers, lapses included, that the tree predicts.
    confidence : float
        Share of the runs that should reach the target, 0.5 to 0.95.
    n_runs, max_answers : int
        Largest number of runs to simulate, at least 24, and of answers to consider.
    n_jobs, seed, progress
        As in `ordlink.validation.compare_methods`; the progress is that of the runs.

    Examples
    --------
    >>> plan = plan_answers(12, n_clusters=2, difficulty=3, method="AddS-AL", question="quadruplet")
    >>> 20 < plan.n_answers < 2000
    True
    """
    n_objects = check_whole_number(n_objects, "n_objects", lowest=3, highest=MAX_OBJECTS)
    form, method = find_form(question), check_method(method)
    measure = check_choice(str(measure).lower(), "measure", MEASURES)
    scenario = Scenario(
        n_objects=n_objects,
        n_clusters=check_clusters(n_objects, depth, n_clusters),
        difficulty=check_difficulty(difficulty),
        error_rate=check_error_rate(error_rate, 2 if len(form.comparisons) == 1 else 3),
        method=method,
        question=form.name,
        target=check_target(target, measure),
        measure=measure,
    )
    confidence = check_number(confidence, "confidence", lowest=0.5, highest=0.95)
    max_answers = check_whole_number(max_answers, "max_answers", lowest=1)
    found = search(
        scenario,
        confidence=confidence,
        max_answers=max_answers,
        n_runs=check_whole_number(n_runs, "n_runs", lowest=24),
        seed=seed_number(seed),
        n_jobs=check_n_jobs(n_jobs),
        progress=progress,
    )
    return _summarise(found, confidence, max_answers)


def answers_cost(
    n_answers: float,
    *,
    seconds_per_answer: float = SECONDS_PER_ANSWER,
    pay_per_hour: float | None = None,
) -> Cost:
    """Return the cost of this many answers.

    Examples
    --------
    >>> answers_cost(900, seconds_per_answer=4, pay_per_hour=12)
    Cost(hours=1.0, money=12.0)
    """
    hours = n_answers * check_number(seconds_per_answer, "seconds_per_answer", lowest=0) / 3600
    if pay_per_hour is None:
        return Cost(hours, None)
    return Cost(hours, hours * check_number(pay_per_hour, "pay_per_hour", lowest=0))


def _summarise(found: Search, confidence: float, max_answers: int) -> Plan:
    model = found.model
    reserve = min(model.enough(CERTAINTY), LARGEST_RESERVE * model.enough(0.5))
    enough = math.inf if found.out_of_reach else reserve
    number = None if enough > max_answers else min(round_up(enough), max_answers)
    ends = [math.inf] * 2 if found.out_of_reach else [model.enough(q) for q in INTERVAL]
    return Plan(
        scenario=found.scenario,
        confidence=confidence,
        n_answers=number,
        interval=(ends[0], ends[1]),
        ceiling=float(np.quantile(found.limit, 1 - confidence)),
        limit_mean=float(found.limit.mean()),
        curve=_curve(found),
        max_answers=max_answers,
        out_of_reach=found.out_of_reach,
        n_runs=found.n_runs + len(found.limit),
        _model=model,
    )


def round_up(number: float) -> int:
    """Return the number rounded up to two digits.

    Examples
    --------
    >>> round_up(2310.4), round_up(97.2), round_up(3.5)
    (2400, 98, 4)
    """
    unit = 10.0 ** max(0, math.floor(math.log10(max(number, 1.0))) - 1)
    return math.ceil(number / unit - 1e-9) * round(unit)


def _curve(found: Search) -> tuple[CurvePoint, ...]:
    """Return the runs in bins of half a doubling."""
    bins: dict[int, list[tuple[int, float]]] = {}
    width = 2 / STEPS_PER_DOUBLING
    for n_answers, qualities in sorted(found.runs.items()):
        place = math.floor(math.log2(n_answers / found.scenario.n_objects) / width + 0.25)
        bins.setdefault(place, []).extend((n_answers, quality) for quality in qualities)
    points = []
    for runs in bins.values():
        numbers, achieved = zip(*runs, strict=True)
        n_answers = round(float(np.exp(np.log(numbers).mean())))
        points.append(
            CurvePoint(
                n_answers=n_answers,
                n_runs=len(runs),
                mean=float(np.mean(achieved)),
                low=min(achieved),
                high=max(achieved),
                reached=n_reached(found.scenario, achieved) / len(runs),
                chance=found.model.chance(n_answers),
            )
        )
    return tuple(points)
