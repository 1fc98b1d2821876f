"""Processes that do not outlive the one that started them, and leave Ctrl-C to it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from typing import Any, TypeAlias

Submit: TypeAlias = Callable[[Callable[..., Any], Sequence[Any]], list[Future[Any]]]
"""From a function that can be imported by its name, and one argument for each call, to futures."""


@contextmanager
def worker_pool(
    n_processes: int, prepare: Callable[..., None] | None = None, *arguments: Any
) -> Iterator[Submit]:
    """Yield what hands calls to processes of one thread each; they end with the block.

    If it ends by an error or Ctrl-C, nobody wants what is under way: the processes are ended.

    Parameters
    ----------
    n_processes : int
        Number of processes; they are started afresh, since threads and BLAS do not survive a fork.
    prepare : callable, optional
        Called with the arguments in each process, once.
    """
    others = set(active_children())
    pool = ProcessPoolExecutor(
        n_processes,
        mp_context=get_context("spawn"),
        initializer=_prepare,
        initargs=(prepare, arguments),
    )

    def submit(function: Callable[..., Any], tasks: Sequence[Any]) -> list[Future[Any]]:
        with interrupts_held_back():
            return [pool.submit(function, task) for task in tasks]

    try:
        yield submit
    except BaseException:
        for process in set(active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _prepare(prepare: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    """Set up a process: one thread, deaf to Ctrl-C, no life without the parent, who ends it."""
    os.environ["ORDLINK_THREADS"] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    if prepare is not None:
        prepare(*arguments)


def die_with_parent() -> None:
    """End this process as soon as its parent is gone, killed for instance, whatever it is doing."""
    threading.Thread(target=_wait_and_end, name="wait for the parent", daemon=True).start()


def _wait_and_end() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Let Ctrl-C wait until the end of the block; only the main thread is interrupted.

    Processes that are started meanwhile never hear of it. Where signals cannot wait (Windows), they
    are ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if hasattr(signal, "pthread_sigmask"):
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    else:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
