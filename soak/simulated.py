"""Simulated people: what adaptive choice gains over random questions, answer by answer.

Answers come from the planted model, a tenth of them wrong. Both samplers grow the same kind of
tree; the curve is the AARI after so many answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import ordlink as ol
from ordlink.collect.questions import QUESTION_TYPES, to_comparisons
from ordlink.collect.samplers import Known, draw_questions, grow
from ordlink.datasets import planted_tree

SETTINGS = {
    "balanced, 4 groups": [[15, 15], [15, 15]],
    "balanced, 8 groups": [[[8, 7], [8, 7]], [[8, 7], [7, 8]]],
    "chain of 5 groups": [30, [15, [8, [4, 3]]]],
    "one large group": [[40, 5], [10, 5]],
}
"""Trees of 60 objects; similarities fall by 0.2 per level, with noise of 0.1."""
CHECKS = (500, 750, 1000, 1500, 2000, 3000)
BATCH = 125
ERROR_RATE = 0.1
RANDOM_SHARE = 0.2


@dataclass(frozen=True)
class Curve:
    """Mean AARI after each number of answers of `CHECKS`, and its standard error."""

    setting: str
    question: str
    sampler: str
    means: tuple[float, ...]
    errors: tuple[float, ...]

    def answers_for(self, aari: float) -> int | None:
        """Return after how many answers the mean first reached this AARI."""
        reached = (n for n, mean in zip(CHECKS, self.means, strict=True) if mean >= aari)
        return next(reached, None)

    def __str__(self) -> str:
        points = "  ".join(f"{n}: {mean:.2f}" for n, mean in zip(CHECKS, self.means, strict=True))
        return f"{self.setting:20} {self.question:11} {self.sampler:9} {points}"


def measure_curve(
    setting: str, question: str, sampler: str, *, n_runs: int, checks: tuple[int, ...] = CHECKS
) -> Curve:
    """Return the curve of a sampler, averaged over runs with different seeds."""
    runs = np.array([_run(setting, question, sampler, seed, checks) for seed in range(n_runs)])
    errors = runs.std(axis=0, ddof=1 if n_runs > 1 else 0) / n_runs**0.5
    return Curve(
        setting, question, sampler, tuple(runs.mean(axis=0).tolist()), tuple(errors.tolist())
    )


def _run(
    setting: str, question: str, sampler: str, seed: int, checks: tuple[int, ...]
) -> list[float]:
    kind = QUESTION_TYPES[question]
    planted = planted_tree(SETTINGS[setting], mean=0.8, gap=0.2, noise=0.1, seed=seed)
    rng = np.random.default_rng(1000 + seed)
    shown: list[tuple[int, ...]] = []
    choices: list[tuple[int, ...]] = []
    found = []
    while len(shown) < checks[-1]:
        comparisons = to_comparisons(kind, shown, choices, names=planted.names)
        answers = tuple(zip(shown, choices, strict=True))
        known = Known(kind, planted.n_objects, comparisons, answers)
        drawn = draw_questions(
            sampler, known, BATCH, seed=int(rng.integers(2**31)), random_share=RANDOM_SHARE
        )
        for one in drawn:
            shown.append(one.objects)
            choices.append((_answer(planted.similarities, one.objects, rng),))
        if len(shown) in checks:
            comparisons = to_comparisons(kind, shown, choices, names=planted.names)
            found.append(ol.metrics.aari(planted.levels, grow(comparisons, known.method)))
    return found


def _answer(similarities: np.ndarray, objects: tuple[int, ...], rng: np.random.Generator) -> int:
    """Return the position that a person chooses: a triplet or a quadruplet."""
    i, j, k, l = objects if len(objects) == 4 else (*objects[:2], objects[0], objects[2])  # noqa: E741
    right = 0 if similarities[i, j] > similarities[k, l] else 1
    return 1 - right if rng.random() < ERROR_RATE else right
