"""Quality on the planted model: any true tree, form of answers, errors, and uneven questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ordlink._typing import FloatArray, LabelArray
from ordlink.comparisons import Comparisons, list_answers, n_pairs
from ordlink.datasets import (
    Structure,
    caterpillar,
    planted_tree,
    random_structure,
    simulate_answers,
)
from ordlink.hierarchy import Hierarchy
from ordlink.metrics import aari, comparison_accuracy
from studies.quality.methods import cost_of, run_methods
from studies.reproduction.planted import MEAN, NOISE
from studies.running._experiment import Parameters, Record, seed_of

PASSIVE = "passive"
"""The paper's sampling: every two pairs are compared once, with the same probability."""
N_FRESH = 20_000
"""Answers that no method has seen, for the held-out accuracy."""


def balanced(depth: int, leaf_size: int) -> Structure:
    """Return a balanced binary tree of 2**depth pure clusters.

    Examples
    --------
    >>> balanced(2, 5)
    [[5, 5], [5, 5]]
    """
    return leaf_size if not depth else [balanced(depth - 1, leaf_size)] * 2


SHAPES: dict[str, Structure] = {
    "balanced": balanced(3, 30),
    "balanced, N = 400": balanced(3, 50),
    "depth 2": balanced(2, 60),
    "depth 4, 2 per cluster": balanced(4, 2),
    "depth 5": balanced(5, 8),
    "depth 6": balanced(6, 4),
    "sizes 2 to 100": [[[2, 100], [5, 50]], [[10, 20], [30, 23]]],
    "chain": caterpillar([30] * 8),
    "chain, growing": caterpillar([2, 4, 8, 16, 30, 40, 60, 80]),
    "chain, shrinking": caterpillar([80, 60, 40, 30, 16, 8, 4, 2]),
    "star": [30] * 8,
    "star, sizes 2 to 100": [2, 5, 10, 20, 40, 60, 100],
    "ternary": [[27, 27, 27]] * 3,
    "tiny": [[3, 2], [2, 3]],
    **{
        f"random {number}": random_structure(
            10, smallest=2, largest=100, max_children=3, seed=number
        )
        for number in (1, 2, 3)
    },
}
"""Name -> true tree: nested lists of the sizes of the pure clusters."""


def n_objects(shape: str) -> int:
    """Return the number of objects of a shape.

    Examples
    --------
    >>> n_objects("balanced")
    240
    """

    def count(part: Structure) -> int:
        return part if isinstance(part, int) else sum(count(branch) for branch in part)

    return count(SHAPES[shape])


@dataclass(frozen=True)
class Setting:
    """What is planted, and how it is asked about; the parameters of a cell but for two.

    Attributes
    ----------
    shape : str
        A name of SHAPES.
    delta : float
        Loss of similarity per level; sigma is 0.1.
    form : str
        "passive", or a form of `ordlink.datasets.simulate_answers`.
    n_answers : int
        Number of answers; for "passive" the expected number.
    error_rate : float
        Share of wrong answers.
    popularity_sd : float
        Objects are asked about by weights exp(z), z normal with this standard deviation.
    """

    shape: str
    delta: float
    form: str
    n_answers: int
    error_rate: float = 0.0
    popularity_sd: float = 0.0


def planted_cell(*, methods: str, repetition: int, **parameters: str | float | int) -> list[Record]:
    """Return AARI and held-out accuracy of the trees of a set of methods."""
    setting = Setting(**parameters)  # type: ignore[arg-type]
    draw = {"repetition": repetition, **parameters}
    similarities, levels = _draw_truth(setting, repetition)
    popularity = _draw_popularity(setting, repetition)
    answers = _draw_answers(setting, similarities, popularity, seed_of("answers", **draw))
    fresh = _draw_fresh(setting, similarities, popularity, seed_of("fresh answers", **draw))

    def judge(tree: Hierarchy) -> Mapping[str, float]:
        return {"aari": aari(levels, tree), "held_out": comparison_accuracy(fresh, tree)}

    return run_methods(methods, answers, seed_of("start", repetition=repetition), judge)


def planted_cost(parameters: Parameters) -> float:
    """Return about how many seconds a cell takes."""
    return cost_of(parameters["methods"], parameters["n_answers"])


def _draw_truth(setting: Setting, repetition: int) -> tuple[FloatArray, LabelArray]:
    """Return similarities and true levels, the objects shuffled: ties favour small numbers."""
    seed = seed_of("similarities", shape=setting.shape, delta=setting.delta, repetition=repetition)
    rng = np.random.default_rng(seed)
    structure = SHAPES[setting.shape]
    planted = planted_tree(structure, mean=MEAN, gap=setting.delta, noise=NOISE, seed=rng)
    order = rng.permutation(planted.n_objects)
    return planted.similarities[np.ix_(order, order)], planted.levels[:, order]


def _draw_popularity(setting: Setting, repetition: int) -> FloatArray | None:
    if not setting.popularity_sd:
        return None
    rng = np.random.default_rng(seed_of("popularity", shape=setting.shape, repetition=repetition))
    return np.exp(setting.popularity_sd * rng.standard_normal(n_objects(setting.shape)))


def _draw_answers(
    setting: Setting, similarities: FloatArray, popularity: FloatArray | None, seed: int
) -> Comparisons:
    if setting.form == PASSIVE:
        pairs = n_pairs(len(similarities))
        proportion = setting.n_answers / (pairs * (pairs - 1) // 2)
        return Comparisons.from_similarities(similarities, proportion, seed=seed)
    rows = simulate_answers(
        similarities,
        setting.n_answers,
        form=setting.form,
        error_rate=setting.error_rate,
        popularity=popularity,
        seed=seed,
    )
    return list_answers(rows, setting.form, n_objects=len(similarities))


def _draw_fresh(
    setting: Setting, similarities: FloatArray, popularity: FloatArray | None, seed: int
) -> Comparisons:
    """Return more answers of the same kind, as often wrong and as unevenly asked."""
    form = "quadruplet" if setting.form == PASSIVE else setting.form
    fresh = replace(setting, form=form, n_answers=N_FRESH)
    return _draw_answers(fresh, similarities, popularity, seed)
