"""t-STE and FORTE: how long an embedding takes, and its accuracy beside cblearn's.

Both programs get the same triplets; both are judged by the share of these triplets that the
distances agree with. cblearn's FORTE needs PyTorch; where that is not installed its row says so.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import ordlink as ol
from benchmarks.rows import Row
from benchmarks.run import Benchmark, Measured, MeasurementFailedError, Run
from benchmarks.timing import peak_mb, planted, shortest
from ordlink.methods.embedding import embedding_similarity, forte_embedding, tste_embedding

PROGRAM = Path(__file__).with_name("peer_embeddings.py")
EMBEDDINGS = {"t-STE": tste_embedding, "FORTE": forte_embedding}
REPETITIONS = 3
"""Triplets are drawn so many times; accuracies and times are means."""
CLOSE = 0.002
"""Different minima of the same quality differ by less than this in accuracy."""


LIMITS = {"t-STE": 5, "FORTE": 10}
"""At most so many seconds for 5,000 triplets in two dimensions."""
NO_LIMITS: Mapping[str, float] = {}


class Case(NamedTuple):
    """Which similarities, how many triplets of them, the dimension, and a bar in seconds."""

    data: str
    n_triplets: int
    dimension: int
    limits: Mapping[str, float] = NO_LIMITS
    with_peer: bool = True


CASES = {
    "zoo-2": Case("zoo", 5_000, 2, LIMITS),
    "zoo-5": Case("zoo", 5_000, 5),
    "planted-2": Case("planted", 5_000, 2, LIMITS),
    "planted-5": Case("planted", 5_000, 5),
    "glass-2": Case("glass", 400_000, 2, with_peer=False),
    "glass-5": Case("glass", 400_000, 5, with_peer=False),
}


def similarities(data: str) -> np.ndarray:
    """Return cosine similarities of a bundled table, or those of the planted model."""
    if data == "planted":
        return planted(100)
    table = {"zoo": ol.datasets.load_zoo, "glass": ol.datasets.load_glass}[data]()
    return embedding_similarity(table.features)


def write_triplets(path: str, data: str, n_triplets: int, seed: int) -> Measured:
    """Draw triplets, in a process of its own."""
    w = similarities(data)
    np.save(path, ol.datasets.simulate_answers(w, n_triplets, seed=seed))
    return {"n_objects": len(w)}


def measure(path: str, method: str, dimension: int, n_objects: int, repeats: int) -> Measured:
    """Time from the array of triplets to the points, and judge these."""
    embed = EMBEDDINGS[method]
    triplets = np.load(path)
    embed(ol.Comparisons.from_triplets(triplets[:100], n_objects=n_objects), n_components=dimension)
    points: list[np.ndarray] = []

    def run() -> None:
        comparisons = ol.Comparisons.from_triplets(triplets, n_objects=n_objects)
        points.append(embed(comparisons, n_components=dimension).points)

    return {
        "seconds": shortest(run, repeats=repeats),
        "peak_mb": peak_mb(),
        "accuracy": accuracy(points[-1], triplets),
    }


def accuracy(points: np.ndarray, triplets: np.ndarray) -> float:
    """Return the share of the triplets (i, j, k) with i closer to j than to k."""
    i, j, k = (points[column] for column in triplets.T)
    return float(np.mean(np.sum((i - j) ** 2, axis=1) < np.sum((i - k) ** 2, axis=1)))


def measure_peer(
    python: Path, method: str, dimension: int, n_objects: int, files: list[str]
) -> Measured:
    """Return cblearn's seconds and accuracy, the means over files, or say why it has none."""
    if not python.exists():
        raise MeasurementFailedError("cblearn is not installed")
    words = [method, str(dimension), str(n_objects), *files]
    done = subprocess.run([python, "-I", PROGRAM, *words], capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise MeasurementFailedError(f"cblearn: {lines[-1]}")
    found = [accuracy(np.load(f"{file}.points.npy"), np.load(file)) for file in files]
    seconds = json.loads(done.stdout.splitlines()[-1])
    return {"seconds": float(np.mean(seconds)), "accuracy": float(np.mean(found))}


def _rows(run: Run, *, name: str, case: Case) -> list[Row]:
    n_triplets = run.size(case.n_triplets, 500)
    n_files = run.size(REPETITIONS if case.with_peer else 1, 1)
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{number}.npy" for number in range(n_files)]
        for seed, file in enumerate(files):
            drawn = run.measure(
                write_triplets, path=file, data=case.data, n_triplets=n_triplets, seed=seed
            )
        asked = {"dimension": case.dimension, "n_objects": drawn["n_objects"]}
        rows = []
        for method in EMBEDDINGS:
            ours = [
                run.measure(measure, path=file, method=method, repeats=run.size(3, 1), **asked)
                for file in files
            ]
            peer: Measured = {}
            note = ""
            try:
                if case.with_peer:
                    peer = measure_peer(run.peer_python, method, files=files, **asked)
            except MeasurementFailedError as failure:
                note = str(failure)
            work = (
                f"{method}, {case.data}, N={asked['n_objects']}, {n_triplets:,} triplets, "
                f"d={case.dimension}"
            )
            rows.append(_row(f"{method}-{name}", work, ours, peer, case.limits.get(method), note))
    return rows


def _row(
    name: str, work: str, ours: list[Measured], peer: Measured, limit: float | None, note: str
) -> Row:
    spent = float(np.mean([one["seconds"] for one in ours]))
    found = float(np.mean([one["accuracy"] for one in ours]))
    bars = {}
    if limit is not None:
        bars[f"{limit:g} s"] = spent <= limit
    if peer:
        bars["as accurate"] = found >= peer["accuracy"] - CLOSE
    return Row(
        name,
        f"{work}: {found:.1%} right",
        spent,
        f"cblearn: {peer['accuracy']:.1%} right" if peer else "",
        peer.get("seconds"),
        peer["seconds"] / spent if peer else None,
        "x faster",
        max(one["peak_mb"] for one in ours),
        ", ".join(bars),
        all(bars.values()) if bars else None,
        note,
        figures={"accuracy": found, "peer_accuracy": peer.get("accuracy")},
    )


BENCHMARKS = [
    Benchmark(f"embedding-{name}", partial(_rows, name=name, case=case))
    for name, case in CASES.items()
]
