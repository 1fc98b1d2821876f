"""Console output that commands share: progress, warnings, text that the terminal can show."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import click

from ordlink._typing import Progress
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy

PROGRESS_AFTER_SECONDS = 2.0
TICK_SECONDS = 1.0
"""Interval at which a bar is redrawn, so that its clock runs during a long step."""


@contextmanager
def progress_bar(description: str) -> Iterator[Progress]:
    """Show a bar on stderr after two seconds of work, if stderr is a terminal."""
    from tqdm import tqdm

    bar = tqdm(
        desc=description,
        total=1,
        file=sys.stderr,
        disable=None,
        delay=PROGRESS_AFTER_SECONDS,
        leave=False,
    )

    def update(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    with bar, _ticking(bar):
        yield update


@contextmanager
def _ticking(bar: Any) -> Iterator[None]:
    """Redraw a bar every second until the block ends."""
    ended = threading.Event()

    def tick() -> None:
        pause = PROGRESS_AFTER_SECONDS
        while not ended.wait(pause):
            bar.refresh()
            pause = TICK_SECONDS

    if bar.disable:
        yield
        return
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
    messages: dict[str, None] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("always", OrdlinkWarning)
        show_others = warnings.showwarning

        def keep(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
            if issubclass(category, OrdlinkWarning):
                messages[str(message)] = None
            else:
                show_others(message, category, *rest, **more)

        warnings.showwarning = keep
        try:
            yield
        finally:
            for text in messages:
                warn_in_a_line(text)


def warn_in_a_line(message: str) -> None:
    """Print a warning as a line on stderr."""
    click.echo(f"warning: {message}", err=True)


def for_terminal(text: str, plain: Callable[[], str]) -> str:
    """Return the text, or a plain one if the terminal cannot show all of its characters."""
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
