"""Figure 1 and S.2: how well the planted hierarchy is recovered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ordlink._typing import FloatArray, LabelArray
from ordlink.comparisons import Comparisons
from ordlink.datasets import planted_hierarchy
from ordlink.hierarchy import Hierarchy
from ordlink.metrics import aari
from studies.entrants import (
    MANY_LANDMARKS,
    PASSIVE,
    PLANTED_ONLY,
    WITHOUT_ANSWERS,
    Material,
    run_entrants,
)
from studies.running._experiment import Experiment, Parameters, Record, seed_of

MAIN_PROPORTIONS = (0.01, 0.1, 1.0)
"""Those of Figure 1; S.2 has all."""
DELTAS = tuple(round(0.02 * step, 2) for step in range(1, 11))
PROPORTIONS = (*(round(0.01 * step, 2) for step in range(1, 11)), 1.0)
MEAN, NOISE, DEPTH, LEAF_SIZE = 0.8, 0.1, 3, 30
"""mu, sigma, L and N_0 of the paper."""

GROUPS = {
    "without answers": WITHOUT_ANSWERS,
    "with answers": (*PASSIVE, *PLANTED_ONLY),
    "all landmarks": MANY_LANDMARKS,
}
"""The methods of a cell; those of one repetition see the same draw, whatever their group."""


def planted_experiment(
    *,
    deltas: tuple[float, ...] = DELTAS,
    proportions: tuple[float, ...] = PROPORTIONS,
    n_repetitions: int = 10,
) -> Experiment:
    """Return the experiment of Figure 1 and S.2, or a part of its grid."""
    cells: list[Parameters] = []
    shown = tuple(p for p in proportions if p in MAIN_PROPORTIONS and p < 1.0)
    asked: dict[str, Sequence[float | None]] = {
        "without answers": (None,),
        "with answers": proportions,
        "all landmarks": shown,  # with all comparisons it is 4K-AL without self comparisons
    }
    for group in GROUPS:
        cells += [
            {"group": group, "delta": delta, "proportion": proportion, "repetition": repetition}
            for delta in deltas
            for proportion in asked[group]
            for repetition in range(n_repetitions)
        ]
    return Experiment("planted", 1, planted_cell, tuple(cells), planted_cost)


def planted_cell(
    *, group: str, delta: float, proportion: float | None, repetition: int
) -> list[Record]:
    """Return the AARI of the methods of a group."""
    similarities, levels = draw_planted(
        seed_of("planted", delta=delta, repetition=repetition), delta=delta
    )

    def initial_clusters(size: int) -> list[list[int]]:
        return draw_groups(levels[-1], size, seed_of("groups", size=size, repetition=repetition))

    comparisons = None
    if proportion is not None:
        seed = seed_of("comparisons", delta=delta, proportion=proportion, repetition=repetition)
        comparisons = Comparisons.from_similarities(similarities, proportion, seed=seed)
    material = Material(
        similarities,
        comparisons,
        seed_of("landmarks", delta=delta, proportion=proportion, repetition=repetition),
        initial_clusters,
    )

    def judge(tree: Hierarchy) -> Mapping[str, float]:
        return {"aari": aari(levels, tree)}

    return run_entrants(GROUPS[group], material, judge)


def draw_planted(
    seed: int,
    *,
    delta: float,
    noise: float = NOISE,
    depth: int = DEPTH,
    leaf_size: int = LEAF_SIZE,
) -> tuple[FloatArray, LabelArray]:
    """Return similarities of the planted model and its true levels, the objects shuffled.

    The model numbers objects cluster by cluster and ties favour small numbers: without shuffling
    a tie would be decided for the truth.
    """
    rng = np.random.default_rng(seed)
    planted = planted_hierarchy(
        depth=depth, leaf_size=leaf_size, mean=MEAN, gap=delta, noise=noise, seed=rng
    )
    order = rng.permutation(planted.n_objects)
    return planted.similarities[np.ix_(order, order)], planted.levels[:, order]


def draw_groups(labels: LabelArray, size: int, seed: int) -> list[list[int]]:
    """Return a random partition of each pure cluster into groups of the given size."""
    rng = np.random.default_rng(seed)
    groups: list[list[int]] = []
    for cluster in np.unique(labels):
        members = rng.permutation(np.flatnonzero(labels == cluster)).tolist()
        groups += [members[start : start + size] for start in range(0, len(members), size)]
    return groups


def planted_cost(parameters: Parameters) -> float:
    """Return about how many seconds a cell takes."""
    proportion = parameters["proportion"]
    if proportion is None:
        return 2.0
    share = 0.09 if proportion == 1 else proportion
    if parameters["group"] == "all landmarks":
        return 0.5 + 20 * share
    return 0.5 + 100 * share
