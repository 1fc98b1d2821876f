"""Many objects: `blocks` on planted triplets, with how good its tree is."""

from __future__ import annotations

import dataclasses
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

import ordlink as ol
from benchmarks.growth import growth_row
from benchmarks.rows import Row
from benchmarks.run import PROGRESS, Benchmark, Measured, Run
from benchmarks.timing import peak_mb, ready, seconds

DEPTH, ERROR_RATE = 4, 0.1
AT_ONCE = 1_000_000
METHOD = "blocks"


@dataclasses.dataclass(frozen=True)
class Size:
    """So many objects and triplets, the bars, and the seeds to measure with."""

    n_objects: int
    n_answers: int
    aari: float  # at least this good
    seconds: float | None = None  # at most
    mb: float | None = None
    seeds: Sequence[int] = (0,)
    slow: bool = False


SIZES = (
    Size(2_000, 400_000, 0.87, seeds=(101, 102, 103)),
    Size(4_000, 400_000, 0.81, seeds=(101, 102, 103)),
    Size(20_000, 10_000_000, 0.9, 60, 2_000, seeds=(101, 102, 103)),
    Size(100_000, 20_000_000, 0.85, 180, 4_000, seeds=(101,)),
    Size(1_000_000, 100_000_000, 0.75, 1_200, 12_000, seeds=(101,), slow=True),
)
QUICK = (48, 4_000)
PER_OBJECT, GROWTH_SEED = 100, 101  # the million is measured once, for its row and for growth
GROWTH = {
    "|Q|": [(20_000, n_answers) for n_answers in (2_500_000, 5_000_000, 10_000_000, 20_000_000)],
    "N": [(n, PER_OBJECT * n) for n in (10_000, 30_000, 100_000, 300_000, 1_000_000)],
}
GROWTH_BARS = {"|Q|": 1.1, "N": 1.2}
"""Sizes (objects, triplets) and the largest exponents."""


