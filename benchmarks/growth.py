"""How time grows: the slope of a straight line through (log size, log seconds)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from benchmarks import passes, ranks
from benchmarks.rows import Row
from benchmarks.run import Benchmark, Measured, Run

PROPORTIONS = (0.005, 0.01, 0.02, 0.05, 0.1)
QUICK_PROPORTIONS = (0.05, 0.1)
SIZES, QUICK_SIZES = (250, 500, 1000, 2000), (24, 48)
ANSWERS_BAR, OBJECTS_BAR = 1.1, 3.2
"""The largest exponents of |Q| and of N."""


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return b of the least-squares fit log seconds = a + b log size."""
    x, y = [math.log(size) for size in sizes], [math.log(spent) for spent in seconds]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    covariance = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return covariance / sum((a - mean_x) ** 2 for a in x)


def _with_answers(run: Run, *, name: str, method: str) -> list[Row]:
    n_objects = run.size(passes.N_OBJECTS, passes.N_QUICK)
    points = [
        run.measure(passes.measure, method=method, proportion=proportion, n_objects=n_objects)
        for proportion in run.size(PROPORTIONS, QUICK_PROPORTIONS)
    ]
    sizes = [point["n_comparisons"] for point in points]
    work = f"{method}, N={n_objects}: growth with |Q|, {sizes[0]:,} to {sizes[-1]:,}"
    return [growth_row(name, work, sizes, points, "|Q|", ANSWERS_BAR)]


def _with_objects(run: Run, *, name: str, method: str) -> list[Row]:
    sizes = run.size(SIZES, QUICK_SIZES)
    points = [run.measure(ranks.measure, method=method, n_objects=n) for n in sizes]
    work = f"{method}, p=1: growth with N, {sizes[0]} to {sizes[-1]:,}"
    return [growth_row(name, work, sizes, points, "N", OBJECTS_BAR)]


def growth_row(
    name: str,
    work: str,
    sizes: Sequence[float],
    points: Sequence[Measured],
    of: str,
    limit: float,
) -> Row:
    """Return the row of a fit; its seconds are those of the largest size."""
    seconds = [point["seconds"] for point in points]
    slope = exponent(sizes, seconds)
    return Row(
        name,
        work,
        seconds[-1],
        ratio=slope,
        unit=f"exponent of {of}",
        peak_mb=max(point["peak_mb"] for point in points),
        bar=f"{of}^{limit}",
        met=slope <= limit,
        figures={"of": of, "sizes": list(sizes), "seconds": seconds},
    )


BENCHMARKS = [
    Benchmark(f"{method}-growth-{of}", partial(rows, name=f"{method}-growth-{of}", method=method))
    for of, rows in (("answers", _with_answers), ("objects", _with_objects))
    for method in ("4-AL", "4K-AL", "AddS-AL")
]
