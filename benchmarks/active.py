"""Active 4K-AL at scale: average linkage of sign features against SciPy on the same kernel."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

import ordlink as ol
from benchmarks.rows import Row
from benchmarks.run import Benchmark, Measured, Run
from benchmarks.timing import peak_mb, ready, seconds

DEPTH = 5
N_LANDMARKS = 12
N_REFERENCES = 10
SIZES, QUICK_SIZES = (20_000, 100_000), (400, 600)
LARGEST_MB, LONGEST = 3000, 600
_MIX = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


@dataclass(frozen=True)
class HashedPlanted:
    """An oracle of the planted model that never makes its matrix: noise is a hash of the pair."""

    n_objects: int
    depth: int = DEPTH
    mean: float = 0.8
    gap: float = 0.1
    noise: float = 0.1

    def similarities(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        from scipy.special import ndtri

        n_separated = np.frexp((self.leaf(i) ^ self.leaf(j)).astype(np.float64))[1]
        low, high = np.minimum(i, j).astype(np.uint64), np.maximum(i, j).astype(np.uint64)
        bits = low * np.uint64(self.n_objects) + high + np.uint64(1)
        for shift, factor in zip((30, 27), _MIX, strict=True):
            bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
        uniform = ((bits ^ (bits >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53 + 2.0**-54
        return self.mean - self.gap * n_separated + self.noise * ndtri(uniform)

    def leaf(self, i: np.ndarray) -> np.ndarray:
        return i.astype(np.int64) * 2**self.depth // self.n_objects

    def compare(self, quadruplets: np.ndarray) -> np.ndarray:
        i, j, k, l = quadruplets.T  # noqa: E741 - the paper's letters
        return np.sign(self.similarities(i, j) - self.similarities(k, l)).astype(np.int8)


def measure(what: str, n_objects: int) -> Measured:
    """Ask, then time the tree, ours or SciPy's; the peak is that of the whole process."""
    ready()
    oracle = HashedPlanted(n_objects)
    rng = np.random.default_rng(0)
    plan = ol.methods.kernel_al.plan_active_kernel(
        n_objects,
        landmarks=rng.choice(n_objects, N_LANDMARKS, replace=False),
        n_references=N_REFERENCES,
        seed=0,
    )
    start = time.perf_counter()
    features = ol.methods.kernel_al.active_features(oracle, plan)
    asking = time.perf_counter() - start
    link = _link_by_scipy if what == "scipy" else _link
    return {
        "asking": asking,
        "seconds": link(features),
        "n_questions": plan.n_landmark_pairs * N_REFERENCES,
        "peak_mb": peak_mb(),
    }


def _link(features: np.ndarray) -> float:
    from ordlink.linkage import initial_partition, link_features_by_average

    link_features_by_average(features[:300], initial_partition(300))  # compiles, or loads
    everything = initial_partition(len(features))
    return seconds(lambda: link_features_by_average(features, everything))


def _link_by_scipy(features: np.ndarray) -> float:
    """Time SciPy alone, on max(K) - K, which is made row by row."""
    from scipy.cluster.hierarchy import linkage

    n_objects, d = features.shape
    single = features.astype(np.float32)
    condensed = np.empty(n_objects * (n_objects - 1) // 2)
    place = 0
    for first in range(0, n_objects, 500):
        products = single[first : first + 500] @ single[first:].T
        for i, row in enumerate(products):
            condensed[place : place + len(row) - i - 1] = d - row[i + 1 :]
            place += len(row) - i - 1
    return seconds(lambda: linkage(condensed, method="average"))


def _against_scipy(run: Run) -> list[Row]:
    n = run.size(SIZES, QUICK_SIZES)[0]
    ours, scipy = (run.measure(measure, what=what, n_objects=n) for what in ("tree", "scipy"))
    ratio = scipy["seconds"] / ours["seconds"]
    return [
        Row(
            "active",
            f"4K-AL-act, N={n:,}, {N_LANDMARKS * N_REFERENCES} features: the tree",
            ours["seconds"],
            "SciPy, same kernel",
            scipy["seconds"],
            ratio,
            "x faster",
            ours["peak_mb"],
            f"2 x faster, a quarter of {scipy['peak_mb']:,.0f} MB",
            ratio >= 2 and ours["peak_mb"] <= scipy["peak_mb"] / 4,
            figures={"scipy_mb": scipy["peak_mb"], "asking": ours["asking"]},
        )
    ]


def _large(run: Run) -> list[Row]:
    n = run.size(SIZES, QUICK_SIZES)[1]
    measured = run.measure(measure, what="tree", n_objects=n)
    spent = measured["asking"] + measured["seconds"]
    return [
        Row(
            "active-large",
            f"4K-AL-act, N={n:,}: {measured['n_questions']:,} questions, and the tree",
            spent,
            "the questions alone",
            measured["asking"],
            peak_mb=measured["peak_mb"],
            bar=f"{LONGEST} s, {LARGEST_MB:,} MB",
            met=spent <= LONGEST and measured["peak_mb"] <= LARGEST_MB,
        )
    ]


BENCHMARKS = [Benchmark("active", _against_scipy), Benchmark("active-large", _large)]
