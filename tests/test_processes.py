"""Processes end with whoever started them, and Ctrl-C is for that one alone."""

from __future__ import annotations

import os
import signal
import threading
import time
from multiprocessing import active_children
from pathlib import Path

import pytest

from ordlink._processes import interrupts_held_back, worker_pool


def test_ctrl_c_waits_until_the_processes_are_started() -> None:
    reached = []

    with pytest.raises(KeyboardInterrupt), interrupts_held_back():
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        reached.append("the end of the block")

    assert reached
    with pytest.raises(KeyboardInterrupt):  # and is heard again at once
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        time.sleep(5)


def test_what_is_under_way_is_ended_by_an_interrupt() -> None:
    others = set(active_children())
    started = time.monotonic()

    with pytest.raises(KeyboardInterrupt), worker_pool(2) as submit:
        futures = submit(time.sleep, [0, 0, 300, 300, 300])
        futures[0].result()
        raise KeyboardInterrupt

    assert time.monotonic() - started < 100
    assert not [one for one in set(active_children()) - others if one.is_alive()]


def test_each_process_is_prepared_and_calls_keep_their_order(tmp_path: Path) -> None:
    with worker_pool(2, os.chdir, tmp_path) as submit:
        found = [future.result() for future in submit(os.path.abspath, ["a", "b", "c"])]

    assert found == [str(tmp_path / name) for name in ("a", "b", "c")]
