"""Comparisons from and to files of any format."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from ordlink._atomic import replacing
from ordlink._validate import check_choice, check_keywords, check_whole_number
from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.comparisons._pairs import check_n_objects
from ordlink.errors import InputKindError
from ordlink.io._answers import read_table
from ordlink.io._binary import open_parquet, read_npz, write_npz, write_parquet
from ordlink.io._json import open_frames, open_json, open_jsonl, write_jsonl
from ordlink.io._options import Options
from ordlink.io._own import FileHeader, OpenTables, OwnRows, check_options, check_writable
from ordlink.io._pieces import with_known_objects
from ordlink.io._sheets import open_sheet
from ordlink.io._source import (
    DELIMITERS,
    FORMATS,
    NO_ANSWERS,
    InputFile,
    Readable,
    find_format,
    refuse,
)
from ordlink.io._table import EarlierChunks, Table
from ordlink.io._text import open_text, write_text
from ordlink.io._unpack import find_files, frame_table, is_frame, join_tables

_OPENERS: dict[str, Callable[..., AbstractContextManager[OpenTables]]] = {
    **{name: partial(open_text, delimiters=known) for name, known in DELIMITERS.items()},
    "parquet": open_parquet,
    "jsonl": open_jsonl,
    "json": open_json,
    "sheet": open_sheet,
    "frames": open_frames,
}


def read_comparisons(
    path: Readable | Sequence[Readable] | Any,
    *,
    form: str | None = None,
    names: Sequence[str] | None = None,
    n_objects: int | None = None,
    one_based: bool | None = None,
    columns: Sequence[str] | None = None,
    items: Sequence[str] | None = None,
    response: str | Sequence[str] | None = None,
    reference: str | None = None,
    header: bool | None = None,
    format: str | None = None,
    sheet: str | None = None,
    skip_repeated: bool = False,
    missing: str = "skip",
    merge_names: bool | Mapping[str, str] = False,
    tell: Callable[[str], None] | None = None,
) -> ListedComparisons:
    r"""Return the comparisons in a file of answers, or in a data frame.

    Files that :func:`write_comparisons` wrote need no options. Any other table has one row per
    answer or trial; ``docs/file-format.md`` says how columns are recognised. Errors name file, line
    and remedy. ``ordlink.read_answers`` is the same function.

    Parameters
    ----------
    path : path, binary file object, data frame, or list of paths
        .csv, .tsv, .txt, .xlsx, .ods, .json, .jsonl, .ndjson, .parquet or .npz, also in .gz or
        .zip; a folder or a list of files with the same columns; a DataFrame of pandas, polars or
        Arrow; or e.g. ``sys.stdin.buffer``.
    form : str, optional
        quadruplet, triplet, most-central or odd-one-out, if the names of the columns do not say it.
    names : sequence of str, optional
        Name of each object. Objects in the file may be numbers or these names.
    n_objects : int, optional
        Number of objects, if some may never be named.
    one_based : bool, optional
        Whether numbers of objects, or positions of responses, count from 1; from 0 by default.
    columns : sequence of str, optional
        Names of the columns that hold the objects, in the order of the form.
    items, response, reference : str or sequence of str, optional
        For trials: names of the columns of the options, of the chosen option, and of the reference
        with which they were compared; recognised by default. ``response="key=f/j"`` also says what
        the response is for each of the items, in their order; other responses are missing.
    header : bool, optional
        Whether the first row of a text file names the columns; recognised by default.
    format : str, optional
        csv, tsv, txt, parquet, npz, json, jsonl, xlsx or ods; by default that of the extension,
        csv for file objects.
    sheet : str, optional
        Name of the sheet of a spreadsheet.
    skip_repeated : bool
        Whether to skip rows that name an object twice, such as attention checks, with a warning;
        by default they are an error.
    missing : str
        "skip" skips rows with missing cells, with a warning, if they are at most a fifth; with
        "error" they are an error.
    merge_names : bool or mapping
        Whether to merge names that look like typos of others ("Lowe" and "Löwe"), or a mapping from
        names to what was meant; by default, likely typos raise a warning.
    tell : callable, optional
        Called with sentences on how the file was read, instead of warnings.

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
    options = Options(
        *(form, names, n_objects, one_based, columns, header, skip_repeated),
        *(items, response, reference),
        missing=missing,
        merge_names=merge_names,
        sheet=sheet,
        tell=tell,
    )
    [comparisons] = _read(path, format, options, None)
    return comparisons


