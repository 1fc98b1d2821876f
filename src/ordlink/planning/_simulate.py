"""One simulated study: a planted tree, people who answer, and how good the tree becomes."""

from __future__ import annotations

import warnings

import numpy as np

from ordlink._typing import FloatArray, LabelArray
from ordlink.comparisons import Comparisons, list_answers
from ordlink.datasets import planted_tree, simulate_answers
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import cluster
from ordlink.metrics import aari, comparison_accuracy
from ordlink.planning._setting import Setting

N_FRESH = 20_000
"""Answers that the tree has not seen, for its accuracy."""
SPECTRAL = "spectral"
"""It may take average linkage."""
PLAIN = "AddS-AL"
"""Average linkage of the pairs' ranks, where all comparisons are known."""


def simulate_quality(setting: Setting, n_answers: int, seed: int, run: int) -> float:
    """Return the quality of the tree of so many answers in one run; runs are independent."""
    rng = np.random.default_rng([seed, run])
    similarities, levels = _draw_truth(setting, rng)
    answers = _draw_answers(setting, similarities, n_answers, rng)
    tree = _tree(answers, setting.method)
    return _judge(setting, tree, similarities, levels, rng)


def simulate_limit(setting: Setting, seed: int, run: int) -> float:
    """Return the quality of the method's tree when every comparison is known without error.

    What is left is the noise in the similarities. Of many answers spectral takes average linkage
    where that predicts better, which cannot be seen with nothing held out: its limit is the better
    of both trees.
    """
    rng = np.random.default_rng([seed, run])
    similarities, levels = _draw_truth(setting, rng)
    everything = Comparisons.from_similarities(similarities)
    state = rng.bit_generator.state
    found = []
    methods = (SPECTRAL, PLAIN) if setting.method == SPECTRAL else (setting.method,)
    for method in methods:
        rng.bit_generator.state = state  # both are judged by the same answers
        found.append(_judge(setting, _tree(everything, method), similarities, levels, rng))
    return max(found)


def _draw_truth(setting: Setting, rng: np.random.Generator) -> tuple[FloatArray, LabelArray]:
    """Return similarities and true levels, the objects shuffled: ties favour small numbers."""
    planted = planted_tree(setting.structure, mean=0.0, gap=setting.difficulty, noise=1.0, seed=rng)
    order = rng.permutation(planted.n_objects)
    return planted.similarities[np.ix_(order, order)], planted.levels[:, order]


def _draw_answers(
    setting: Setting, similarities: FloatArray, n_answers: int, rng: np.random.Generator
) -> Comparisons:
    rows = simulate_answers(
        similarities,
        n_answers,
        form=setting.question,
        error_rate=setting.error_rate,
        seed=int(rng.integers(2**62)),
    )
    return list_answers(rows, setting.question, n_objects=setting.n_objects)


def _tree(comparisons: Comparisons, method: str) -> Hierarchy:
    with warnings.catch_warnings():
        # What few simulated answers lack or tie is what is being measured.
        warnings.simplefilter("ignore", OrdlinkWarning)
        return cluster(comparisons, method)


def _judge(
    setting: Setting,
    tree: Hierarchy,
    similarities: FloatArray,
    levels: LabelArray,
    rng: np.random.Generator,
) -> float:
    if setting.measure == "aari":
        return aari(levels, tree)
    return comparison_accuracy(_draw_answers(setting, similarities, N_FRESH, rng), tree)
