"""Comparisons from a file larger than memory, some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TypeAlias

from ordlink.comparisons._listed import ListedComparisons
from ordlink.comparisons._pairs import check_n_objects
from ordlink.errors import InputError, InputKindError
from ordlink.io._earlier import EarlierChunks
from ordlink.io._formats import find_format
from ordlink.io._header import FileHeader
from ordlink.io._jsonl import open_jsonl
from ordlink.io._npz import read_npz
from ordlink.io._own import OwnRows, check_options
from ordlink.io._parquet import open_parquet
from ordlink.io._source import Readable, Source
from ordlink.io._table import Options, Table, list_table
from ordlink.io._text import open_text

Opened: TypeAlias = AbstractContextManager[tuple[FileHeader | None, Iterator[Table]]]
"""The header, if it is one of our own files, and the tables that the file is cut into."""

_OPENERS: dict[str, Callable[[Source, Options, int], Opened]] = {
    "csv": lambda source, options, rows: open_text(source, options, rows, delimiters="\t;,"),
    "tsv": lambda source, options, rows: open_text(source, options, rows, delimiters="\t"),
    "parquet": open_parquet,
    "jsonl": open_jsonl,
}


def read_in_chunks(
    path: Readable,
    *,
    rows_per_chunk: int = 1_000_000,
    form: str | None = None,
    names: Sequence[str] | None = None,
    n_objects: int | None = None,
    one_based: bool = False,
    columns: Sequence[str] | None = None,
    header: bool | None = None,
    format: str | None = None,
    skip_repeated: bool = False,
) -> Iterator[ListedComparisons]:
    r"""Yield the comparisons in a file some rows at a time, for files larger than memory.

    All chunks are about the same objects, which must be known up front: files that
    :func:`write_comparisons` wrote list them, for others `names` or `n_objects` is needed. Together
    the chunks are what :func:`read_comparisons` returns; answers keep the numbers they have there.
    NPZ files are read as a whole, then cut.

    :func:`ordlink.methods.adds.adds_similarity_of_chunks` and
    :func:`ordlink.comparisons.summarise_chunks` take chunks.

    Parameters
    ----------
    path : path or binary file object
        As in :func:`read_comparisons`.
    rows_per_chunk : int
        Rows of the file that a chunk comes from, at most; in a text file without a header the
        first chunk has one more.
    form, names, n_objects, one_based, columns, header, format, skip_repeated
        As in :func:`read_comparisons`.

    Yields
    ------
    ListedComparisons
        At least one; it may have no rows if the file has none.

    Raises
    ------
    InputError
        As :func:`read_comparisons` does, once the chunk with the mistake is reached; or if the
        objects are not known up front.

    Examples
    --------
    >>> import io
    >>> table = b"anchor,closer,farther\n0,1,2\n1,0,2\n2,0,1\n"
    >>> chunks = read_in_chunks(io.BytesIO(table), n_objects=3, rows_per_chunk=2)
    >>> [chunk.quadruplets.tolist() for chunk in chunks]
    [[[0, 1, 0, 2], [0, 1, 1, 2]], [[0, 2, 1, 2]]]
    """
    if isinstance(rows_per_chunk, bool) or not isinstance(rows_per_chunk, int):
        raise InputKindError(f"rows_per_chunk must be a whole number, got {rows_per_chunk!r}")
    if rows_per_chunk < 1:
        raise InputError(f"rows_per_chunk must be at least 1, got {rows_per_chunk}")
    source = Source.of(path)
    format_ = find_format(source.path, format)
    source.check_exists()
    n_objects = None if n_objects is None else check_n_objects(n_objects)
    options = Options(form, names, n_objects, one_based, columns, header, skip_repeated)
    if format_ == "npz":
        return _cut(source, options, rows_per_chunk)
    return _read(_OPENERS[format_], source, options, rows_per_chunk)


def _read(
    opener: Callable[[Source, Options, int], Opened], source: Source, options: Options, n_rows: int
) -> Iterator[ListedComparisons]:
    with opener(source, options, n_rows) as (header, tables):
        if header is not None:
            check_options(options, source.name)
            yield from _list_own(tables, header, options, source.name)
            return
        if options.names is None and options.n_objects is None:
            raise InputError(
                f"{source.name}: reading in chunks needs the objects up front, and this file does "
                "not list them; pass names or n_objects, or read it as a whole (read_comparisons)"
            )
        yield from _list_tables(tables, options, source.name)


def _list_own(
    tables: Iterator[Table], header: FileHeader, options: Options, source: str
) -> Iterator[ListedComparisons]:
    n_rows, n_chunks = 0, 0
    for table in tables:
        if not table.n_rows and n_chunks:
            continue
        rows = OwnRows(replace(header, n_rows=None), table.n_rows)
        rows.add(table)
        yield rows.to_comparisons(options, source)
        n_rows, n_chunks = n_rows + table.n_rows, n_chunks + 1
    header.check_n_rows(n_rows, source)


def _list_tables(
    tables: Iterator[Table], options: Options, source: str
) -> Iterator[ListedComparisons]:
    earlier = EarlierChunks()
    n_rows, n_listed = 0, 0
    for table in tables:
        if table.n_rows:
            chunk = list_table(table, options, earlier)
            n_rows, n_listed = n_rows + table.n_rows, n_listed + chunk.n_rows
            yield chunk
    if not n_rows:
        raise InputError(f"{source}: there are no answers in this file")
    if not n_listed:
        raise InputError(
            f"{source}: all {n_rows:,} rows repeat an object or a pair; no row is left without them"
        )


def _cut(source: Source, options: Options, n_rows: int) -> Iterator[ListedComparisons]:
    whole = read_npz(source, options)
    for start in range(0, max(1, whole.n_rows), n_rows):
        yield whole[start : start + n_rows]