def write_triplets(path: str, n_objects: int, n_answers: int, seed: int) -> Measured:
    """Draw triplets of the planted model, in a process of its own: see `things.write_answers`.

    The gap between levels equals the noise, which is drawn for each answer, and a tenth of the
    answers is wrong. The objects are shuffled.
    """
    generator = np.random.default_rng(seed)
    labels = generator.permutation(np.arange(n_objects) * 2**DEPTH // n_objects).astype(np.uint8)
    np.save(f"{path}/labels.npy", labels)
    # The number of levels at which two pure clusters are apart is that of the bits of their xor
    apart = np.array([label.bit_length() for label in range(2**DEPTH)], dtype=np.int8)
    rows = np.lib.format.open_memmap(f"{path}/triplets.npy", "w+", np.int32, (n_answers, 3))
    for begin in range(0, n_answers, AT_ONCE):
        size = min(AT_ONCE, n_answers - begin)
        anchor, one, other = (_draw(generator, n_objects, size) for _ in range(3))
        again = (anchor == one) | (anchor == other) | (one == other)
        while again.any():
            n_again = int(again.sum())
            anchor[again], one[again], other[again] = (
                _draw(generator, n_objects, n_again) for _ in range(3)
            )
            again = (anchor == one) | (anchor == other) | (one == other)
        levels = [apart[labels[anchor] ^ labels[item]] for item in (one, other)]
        noise = np.sqrt(2.0) * generator.standard_normal(size)  # of two similarities
        swapped = (levels[1] - levels[0] + noise < 0) ^ (generator.random(size) < ERROR_RATE)
        one[swapped], other[swapped] = other[swapped], one[swapped]
        rows[begin : begin + size] = np.stack([anchor, one, other], axis=1)
    rows.flush()
    return {}


def _draw(generator: np.random.Generator, n_objects: int, size: int) -> np.ndarray:
    return generator.integers(n_objects, size=size, dtype=np.int32)


def measure(path: str, n_objects: int, method: str = METHOD) -> Measured:
    """Time from triplets to tree, the comparisons included; how good the tree is."""
    ready()
    rows = np.load(f"{path}/triplets.npy")
    labels = np.load(f"{path}/labels.npy")
    # From 65,537 objects, pair ids no longer fit into 32 bits: other kernels.
    few = rows[:2_000] % 100
    few = few[(few[:, 0] != few[:, 1]) & (few[:, 0] != few[:, 2]) & (few[:, 1] != few[:, 2])]
    ol.cluster(ol.Comparisons.from_triplets(few, n_objects=min(n_objects, 70_000)), method)
    trees: list[ol.Hierarchy] = []
    cpu = time.process_time()

    def say(done: int, steps: int) -> None:
        spent = f"{time.process_time() - cpu:.0f} CPU seconds, peak {peak_mb():,.0f} MB"
        print(f"{PROGRESS}step {done} of {steps}: {spent}", file=sys.stderr, flush=True)

    def grow() -> None:
        comparisons = ol.Comparisons.from_triplets(rows, n_objects=n_objects)
        trees.append(ol.cluster(comparisons, method, progress=say))

    spent = seconds(grow)
    cpu = time.process_time() - cpu
    levels = np.array([labels >> (DEPTH - 1 - level) for level in range(DEPTH)])
    return {
        "seconds": spent,
        "cpu": cpu,
        "peak_mb": peak_mb(),
        "aari": ol.metrics.aari(levels, trees[0]),
        "n_blocks": int((~trees[0].tied).sum()) + 1,
    }


def _measured(run: Run, n_objects: int, n_answers: int, seed: int) -> Measured:
    # Always the same folder, by which the run knows what it has measured
    folder = Path(tempfile.gettempdir()) / f"triplets-{os.getpid()}-{n_objects}-{n_answers}-{seed}"
    folder.mkdir()
    try:
        drawn = {"n_answers": n_answers, "seed": seed}
        run.measure(write_triplets, path=str(folder), n_objects=n_objects, **drawn)
        return run.measure(measure, path=str(folder), n_objects=n_objects)
    finally:
        shutil.rmtree(folder)


def _rows(run: Run, *, name: str, size: Size) -> list[Row]:
    """Return one row: the longest time, the most memory and the worst tree of all seeds."""
    n_objects, n_answers = run.size((size.n_objects, size.n_answers), QUICK)
    if size.slow and not (run.slow or run.quick):
        return []
    found = [_measured(run, n_objects, n_answers, seed) for seed in size.seeds]
    spent, peak = (max(one[figure] for one in found) for figure in ("seconds", "peak_mb"))
    aari = min(one["aari"] for one in found)
    bars = [(aari >= size.aari, f"AARI {size.aari}")]
    if size.seconds is not None:
        bars.append((spent <= size.seconds, f"{size.seconds:,} s"))
    if size.mb is not None:
        bars.append((peak <= size.mb, f"{size.mb:,} MB"))
    seeds = f", the worst of {len(found)}" * (len(found) > 1)
    return [
        Row(
            name,
            f"{METHOD}, N={n_objects:,}, {n_answers:,} triplets{seeds}",
            spent,
            ratio=aari,
            unit="AARI",
            peak_mb=peak,
            bar=", ".join(bar for _, bar in bars),
            met=all(met for met, _ in bars),
            figures={"each": found},
        )
    ]


def _growth_rows(run: Run, *, name: str, of: str) -> list[Row]:
    slow = {(size.n_objects, size.n_answers) for size in SIZES if size.slow}
    sizes = [size for size in GROWTH[of] if run.slow or size not in slow]
    sizes = run.size(sizes, [QUICK, (QUICK[0], 2 * QUICK[1])])
    points = [_measured(run, *size, GROWTH_SEED) for size in sizes]
    along = [size[0 if of == "N" and not run.quick else 1] for size in sizes]
    fixed = f"{PER_OBJECT} triplets per object" if of == "N" else f"N={sizes[0][0]:,}"
    work = f"{METHOD}, {fixed}: growth with {of}, {along[0]:,} to {along[-1]:,}"
    return [growth_row(name, work, along, points, of, GROWTH_BARS[of])]


BENCHMARKS = [
    *(
        Benchmark(name, partial(_rows, name=name, size=size))
        for size in SIZES
        for name in [f"{METHOD}-{size.n_objects}"]
    ),
    *(
        Benchmark(name, partial(_growth_rows, name=name, of=of))
        for of, what in (("|Q|", "answers"), ("N", "objects"))
        for name in [f"{METHOD}-growth-{what}"]
    ),
]
