"""Tasks on several processes, by joblib: its backends (loky, Dask, Ray) are the user's choice."""

from __future__ import annotations

import os
import pickle
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import numpy as np

from ordlink._processes import die_with_parent
from ordlink._threads import limit_threads, map_threads, one_blas_thread
from ordlink._typing import Progress
from ordlink._validate import check_whole_number
from ordlink.errors import InputError, WorkerError

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST_DEATHS = 3  # of workers in succession, without a new result, before the work is given up
SMALLEST_FILE = "10K"  # larger arrays reach workers by a file that they map
DEATHS = frozenset(  # errors of backends if a worker died; Dask cancels what needs its data
    ["BrokenExecutor", "KilledWorker", "CancelledError", "FutureCancelledError", "RayError"]
)


def check_n_jobs(n_jobs: Any) -> int | None:
    """Return a number of processes for joblib: -1 is all cores, None is joblib's configuration."""
    if n_jobs is None:
        return None
    number = check_whole_number(n_jobs, "n_jobs", lowest=-(2**31))
    if number == 0:
        raise InputError("expected at least 1, or -1 for all cores, got 0", parameter="n_jobs")
    return number


def in_processes(n_jobs: int | None) -> bool:
    """Return whether work is sent elsewhere: to several processes, or to a cluster."""
    if n_jobs is None and "joblib" not in sys.modules:  # nobody can have configured it
        return False
    from joblib import effective_n_jobs  # type: ignore[import-untyped]
    from joblib.parallel import get_active_backend  # type: ignore[import-untyped]

    return hasattr(get_active_backend()[0], "client") or effective_n_jobs(n_jobs) > 1


def run_tasks(
    function: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    *,
    n_jobs: int | None,
    shared: Any = None,
    progress: Progress | None = None,
) -> list[Result]:
    """Return ``function(shared, *task)`` for each task, in order, on any number of processes.

    Processes import the function by its module name, and each receives `shared` once. Workers
    run single-threaded kernels; with one job everything runs in this process. An error or Ctrl-C
    ends the workers. If a worker dies, the tasks whose results are missing run again.
    `progress` is called with (tasks done, total tasks), first with 0 done.
    """
    report = progress or (lambda _done, _total: None)
    report(0, len(tasks))
    for_all = _Shared(shared)
    results: list[Result] = []
    n_deaths = 0
    while len(results) < len(tasks):
        n_before = len(results)
        rest = [(function, for_all, task, os.getpid()) for task in tasks[n_before:]]
        coming = _start(rest, for_all, n_jobs)
        while len(results) < len(tasks):
            try:
                result = next(coming)
            except _TaskError as failed:
                raise failed.error from failed.__cause__
            except Exception as error:
                n_deaths = n_deaths + 1 if len(results) == n_before else 1
                if not _is_death(error):
                    raise
                if n_deaths == MOST_DEATHS:
                    raise _given_up() from error
                break
            results.append(result)
            report(len(results), len(tasks))
    return results


def map_tasks(
    function: Callable[[Item], Result], items: Sequence[Item], progress: Progress | None = None
) -> list[Result]:
    """Return function(item) of each item, in order: in processes if joblib is so configured.

    Otherwise on threads. Each process receives the function and the items once.
    """
    if not in_processes(None):
        return map_threads(function, items, progress)
    shared = function, items
    places = [(place,) for place in range(len(items))]
    report = None if progress is None else lambda done, total: done and progress(done, total)
    return run_tasks(_apply, places, n_jobs=None, shared=shared, progress=report)


def _apply(shared: tuple[Callable[[Item], Result], Sequence[Item]], place: int) -> Result:
    function, items = shared
    return function(items[place])


@contextmanager
def use_jobs(n_jobs: int | None) -> Iterator[None]:
    """Make a number of processes joblib's configuration in the block; None changes nothing."""
    if check_n_jobs(n_jobs) is None:
        yield
        return
    from joblib import parallel_config

    with parallel_config(n_jobs=n_jobs):
        yield


