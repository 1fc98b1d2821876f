"""Drawing, writing and reading comparisons."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

import ordlink as ol
from benchmarks.rows import Row
from benchmarks.run import Benchmark, Measured, Run
from benchmarks.timing import against_passes, drawn, peak_mb, planted, ready, seconds, shortest

N_OBJECTS, N_QUICK = 240, 32
PROPORTION = 0.1
N_TRIPLETS = 1_000_000
SAMPLING_BAR, READING_BAR, CSV_BAR = 4, 8, 2
"""At most so many passes, passes, and seconds."""


def measure_sampling(n_objects: int) -> Measured:
    """Time the draw of a tenth of all comparisons."""
    ready()
    similarities = planted(n_objects)
    last: list[ol.ListedComparisons] = []

    def sample() -> None:
        last.clear()
        last.append(drawn(similarities, PROPORTION))

    return against_passes(sample, lambda: last[0])


def write_parquet(path: str, n_objects: int) -> Measured:
    """Write our own Parquet file, in a process of its own: reading is not to be charged for it."""
    ready()
    comparisons = drawn(planted(n_objects), PROPORTION)
    writing = seconds(lambda: ol.write_comparisons(comparisons, path))
    return {"writing": writing, "file_mb": Path(path).stat().st_size / 1e6}


def measure_parquet(path: str) -> Measured:
    """Time the way back from our own Parquet file."""
    ready()
    read: list[ol.ListedComparisons] = []

    def read_back() -> None:
        read.clear()
        read.append(ol.read_comparisons(path))

    return against_passes(read_back, lambda: read[0])


def write_csv(path: str, n_rows: int, named: bool) -> Measured:
    """Write random triplets of 1,000 objects, as numbers or as names."""
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, 1000, n_rows), rng.integers(1, 1000, n_rows)
    k = (j + rng.integers(1, 999, n_rows) - 1) % 999 + 1  # j and k are steps from i, and differ
    rows = np.stack([i, (i + j) % 1000, (i + k) % 1000], axis=1)
    pattern = "picture %d,picture %d,picture %d\n" if named else "%d,%d,%d\n"
    with Path(path).open("w", encoding="utf-8") as file:
        file.write("anchor,closer,farther\n")
        file.writelines(pattern % tuple(row) for row in rows.tolist())
    return {}


def measure_csv(path: str) -> Measured:
    """Time a file of triplets, and Arrow alone on the same file."""
    import pyarrow.csv

    ready()
    spent = shortest(lambda: ol.read_comparisons(path, form="triplet"))
    peak = peak_mb()
    return {
        "seconds": spent,
        "peak_mb": peak,
        "arrow": shortest(lambda: pyarrow.csv.read_csv(path)),
    }


def _sampling(run: Run) -> list[Row]:
    measured = run.measure(measure_sampling, n_objects=run.size(N_OBJECTS, N_QUICK))
    work = f"draw {measured['n_comparisons']:,} comparisons"
    return [_row_of_passes("sampling", work, measured, SAMPLING_BAR)]


def _parquet(run: Run) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/comparisons.parquet"
        written = run.measure(write_parquet, path=path, n_objects=run.size(N_OBJECTS, N_QUICK))
        measured = run.measure(measure_parquet, path=path)
    work = f"read {measured['n_comparisons']:,} comparisons from Parquet"
    return [_row_of_passes("parquet", work, measured, READING_BAR, written)]


def _row_of_passes(
    name: str, work: str, measured: Measured, limit: int, figures: Measured | None = None
) -> Row:
    met = measured["passes"] <= limit
    row = Row.of_passes(name, work, measured, f"{limit} passes", met=met)
    return replace(row, figures={**row.figures, **(figures or {})})


def _csv(run: Run, *, name: str, named: bool) -> list[Row]:
    n_rows = run.size(N_TRIPLETS, 2_000)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/triplets.csv"
        run.measure(write_csv, path=path, n_rows=n_rows, named=named)
        measured = run.measure(measure_csv, path=path)
    return [
        Row(
            name,
            f"read {n_rows:,} triplets of {'names' if named else 'numbers'} from CSV",
            measured["seconds"],
            "Arrow alone",
            measured["arrow"],
            measured["seconds"] / measured["arrow"],
            "x Arrow",
            measured["peak_mb"],
            f"{CSV_BAR} s",
            measured["seconds"] <= CSV_BAR,
        )
    ]


BENCHMARKS = [
    Benchmark("sampling", _sampling),
    Benchmark("parquet", _parquet),
    Benchmark("csv", partial(_csv, name="csv", named=False)),
    Benchmark("csv-names", partial(_csv, name="csv-names", named=True)),
]
