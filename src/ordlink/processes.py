"""Processes that do not outlive the one that started them, and leave Ctrl-C to it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process


def die_with_parent() -> None:
    """End this process as soon as its parent is gone, killed for instance, whatever it is doing."""
    threading.Thread(target=_wait_and_end, name="wait for the parent", daemon=True).start()


def _wait_and_end() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C for a moment; only the main thread may, and only it is interrupted.

    Processes that are started meanwhile ignore it until they say otherwise.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
