"""Simulated runs on several processes."""

from __future__ import annotations

import signal

from ordlink.planning._workers import workers


def test_processes_leave_ctrl_c_to_whoever_started_them() -> None:
    """It reaches all processes of a terminal; each of them would print a traceback."""
    before = signal.getsignal(signal.SIGINT)

    with workers(2) as run:
        found = list(run([(signal.getsignal, signal.SIGINT)] * 4))

    assert found == [signal.SIG_IGN] * 4
    assert signal.getsignal(signal.SIGINT) == before