@contextmanager
def use_scheduler(address: str | None) -> Iterator[None]:
    """Send the tasks of the block to the Dask cluster of this scheduler, if one is given."""
    if address is None:
        yield
        return
    try:
        from distributed import Client  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        problem, remedy = "Dask is not installed", "install it with pip install 'ordlink[dask]'"
        raise InputError(problem, parameter="scheduler", remedy=remedy) from error
    from joblib import parallel_config

    try:
        client = Client(address, timeout=10)  # type: ignore[no-untyped-call, unused-ignore]
    except (OSError, TimeoutError, ValueError) as error:
        problem = f"no Dask scheduler answers at {address}"
        remedy = "start one with 'dask scheduler' and pass its address, such as tcp://host:8786"
        raise InputError(problem, parameter="scheduler", remedy=remedy) from error
    with client, parallel_config(backend="dask", wait_for_workers_timeout=60):
        yield


def _start(calls: list[tuple[Any, ...]], for_all: _Shared, n_jobs: int | None) -> Iterator[Any]:
    """Yield the results of calls of `_run` as joblib's active backend computes them."""
    from joblib import Parallel, delayed, parallel_config
    from joblib.parallel import get_active_backend

    backend = get_active_backend()[0]
    how = {"return_as": "generator" if backend.supports_return_generator else "list"}
    with ExitStack() as stack:
        if hasattr(backend, "data_futures"):  # Dask: each worker gets a copy before the work
            again = type(backend)(
                client=backend.client,
                scatter=[for_all],
                wait_for_workers_timeout=backend.wait_for_workers_timeout,
                **backend.submit_kwargs,
            )
            stack.enter_context(parallel_config(again))
        parallel = Parallel(n_jobs=n_jobs, max_nbytes=SMALLEST_FILE, **how)
        coming = parallel(delayed(_run)(*call) for call in calls)
    yield from coming


def _is_death(error: Exception) -> bool:
    """Return whether the error says that a worker died."""
    return not DEATHS.isdisjoint(kind.__name__ for kind in type(error).__mro__)


def _given_up() -> WorkerError:
    problem = f"worker processes died {MOST_DEATHS} times; most often memory ran out"
    return WorkerError(problem, remedy="use a smaller {n_jobs}")


class _TaskError(Exception):
    """An error of a task, as opposed to those of workers and their backend."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


def _run(
    function: Callable[..., Result], shared: _Shared, task: tuple[Any, ...], parent: int
) -> Result:
    try:
        with one_blas_thread():
            if os.getpid() == parent:  # one job, or threads
                return function(shared.value, *task)
            return _run_elsewhere(function, shared, task, parent)
    except Exception as error:
        raise _TaskError(error) from None


def _run_elsewhere(
    function: Callable[..., Result], shared: _Shared, task: tuple[Any, ...], parent: int
) -> Result:
    from joblib import parallel_config

    if os.getppid() == parent and parent not in _watched:  # loky's workers would outlive it
        _watched.add(parent)
        die_with_parent()
    with limit_threads(1), parallel_config("sequential", n_jobs=1):
        return function(shared.value, *task)


class _Shared:
    """A value that is pickled once, and unpickled once in each process."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self._key = uuid.uuid4().hex
        self._pickled: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        if self._pickled is None:  # an array: joblib writes large ones to a file that workers map
            self._pickled = np.frombuffer(pickle.dumps(self.value), dtype=np.uint8)
        return _unpickle, (self._key, self._pickled)


_watched: set[int] = set()  # in a worker, the parent that it ends with
_unpickled: dict[str, _Shared] = {}  # in a worker, what its last tasks shared


def _unpickle(key: str, pickled: Any) -> _Shared:
    if key not in _unpickled:
        _unpickled.clear()
        _unpickled[key] = _Shared(pickle.loads(pickled))
    return _unpickled[key]
