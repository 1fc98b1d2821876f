"""Console output that commands share: progress, warnings, text that the terminal can show."""

from __future__ import annotations

import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from typing import Any

import click

from ordlink._typing import Progress
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy

PROGRESS_AFTER_SECONDS = 2.0
TICK_SECONDS = 1.0  # a bar is redrawn so often, so that its clock runs during a long step
LINE_SECONDS = 5.0  # between two lines of --progress
_LINES = "ordlink.cli.progress"  # key of whether lines are wanted


def progress_flag(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --progress to a command: lines on stderr where it is not a terminal."""

    def keep(context: click.Context, _option: click.Parameter, given: bool) -> None:
        context.meta[_LINES] = given

    return click.option(
        "--progress",
        is_flag=True,
        expose_value=False,
        callback=keep,
        help="Print progress as lines, even if stderr is not a terminal (a log, a pipe).",
    )(function)


def wants_lines() -> bool:
    """Return whether --progress was given."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_LINES))


@contextmanager
def progress_bar(description: str, expected: float | None = None) -> Iterator[Progress]:
    """Show the progress on stderr after two seconds of work.

    On a terminal it is a bar with the time left; elsewhere, with --progress, a line now and then.
    For work that cannot say how far it is, `expected` is the estimated time in seconds.
    """
    if not sys.stderr.isatty():
        lines = _Lines(description, expected)
        with _ticking(lines.show, LINE_SECONDS) if wants_lines() else nullcontext():
            yield lines.update
        return
    from tqdm import tqdm

    total = 1 if expected is None else expected
    bar = tqdm(
        desc=description, total=total, file=sys.stderr, delay=PROGRESS_AFTER_SECONDS, leave=False
    )
    started = time.monotonic()
    if expected is not None:
        bar.bar_format = "{desc}: {percentage:3.0f}%|{bar}| about {remaining} left"

    def update(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    def tick() -> None:
        if expected is not None:  # never quite done before it is
            bar.n = min(time.monotonic() - started, 0.99 * expected)
        bar.refresh()

    with bar, _ticking(tick, TICK_SECONDS):
        yield update


@contextmanager
def stage_bars() -> Iterator[Any]:
    """Yield a function that opens the progress bar of a stage and closes the one before."""
    with ExitStack() as stack:

        def begin(name: str) -> Progress:
            stack.close()
            if not sys.stderr.isatty():
                click.echo(f"{name} ...", err=True)
            return stack.enter_context(progress_bar(name))

        yield begin


class _Lines:
    """The progress as lines: what is done, how much of it, and the time left."""

    def __init__(self, description: str, expected: float | None) -> None:
        self._description, self._started = description, time.monotonic()
        self._expected = expected
        self._done, self._total = 0, 0

    def update(self, done: int, total: int) -> None:
        self._done, self._total = done, total

    def show(self) -> None:
        seconds = time.monotonic() - self._started
        done, total = self._done, self._total
        click.echo(progress_line(self._description, done, total, seconds, self._expected), err=True)


def progress_line(
    description: str, done: int, total: int, seconds: float, expected: float | None = None
) -> str:
    """Return a line on work that has taken so many seconds, of as many as are expected.

    Examples
    --------
    >>> progress_line("support", 50, 200, 61)
    'support: 50 of 200, about 3 min left'
    >>> progress_line("reading answers.csv", 0, 0, 2, expected=10)
    'reading answers.csv: about 8 s left'
    """
    if not done and expected is not None and expected > seconds:
        return f"{description}: about {_duration(expected - seconds)} left"
    if not done:
        return f"{description}: {_duration(seconds)} so far"
    left = seconds * (total - done) / done
    return f"{description}: {done:,} of {total:,}, about {_duration(left)} left"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


@contextmanager
def _ticking(show: Callable[[], object], every: float) -> Iterator[None]:
    """Call a function after two seconds, and then regularly until the block ends."""
    ended = threading.Event()

    def tick() -> None:
        pause = PROGRESS_AFTER_SECONDS
        while not ended.wait(pause):
            show()
            pause = every

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        ended.set()
        ticker.join()


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Print ordlink's warnings as single lines on stderr, each once; others pass through."""
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", OrdlinkWarning)
            yield
    finally:
        ours = {
            str(one.message): None for one in caught if issubclass(one.category, OrdlinkWarning)
        }
        for text in ours:
            warn_in_a_line(text)
        for one in caught:
            if not issubclass(one.category, OrdlinkWarning):
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def warn_in_a_line(message: str) -> None:
    """Print a warning as a line on stderr."""
    click.echo(f"warning: {message}", err=True)


def for_terminal(text: str, plain: Callable[[], str]) -> str:
    """Return the text, or an ASCII version if the terminal cannot show all characters."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return plain()
    return text


def text_tree(
    tree: Hierarchy, n_clusters: int | None = None, *, min_support: float | None = None
) -> str:
    """Return the text tree, in ASCII if the terminal cannot show box characters."""
    draw = partial(tree.to_text, n_clusters=n_clusters, min_support=min_support)
    return for_terminal(draw(), partial(draw, ascii=True))
