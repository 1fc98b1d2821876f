"""How many answers are needed, before any were given."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._typing import Progress
from ordlink.datasets._checks import check_whole_number
from ordlink.planning._cost import SECONDS_PER_ANSWER, Cost, answers_cost
from ordlink.planning._search import STEPS_PER_DOUBLING, Search, n_reached, search
from ordlink.planning._setting import Setting, check_confidence, check_seed, check_setting
from ordlink.planning._success import SuccessModel
from ordlink.planning._workers import workers

CERTAINTY = 0.8
"""The number given is enough with this certainty ..."""
LARGEST_RESERVE = 1.5
"""... but never more than so many times the likeliest number."""
INTERVAL = (0.1, 0.9)
N_RUNS = 72
MOST_ANSWERS = 200_000


@dataclass(frozen=True)
class CurvePoint:
    """Runs with about the same number of answers.

    Attributes
    ----------
    n_answers : int
        Number of answers (the geometric mean).
    n_runs : int
        Number of runs.
    mean, low, high : float
        Quality: its mean, and the smallest and the largest.
    reached : float
        Share of these runs that reached the target.
    chance : float
        The chance of reaching the target, estimated from all runs.
    """

    n_answers: int
    n_runs: int
    mean: float
    low: float
    high: float
    reached: float
    chance: float


@dataclass(frozen=True, eq=False)
class Plan:
    """How many answers are needed.

    Attributes
    ----------
    setting : Setting
        What was simulated.
    confidence : float
        Share of studies like this that are to reach the target.
    n_answers : int or None
        So many are enough, with some reserve; None if the target is out of reach.
    interval : tuple of two floats
        Between these lies the smallest sufficient number, with a probability of 80 %; the upper
        end is infinite where this is not known.
    ceiling : float
        With all comparisons known, a share `confidence` of the runs has at least this quality.
    limit_mean : float
        Mean quality with all comparisons known.
    curve : tuple of CurvePoint
        Quality against number of answers.
    most : int
        Largest number that was considered.
    hopeless : bool
        Whether the target is out of reach even with all comparisons known.
    n_runs : int
        Number of runs that were simulated.
    """

    setting: Setting
    confidence: float
    n_answers: int | None
    interval: tuple[float, float]
    ceiling: float
    limit_mean: float
    curve: tuple[CurvePoint, ...]
    most: int
    hopeless: bool
    n_runs: int
    _model: SuccessModel

    def chance(self, n_answers: int) -> float:
        """Return the chance of reaching the target with so many answers."""
        return self._model.chance(check_whole_number(n_answers, "n_answers", smallest=1))

    def cost(
        self,
        n_answers: float | None = None,
        *,
        seconds_per_answer: float = SECONDS_PER_ANSWER,
        pay_per_hour: float | None = None,
    ) -> Cost:
        """Return what so many answers cost; by default those that are needed.

        Examples
        --------
        >>> plan = plan_answers(12, n_clusters=2, difficulty=3, method="AddS-AL")
        >>> plan.cost(900, seconds_per_answer=4, pay_per_hour=12)
        Cost(hours=1.0, money=12.0)
        """
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
    method: str = "spectral",
    question: str = "triplet",
    target: float = 0.9,
    measure: str = "aari",
    confidence: float = 0.8,
    n_runs: int = N_RUNS,
    most: int = MOST_ANSWERS,
    n_jobs: int = 1,
    seed: int = 0,
    progress: Progress | None = None,
) -> Plan:
    """Return how many answers are enough to reach a target, from simulated studies.

    Each run plants a tree, lets people answer random questions, and judges the method's tree.
    The chance that a run reaches the target is modelled as a curve over the logarithm of the
    number of answers; the next runs are made where the sufficient number may lie, until it is
    known well enough. The number given has some reserve: it is enough with 80 % certainty, or half
    as large again as the likeliest number if that is less.

    Parameters
    ----------
    n_objects : int
        Number of objects, at least 3.
    depth, n_clusters : int, optional
        The true tree: depth for 2**depth pure clusters, or their number; they are halved again and
        again and have about the same size. By default about 8 objects are in each.
    difficulty : float or {"easy", "medium", "hard"}
        delta / sigma: the loss of similarity per level of the tree in units of the noise in the
        similarities; 2, 1 and 0.5 for the names.
    error_rate : float
        Share of answers that are slips.
    method : str
        A method that takes comparisons.
    question : {"triplet", "quadruplet", "most-central", "odd-one-out"}
        What people are asked.
    target : float
        What is to be reached.
    measure : {"aari", "accuracy"}
        What the target is about: the averaged adjusted Rand index with the true tree, or the share
        of fresh answers, slips among them, that the tree predicts.
    confidence : float
        Share of the runs that are to reach the target, 0.5 to 0.95.
    n_runs : int
        Most runs to simulate, at least 24.
    most : int
        Largest number of answers to consider.
    n_jobs : int
        Number of processes; the result does not depend on it. With more than one, a script needs
        ``if __name__ == "__main__":``.
    seed : int
        Makes the result reproducible.
    progress : callable, optional
        Called with (runs done, runs in all).

    Returns
    -------
    Plan

    Raises
    ------
    InputError, InputKindError
        If an option is out of range.

    Examples
    --------
    >>> plan = plan_answers(12, n_clusters=2, difficulty=3, method="AddS-AL", question="quadruplet")
    >>> plan.ceiling
    1.0
    >>> 20 < plan.n_answers < 2000
    True
    """
    setting = check_setting(
        n_objects,
        depth=depth,
        n_clusters=n_clusters,
        difficulty=difficulty,
        error_rate=error_rate,
        method=method,
        question=question,
        target=target,
        measure=measure,
    )
    confidence = check_confidence(confidence)
    n_runs = check_whole_number(n_runs, "n_runs", smallest=24)
    most = check_whole_number(most, "most", smallest=1)
    options: dict[str, Any] = {"confidence": confidence, "most": most, "n_runs": n_runs}
    seed = check_seed(seed)
    with workers(check_whole_number(n_jobs, "n_jobs", smallest=1)) as run:
        found = search(setting, **options, seed=seed, run=run, progress=progress)
    return _summarise(found, confidence, most)


def _summarise(found: Search, confidence: float, most: int) -> Plan:
    model = found.model
    reserve = min(model.enough(CERTAINTY), LARGEST_RESERVE * model.enough(0.5))
    enough = math.inf if found.hopeless else reserve
    number = None if enough > most else min(round_up(enough), most)
    ends = [math.inf] * 2 if found.hopeless else [model.enough(q) for q in INTERVAL]
    return Plan(
        setting=found.setting,
        confidence=confidence,
        n_answers=number,
        interval=(ends[0], ends[1]),
        ceiling=float(np.quantile(found.limit, 1 - confidence)),
        limit_mean=float(found.limit.mean()),
        curve=_curve(found),
        most=most,
        hopeless=found.hopeless,
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
        place = math.floor(math.log2(n_answers / found.setting.n_objects) / width + 0.25)
        bins.setdefault(place, []).extend((n_answers, quality) for quality in qualities)
    points = []
    for runs in bins.values():
        numbers = [number for number, _ in runs]
        qualities = [quality for _, quality in runs]
        n_answers = round(float(np.exp(np.log(numbers).mean())))
        points.append(
            CurvePoint(
                n_answers=n_answers,
                n_runs=len(runs),
                mean=float(np.mean(qualities)),
                low=min(qualities),
                high=max(qualities),
                reached=n_reached(found.setting, qualities) / len(runs),
                chance=found.model.chance(n_answers),
            )
        )
    return tuple(points)
