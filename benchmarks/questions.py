"""SL and CL from an oracle: how long, and how many questions."""

from __future__ import annotations

from functools import partial

import ordlink as ol
from benchmarks.rows import Row
from benchmarks.run import Benchmark, Measured, Run
from benchmarks.timing import peak_mb, planted, ready, shortest

N_OBJECTS, N_QUICK = 1000, 32
SECONDS_BAR = 10
BARS = {"SL": 1.15, "CL": 4.0}
"""At most so many questions for each pair of objects."""
SCIPY = {"SL": "single", "CL": "complete"}


def measure(method: str, n_objects: int) -> Measured:
    """Time the tree from an oracle, and SciPy's from all similarities."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    ready()
    ol.cluster(ol.oracles.SimilarityOracle(planted(24)), method)
    similarities = planted(n_objects)
    oracles: list[ol.oracles.SimilarityOracle] = []
    spent = shortest(
        lambda: ol.cluster(oracles[-1], method),
        prepare=lambda: oracles.append(ol.oracles.SimilarityOracle(similarities)),
        repeats=2,
    )
    peak = peak_mb()
    distances = squareform(similarities.max() - similarities, checks=False)
    known = shortest(lambda: linkage(distances, SCIPY[method]))
    return {
        "seconds": spent,
        "peak_mb": peak,
        "n_questions": oracles[-1].n_questions,
        "scipy": known,
    }


def _rows(run: Run, *, name: str, method: str) -> list[Row]:
    n = run.size(N_OBJECTS, N_QUICK)
    measured = run.measure(measure, method=method, n_objects=n)
    per_pair = measured["n_questions"] / (n * (n - 1) / 2)
    return [
        Row(
            name,
            f"{method}, N={n:,}, {measured['n_questions']:,} questions",
            measured["seconds"],
            "SciPy, knowing all",
            measured["scipy"],
            per_pair,
            "x E questions",
            measured["peak_mb"],
            f"{SECONDS_BAR} s, {BARS[method]} x E",
            measured["seconds"] <= SECONDS_BAR and per_pair <= BARS[method],
        )
    ]


BENCHMARKS = [
    Benchmark(name, partial(_rows, name=name, method=method))
    for method in BARS
    for name in [f"{method}-questions"]
]
