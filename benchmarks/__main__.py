"""`python -m benchmarks`: time each method at the paper's size against one pass over the answers.

A pass is AddS-4: two weighted `np.bincount` over the same comparisons.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import ordlink as ol

RESULTS = Path(__file__).with_name("results.json")


def main() -> None:
    warnings.simplefilter("ignore", ol.errors.OrdlinkWarning)
    planted = ol.datasets.planted_hierarchy(depth=3, leaf_size=30, gap=0.1, seed=0)
    _warm_up()
    rows = []
    for proportion in (0.01, 0.1):
        sampled: list[ol.ListedComparisons] = []

        def sample(proportion: float = proportion, into: list = sampled) -> None:
            into[:] = [ol.Comparisons.from_similarities(planted.similarities, proportion, seed=0)]

        seconds = {"sampling": _time(sample, repeats=2)}
        comparisons = sampled[0]
        one_pass = _time(lambda c=comparisons: _pass(c))
        for method in ("AddS-AL", "4-AL", "4K-AL"):
            seconds[method] = _time(lambda c=comparisons, m=method: ol.cluster(c, m), repeats=2)
        rows += [
            {
                "work": work,
                "proportion": proportion,
                "comparisons": comparisons.n_comparisons,
                "seconds": round(spent, 3),
                "passes": round(spent / one_pass, 1),
            }
            for work, spent in seconds.items()
        ]
    print(f"{'work':10} {'p':>5} {'comparisons':>12} {'seconds':>8} {'passes':>7}")
    for row in rows:
        print(
            f"{row['work']:10} {row['proportion']:5} {row['comparisons']:12,} "
            f"{row['seconds']:8.2f} {row['passes']:7.1f}"
        )
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n")


def _pass(comparisons: ol.ListedComparisons) -> None:
    weights = np.ones(comparisons.n_rows)
    np.bincount(comparisons.winners, weights=weights)
    np.bincount(comparisons.losers, weights=weights)


def _warm_up() -> None:
    """Compile every kernel, so that only the work is timed."""
    small = ol.Comparisons.from_similarities(np.add.outer(np.arange(8.0), np.arange(8.0)), 0.9)
    for method in ("AddS-AL", "4-AL", "4K-AL"):
        ol.cluster(small, method)


def _time(work: Callable[[], object], *, repeats: int = 3) -> float:
    """Return the shortest of a few runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


main()
