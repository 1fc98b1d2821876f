"""Comparisons from a file of any format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import chain

from ordlink._validate import check_whole_number
from ordlink.comparisons import ListedComparisons
from ordlink.comparisons._pairs import check_n_objects
from ordlink.errors import InputError
from ordlink.io._header import FileHeader
from ordlink.io._jsonl import open_jsonl
from ordlink.io._npz import read_npz
from ordlink.io._own import OwnRows, check_options
from ordlink.io._parquet import open_parquet
from ordlink.io._source import DELIMITERS, InputFile, Readable, find_format, no_answers
from ordlink.io._table import EarlierChunks, OpenTables, Options, list_table
from ordlink.io._text import open_text

_OPENERS: dict[
    str, Callable[[InputFile, Options, int | None], AbstractContextManager[OpenTables]]
] = {
    "csv": lambda *given: open_text(*given, delimiters=DELIMITERS["csv"]),
    "tsv": lambda *given: open_text(*given, delimiters=DELIMITERS["tsv"]),
    "parquet": open_parquet,
    "jsonl": open_jsonl,
}


def read_comparisons(
    path: Readable,
    *,
    form: str | None = None,
    names: Sequence[str] | None = None,
    n_objects: int | None = None,
    one_based: bool = False,
    columns: Sequence[str] | None = None,
    header: bool | None = None,
    format: str | None = None,
    skip_repeated: bool = False,
) -> ListedComparisons:
    r"""Return the comparisons in a file.

    Files that :func:`write_comparisons` wrote need no options. Any other table of answers has one
    row per answer and a column for each object; ``docs/file-format.md`` says how columns are
    recognised.

    Parameters
    ----------
    path : path or binary file object
        .csv, .tsv, .parquet, .npz, .jsonl or .ndjson; or e.g. ``sys.stdin.buffer``.
    form : str, optional
        What a row means: quadruplet, triplet, most-central or odd-one-out. Needed for three
        columns whose names do not say it.
    names : sequence of str, optional
        Name of each object. Objects in the file may be numbers or these names.
    n_objects : int, optional
        Number of objects, if some may never be named.
    one_based : bool
        Whether numbers count from 1.
    columns : sequence of str, optional
        Names of the columns that hold the objects, in the order of the form.
    header : bool, optional
        Whether the first row of a text file names the columns; recognised by default.
    format : str, optional
        csv, tsv, parquet, npz or jsonl; that of the extension by default, csv for file objects.
    skip_repeated : bool
        Whether to leave out rows that name an object twice where different ones are needed, such
        as attention checks, with a warning; they are refused by default.

    Returns
    -------
    ListedComparisons

    Raises
    ------
    InputError
        If the file cannot be read, or a row is not an answer about known objects; the message
        names file, line and remedy.

    Examples
    --------
    >>> import io
    >>> c = read_comparisons(io.BytesIO(b"anchor,closer,farther\ncat,dog,bee\ndog,cat,bee\n"))
    >>> c.names, c.quadruplets.tolist()
    (('bee', 'cat', 'dog'), [[1, 2, 0, 1], [1, 2, 0, 2]])
    """
    options = Options(form, names, n_objects, one_based, columns, header, skip_repeated)
    [comparisons] = _read(path, format, options, None)
    return comparisons


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
    r"""Return an iterator over the comparisons in a file, some rows at a time.

    For files larger than memory. All chunks are about the same objects, which must be known up
    front: files that :func:`write_comparisons` wrote list them, for others `names` or `n_objects`
    is needed. Together the chunks are what :func:`read_comparisons` returns; answers keep the
    numbers they have there. NPZ files are read as a whole, then cut.

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

    Returns
    -------
    iterator of ListedComparisons
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
    n_rows = check_whole_number(rows_per_chunk, "rows_per_chunk", lowest=1)
    options = Options(form, names, n_objects, one_based, columns, header, skip_repeated)
    return _read(path, format, options, n_rows)


def _read(
    path: Readable, format_: str | None, options: Options, n_rows: int | None
) -> Iterator[ListedComparisons]:
    """Return the chunks of a file; without n_rows, the whole file is a single chunk."""
    source = InputFile.of(path)
    format_ = find_format(source.path, format_)
    source.check_exists()
    if options.n_objects is not None:
        options = replace(options, n_objects=check_n_objects(options.n_objects))
    if format_ == "npz":
        return _cut(source, options, n_rows)
    return _chunks(_OPENERS[format_](source, options, n_rows), source.name, options, n_rows)


def _cut(source: InputFile, options: Options, n_rows: int | None) -> Iterator[ListedComparisons]:
    whole = read_npz(source, options)
    if n_rows is None:
        yield whole
        return
    for start in range(0, max(1, whole.n_rows), n_rows):
        yield whole[start : start + n_rows]


def _chunks(
    opening: AbstractContextManager[OpenTables], source: str, options: Options, n_rows: int | None
) -> Iterator[ListedComparisons]:
    with opening as opened:
        if opened.header is not None:
            check_options(options, source)
            if n_rows is None:
                yield _own_whole(opened, opened.header, source, options)
            else:
                yield from _own_chunks(opened, opened.header, source, options)
        elif n_rows is None:
            yield list_table(next(opened.tables), options)
        else:
            yield from _table_chunks(opened, source, options)


def _own_whole(
    opened: OpenTables, header: FileHeader, source: str, options: Options
) -> ListedComparisons:
    table = next(opened.tables)
    rows = OwnRows(header, table.n_rows if opened.n_rows is None else opened.n_rows)
    for part in chain([table], opened.tables):
        rows.add(part)
    return rows.to_comparisons(options, source)


def _own_chunks(
    opened: OpenTables, header: FileHeader, source: str, options: Options
) -> Iterator[ListedComparisons]:
    n_read = 0
    for number, table in enumerate(opened.tables):
        if table.n_rows or not number:
            rows = OwnRows(replace(header, n_rows=None), table.n_rows)
            rows.add(table)
            yield rows.to_comparisons(options, source)
            n_read += table.n_rows
    header.check_n_rows(n_read, source)


def _table_chunks(opened: OpenTables, source: str, options: Options) -> Iterator[ListedComparisons]:
    if options.names is None and options.n_objects is None:
        raise InputError(
            "reading in chunks needs the objects up front, and this file does not list them",
            where=source,
            remedy="pass {names} or {n_objects}, or read it as a whole (read_comparisons)",
        )
    earlier = EarlierChunks()
    n_rows, n_listed = 0, 0
    for table in opened.tables:
        if table.n_rows:
            chunk = list_table(table, options, earlier)
            n_rows, n_listed = n_rows + table.n_rows, n_listed + chunk.n_rows
            yield chunk
    if not n_rows:
        raise no_answers(source)
    if not n_listed:
        raise InputError(
            f"all {n_rows:,} rows repeat an object or a pair, no row is left", where=source
        )
