"""All comparisons known (p = 1): nothing is listed, the ranks of the pairs say everything."""

from __future__ import annotations

from functools import partial

import ordlink as ol
from benchmarks.rows import Row
from benchmarks.run import Benchmark, Measured, Run
from benchmarks.timing import peak_mb, planted, ready, seconds, shortest

LARGEST_MB = 2000
BARS = {240: 1, 2000: 60}
"""At most so many seconds for so many objects."""


def measure(method: str, n_objects: int) -> Measured:
    """Time from ranks to tree; ranking the similarities is timed separately."""
    ready()
    similarities = planted(n_objects)
    given: list[ol.Comparisons] = []

    def rank() -> None:
        given[:] = [ol.Comparisons.from_similarities(similarities)]

    ranking = seconds(rank)
    spent = shortest(lambda: ol.cluster(given[0], method), prepare=rank)
    return {"seconds": spent, "ranking": ranking, "peak_mb": peak_mb()}


def _rows(run: Run, *, name: str, method: str, n_objects: int, n_quick: int) -> list[Row]:
    n = run.size(n_objects, n_quick)
    measured = run.measure(measure, method=method, n_objects=n)
    limit = BARS[n_objects]
    return [
        Row(
            name,
            f"{method}, N={n:,}, p=1",
            measured["seconds"],
            "ranking the pairs",
            measured["ranking"],
            peak_mb=measured["peak_mb"],
            bar=f"{limit} s" + f", {LARGEST_MB:,} MB" * (n_objects == 2000),
            met=measured["seconds"] <= limit
            and (n_objects < 2000 or measured["peak_mb"] <= LARGEST_MB),
        )
    ]


BENCHMARKS = [
    Benchmark(name, partial(_rows, name=name, method=method, n_objects=n, n_quick=n_quick))
    for n, n_quick in ((240, 32), (2000, 48))
    for method in ("4-AL", "4K-AL")
    for name in [f"{method}-all-{n}"]
]
