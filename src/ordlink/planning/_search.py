"""The search for the number of answers: runs where they tell most, until enough is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.stats import beta

from ordlink._typing import FloatArray, Progress
from ordlink.planning._setting import Setting
from ordlink.planning._simulate import simulate_limit, simulate_quality
from ordlink.planning._success import SuccessModel
from ordlink.planning._workers import Runner

FIRST_PER_OBJECT = (4, 8, 16, 32)
"""Answers per object of the first runs, two for each; they also show what little would bring."""
ASKED = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)
"""Of all that may be enough, the next runs are at these quantiles."""
LARGEST_STEP = 4
"""No run has more answers than so many times the largest run before it, or the likely number."""
STEPS_PER_DOUBLING = 4
"""Numbers of answers lie on a grid, so that runs share them."""
N_LIMIT_RUNS = 20
FEWEST_RUNS = 24
NARROW = 1.6
"""The search ends when the upper end of what is likely is this many times the lower."""
LIKELY = (0.1, 0.9)
HOPELESS = 0.05
"""Less likely than this is as good as impossible."""
TOLERANCE = 1e-9


@dataclass
class Search:
    """All runs so far, and what they say.

    Attributes
    ----------
    setting : Setting
        What is simulated.
    limit : ndarray of shape (N_LIMIT_RUNS,)
        Quality with all comparisons known.
    runs : dict
        Number of answers -> quality of each run.
    model : SuccessModel
        The chance of success, given all runs.
    hopeless : bool
        Whether the target cannot be reached with any number of answers.
    """

    setting: Setting
    limit: FloatArray
    model: SuccessModel
    hopeless: bool = False
    runs: dict[int, list[float]] = field(default_factory=dict)

    @property
    def n_runs(self) -> int:
        """Number of runs with some answers."""
        return sum(map(len, self.runs.values()))

    def add(self, numbers: Sequence[int], qualities: Sequence[float]) -> None:
        """Take new runs."""
        for n_answers, quality in zip(numbers, qualities, strict=True):
            self.runs.setdefault(n_answers, []).append(quality)
        counts = {n: (n_reached(self.setting, found), len(found)) for n, found in self.runs.items()}
        self.model.observe(counts)


def search(
    setting: Setting,
    *,
    confidence: float,
    most: int,
    n_runs: int,
    seed: int,
    run: Runner,
    progress: Progress | None,
) -> Search:
    """Simulate until the number of answers is known well enough, or `n_runs` are done."""
    total = N_LIMIT_RUNS + n_runs
    done = 0
    hear = progress or (lambda _done, _total: None)
    hear(0, total)

    def simulate(tasks: Sequence[tuple]) -> list[float]:
        nonlocal done
        qualities = []
        for quality in run(tasks):
            qualities.append(float(quality))
            done += 1
            hear(done, total)
        return qualities

    limit = np.array(simulate([(simulate_limit, setting, seed, i) for i in range(N_LIMIT_RUNS)]))
    in_limit = n_reached(setting, limit), len(limit)
    found = Search(setting, limit, SuccessModel(setting.n_objects, most, confidence, in_limit))
    if _is_hopeless(in_limit, confidence):
        found.hopeless = True
        most = min(most, max(_first_numbers(setting.n_objects, most)))
    numbers = _first_numbers(setting.n_objects, most)
    while numbers:
        first = N_LIMIT_RUNS + found.n_runs
        tasks = [(simulate_quality, setting, n, seed, first + i) for i, n in enumerate(numbers)]
        found.add(numbers, simulate(tasks))
        numbers = [] if found.hopeless else _next_numbers(found, most, n_runs)
    hear(total, total)
    return found


def n_reached(setting: Setting, qualities: Sequence[float] | FloatArray) -> int:
    """Return how many runs reached the target."""
    return int((np.asarray(qualities) >= setting.target - TOLERANCE).sum())


def on_grid(n_answers: float, n_objects: int, most: int) -> int:
    """Return the nearest number of the grid, at least 1 and at most `most`."""
    if not n_answers < most:
        return most
    step = round(STEPS_PER_DOUBLING * math.log2(max(n_answers, 1.0) / n_objects))
    return int(np.clip(round(n_objects * 2 ** (step / STEPS_PER_DOUBLING)), 1, most))


def _first_numbers(n_objects: int, most: int) -> list[int]:
    return [min(per * n_objects, most) for per in FIRST_PER_OBJECT for _ in range(2)]


def _next_numbers(found: Search, most: int, n_runs: int) -> list[int]:
    """Return where to run next; nothing once enough is known."""
    lower, upper = (found.model.enough(certainty) for certainty in LIKELY)
    if found.n_runs >= FEWEST_RUNS:
        if upper <= NARROW * lower:
            return []
        if found.model.enough(HOPELESS) > most:
            return []
    likely = min(found.model.enough(0.5), float(max(found.runs)))
    most = min(most, round(LARGEST_STEP * likely))
    wanted = [on_grid(found.model.enough(q), found.setting.n_objects, most) for q in ASKED]
    return wanted[: n_runs - found.n_runs]


def _is_hopeless(limit: tuple[int, int], confidence: float) -> bool:
    """Return whether too few runs can reach the target even when everything is known."""
    reached, of = limit
    return bool(beta.sf(confidence, reached + 0.5, of - reached + 0.5) < HOPELESS)
