"""Processes that do not outlive the one that started them."""

from __future__ import annotations

import os
import threading
from multiprocessing import parent_process


def die_with_parent() -> None:
    """End this process as soon as its parent is gone, killed for instance, whatever it is doing."""
    threading.Thread(target=_wait_and_end, name="wait for the parent", daemon=True).start()


def _wait_and_end() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
