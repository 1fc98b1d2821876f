"""Simulated runs on several processes; with one process, here and now."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from ordlink._processes import worker_pool

Task: TypeAlias = tuple[Any, ...]
"""A function that can be imported by its name, and its arguments."""
Runner: TypeAlias = Callable[[Sequence[Task]], Iterator[Any]]
"""From tasks to their results, in the same order, each as soon as it is there."""


@contextmanager
def workers(n_jobs: int) -> Iterator[Runner]:
    """Yield what runs tasks; the results do not depend on the number of processes."""
    if n_jobs == 1:
        yield lambda tasks: (function(*arguments) for function, *arguments in tasks)
        return
    with worker_pool(n_jobs) as submit:
        yield lambda tasks: (future.result() for future in submit(_run, tasks))


def n_cores() -> int:
    """Return the number of cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run(task: Task) -> Any:
    function, *arguments = task
    return function(*arguments)
