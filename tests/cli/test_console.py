"""Progress: a bar that moves while a step takes long, and none where nobody looks."""

from __future__ import annotations

import importlib
import io
import os
import re
import subprocess
import sys
import threading

import click
import pytest

from ordlink.cli import _console
from ordlink.cli._console import progress_bar
from tests.waiting import PATIENCE


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


class Log(Terminal):
    """A file on stderr that tells when something was written."""

    def isatty(self) -> bool:
        return False


def _run_with(flags: list[str], stderr: Log, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a command with a long step, then 2 of 4 steps, prints on stderr."""
    monkeypatch.setattr(_console, "PROGRESS_AFTER_SECONDS", 0.01)
    monkeypatch.setattr(_console, "LINE_SECONDS", 0.01)
    monkeypatch.setattr(sys, "stderr", stderr)

    @click.command()
    @_console.progress_flag
    def command() -> None:
        with progress_bar("trees") as update:
            if _console.wants_lines():
                _wait_until_drawn(stderr, 1)
                update(2, 4)
                _wait_until_drawn(stderr, stderr.getvalue().count("trees") + 3)

    command.main(args=flags, standalone_mode=False)
    return stderr.getvalue()


def test_progress_is_written_as_lines_where_stderr_is_no_terminal(monkeypatch) -> None:
    lines = _run_with(["--progress"], Log(), monkeypatch).splitlines()

    assert re.fullmatch(r"trees: \d+ s so far", lines[0])
    assert re.fullmatch(r"trees: 2 of 4, about \d+ s left", lines[-1])


def test_without_the_flag_no_lines_are_written(monkeypatch) -> None:
    assert _run_with([], Log(), monkeypatch) == ""


@pytest.mark.parametrize(
    ("done", "total", "seconds", "line"),
    [
        (0, 0, 7.2, "trees: 7 s so far"),
        (1, 3, 10.0, "trees: 1 of 3, about 20 s left"),
        (1, 1000, 1.0, "trees: 1 of 1,000, about 17 min left"),
        (4, 4, 9.0, "trees: 4 of 4, about 0 s left"),
    ],
)
def test_lines_say_what_is_done_and_the_time_left(done, total, seconds, line) -> None:
    assert _console.progress_line("trees", done, total, seconds) == line


def test_work_that_cannot_say_how_far_it_is_has_an_expected_time() -> None:
    line = _console.progress_line

    assert line("reading a.csv", 0, 0, 3.0, expected=10.0) == "reading a.csv: about 7 s left"
    assert line("reading a.csv", 0, 0, 12.0, expected=10.0) == "reading a.csv: 12 s so far"


@pytest.mark.parametrize("name", ["cluster", "compare", "report", "plan", "plot"])
def test_long_commands_have_the_flag(name: str) -> None:
    command = importlib.import_module(f"ordlink.cli.{name}").command

    assert any("--progress" in option.opts for option in command.params)


def test_a_pipe_that_knows_few_letters_is_no_error(tmp_path):
    """On Windows, pipes have the letters of one region only."""
    rows = "anchor,closer,farther\ndög,熊,bee\n熊,dög,ant\nbee,ant,dög\n"
    (tmp_path / "answers.csv").write_text(rows, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "ordlink", "cluster", "answers.csv", "--method", "AddS-AL",
         "--form", "triplet"],
        cwd=tmp_path, capture_output=True, check=False,
        env=os.environ | {"PYTHONIOENCODING": "cp1252"},
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"ant" in done.stdout and b"?" in done.stdout
