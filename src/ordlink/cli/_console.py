"""What all commands say in the same way: progress, warnings, text that the terminal can show."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import click

from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.typing import Progress

PROGRESS_AFTER_SECONDS = 2.0


@contextmanager
def progress_bar(description: str) -> Iterator[Progress]:
    """Show a bar on stderr once the work takes over two seconds; none where it is no terminal."""
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

    with bar:
        yield update


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Print ordlink's warnings as single lines on stderr, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OrdlinkWarning)
        try:
            yield
        finally:
            for message in dict.fromkeys(
                str(entry.message) for entry in caught if issubclass(entry.category, OrdlinkWarning)
            ):
                click.echo(f"warning: {message}", err=True)


def text_tree(tree: Hierarchy, n_clusters: int | None = None) -> str:
    """Return the text tree, in ASCII where the terminal cannot show box characters."""
    drawing = tree.to_text(n_clusters=n_clusters)
    try:
        drawing.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return tree.to_text(n_clusters=n_clusters, ascii=True)
    return drawing
