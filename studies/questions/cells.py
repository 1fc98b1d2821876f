"""The cells: planted similarities, a method, a number of questions per object."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import ordlink as ol
from ordlink._typing import AnyArray
from ordlink.datasets import PlantedHierarchy, planted_hierarchy, planted_tree
from ordlink.errors import OrdlinkWarning
from ordlink.oracles import NoisyOracle, Oracle, SimilarityOracle
from studies.questions.oracles import PlantedOracle
from studies.running import Experiment, Parameters, Record, seed_of

SIGMA = 0.1
ADAPTIVE, TRIPLETS, RANDOM = "adaptive", "adaptive, triplets", "random + spectral"
BUDGETED = {ADAPTIVE: 10, TRIPLETS: 3, RANDOM: 3, "4K-AL-act": 3}
"""Methods that take the number of questions, and runs per cell; others ask as many as they need."""
SHAPES: dict[str, Any] = {
    "unbalanced": [[[[[2, 100], [5, 30]], [10, 50]], [3, 80]], [20, 8]],
    "chain": [[[[[40, 40], 40], 40], 40], 40],
    "deep": [[[[[10, 10], [10, 10]], [[10, 10], [10, 10]]]] * 2] * 2,
    "star": [40] * 6,
    "flat": 240,
}
"""Trees of other shapes: sizes 2 to 100 at depths 2 to 5; a chain; 32 clusters; a star; no tree."""


class CountingOracle:
    """Counts every question that is passed on, repeated ones too."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle, self.n_objects, self.n_asked = oracle, oracle.n_objects, 0

    def compare(self, quadruplets: AnyArray) -> AnyArray:
        """Return the answers."""
        self.n_asked += len(quadruplets)
        return self._oracle.compare(quadruplets)


def question_cell(
    *,
    shape: str,
    n_objects: int,
    ratio: float,
    error_rate: float,
    method: str,
    per_object: float | None,
    repetition: int,
) -> list[Record]:
    """Return the AARI, the questions per object, the rounds and the seconds of one run."""
    draw = seed_of("similarities", shape=shape, n=n_objects, repetition=repetition)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        if n_objects > 4000:
            return [_run_large(n_objects, ratio, error_rate, per_object, draw)]
        planted = _planted(shape, n_objects, ratio, draw)
        oracle: Oracle = SimilarityOracle(planted.similarities)
        if error_rate:
            oracle = NoisyOracle(oracle, error_rate, seed=draw + 1)
        counting = CountingOracle(oracle)
        tree = _build(counting, method, per_object, error_rate, repetition)
    return [
        {
            "aari": float(ol.metrics.aari(planted.levels, tree)) if len(planted.levels) else None,
            "asked": counting.n_asked / planted.n_objects,
            "rounds": tree.parameters.get("n_rounds"),
            "firm_splits": tree.parameters.get("n_firm_splits"),
            "seconds": time.perf_counter() - start,
        }
    ]


def _planted(shape: str, n_objects: int, ratio: float, seed: int) -> PlantedHierarchy:
    if shape == "planted":
        return planted_hierarchy(
            leaf_size=n_objects // 8, gap=ratio * SIGMA, noise=SIGMA, seed=seed
        )
    return planted_tree(SHAPES[shape], gap=ratio * SIGMA, noise=SIGMA, seed=seed)


def _run_large(
    n_objects: int, ratio: float, error_rate: float, per_object: float | None, seed: int
) -> Record:
    oracle = PlantedOracle(n_objects, ratio, error_rate=error_rate, seed=seed)
    start = time.perf_counter()
    assert per_object is not None
    tree = ol.cluster(oracle, "adaptive", budget=int(per_object * n_objects))
    return {
        "aari": float(ol.metrics.aari(oracle.levels, tree)),
        "asked": oracle.n_questions / n_objects,
        "rounds": oracle.n_rounds,
        "firm_splits": tree.parameters["n_firm_splits"],
        "seconds": time.perf_counter() - start,
    }