read_answers = read_comparisons
"""The same function: there is one reader for whatever holds answers."""


def read_in_chunks(
    path: Readable | Sequence[Readable],
    *,
    rows_per_chunk: int = 1_000_000,
    format: str | None = None,
    **options: Any,
) -> Iterator[ListedComparisons]:
    r"""Return an iterator over the comparisons in a file or folder, some rows at a time.

    For files larger than memory. The objects must be known up front: files that
    :func:`write_comparisons` wrote list them, Parquet files whose objects are numbers usually say
    the largest, others need `names` or `n_objects`. Together the
    chunks are what :func:`read_comparisons` returns. NPZ files are read as a whole, then split.
    :func:`ordlink.methods.adds.cluster_chunks`, :func:`ordlink.comparisons.summarise_chunks` and
    :func:`ordlink.metrics.comparison_accuracy_of_chunks` take chunks. The files of a folder follow
    each other by name; their answers are numbered file by file.

    Parameters
    ----------
    path, format, **options
        As in :func:`read_comparisons`.
    rows_per_chunk : int
        Maximum number of rows per chunk; without a header, the first chunk of a text file has one
        more.

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
    known = inspect.signature(read_comparisons).parameters
    check_keywords(options, list(known)[1:], "read_in_chunks")
    return _read(path, format, Options(**options), n_rows)


def _read(
    path: Any, format_: str | None, options: Options, n_rows: int | None
) -> Iterator[ListedComparisons]:
    """Return the chunks of a file; without n_rows, the whole file is a single chunk."""
    check_choice(options.missing, "missing", ("skip", "error"))
    options = options.with_words()
    if options.n_objects is not None:
        options = replace(options, n_objects=check_n_objects(options.n_objects))
    if is_frame(path):
        return iter([read_table(frame_table(path), options)])
    paths = path if isinstance(path, list | tuple) else [path]
    given = [InputFile.of(one) for one in paths]
    sources = [file for source in given for file in find_files(source, options)]
    if sources and n_rows is not None:
        return _chunks_of_files(sources, format_, with_known_objects(sources, options), n_rows)
    if len(sources) > 1:
        tables = [_whole(source, format_, options) for source in sources]
        return iter([read_table(join_tables(tables, options), options)])
    source = sources[0] if sources else refuse("input", NO_ANSWERS)
    return _chunks_of_files([source], format_, options, n_rows)


def _chunks_of_files(
    sources: Sequence[InputFile], format_: str | None, options: Options, n_rows: int | None
) -> Iterator[ListedComparisons]:
    """Yield the chunks of one file after the other."""
    for source in sources:
        found = _format_of(source, format_)
        yield from (_npz_chunks if found == "npz" else _chunks)(source, found, options, n_rows)


def _format_of(source: InputFile, format_: str | None) -> str:
    """Return the format of a file; a .txt file may hold JSON, as JATOS writes it."""
    found = find_format(Path(source.inner) if source.inner else source.path, format_)
    source.check_exists()
    if found == "txt" and (source.path or source.inner):
        with source.opened() as stream:
            start = stream.read(64).replace(b"\0", b"")
            stream.seek(0)
        if b"*** Header Start" in start:
            return "frames"
        return "json" if re.match(rb"(\xef\xbb\xbf)?\s*\[?\s*\{", start) else found
    return found


def _whole(source: InputFile, format_: str | None, options: Options) -> Table:
    """Return the table in one of several files that are read together."""
    found = _format_of(source, format_)
    if found == "npz":
        refuse(source.name, "several NPZ files cannot be read together", "read them one by one")
    with _OPENERS[found](source, options, None) as opened:
        if opened.header is not None:
            refuse(source.name, "this file was written by ordlink", "read such files one by one")
        return next(opened.tables)


def _npz_chunks(
    source: InputFile, format_: str, options: Options, n_rows: int | None
) -> Iterator[ListedComparisons]:
    whole = read_npz(source, options)
    n_in_all = max(1, whole.n_rows)
    for start in range(0, n_in_all, n_rows or n_in_all):
        yield whole[start : start + n_rows] if n_rows else whole


def _chunks(
    source: InputFile, format_: str, options: Options, n_rows: int | None
) -> Iterator[ListedComparisons]:
    with _OPENERS[format_](source, options, n_rows) as opened:
        if opened.header is not None:
            check_options(options, source.name)
            yield from _own_chunks(opened, opened.header, source.name, options, n_rows)
        elif n_rows is None:
            yield read_table(next(opened.tables), options)
        else:
            yield from _table_chunks(opened, source.name, options)


def _own_chunks(
    opened: OpenTables, header: FileHeader, source: str, options: Options, n_rows: int | None
) -> Iterator[ListedComparisons]:
    n_read = 0
    for number, table in enumerate(opened.tables):
        if n_rows or not number:
            in_all = None if n_rows else opened.n_rows
            rows = OwnRows(header, table.n_rows if in_all is None else in_all)
        rows.add(table)
        n_read += table.n_rows
        if n_rows and (table.n_rows or not number):
            yield rows.to_comparisons(options, source)
    header.check_n_rows(n_read, source)
    if not n_rows:
        yield rows.to_comparisons(options, source)


def _table_chunks(opened: OpenTables, source: str, options: Options) -> Iterator[ListedComparisons]:
    if options.names is None and options.n_objects is None:
        problem = "reading in chunks needs the objects up front, and this file does not list them"
        remedy = "pass {names} or {n_objects}, or read it as a whole (read_comparisons)"
        refuse(source, problem, remedy)
    earlier = EarlierChunks()
    n_rows, n_listed = 0, 0
    for table in opened.tables:
        if table.n_rows:
            chunk = read_table(table, options, earlier)
            n_rows, n_listed = n_rows + table.n_rows, n_listed + chunk.n_rows
            yield chunk
    if not n_rows:
        refuse(source, NO_ANSWERS)
    if not n_listed:
        refuse(source, f"all {n_rows:,} rows repeat an object or a pair, so no rows are left")


_WRITERS: dict[str, Callable[[BinaryIO, ListedComparisons], None]] = {
    "csv": partial(write_text, delimiter=","),
    "tsv": partial(write_text, delimiter="\t"),
    "parquet": write_parquet,
    "npz": write_npz,
    "jsonl": write_jsonl,
}


def write_comparisons(
    comparisons: Comparisons, path: str | os.PathLike[str], *, format: str | None = None
) -> None:
    """Write comparisons so that :func:`read_comparisons` returns them unchanged.

    Writing is atomic: after an error or Ctrl-C, the old file is still there.

    Parameters
    ----------
    comparisons : ListedComparisons
        The comparisons to write.
    path : path
        .csv, .tsv, .parquet, .npz, .jsonl or .ndjson.
    format : str, optional
        csv, tsv, parquet, npz or jsonl; by default that of the extension.

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
        problem = f"expected listed comparisons, got {type(comparisons).__name__}"
        remedy = "write a sample of them, see Comparisons.from_similarities"
        raise InputKindError(problem, parameter="comparisons", remedy=remedy)
    writable = {suffix: name for suffix, name in FORMATS.items() if name in _WRITERS}
    writer = _WRITERS[find_format(Path(path), format, writable)]
    check_writable(comparisons)
    with replacing(path) as file:
        writer(file, comparisons)
