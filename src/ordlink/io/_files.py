"""Comparisons from and to files of any format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from ordlink._atomic import replacing
from ordlink._validate import check_whole_number
from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.comparisons._pairs import check_n_objects
from ordlink.errors import InputKindError
from ordlink.io._binary import open_parquet, read_npz, write_npz, write_parquet
from ordlink.io._own import FileHeader, OpenTables, OwnRows, check_options, check_writable
from ordlink.io._source import DELIMITERS, NO_ANSWERS, InputFile, Readable, find_format, refuse
from ordlink.io._table import EarlierChunks, Options, list_table
from ordlink.io._text import open_jsonl, open_text, write_jsonl, write_text

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

    Files that :func:`write_comparisons` wrote need no options. Any other table has one row per
    answer and a column for each object; ``docs/file-format.md`` says how columns are recognised.
    Errors name file, line and remedy.

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
        Whether to leave out, with a warning, rows that name an object twice where different ones
        are needed, such as attention checks; they are refused by default.

    Returns
    -------
    ListedComparisons

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

    For files larger than memory. The objects must be known up front: files that
    :func:`write_comparisons` wrote list them, others need `names` or `n_objects`. Together the
    chunks are what :func:`read_comparisons` returns, and answers keep their numbers. NPZ files are
    read as a whole, then cut. :func:`ordlink.methods.adds.adds_similarity_of_chunks` and
    :func:`ordlink.comparisons.summarise_chunks` take chunks.

    Parameters
    ----------
    path, form, names, n_objects, one_based, columns, header, format, skip_repeated
        As in :func:`read_comparisons`.
    rows_per_chunk : int
        Rows of the file that a chunk comes from, at most; in a text file without a header the
        first chunk has one more.

    Returns
    -------
    iterator of ListedComparisons
        At least one; it may have no rows if the file has none.

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
            yield from _own_chunks(opened, opened.header, source, options, whole=n_rows is None)
        elif n_rows is None:
            yield list_table(next(opened.tables), options)
        else:
            yield from _table_chunks(opened, source, options)


def _own_chunks(
    opened: OpenTables, header: FileHeader, source: str, options: Options, *, whole: bool
) -> Iterator[ListedComparisons]:
    first = next(opened.tables)
    tables = chain([first], opened.tables)
    if whole:
        rows = OwnRows(header, first.n_rows if opened.n_rows is None else opened.n_rows)
        for table in tables:
            rows.add(table)
        yield rows.to_comparisons(options, source)
        return
    n_read = 0
    for table in tables:
        if table.n_rows or table is first:
            rows = OwnRows(replace(header, n_rows=None), table.n_rows)
            rows.add(table)
            yield rows.to_comparisons(options, source)
            n_read += table.n_rows
    header.check_n_rows(n_read, source)


def _table_chunks(opened: OpenTables, source: str, options: Options) -> Iterator[ListedComparisons]:
    if options.names is None and options.n_objects is None:
        problem = "reading in chunks needs the objects up front, and this file does not list them"
        remedy = "pass {names} or {n_objects}, or read it as a whole (read_comparisons)"
        refuse(source, problem, remedy)
    earlier = EarlierChunks()
    n_rows, n_listed = 0, 0
    for table in opened.tables:
        if table.n_rows:
            chunk = list_table(table, options, earlier)
            n_rows, n_listed = n_rows + table.n_rows, n_listed + chunk.n_rows
            yield chunk
    if not n_rows:
        refuse(source, NO_ANSWERS)
    if not n_listed:
        refuse(source, f"all {n_rows:,} rows repeat an object or a pair, no row is left")


_WRITERS: dict[str, Callable[[BinaryIO, ListedComparisons], None]] = {
    "csv": lambda file, comparisons: write_text(file, comparisons, delimiter=","),
    "tsv": lambda file, comparisons: write_text(file, comparisons, delimiter="\t"),
    "parquet": write_parquet,
    "npz": write_npz,
    "jsonl": write_jsonl,
}


def write_comparisons(
    comparisons: Comparisons, path: str | os.PathLike[str], *, format: str | None = None
) -> None:
    """Write comparisons so that :func:`read_comparisons` gives them back as they are.

    The file appears whole or not at all: an error or Ctrl-C leaves what was there before.

    Parameters
    ----------
    comparisons : ListedComparisons
        To be written.
    path : path
        .csv, .tsv, .parquet, .npz, .jsonl or .ndjson.
    format : str, optional
        csv, tsv, parquet, npz or jsonl; that of the extension by default.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from ordlink.comparisons import Comparisons
    >>> c = Comparisons.from_triplets([[0, 1, 2]], names=["cat", "dog", "bee"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "answers.csv"
    ...     write_comparisons(c, path)
    ...     print(path.read_text(), end="")
    # ordlink-comparisons 1
    # objects: ["cat", "dog", "bee"]
    # n_rows: 1
    i,j,k,l
    0,1,0,2
    """
    if not isinstance(comparisons, ListedComparisons):
        problem = f"expected comparisons listed one by one, got {type(comparisons).__name__}"
        remedy = "write a sample of them, see Comparisons.from_similarities"
        raise InputKindError(problem, parameter="comparisons", remedy=remedy)
    writer = _WRITERS[find_format(Path(path), format)]
    check_writable(comparisons)
    with replacing(path) as file:
        writer(file, comparisons)
