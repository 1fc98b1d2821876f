"""Bootstrap support on one core, two processes, two Dask workers: `python -m benchmarks.parallel`.

One worker of each kind is killed in the middle of a run of its own. All numbers must be the same.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import ordlink as ol
from ordlink._parallel import use_scheduler
from ordlink._threads import limit_threads


def support(
    comparisons: ol.ListedComparisons, tree: ol.Hierarchy, n_bootstrap: int, **how: Any
) -> np.ndarray:
    """Return the support of the branches of a tree of spectral."""
    how |= {"tree": tree, "n_bootstrap": n_bootstrap}
    return ol.validation.branch_support(comparisons, "spectral", **how).support


def timed(name: str, expected: np.ndarray | None, *given: Any, **how: Any) -> np.ndarray:
    """Print the seconds of a run, and whether its numbers are those of one core."""
    started = time.perf_counter()
    found = support(*given, **how)
    seconds = round(time.perf_counter() - started, 2)
    same = None if expected is None else bool(np.array_equal(found, expected))
    print(json.dumps({"run": name, "seconds": seconds, "same": same}), flush=True)
    return found


def children() -> list[int]:
    """Return the processes that this one started, directly or not, that run Python workers."""
    found, known = [], {os.getpid()}
    for _ in range(3):
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                words = (entry / "cmdline").read_bytes()
            except (OSError, IndexError, ValueError):
                continue
            process = int(entry.name)
            if parent in known and process not in known:
                known.add(process)
                if b"tracker" not in words:
                    found.append(process)
    return found


class KillOne:
    """A progress callback that kills one worker once a quarter of the samples is done."""

    def __init__(self, processes: list[int]) -> None:
        self.processes, self.killed = processes, 0

    def __call__(self, done: int, total: int) -> None:
        if not self.killed and done >= total // 4:
            self.killed = self.processes[-1]
            os.kill(self.killed, signal.SIGKILL)


def main() -> int:
    """Print a line for each run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parallel", description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    answers = ol.datasets.fetch_car().comparisons
    tree = ol.cluster(answers, "spectral")
    work = answers, tree, given.samples
    support(answers, tree, 2)  # compiles and loads
    with limit_threads(1):
        alone = timed("one core", None, *work, n_jobs=1)
    timed("two processes, with their start", alone, *work, n_jobs=2)
    timed("two processes", alone, *work, n_jobs=2)
    kill = KillOne(children())
    timed("two processes, one killed", alone, *work, n_jobs=2, progress=kill)
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        workers = [one.pid for one in cluster.workers.values()]
        with use_scheduler(cluster.scheduler_address):
            timed("two Dask workers, first", alone, *work)
            timed("two Dask workers", alone, *work)
            kill = KillOne(workers)
            timed("two Dask workers, one killed", alone, *work, progress=kill)
    return 0


if __name__ == "__main__":
    sys.exit(main())
