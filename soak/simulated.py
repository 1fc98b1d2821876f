"""Simulated people: what adaptive choice gains over random questions, answer by answer.

Answers come from the planted model, a tenth of them wrong. Both samplers grow the same kind of
tree; the curve is the AARI after so many answers.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product

import numpy as np

import ordlink as ol
from ordlink.collect.question_types import QUESTION_TYPES, to_comparisons
from ordlink.collect.samplers import SamplerInput, draw_questions
from ordlink.collect.trees import build_tree
from ordlink.datasets import planted_tree

SETTINGS = {
    "balanced, 4 groups": [[15, 15], [15, 15]],
    "balanced, 8 groups": [[[8, 7], [8, 7]], [[8, 7], [7, 8]]],
    "chain of 5 groups": [30, [15, [8, [4, 3]]]],
    "one large group": [[40, 5], [10, 5]],
}
"""Trees of 60 objects; similarities fall by 0.2 per level, with noise of 0.1."""
QUESTIONS = ("triplet", "quadruplet")
SAMPLERS = ("random", "adaptive")
CHECKS = (500, 750, 1000, 1500, 2000, 3000)
BATCH = 125
ERROR_RATE = 0.1
N_RUNS = 7
"""Of each curve: as many as two cores manage in less than ten minutes."""
RANDOM_SHARE = 0.2
GOOD = 0.9
"""The AARI that is to be reached."""
_THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Curve:
    """Mean AARI after each number of answers, and its standard error."""

    setting: str
    question: str
    sampler: str
    checks: tuple[int, ...]
    means: tuple[float, ...]
    errors: tuple[float, ...]

    def answers_for(self, aari: float) -> int | None:
        """Return after how many answers the mean first reached this AARI."""
        reached = (n for n, mean in zip(self.checks, self.means, strict=True) if mean >= aari)
        return next(reached, None)

    def __str__(self) -> str:
        points = "  ".join(
            f"{n}: {mean:.2f}" for n, mean in zip(self.checks, self.means, strict=True)
        )
        return f"{self.setting:20} {self.question:11} {self.sampler:9} {points}"


@dataclass(frozen=True)
class Comparison:
    """The curves of both samplers for one setting and type of question."""

    random: Curve
    adaptive: Curve

    @property
    def is_never_worse(self) -> bool:
        """Whether adaptive choice is nowhere worse, by more than two standard errors."""
        return all(
            there >= here - 2 * (one**2 + other**2) ** 0.5
            for here, there, one, other in zip(
                self.random.means,
                self.adaptive.means,
                self.random.errors,
                self.adaptive.errors,
                strict=True,
            )
        )

    @property
    def is_twice_as_fast(self) -> bool:
        """Whether adaptive choice needs at most half as many answers for an AARI of 0.9.

        Where random questions never get there, they count as needing as many as were asked.
        """
        needed = self.adaptive.answers_for(GOOD)
        others = self.random.answers_for(GOOD) or self.random.checks[-1]
        return needed is not None and 2 * needed <= others

    def __str__(self) -> str:
        random, adaptive = (
            "never" if needed is None else f"after {needed} answers"
            for needed in (self.random.answers_for(GOOD), self.adaptive.answers_for(GOOD))
        )
        where = f"{self.random.setting}, {self.random.question}"
        return (
            f"{self.random}\n    {self.adaptive}\n"
            f"    {where}: AARI {GOOD} {adaptive} (adaptive), {random} (random)"
        )


def compare_samplers(
    settings: Iterable[str],
    questions: Iterable[str] = QUESTIONS,
    *,
    n_runs: int,
    checks: tuple[int, ...] = CHECKS,
    n_processes: int | None = None,
) -> list[Comparison]:
    """Return the curves of both samplers, averaged over runs with different seeds.

    Parameters
    ----------
    settings, questions : iterables of str
        Of `SETTINGS` and of the types of questions with one comparison each.
    n_runs : int
        For each curve.
    checks : tuple of int
        Numbers of answers, multiples of `BATCH`.
    n_processes : int, optional
        One per core by default; 1 for this process alone.
    """
    cells = list(product(settings, questions))
    jobs = [
        (*cell, sampler, seed, checks)
        for cell in cells
        for sampler in SAMPLERS
        for seed in range(n_runs)
    ]
    aaris = np.array(_run_all(jobs, n_processes or os.cpu_count() or 1))
    runs = aaris.reshape(len(cells), len(SAMPLERS), n_runs, len(checks))
    means = runs.mean(axis=2)
    errors = runs.std(axis=2, ddof=1 if n_runs > 1 else 0) / n_runs**0.5
    return [
        Comparison(
            *(
                Curve(*cell, sampler, checks, tuple(mean.tolist()), tuple(error.tolist()))
                for sampler, mean, error in zip(SAMPLERS, means[at], errors[at], strict=True)
            )
        )
        for at, cell in enumerate(cells)
    ]


Job = tuple[str, str, str, int, tuple[int, ...]]


def _run_all(jobs: list[Job], n_processes: int) -> list[list[float]]:
    if n_processes == 1:
        return [_run(job) for job in jobs]
    context = multiprocessing.get_context("spawn")
    with _one_thread_each(), ProcessPoolExecutor(n_processes, mp_context=context) as pool:
        return list(pool.map(_run, jobs))


@contextlib.contextmanager
def _one_thread_each() -> Iterator[None]:
    """Have processes that are started meanwhile use one thread: there is one for each core."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _run(job: Job) -> list[float]:
    """Return the AARI at each check of one simulated study."""
    setting, question, sampler, seed, checks = job
    kind = QUESTION_TYPES[question]
    planted = planted_tree(SETTINGS[setting], mean=0.8, gap=0.2, noise=0.1, seed=seed)
    rng = np.random.default_rng(1000 + seed)
    shown: list[tuple[int, ...]] = []
    choices: list[tuple[int, ...]] = []
    found = []
    while len(shown) < checks[-1]:
        comparisons = to_comparisons(kind, shown, choices, names=planted.names)
        answers = tuple(zip(shown, choices, strict=True))
        known = SamplerInput(kind, planted.n_objects, comparisons, answers)
        drawn = draw_questions(
            sampler, known, BATCH, seed=int(rng.integers(2**31)), random_share=RANDOM_SHARE
        )
        for one in drawn:
            shown.append(one.objects)
            choices.append((_answer(planted.similarities, one.objects, rng),))
        if len(shown) in checks:
            comparisons = to_comparisons(kind, shown, choices, names=planted.names)
            found.append(ol.metrics.aari(planted.levels, build_tree(comparisons, known.method)))
    return found


def _answer(similarities: np.ndarray, objects: tuple[int, ...], rng: np.random.Generator) -> int:
    """Return the position that a person chooses: a triplet or a quadruplet."""
    i, j, k, l = objects if len(objects) == 4 else (*objects[:2], objects[0], objects[2])  # noqa: E741
    right = 0 if similarities[i, j] > similarities[k, l] else 1
    return 1 - right if rng.random() < ERROR_RATE else right
