"""The size of the THINGS data: 1,854 objects, 4.7 million odd-one-out answers, simulated."""

from __future__ import annotations

import dataclasses
import tempfile
from functools import partial

import numpy as np

import ordlink as ol
from benchmarks.rows import Row
from benchmarks.run import Benchmark, Measured, Run
from benchmarks.timing import against_passes, planted, ready

N_OBJECTS, N_ANSWERS = 1_854, 4_700_000
QUICK = (40, 2_000)
DEPTH = 5
ERROR_RATE = 0.2
LARGEST_MB = 2000
BARS = {"4-AL": (40, "passes"), "AddS-AL": (5, "s"), "spectral": (120, "passes")}
"""At most so many passes or seconds."""
REPEATS = {"spectral": 1}
"""How often to measure, if not three times."""


def write_answers(path: str, n_objects: int, n_answers: int) -> Measured:
    """Simulate the answers, in a process of its own: the tree is not to be charged for it."""
    np.save(path, _answers(n_objects, n_answers))
    return {}


def measure(path: str, method: str, n_objects: int) -> Measured:
    """Time from comparisons to tree; finding repeated answers is part of it."""
    ready()
    # From 363 objects, pair ids no longer fit into 16 bits: other kernels. And spectral has a way
    # of its own where each pair is compared often.
    for few, n_answers in ((min(n_objects, 400), 1_000), (min(n_objects, 70), 10_000)):
        ol.cluster(ol.Comparisons.from_odd_one_out(_answers(few, n_answers), n_objects=few), method)
    comparisons = ol.Comparisons.from_odd_one_out(np.load(path), n_objects=n_objects)
    given: list[ol.Comparisons] = []

    def forget() -> None:
        given[:] = [dataclasses.replace(comparisons)]

    return against_passes(
        lambda: ol.cluster(given[0], method),
        lambda: comparisons,
        prepare=forget,
        repeats=REPEATS.get(method, 3),
    )


def _answers(n_objects: int, n_answers: int) -> np.ndarray:
    return ol.datasets.simulate_answers(
        planted(n_objects, depth=DEPTH),
        n_answers,
        form="odd-one-out",
        error_rate=ERROR_RATE,
        seed=0,
    )


def _rows(run: Run, *, name: str, method: str) -> list[Row]:
    n_objects, n_answers = run.size((N_OBJECTS, N_ANSWERS), QUICK)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/answers.npy"
        run.measure(write_answers, path=path, n_objects=n_objects, n_answers=n_answers)
        measured = run.measure(measure, path=path, method=method, n_objects=n_objects)
    limit, unit = BARS[method]
    bounded = method == "4-AL"
    work = (
        f"{method}, N={n_objects:,}, {measured['n_comparisons']:,} comparisons "
        f"of {n_answers:,} odd-one-out answers"
    )
    bar = f"{limit} {unit}" + f", {LARGEST_MB:,} MB" * bounded
    spent = measured["passes" if unit == "passes" else "seconds"]
    met = spent <= limit and (not bounded or measured["peak_mb"] <= LARGEST_MB)
    return [Row.of_passes(name, work, measured, bar, met=met)]


BENCHMARKS = [
    Benchmark(name, partial(_rows, name=name, method=method))
    for method in BARS
    for name in [f"{method}-things"]
]
