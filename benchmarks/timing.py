"""Clocks, memory, and the unit of measurement: one pass over the comparisons."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence

import numpy as np

import ordlink as ol

METHODS = ("4-AL", "4K-AL", "AddS-AL")
ENOUGH = 20.0
"""Work is not repeated once it has taken this many seconds."""
MOST_TURNS = 12
AGREE = 1.1
"""Times are steady once the two shortest differ by less than this factor."""


def seconds(work: Callable[[], object]) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def shortest(
    work: Callable[[], object],
    *,
    repeats: int = 3,
    prepare: Callable[[], object] | None = None,
) -> float:
    """Return the time of the shortest of a few calls; `prepare` comes before each, untimed."""
    times: list[float] = []
    while len(times) < repeats and sum(times) < ENOUGH:
        if prepare is not None:
            prepare()
        times.append(seconds(work))
    return min(times)


def peak_mb() -> float:
    """Return the peak memory of this process up to now, in MB."""
    import resource  # not on Windows

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024**2 if sys.platform == "darwin" else 1024)


def against_passes(
    work: Callable[[], object],
    comparisons: Callable[[], ol.ListedComparisons],
    *,
    prepare: Callable[[], object] | None = None,
    repeats: int = 4,
) -> dict[str, float | bool]:
    """Return the time of the work and of one pass, taken in turns, and the peak of the work alone.

    In turns, so that whatever else slows the machine down slows both down; and until both are
    steady, since a pass that was disturbed each time would flatter the work.
    """
    times = [shortest(work, repeats=1, prepare=prepare)]
    peak = peak_mb()
    listed = comparisons()
    weights = np.ones(listed.n_rows)
    passes = [seconds(lambda: one_pass(listed, weights))]
    while len(times) < MOST_TURNS and sum(times) + sum(passes) < ENOUGH:
        if len(times) >= repeats and is_steady(times) and is_steady(passes):
            break
        times.append(shortest(work, repeats=1, prepare=prepare))
        passes.append(seconds(lambda: one_pass(listed, weights)))
    return {
        "seconds": min(times),
        "pass": min(passes),
        "passes": min(times) / min(passes),
        "peak_mb": peak,
        "n_comparisons": listed.n_comparisons,
        "steady": is_steady(times) and is_steady(passes),
    }


def is_steady(times: Sequence[float]) -> bool:
    """Return whether the two shortest times agree; one time alone says nothing against it."""
    first, *others = sorted(times)
    return not others or others[0] <= AGREE * first


def one_pass(comparisons: ol.ListedComparisons, weights: np.ndarray) -> None:
    """Read every comparison once: two weighted sums, which is all that AddS-4 does."""
    np.bincount(comparisons.winners, weights=weights)
    np.bincount(comparisons.losers, weights=weights)


def planted(n_objects: int, *, depth: int = 3, seed: int = 0) -> np.ndarray:
    """Return similarities of the planted model (gap = noise = 0.1), the objects shuffled."""
    leaves = np.diff(np.linspace(0, n_objects, 2**depth + 1).astype(int))
    model = ol.datasets.planted_hierarchy(depth=depth, leaf_size=leaves.tolist(), seed=seed)
    order = np.random.default_rng(seed).permutation(n_objects)
    return model.similarities[np.ix_(order, order)]


def drawn(similarities: np.ndarray, proportion: float) -> ol.ListedComparisons:
    """Return each comparison with this probability."""
    comparisons = ol.Comparisons.from_similarities(similarities, proportion, seed=0)
    if not isinstance(comparisons, ol.ListedComparisons):
        raise TypeError("all comparisons are ranked, not listed")
    return comparisons


def ready() -> None:
    """Leave out warnings about the answers, and compile every kernel on tiny input."""
    warnings.simplefilter("ignore", ol.errors.OrdlinkWarning)
    similarities = planted(24)
    for proportion in (0.02, 0.5, 1.0):
        comparisons = ol.Comparisons.from_similarities(similarities, proportion, seed=0)
        for method in METHODS:
            ol.cluster(comparisons, method)
