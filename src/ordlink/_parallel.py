"""Tasks on several processes, by joblib: its backends (loky, Dask, Ray) are the user's choice."""

from __future__ import annotations

import os
import pickle
import uuid
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from ordlink._processes import die_with_parent
from ordlink._typing import Progress
from ordlink._validate import check_whole_number
from ordlink.errors import InputError

Result = TypeVar("Result")


def check_n_jobs(n_jobs: Any) -> int | None:
    """Return a number of processes for joblib: -1 is all cores, None is joblib's configuration."""
    if n_jobs is None:
        return None
    number = check_whole_number(n_jobs, "n_jobs", lowest=-(2**31))
    if number == 0:
        raise InputError("expected at least 1, or -1 for all cores, got 0", parameter="n_jobs")
    return number


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
    ends the workers. `progress` is called with (tasks done, total tasks), first with 0 done.
    """
    from joblib import Parallel, delayed  # type: ignore[import-untyped]
    from joblib.parallel import get_active_backend  # type: ignore[import-untyped]

    in_steps = get_active_backend()[0].supports_return_generator
    parallel = Parallel(n_jobs=n_jobs, return_as="generator" if in_steps else "list")
    for_all, parent = _Shared(shared), os.getpid()
    report = progress or (lambda _done, _total: None)
    report(0, len(tasks))
    results: list[Result] = []
    for result in parallel(delayed(_run)(function, for_all, task, parent) for task in tasks):
        results.append(result)
        report(len(results), len(tasks))
    return results


def _run(
    function: Callable[..., Result], shared: _Shared, task: tuple[Any, ...], parent: int
) -> Result:
    if os.getpid() == parent:  # one job, or threads
        return function(shared.value, *task)
    if os.getppid() == parent and parent not in _watched:  # loky's workers would outlive it
        _watched.add(parent)
        die_with_parent()
    before = os.environ.get("ORDLINK_THREADS")
    os.environ["ORDLINK_THREADS"] = "1"
    try:
        return function(shared.value, *task)
    finally:
        if before is None:
            del os.environ["ORDLINK_THREADS"]
        else:
            os.environ["ORDLINK_THREADS"] = before


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
