"""Tasks that a worker of a cluster dies of, or that fail."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def die_once(shared: tuple[Path, bytes], task: int) -> int:
    folder, ballast = shared
    flag = folder / "died"
    if task == 3 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return task * len(ballast)


def fail(shared: None, task: int) -> None:
    raise ValueError(f"task {task} fails")
