"""Waiting for what must happen, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 120.0
"""Seconds after which a test gives up; what it waits for takes far less."""


def wait_until(happened: Callable[[], object], complaint: str = "it does not happen") -> None:
    """Return as soon as it has happened; fail after a long time."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, complaint
        time.sleep(0.01)
