"""A billion comparisons in a folder of Parquet files: `python -m benchmarks.billion FOLDER`."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

N_OBJECTS = 5_000
ROWS_PER_FILE = 20_000_000
ROWS_PER_GROUP = 2_000_000
DEPTH = 4


def write_file(path: Path, n_rows: int, seed: int) -> None:
    """Write triplets about objects in 16 planted clusters, 10 % of them wrong."""
    rng = np.random.default_rng(seed)
    schema = pa.schema([(name, pa.uint16()) for name in ("anchor", "closer", "farther")])
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(0, n_rows, ROWS_PER_GROUP):
            i, j, k = draw_triplets(rng, ROWS_PER_GROUP)
            writer.write_table(pa.table([pa.array(one) for one in (i, j, k)], schema=schema))


def draw_triplets(rng: np.random.Generator, n_rows: int) -> tuple[np.ndarray, ...]:
    """Return triplets of different objects; 90 % follow the planted tree."""
    i = rng.integers(0, N_OBJECTS, n_rows, dtype=np.uint16)
    j = (i + rng.integers(1, N_OBJECTS, n_rows, dtype=np.uint16)) % N_OBJECTS
    k = (i + rng.integers(1, N_OBJECTS - 1, n_rows, dtype=np.uint16)) % N_OBJECTS
    k = np.where(k == j, (i + N_OBJECTS - 1) % N_OBJECTS, k).astype(np.uint16)
    j = np.where(k == j, (i + 1) % N_OBJECTS, j).astype(np.uint16)
    k = np.where(k == j, (i + 2) % N_OBJECTS, k).astype(np.uint16)
    apart_j, apart_k = (_apart(i % 2**DEPTH, other % 2**DEPTH) for other in (j, k))
    swap = (apart_j > apart_k) ^ (rng.random(n_rows, dtype=np.float32) < 0.1)
    return i, np.where(swap, k, j), np.where(swap, j, k)


def _apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return how many levels up two clusters meet."""
    return np.ceil(np.log2((one ^ other).astype(np.float32) + 1)).astype(np.int8)


def make(folder: Path, n_rows: int) -> None:
    """Write the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(n_rows // ROWS_PER_FILE):
        path = folder / f"answers-{number:03}.parquet"
        if not path.exists():
            part = path.with_suffix(".part")
            write_file(part, ROWS_PER_FILE, number)
            part.rename(path)
            print(path, flush=True)


def measure(words: list[str]) -> dict[str, float]:
    """Return seconds and peak memory of a command of ordlink."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "ordlink", *words], stdout=subprocess.DEVNULL)
    process.wait()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024**2
    return {"seconds": round(time.perf_counter() - started, 1), "peak_gb": round(peak, 2)}


def main() -> int:
    """Make the files if need be, and print times and memory of describe and AddS-AL."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.billion", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000_000)
    parser.add_argument("--only-make", action="store_true")
    given = parser.parse_args()
    make(given.folder, given.rows)
    if given.only_make:
        return 0
    for words in (["describe"], ["cluster", "--method", "AddS-AL"]):
        found = measure([words[0], str(given.folder), *words[1:]])
        print(json.dumps({"command": " ".join(words), **found}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
