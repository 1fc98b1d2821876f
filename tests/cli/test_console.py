"""Progress: a bar that moves while a step takes long, and none where nobody looks."""

from __future__ import annotations

import io
import sys
import threading
import time

import pytest

from ordlink.cli import _console
from ordlink.cli._console import progress_bar


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def quick_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_console, "PROGRESS_AFTER_SECONDS", 0.05)
    monkeypatch.setattr(_console, "TICK_SECONDS", 0.02)


def _drawn(terminal: io.StringIO, at_least: int) -> int:
    """Return how often the bar was drawn, once it was so often or two seconds have passed."""
    deadline = time.monotonic() + 2
    while terminal.getvalue().count("trees") < at_least and time.monotonic() < deadline:
        time.sleep(0.01)
    return terminal.getvalue().count("trees")


def test_the_bar_is_drawn_again_and_again_during_a_single_step(monkeypatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_bar("first"):  # tqdm starts a thread of its own, which stays
        n_threads = threading.active_count() - 1

    with progress_bar("trees") as update:
        assert _drawn(terminal, 3) >= 3
        update(1, 4)
        before = terminal.getvalue().count("trees")
        assert _drawn(terminal, before + 3) >= before + 3
        assert "1/4" in terminal.getvalue()

    assert threading.active_count() == n_threads


def test_no_bar_is_drawn_where_stderr_is_a_file(monkeypatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)

    with progress_bar("trees") as update:
        update(1, 2)
        time.sleep(0.15)

    assert file.getvalue() == ""
