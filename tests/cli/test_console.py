"""Progress: a bar that moves while a step takes long, and none where nobody looks."""

from __future__ import annotations

import io
import sys
import threading

import pytest

from ordlink.cli import _console
from ordlink.cli._console import progress_bar


class Terminal(io.StringIO):
    """A stream that says it is a terminal, and tells whoever waits what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Condition()

    def write(self, text: str) -> int:
        with self.written:
            self.written.notify_all()
            return super().write(text)

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def quick_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_console, "PROGRESS_AFTER_SECONDS", 0.05)
    monkeypatch.setattr(_console, "TICK_SECONDS", 0.02)


PATIENCE = 60.0
"""How long to wait for what must come, in seconds; it comes within a few hundredths."""


def _wait_until_drawn(terminal: Terminal, at_least: int) -> None:
    """Return as soon as the bar was drawn so often."""
    with terminal.written:
        assert terminal.written.wait_for(
            lambda: terminal.getvalue().count("trees") >= at_least, PATIENCE
        )


def test_the_bar_is_drawn_again_and_again_during_a_single_step(monkeypatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_bar("first"):  # tqdm starts a thread of its own, which stays
        n_threads = threading.active_count() - 1

    with progress_bar("trees") as update:
        _wait_until_drawn(terminal, 3)
        update(1, 4)
        _wait_until_drawn(terminal, terminal.getvalue().count("trees") + 3)
        assert "1/4" in terminal.getvalue()

    assert threading.active_count() == n_threads


@pytest.mark.parametrize(("stream", "is_drawn"), [(Terminal(), True), (io.StringIO(), False)])
def test_no_bar_is_drawn_where_stderr_is_a_file(monkeypatch, stream, is_drawn: bool) -> None:
    monkeypatch.setattr(_console, "PROGRESS_AFTER_SECONDS", 0.0)  # on a terminal at once
    monkeypatch.setattr(sys, "stderr", stream)

    with progress_bar("trees") as update:
        update(1, 2)

    assert ("trees" in stream.getvalue()) == is_drawn
    assert is_drawn or stream.getvalue() == ""
