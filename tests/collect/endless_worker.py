"""A worker whose order never ends: `python -m tests.collect.endless_worker`.

It prints the number of the worker's process, and a line once that is at work.
"""

from __future__ import annotations

import multiprocessing
import time
from typing import Any

from ordlink.collect import worker


class Endless:
    """A bench that carries out its order for ever."""

    def __init__(self, *_: Any) -> None:
        pass

    def carry_out(self, _: Any) -> None:
        print("at work", flush=True)
        while True:
            pass


def work(pipe: Any) -> None:
    """Be a worker with this bench."""
    worker.Bench = Endless  # type: ignore[assignment, misc]
    worker._work(pipe, "sqlite://", None)  # type: ignore[arg-type]


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    print(process.pid, flush=True)
    ours.send("an order")
    time.sleep(600)
