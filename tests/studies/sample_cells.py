"""Small experiments for the tests; other processes import them from here."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

from studies.running import Experiment, run_cells, seed_of
from tests.waiting import wait_until

GATE = "SAMPLE_CELLS_WAIT_FOR"
"""A file that later cells wait for, so that a run can be interrupted halfway."""


def draw(*, size: int, repetition: int) -> list[dict]:
    """Return a number that depends on the seed alone."""
    rng = np.random.default_rng(seed_of("numbers", size=size, repetition=repetition))
    gate = os.environ.get(GATE)
    if gate and repetition < 20:  # the last cells are run first
        wait_until(Path(gate).exists)
    return [
        {"method": "mean", "value": float(rng.random(size).mean())},
        {"method": "threads", "value": float(os.environ["OMP_NUM_THREADS"] == "1")},
    ]


def clock(*, size: int) -> list[dict]:
    """Return when the cell ran."""
    return [{"clock": time.monotonic()}]


def linger(*, marker: str) -> list[dict]:
    """Say that the cell has started, and take a minute."""
    Path(marker).touch()
    time.sleep(60)
    return [{"value": 1}]


def fail_on_odd(*, number: int, mended: str) -> list[dict]:
    """Fail on odd numbers until the file `mended` exists; kill the process on 5."""
    if number % 2 and not Path(mended).exists():
        if number == 5:
            os._exit(3)
        raise ValueError(f"{number} is odd")
    return [{"value": number}]


def sample(n_cells: int = 40) -> Experiment:
    """Return an experiment of quick cells."""
    cells = tuple({"size": 3 + i % 2, "repetition": i} for i in range(n_cells))
    return Experiment("sample", 1, draw, cells)


if __name__ == "__main__":
    folder, marker = sys.argv[1:]
    lingering = Experiment("lingering", 1, linger, ({"marker": marker},))
    run_cells(lingering if marker else sample(), folder, n_processes=2, progress=False)
