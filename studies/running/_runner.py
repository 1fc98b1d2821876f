"""Running the cells of an experiment on all cores, so that an interrupted run can resume."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path

from ordlink._processes import die_with_parent
from studies.running._experiment import Experiment, Parameters, cell_key, run_cell
from studies.running._store import Store

ONE_THREAD = (
    "ORDLINK_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""Variables that are 1 in the workers: there are as many processes as cores."""
SECONDS_BETWEEN_LINES = 60.0
"""How often progress is told where there is no terminal."""


@dataclass(frozen=True)
class Failure:
    """A cell that failed, and how: the last line names the error."""

    parameters: Parameters
    message: str

    def __str__(self) -> str:
        return f"{dict(self.parameters)}: {self.message.strip().splitlines()[-1]}"


@dataclass(frozen=True)
class RunSummary:
    """What a run did: cells in all, those run now, and those that failed."""

    n_cells: int
    n_run: int
    failures: tuple[Failure, ...]
    seconds: float


def run_cells(
    experiment: Experiment,
    folder: str | Path,
    *,
    n_processes: int | None = None,
    progress: bool = True,
) -> RunSummary:
    """Run the cells that are not finished yet, and save each result at once.

    Interrupted by Ctrl-C, kill -9 or loss of power, a run loses the cells in flight only; the
    next one resumes and ends with the same table (but for times). A cell that fails, or whose
    process dies, does not stop the others, and is tried again the next time.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    folder : path
        Where results are kept; made if missing.
    n_processes : int, optional
        Number of processes, each with one thread; by default all cores.
    progress : bool
        Show a bar on stderr, or write a line a minute where that is no terminal; the time left
        follows from `cost`.

    Returns
    -------
    RunSummary
        The results themselves: `load_results`.

    Raises
    ------
    InputError
        If the folder cannot be written, or another run is at work in it.
    """
    started = time.monotonic()
    store = Store(Path(folder), experiment.name, experiment.version)
    with store.held():
        finished = store.finished()
        todo = [cell for cell in experiment.cells if cell_key(cell) not in finished]
        todo.sort(key=experiment.cost)  # the last are taken first
        try:
            failures = _run_all(experiment, store, todo, n_processes or _n_cores(), shown=progress)
        finally:
            store.gather()
    seconds = time.monotonic() - started
    return RunSummary(len(experiment.cells), len(todo), tuple(failures), seconds)


def _run_all(
    experiment: Experiment, store: Store, todo: list[Parameters], n_processes: int, *, shown: bool
) -> list[Failure]:
    """Run the cells, from the last to the first; return those that failed."""
    failures: list[Failure] = []
    if todo:
        size = min(n_processes, len(todo))
        with _progress_bar(experiment, todo, shown=shown) as bar, _one_thread_each():
            for cell, error in _run_on_workers(experiment, store, list(todo), size):
                if error is not None:
                    failures.append(Failure(cell, error))
                bar(cell, len(failures))
    return failures


class _Worker:
    """A process that runs cells one after the other, and the pipe to it.

    Not a pool of joblib or concurrent.futures: there, one process that dies (out of memory) ends
    the whole run, whereas here it fails its own cell only.
    """

    def __init__(self, experiment: Experiment, store: Store) -> None:
        context = get_context("spawn")  # threads and BLAS do not survive a fork
        self.line, far_end = context.Pipe()
        arguments = (far_end, experiment, store)
        self.process = context.Process(target=_work, args=arguments, daemon=True)
        self.process.start()
        far_end.close()  # so that the line ends when the process does
        self.cell: Parameters = {}

    def start(self, cell: Parameters) -> None:
        self.cell = cell
        with suppress(OSError):  # it died meanwhile: `outcome` says so
            self.line.send(cell)

    def outcome(self) -> tuple[str | None, bool]:
        """Return how the cell failed, if it did, and whether the process lives."""
        try:
            error: str | None = self.line.recv()
            return error, True
        except (EOFError, ConnectionError):
            self.process.join()
            return f"its process died (exit code {self.process.exitcode}); out of memory?", False

    def stop(self) -> None:
        self.process.terminate()
        self.process.join()
        self.line.close()


def _run_on_workers(
    experiment: Experiment, store: Store, todo: list[Parameters], size: int
) -> Iterator[tuple[Parameters, str | None]]:
    """Yield each cell as it ends, with what went wrong; cells are taken from the end."""
    busy = {worker.line: worker for worker in (_Worker(experiment, store) for _ in range(size))}
    try:
        for worker in busy.values():
            worker.start(todo.pop())
        while busy:
            for line in wait(list(busy)):
                worker = busy.pop(line)  # type: ignore[call-overload]
                error, alive = worker.outcome()
                yield worker.cell, error
                if not todo:
                    worker.stop()
                    continue
                if not alive:
                    worker.stop()
                    worker = _Worker(experiment, store)
                busy[worker.line] = worker
                worker.start(todo.pop())
    finally:
        for worker in busy.values():
            worker.stop()


def _work(line: Connection, experiment: Experiment, store: Store) -> None:
    """Run cells as they come down the line, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the parent decides
    die_with_parent()
    while True:
        try:
            cell: Parameters = line.recv()
        except EOFError:
            return
        line.send(_run_and_save(experiment, store, cell))


def _run_and_save(experiment: Experiment, store: Store, cell: Parameters) -> str | None:
    started, cpu_started = time.monotonic(), time.process_time()
    try:
        rows = run_cell(experiment, cell)
        times = {
            "cell_seconds": round(time.monotonic() - started, 3),
            "cell_cpu_seconds": round(time.process_time() - cpu_started, 3),
        }
        store.save(cell_key(cell), [{**row, **times} for row in rows])
    except Exception:  # any: it is reported, and the other cells still run
        return traceback.format_exc()
    return None


def _n_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Set the variables that processes started now find; libraries read them when imported."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _progress_bar(
    experiment: Experiment, todo: list[Parameters], *, shown: bool
) -> Iterator[Callable[[Parameters, int], None]]:
    """Show the share of the cost that is done; its rate gives the time left.

    Where nobody looks at a terminal, a line is written now and then.
    """
    from tqdm import tqdm

    n_cells = len(experiment.cells)
    n_done = n_cells - len(todo)
    total = sum(experiment.cost(cell) for cell in todo)
    lines = _ProgressLines(experiment.name, total) if shown and not sys.stderr.isatty() else None
    bar = tqdm(
        total=total,
        desc=experiment.name,
        file=sys.stderr,
        disable=None if shown else True,
        smoothing=0,
        bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed} gone, {remaining} left{postfix}",
    )

    def update(cell: Parameters, n_failed: int) -> None:
        nonlocal n_done
        n_done += 1
        failed = f", {n_failed} failed" if n_failed else ""
        where = f"cell {n_done} of {n_cells}{failed}"
        bar.set_postfix_str(where, refresh=False)
        bar.update(experiment.cost(cell))
        if lines is not None:
            lines.update(experiment.cost(cell), where)

    with bar:
        yield update


class _ProgressLines:
    """A line on stderr now and then, for those who read a log."""

    def __init__(self, name: str, total: float) -> None:
        self.name, self.total, self.done = name, total, 0.0
        self.started = self.said = time.monotonic()

    def update(self, cost: float, where: str) -> None:
        self.done += cost
        now = time.monotonic()
        if now - self.said < SECONDS_BETWEEN_LINES or not self.done:
            return
        self.said = now
        minutes = (now - self.started) * (self.total / self.done - 1) / 60
        print(f"{self.name}: {where}, {minutes:.0f} minutes left", file=sys.stderr, flush=True)
