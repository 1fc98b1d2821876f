"""All comparisons known (p = 1): nothing is listed, the ranks of the pairs say everything."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import ordlink as ol
from benchmarks.rows import Row
from benchmarks.run import Benchmark, Measured, Run
from benchmarks.timing import peak_mb, planted, ready, seconds, shortest

LARGEST_MB = 2000
BARS = {240: 1, 2000: 60}
"""At most so many seconds for so many objects."""
RATIO_BAR = 8
"""4-AL takes at most so many times as long as 4K-AL, for the most objects."""


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
    spent, limit = measured["seconds"], BARS[n_objects]
    bar, met = f"{limit} s", spent <= limit
    row = Row(name, f"{method}, N={n:,}, p=1", spent, "ranking the pairs", measured["ranking"])
    if n_objects == 2000:
        bar, met = f"{bar}, {LARGEST_MB:,} MB", met and measured["peak_mb"] <= LARGEST_MB
    if (method, n_objects) == ("4-AL", 2000):
        other = run.measure(measure, method="4K-AL", n_objects=n)["seconds"]
        ratio: dict[str, Any] = {
            "baseline": "4K-AL",
            "baseline_seconds": other,
            "ratio": spent / other,
        }
        row = replace(row, **ratio, unit="x 4K-AL")
        bar, met = f"{RATIO_BAR} x 4K-AL, {bar}", met and spent <= RATIO_BAR * other
    return [replace(row, peak_mb=measured["peak_mb"], bar=bar, met=met)]


BENCHMARKS = [
    Benchmark(name, partial(_rows, name=name, method=method, n_objects=n, n_quick=n_quick))
    for n, n_quick in ((240, 32), (2000, 48))
    for method in ("4-AL", "4K-AL")
    for name in [f"{method}-all-{n}"]
]
