"""Answers larger than memory, read in pieces: Parquet files and folders of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from ordlink._memory import available_memory, in_gb
from ordlink._typing import Progress
from ordlink.cli._console import progress_bar
from ordlink.comparisons import ListedComparisons
from ordlink.hierarchy import Hierarchy
from ordlink.io import parquet_rows, read_in_chunks, read_names
from ordlink.methods.adds import cluster_chunks

BYTES_PER_ROW = 50  # of comparisons that are read as a whole, sorted and counted
ROWS_PER_PIECE = 1_000_000


def rows_beyond_memory(answers: Sequence[str]) -> int:
    """Return the number of rows of Parquet files if they do not fit into memory, otherwise 0."""
    if "-" in answers:
        return 0
    n_rows = parquet_rows(answers)
    n_bytes = BYTES_PER_ROW * n_rows
    if n_bytes <= available_memory():
        return 0
    click.echo(
        f"{n_rows:,} rows would need about {in_gb(n_bytes)} of memory: they are read in pieces, "
        "and repeated answers count by net count",
        err=True,
    )
    return n_rows


def cluster_pieces(
    answers: Sequence[str],
    n_rows: int,
    method: str,
    needing: dict[str, Any],
    reading: dict[str, Any],
) -> Hierarchy:
    """Return the tree of AddS-AL; refuse other methods, and options that need all answers."""
    if method != "AddS-AL":
        raise click.UsageError(f"{method} needs answers that fit into memory; use --method AddS-AL")
    for option, given in needing.items():
        if given:
            raise click.UsageError(f"{option} needs answers that fit into memory")
    with progress_bar("reading") as progress:
        return cluster_chunks(read_pieces(answers, n_rows, progress, **reading))


def read_pieces(
    answers: Sequence[str],
    n_rows: int,
    progress: Progress,
    *,
    names: str | None,
    skip_repeated: bool | None,
    missing: str | None,
    merge_names: bool | None,
    corrections: str | None,
    columns: str | None,
    **reading: Any,
) -> Iterator[ListedComparisons]:
    """Yield the comparisons in Parquet files, piece by piece."""
    unsupported = {
        "--merge-names": merge_names,
        "--corrections": corrections,
        "--items": reading.pop("items", None),
        "--response": reading.pop("response", None),
        "--reference": reading.pop("reference", None),
    }
    for option, given in unsupported.items():
        if given:
            raise click.UsageError(f"{option} needs answers that fit into memory; convert them")
    done = 0
    for piece in read_in_chunks(
        list(answers),
        rows_per_chunk=ROWS_PER_PIECE,
        names=None if names is None else read_names(names),
        skip_repeated=bool(skip_repeated),
        missing=missing or "skip",
        columns=None if columns is None else [name.strip() for name in columns.split(",")],
        **reading,
    ):
        yield piece
        done = min(done + ROWS_PER_PIECE, n_rows)
        progress(done, n_rows)
