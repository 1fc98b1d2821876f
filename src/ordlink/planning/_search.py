"""The search for the number of answers: simulate where that is most informative.

The model: P(success with n answers) = c Phi((log n - m) / s), where c is the chance that no number
of answers exceeds, m the logarithm of the number for half of c, and s the width of the rise. The
posterior is a sum over a grid of (m, s, c).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import beta

from ordlink._parallel import run_tasks
from ordlink._typing import FloatArray, Progress
from ordlink.planning._scenario import Scenario, simulate_limit, simulate_quality

FIRST_PER_OBJECT = (4, 4, 8, 8, 16, 16, 32, 32)  # answers per object of the first runs
ASKED = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)  # next runs: quantiles of the number that is enough
LARGEST_STEP = 4  # answers of a run: at most so many times the largest before, or the likely ones
STEPS_PER_DOUBLING = 4  # numbers of answers lie on a grid, so that runs share them
N_LIMIT_RUNS = 20
FEWEST_RUNS = 24
NARROW = 1.6  # the search ends when the interval spans at most this factor
LIKELY = (0.1, 0.9)
IMPOSSIBLE = 0.05  # probabilities below this count as impossible
TOLERANCE = 1e-9
LAPSE = 0.02  # lapse rate: share of runs that the curve does not explain; no run rules anything out
LIKELY_PER_OBJECT, LIKELY_SCALE = 30.0, 1.5  # prior of the rise: centre, and scale in log units
WIDTHS = np.geomspace(0.05, 2.0, 14)
LIKELY_WIDTH, WIDTH_SCALE = 0.4, 0.8
CEILINGS = np.array([0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 1])
LIMIT_WEIGHT = 0.5  # of a run with all comparisons, which is not quite the limit of more answers
N_POSITIONS = 160


@dataclass
class Search:
    """All runs so far, and what they say."""

    scenario: Scenario
    limit: FloatArray  # quality of `N_LIMIT_RUNS` runs with all comparisons known
    model: SuccessModel  # chance of success, given all runs
    out_of_reach: bool = False  # whether no number of answers reaches the target
    runs: dict[int, list[float]] = field(default_factory=dict)  # by number of answers

    @property
    def n_runs(self) -> int:
        """Number of runs with some answers."""
        return sum(map(len, self.runs.values()))

    def add(self, numbers: Sequence[int], qualities: Sequence[float]) -> None:
        """Add new runs and update the model."""
        for n_answers, quality in zip(numbers, qualities, strict=True):
            self.runs.setdefault(n_answers, []).append(quality)
        self.model.update(
            {n: (n_reached(self.scenario, found), len(found)) for n, found in self.runs.items()}
        )


def search(
    scenario: Scenario,
    *,
    confidence: float,
    max_answers: int,
    n_runs: int,
    seed: int,
    n_jobs: int | None,
    progress: Progress | None,
) -> Search:
    """Simulate until the number of answers is known well enough, or `n_runs` are done."""
    total, done = N_LIMIT_RUNS + n_runs, 0
    report = progress or (lambda _done, _total: None)

    def simulate(function: Callable[..., float], tasks: Sequence[tuple[Any, ...]]) -> list[float]:
        nonlocal done
        before = done
        done += len(tasks)
        return run_tasks(
            function,
            tasks,
            n_jobs=n_jobs,
            shared=scenario,
            progress=lambda new, _: report(before + new, total),
        )

    limit = np.array(simulate(simulate_limit, [(seed, i) for i in range(N_LIMIT_RUNS)]))
    in_limit = n_reached(scenario, limit), len(limit)
    model = SuccessModel(scenario.n_objects, max_answers, confidence, in_limit)
    n_failed = len(limit) - in_limit[0]
    out_of_reach = bool(beta.sf(confidence, in_limit[0] + 0.5, n_failed + 0.5) < IMPOSSIBLE)
    found = Search(scenario, limit, model, out_of_reach)
    numbers = [min(per * scenario.n_objects, max_answers) for per in FIRST_PER_OBJECT]
    while numbers:
        first = N_LIMIT_RUNS + found.n_runs
        tasks = [(n, seed, first + i) for i, n in enumerate(numbers)]
        found.add(numbers, simulate(simulate_quality, tasks))
        numbers = [] if found.out_of_reach else _next_numbers(found, max_answers, n_runs)
    report(total, total)
    return found


def n_reached(scenario: Scenario, qualities: Sequence[float] | FloatArray) -> int:
    """Return how many runs reached the target."""
    return int((np.asarray(qualities) >= scenario.target - TOLERANCE).sum())


def on_grid(n_answers: float, n_objects: int, most: int) -> int:
    """Return the nearest number of the grid, at least 1 and at most `most`."""
    if not n_answers < most:
        return most
    step = round(STEPS_PER_DOUBLING * math.log2(max(n_answers, 1.0) / n_objects))
    return int(np.clip(round(n_objects * 2 ** (step / STEPS_PER_DOUBLING)), 1, most))


def _next_numbers(found: Search, most: int, n_runs: int) -> list[int]:
    """Return the numbers of answers of the next runs; none once enough is known."""
    lower, upper = (found.model.enough(certainty) for certainty in LIKELY)
    known = upper <= NARROW * lower or found.model.enough(IMPOSSIBLE) > most
    if known and found.n_runs >= FEWEST_RUNS:
        return []
    likely = min(found.model.enough(0.5), float(max(found.runs)))
    most = min(most, round(LARGEST_STEP * likely))
    wanted = [on_grid(found.model.enough(q), found.scenario.n_objects, most) for q in ASKED]
    return wanted[: n_runs - found.n_runs]


class SuccessModel:
    """The posterior of the curve of success over the number of answers.

    `limit` are the runs with all comparisons known: how many reached the target, and of how many.
    """

    def __init__(
        self, n_objects: int, max_answers: int, confidence: float, limit: tuple[int, int]
    ) -> None:
        likely = math.log(LIKELY_PER_OBJECT * n_objects)
        lowest = min(0.0, likely - 4)
        self._positions = np.linspace(lowest, max(math.log(max_answers), likely) + 2, N_POSITIONS)
        m, s, c = np.meshgrid(self._positions, WIDTHS, CEILINGS, indexing="ij")
        self._m, self._s, self._c = m.ravel(), s.ravel(), c.ravel()
        reached, runs = limit
        self._prior = (
            -1.5 * np.log1p(((self._m - likely) / LIKELY_SCALE) ** 2 / 2)  # Student, 2 degrees
            - (np.log(self._s / LIKELY_WIDTH) / WIDTH_SCALE) ** 2 / 2
            + LIMIT_WEIGHT * _log_binomial(_lapsing(self._c), reached, runs)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            rise = ndtri(confidence / self._c)
        enough = self._m + self._s * rise
        self._enough = np.where(self._c > confidence, enough, np.inf)
        self._order = np.argsort(self._enough, kind="stable")
        self.update({})

    def update(self, runs: Mapping[int, tuple[int, int]]) -> None:
        """Condition on all runs so far: successes and runs by number of answers."""
        posterior = self._prior.copy()
        for n_answers, (reached, of) in runs.items():
            posterior += _log_binomial(self._chances(n_answers), reached, of)
        weights = np.exp(posterior - posterior.max())
        self._weights = weights / weights.sum()

    def chance(self, n_answers: float) -> float:
        """Return the expected chance of success with this many answers."""
        return float(self._weights @ self._chances(n_answers))

    def enough(self, certainty: float) -> float:
        """Return the number of answers that is enough with this certainty; may be infinite."""
        cumulated = np.cumsum(self._weights[self._order])
        place = min(int(np.searchsorted(cumulated, certainty)), len(cumulated) - 1)
        logarithm = float(self._enough[self._order[place]])
        return math.exp(logarithm) if logarithm < 300 else math.inf

    def _chances(self, n_answers: float) -> FloatArray:
        return _lapsing(self._c * ndtr((math.log(n_answers) - self._m) / self._s))


def _lapsing(chances: FloatArray) -> FloatArray:
    return np.asarray((1 - LAPSE) * chances + LAPSE / 2)


def _log_binomial(chances: FloatArray, reached: int, of: int) -> FloatArray:
    return np.asarray(reached * np.log(chances) + (of - reached) * np.log1p(-chances))
