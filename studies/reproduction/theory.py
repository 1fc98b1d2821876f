"""The paper's theorems, checked by simulation: recovery by SL and CL, and questions needed."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ordlink._typing import LabelArray
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import average_linkage
from ordlink.methods.kernel_al import active_kernel, plan_active_kernel
from ordlink.metrics import aari
from studies.entrants import WITHOUT_ANSWERS, Entrant, Material, known_features, run_entrants
from studies.reproduction.planted import NOISE, draw_planted
from studies.running._experiment import Experiment, Parameters, Record, seed_of

DEPTH = 2
"""L in both experiments."""
N_LEAVES = 4
"""2**L pure clusters."""

# Theorem 1 (th:exactsclinkage): SL and CL.
ETA = 0.1
"""Probability of failure that the sufficient condition allows."""
LEAF_SIZES = (5, 10, 20, 40)
RATIOS = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
"""delta / sigma between the two conditions."""

# Theorem 2 (th:exact4K--AL): 4K-AL-act.
ACTIVE_RATIO = 1.5
"""delta / sigma, the same for all sizes."""
N_REFERENCES = 32
ACTIVE_LEAF_SIZES = (32, 64, 128, 256, 512)
MULTIPLIERS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""q = multiplier x ln N / N."""


def sufficient_ratio(leaf_size: int) -> float:
    """Return 4 sqrt(ln(N / eta)): from here on SL and CL recover with probability 1 - eta."""
    return 4 * math.sqrt(math.log(leaf_size * N_LEAVES / ETA))


def necessary_ratio(leaf_size: int) -> float:
    """Return sqrt(ln(N_0)) / 4: up to here SL fails with probability 1/2, for large N_0."""
    return math.sqrt(math.log(leaf_size)) / 4


def linkage_experiment(
    *, leaf_sizes: tuple[int, ...] = LEAF_SIZES, n_repetitions: int = 50
) -> Experiment:
    """Return the experiment on Theorem 1: whether SL and CL recover the planted hierarchy."""
    cells: list[Parameters] = [
        {"leaf_size": leaf_size, "ratio": round(ratio, 6), "repetition": repetition}
        for leaf_size in leaf_sizes
        for ratio in (necessary_ratio(leaf_size), *RATIOS, sufficient_ratio(leaf_size))
        for repetition in range(n_repetitions)
    ]
    return Experiment("theory-linkage", 1, linkage_cell, tuple(cells), linkage_cost)


def linkage_cell(*, leaf_size: int, ratio: float, repetition: int) -> list[Record]:
    """Return whether SL and CL recover the hierarchy, and how many questions they ask."""
    seed = seed_of("linkage", leaf_size=leaf_size, ratio=ratio, repetition=repetition)
    similarities, levels = draw_planted(seed, delta=ratio * NOISE, depth=DEPTH, leaf_size=leaf_size)
    entrants = [entrant for entrant in WITHOUT_ANSWERS if entrant.name in ("SL", "CL")]
    return run_entrants(entrants, Material(similarities), lambda tree: _judge(levels, tree))


def linkage_cost(parameters: Parameters) -> float:
    """Return about how many seconds a cell takes."""
    n_objects = float(parameters["leaf_size"]) * N_LEAVES
    return 0.05 + 3e-5 * n_objects * n_objects


def questions_experiment(
    *,
    leaf_sizes: tuple[int, ...] = ACTIVE_LEAF_SIZES,
    multipliers: tuple[float, ...] = MULTIPLIERS,
    n_repetitions: int = 20,
) -> Experiment:
    """Return the experiment on Theorem 2: recovery by 4K-AL-act against questions / (N ln N)."""
    cells: list[Parameters] = [
        {"leaf_size": leaf_size, "multiplier": multiplier, "repetition": repetition}
        for leaf_size in leaf_sizes
        for multiplier in multipliers
        if _probability(leaf_size, multiplier) <= 1
        for repetition in range(n_repetitions)
    ]
    return Experiment("theory-questions", 1, questions_cell, tuple(cells), questions_cost)


def questions_cell(*, leaf_size: int, multiplier: float, repetition: int) -> list[Record]:
    """Return how well 4K-AL-act does with q = multiplier x ln N / N."""
    seed = seed_of("questions", leaf_size=leaf_size, repetition=repetition)
    similarities, levels = draw_planted(
        seed, delta=ACTIVE_RATIO * NOISE, depth=DEPTH, leaf_size=leaf_size
    )
    plan = plan_active_kernel(
        len(similarities),
        landmark_probability=_probability(leaf_size, multiplier),
        n_references=N_REFERENCES,
        seed=seed_of(
            "landmarks", leaf_size=leaf_size, multiplier=multiplier, repetition=repetition
        ),
    )

    def run(material: Material) -> tuple[Hierarchy, int]:
        kernel = active_kernel(known_features(material.similarities, plan))
        return average_linkage(kernel), plan.n_landmark_pairs * N_REFERENCES

    entrant = Entrant("4K-AL-act", run)
    return run_entrants([entrant], Material(similarities), lambda tree: _judge(levels, tree))


def questions_cost(parameters: Parameters) -> float:
    """Return about how many seconds a cell takes."""
    n_objects = float(parameters["leaf_size"]) * N_LEAVES
    return 0.02 + 2e-7 * n_objects * n_objects * (1 + float(parameters["multiplier"]) / 16)


def recovers(levels: LabelArray, tree: Hierarchy) -> bool:
    """Return whether every true cluster of every level is a cluster of the tree."""
    sizes = tree.lca_sizes()
    for level in levels:
        for cluster in np.unique(level):
            members = np.flatnonzero(level == cluster)
            if sizes[members[0], members[1:]].max(initial=1) != len(members):
                return False
    return True


def _probability(leaf_size: int, multiplier: float) -> float:
    n_objects = leaf_size * N_LEAVES
    return multiplier * math.log(n_objects) / n_objects


def _judge(levels: LabelArray, tree: Hierarchy) -> Mapping[str, float]:
    return {"recovered": float(recovers(levels, tree)), "aari": aari(levels, tree)}
