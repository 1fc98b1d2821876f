"""The same triplets to cblearn's ComparisonHC, the other published program for 4-AL.

It needs an older NumPy, so it has an environment of its own, which `make bench` sets up. Both
programs are warmed up on tiny input (cblearn's sparse arrays are compiled too), then timed from
the array of triplets to the tree.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import ordlink as ol
from benchmarks.rows import Row
from benchmarks.run import Benchmark, Measured, MeasurementFailedError, Run
from benchmarks.timing import peak_mb, planted, ready, shortest

PROGRAM = Path(__file__).with_name("peer_program.py")


class Case(NamedTuple):
    """So many objects, and this share of all their triplets."""

    n_objects: int
    share: float


BAR = 5_000
"""At N = 40, so many times faster."""
BAR_AT = 40
CASES = (Case(20, 0.1), Case(40, 0.1), Case(40, 1.0), Case(60, 0.1))
QUICK_CASES = (Case(8, 1.0),)


def measure(path: str, n_objects: int) -> Measured:
    """Time ours on a file of triplets."""
    ready()
    rows = np.load(path)

    def tree() -> None:
        ol.cluster(ol.Comparisons.from_triplets(rows, n_objects=n_objects), "4-AL")

    tree()
    return {
        "seconds": shortest(tree, repeats=30),
        "peak_mb": peak_mb(),
        "n_triplets": len(rows),
    }


def all_triplets(n_objects: int, share: float) -> np.ndarray:
    """Return (i, j, k), i closer to j than to k in the planted model: a share of all there are."""
    w = planted(n_objects, depth=2)
    i, j, k = (axis.ravel() for axis in np.indices((n_objects,) * 3))
    true = (i != j) & (i != k) & (w[i, j] > w[i, k]) & (j != k)
    rows = np.stack([i, j, k], axis=1)[true]
    return rows[np.random.default_rng(0).random(len(rows)) < share].astype(np.int32)


def measure_peer(python: Path, files: Sequence[str]) -> list[float | None]:
    """Return the seconds of cblearn on each file, or say why it has none."""
    if not python.exists():
        raise MeasurementFailedError("cblearn is not installed")
    done = subprocess.run([python, "-I", PROGRAM, *files], capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise MeasurementFailedError(f"cblearn: {lines[-1]}")
    seconds: list[float | None] = json.loads(done.stdout.splitlines()[-1])
    return seconds


def _rows(run: Run) -> list[Row]:
    cases = [case for case in run.size(CASES, QUICK_CASES) if run.slow or case.n_objects <= BAR_AT]
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{number}.npy" for number in range(len(cases))]
        for case, file in zip(cases, files, strict=True):
            np.save(file, all_triplets(case.n_objects, case.share))
        ours = [
            run.measure(measure, path=file, n_objects=case.n_objects)
            for case, file in zip(cases, files, strict=True)
        ]
        peers: list[float | None] = [None] * len(cases)
        note = ""
        try:
            peers = measure_peer(run.peer_python, files)
        except MeasurementFailedError as failure:
            note = str(failure)
    return [_row(*figures, note) for figures in zip(cases, ours, peers, strict=True)]


def _row(case: Case, ours: Measured, peer: float | None, note: str) -> Row:
    times = peer / ours["seconds"] if peer else None
    has_bar = case.n_objects == BAR_AT
    return Row(
        f"peer-{case.n_objects}" + "-all" * (case.share == 1),
        f"4-AL, N={case.n_objects}, {ours['n_triplets']:,} triplets",
        ours["seconds"],
        "cblearn ComparisonHC",
        peer,
        times,
        "x faster",
        ours["peak_mb"],
        f"{BAR:,} x faster" if has_bar else "",
        times >= BAR if times is not None and has_bar else None,
        note,
    )


BENCHMARKS = [Benchmark("peer", _rows)]
