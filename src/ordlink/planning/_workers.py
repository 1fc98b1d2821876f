"""Simulated runs on several processes; with one process, here and now."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeAlias

from ordlink.processes import deaf_to_interrupts, die_with_parent

Task: TypeAlias = tuple[Any, ...]
"""A function that can be imported by its name, and its arguments."""
Runner: TypeAlias = Callable[[Sequence[Task]], Iterator[Any]]
"""From tasks to their results, in the same order, each as soon as it is there."""


@contextmanager
def workers(n_processes: int) -> Iterator[Runner]:
    """Yield what runs tasks; the results do not depend on the number of processes."""
    if n_processes == 1:
        yield lambda tasks: (function(*arguments) for function, *arguments in tasks)
        return
    others = set(multiprocessing.active_children())
    # Threads do not survive a fork: the processes start afresh.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(n_processes, mp_context=context, initializer=_prepare)
    try:
        yield lambda tasks: _submit(pool, tasks)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    pool.shutdown()


def n_cores() -> int:
    """Return the number of cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _submit(pool: ProcessPoolExecutor, tasks: Sequence[Task]) -> Iterator[Any]:
    with deaf_to_interrupts():  # so are the processes that are started here
        return pool.map(_run, tasks)


def _run(task: Task) -> Any:
    function, *arguments = task
    return function(*arguments)


def _prepare() -> None:
    """Set up a process: one thread, deaf to Ctrl-C, no life without the parent, who ends it."""
    os.environ["ORDLINK_THREADS"] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
