"""A worker whose task never ends: `python -m tests.collect.endless_worker`.

It prints the process id of the worker, and a line once it is at work.
"""

from __future__ import annotations

import multiprocessing
from typing import Any

from ordlink.collect import worker


class Endless:
    """Tasks that never end."""

    def __init__(self, *_: Any) -> None:
        pass

    def draw(self) -> None:
        print("at work", flush=True)
        while True:
            pass


def work(pipe: Any) -> None:
    """Be a worker with these tasks."""
    worker.StudyTasks = Endless  # type: ignore[assignment, misc]
    worker._work(pipe, "sqlite://", None)  # type: ignore[arg-type]


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    print(process.pid, flush=True)
    ours.send(("draw", (), {}))
    process.join(600)  # a worker that fails ends this process, and the test
