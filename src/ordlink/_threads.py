"""Kernels on several threads: they release the GIL, so plain threads are enough."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from typing import Any, TypeVar

from ordlink._typing import Progress
from ordlink.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")

_LIMIT: ContextVar[int | None] = ContextVar("ordlink_threads", default=None)


@contextmanager
def limit_threads(n_jobs: int | None) -> Iterator[None]:
    """Use this number of threads in the block, -1 for one per core; None changes nothing."""
    if n_jobs is None:
        yield
        return
    from joblib import effective_n_jobs  # type: ignore[import-untyped]

    before = _LIMIT.set(effective_n_jobs(n_jobs))
    try:
        yield
    finally:
        _LIMIT.reset(before)


def n_cores() -> int:
    """Return the number of cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def n_threads() -> int:
    """Return how many threads to use: ORDLINK_THREADS, or the cores this process may run on."""
    limit = _LIMIT.get()
    given = None if limit else os.environ.get("ORDLINK_THREADS")
    if not given:
        return limit or n_cores()
    try:
        number = int(given)
    except ValueError:
        number = 0
    if number < 1:
        problem = f"expected a whole number of at least 1, got {given!r}"
        remedy = "unset it to use every core"
        raise InputError(problem, where="environment variable ORDLINK_THREADS", remedy=remedy)
    return number


def _pool(size: int) -> ThreadPoolExecutor:
    # A forked child inherits the pools of its parent without their threads: it needs its own.
    return _pool_of_process(size, os.getpid())


@cache
def _pool_of_process(size: int, process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(size, thread_name_prefix="ordlink")


def split_range(n_items: int, *, smallest: int = 1) -> list[slice]:
    """Return slices that cover 0..n_items, one per thread, of at least `smallest` items."""
    size = max(1, min(n_threads(), n_items // max(1, smallest)))
    edges = [n_items * part // size for part in range(size + 1)]
    return [slice(edges[part], edges[part + 1]) for part in range(size)]


def run_parts(work: Callable[[int], object], n_parts: int) -> None:
    """Call work(0), ..., work(n_parts - 1) on threads; no two may write to the same place."""
    if n_parts == 1:
        work(0)
        return
    for running in [_pool(n_parts).submit(work, part) for part in range(n_parts)]:
        running.result()


def in_threads(work: Callable[[int, int], object], n_items: int, *, smallest: int = 1) -> None:
    """Call work(first, last) on ranges that cover 0..n_items, one range per thread."""
    parts = split_range(n_items, smallest=smallest)
    run_parts(lambda part: work(parts[part].start, parts[part].stop), len(parts))


def map_threads(
    work: Callable[[Item], Result], items: Sequence[Item], progress: Progress | None = None
) -> list[Result]:
    """Return work(item) of each item, several at once, each on one thread; in their order.

    `progress` is called with the number of items done, and of all.
    """
    n_workers = min(n_threads(), len(items))

    def alone(item: Item) -> Result:
        with limit_threads(1):
            return work(item)

    with ThreadPoolExecutor(n_workers) if n_workers > 1 else nullcontext() as pool:
        running = [pool.submit(alone, item) for item in items] if pool else []
        found = []
        try:
            for number, item in enumerate(items):
                found.append(running[number].result() if pool else work(item))
                if progress is not None:
                    progress(number + 1, len(items))
        except BaseException:
            for waiting in running:
                waiting.cancel()
            raise
    return found


def one_ahead(draw: Callable[[], Item], *, worthwhile: bool) -> Iterator[Item]:
    """Yield draw(), draw(), ... in order, each computed while the previous one is in use."""
    if not worthwhile or n_threads() == 1:
        while True:
            yield draw()
    waiting = _pool(1).submit(draw)
    while True:
        item = waiting.result()
        waiting = _pool(1).submit(draw)
        yield item


class _BlasLimit:
    """The one limit on BLAS threads of this process: the first user sets it, the last resets it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_users = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        import scipy.linalg  # noqa: F401 - only libraries that are loaded can be limited
        from threadpoolctl import threadpool_limits

        with self._lock:
            if self._n_users == 0:
                self._limit = threadpool_limits(1, user_api="blas")
            self._n_users += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._n_users -= 1
            if self._n_users == 0:
                self._limit.restore_original_limits()


_BLAS_LIMIT = _BlasLimit()


def one_blas_thread() -> AbstractContextManager[None]:
    """Run linear algebra on one thread, so that sums are the same on any number of cores."""
    return _BLAS_LIMIT