def _build(
    oracle: CountingOracle, method: str, per_object: float | None, error_rate: float, seed: int
) -> ol.Hierarchy:
    if per_object is None:
        options: dict[str, Any] = {}
        if method == "insertion":
            options = {"error_rate": error_rate, "seed": seed}
        name, _, votes = method.partition(", votes=")
        if votes:
            options = {"votes": int(votes)}
        return ol.cluster(oracle, name, **options)
    budget = int(per_object * oracle.n_objects)
    build: dict[str, Callable[[], ol.Hierarchy]] = {
        ADAPTIVE: lambda: ol.cluster(oracle, "adaptive", budget=budget, seed=seed),
        TRIPLETS: lambda: ol.cluster(
            oracle, "adaptive", budget=budget, seed=seed, question="triplet"
        ),
        RANDOM: lambda: _random_questions(oracle, budget, seed),
        "4K-AL-act": lambda: ol.cluster(oracle, "4K-AL-act", budget=budget, seed=seed),
    }
    return build[method]()


def _random_questions(oracle: CountingOracle, n_questions: int, seed: int) -> ol.Hierarchy:
    """Ask about random pairs of pairs, and build the tree of the answers with `spectral`."""
    rng = np.random.default_rng([seed, 1])
    n = oracle.n_objects
    rows = rng.integers(0, n, size=(2 * n_questions + 100, 4)).astype(np.int32)
    pairs = np.sort(rows.reshape(-1, 2, 2), axis=2)
    proper = (pairs[:, :, 0] != pairs[:, :, 1]).all(axis=1)
    rows = rows[proper & (pairs[:, 0] != pairs[:, 1]).any(axis=1)][:n_questions]
    answers = oracle.compare(rows)
    rows = np.where((answers > 0)[:, None], rows, rows[:, [2, 3, 0, 1]])[answers != 0]
    return ol.cluster(ol.Comparisons.from_quadruplets(rows, n_objects=n), "spectral")


def question_experiments(*, quick: bool = False) -> dict[str, Experiment]:
    """Return the parts of the study by name."""
    parts = {
        "planted": _grid(quick=quick),
        "shapes": _shapes(quick=quick),
        "large": _large(quick=quick),
    }
    return {
        name: Experiment(f"questions-{name}", 1, question_cell, tuple(cells), _seconds)
        for name, cells in parts.items()
    }


def _cell(**given: Any) -> Parameters:
    plain = {"shape": "planted", "n_objects": 240, "ratio": 1.0, "error_rate": 0.0}
    return {**plain, "per_object": None, **given}


def _grid(*, quick: bool) -> list[Parameters]:
    cells = [
        _cell(
            ratio=ratio,
            error_rate=error_rate,
            method=method,
            per_object=per_object,
            repetition=repetition,
        )
        for ratio in ((1.0,) if quick else (0.5, 1.0, 2.0))
        for error_rate in (0.0, 0.1)
        for method, n_runs in BUDGETED.items()
        for per_object in ((15, 60) if quick else (15, 30, 60, 120))
        for repetition in range(1 if quick else n_runs)
    ]
    return cells + [
        _cell(ratio=10.0, error_rate=error_rate, method=method, repetition=repetition)
        for method in ("SL", "CL", "SL, votes=3", "CL, votes=3", "insertion")
        for error_rate in (0.0, 0.05)
        for repetition in range(1 if quick else 3)
    ]


def _shapes(*, quick: bool) -> list[Parameters]:
    return [
        _cell(
            shape=shape,
            ratio=ratio,
            method=method,
            per_object=per_object,
            repetition=repetition,
        )
        for shape in SHAPES
        for ratio in (1.0, 2.0)
        for method in (ADAPTIVE, RANDOM)
        for per_object in (30, 60)
        for repetition in range(1 if quick else 3)
    ]


def _large(*, quick: bool) -> list[Parameters]:
    settings = [(8000, 1.0, 0.0, 100, 3), (8000, 1.0, 0.1, 150, 3), (8000, 0.5, 0.0, 100, 3)]
    if not quick:
        settings += [(100_000, 1.0, 0.0, 100, 1)]
    return [
        _cell(
            n_objects=n,
            ratio=ratio,
            error_rate=error_rate,
            method=ADAPTIVE,
            per_object=per_object,
            repetition=repetition,
        )
        for n, ratio, error_rate, per_object, n_runs in settings
        for repetition in range(1 if quick else n_runs)
    ]


def _seconds(cell: Parameters) -> float:
    if cell["method"] == RANDOM:
        return 3.0
    return cell["n_objects"] / 600
