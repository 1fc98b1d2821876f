"""Other sources of tables: compressed files, several files, data frames."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from ordlink._text import counted, listed
from ordlink.errors import InputKindError
from ordlink.io._cells import ArrowColumn, as_text, is_text, pa
from ordlink.io._options import Options
from ordlink.io._source import (
    FORMATS,
    MOST_TEXT,
    InputFile,
    check_unpacked,
    most_of,
    reading,
    refuse,
)
from ordlink.io._table import Table, find_details
from ordlink.io._words import plain_name

MOST_FILES = 10_000
"""Files of a folder or an archive that are read together."""


def find_files(source: InputFile, options: Options) -> list[InputFile]:
    """Return the files of a folder or an archive, or the file itself, unpacked."""
    path = source.path
    if path is not None and path.is_dir():
        for level in ("*", "*/*"):  # one folder per participant
            found = [file for file in path.glob(level) if file.suffix.lower() in FORMATS]
            if files := sorted(file for file in found if not file.name.startswith((".", "~$"))):
                break
        else:
            refuse(source.name, f"no file in this folder ends in {', '.join(FORMATS)}")
        names = _of_one_format([str(file) for file in files], options)
        return [InputFile(name, path=Path(name)) for name in names[:MOST_FILES]]
    suffix = "" if path is None else path.suffix.lower()
    if suffix == ".gz" and path is not None:
        content = source.read_bytes()
        with reading(source.name, "gzip"), gzip.open(io.BytesIO(content)) as file:
            unpacked = file.read(most_of(MOST_TEXT, len(content)) + 1)
        check_unpacked(source.name, len(content), len(unpacked), bound=MOST_TEXT)
        return [_in_memory(path.name.removesuffix(path.suffix), unpacked, source.name)]
    if suffix == ".zip":
        return _unzip(source, options)
    return [source]


def _of_one_format(files: list[str], options: Options) -> list[str]:
    """Return the files of the most common format: others are notes, or the same answers again."""
    formats = [PurePosixPath(file).suffix.lower() for file in files]
    common = max(FORMATS, key=formats.count)
    others = sorted({one for one in formats if one != common})
    if others:
        n_others = len(files) - formats.count(common)
        kinds = f"{counted(n_others, 'file')} ending in {', '.join(others)}"
        options.note(f"{kinds} skipped: most files end in {common}")
    return [file for file, own in zip(files, formats, strict=True) if own == common]


def _unzip(source: InputFile, options: Options) -> list[InputFile]:
    content = source.read_bytes()
    with reading(source.name, "ZIP"), zipfile.ZipFile(io.BytesIO(content)) as archive:
        found = [
            name
            for name in archive.namelist()
            if PurePosixPath(name).suffix.lower() in FORMATS and not name.startswith("__MACOSX")
        ]
        kept = set(_of_one_format(found, options))
        members = [member for member in archive.infolist() if member.filename in kept]
        unpacked = sum(member.file_size for member in members)
        check_unpacked(source.name, len(content), unpacked, bound=MOST_TEXT)
        if not 0 < len(members) <= MOST_FILES:
            refuse(source.name, f"no file in this archive ends in {', '.join(FORMATS)}")
        return [
            _in_memory(member.filename, archive.read(member), f"{source.name}/{member.filename}")
            for member in members
        ]


def _in_memory(inner: str, content: bytes, name: str) -> InputFile:
    return InputFile(name, stream=io.BytesIO(content), inner=Path(inner).name)


def is_frame(given: object) -> bool:
    """Return whether this is a table in memory: of pandas, polars or Arrow."""
    return hasattr(given, "__arrow_c_stream__") or hasattr(given, "__dataframe__")


def frame_table(frame: Any) -> Table:
    """Return the columns of a data frame, by their names; row labels are left out."""
    try:
        if type(frame).__module__.startswith("pandas"):
            table = pa.Table.from_pandas(frame, preserve_index=False)
        else:
            table = frame if isinstance(frame, pa.Table) else pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputKindError(f"this data frame cannot be read ({str(error)[:160]})") from error
    names = [str(name) for name in table.column_names]

    def column(position: int) -> ArrowColumn:
        cells = table.column(position)
        if pa.types.is_list(cells.type) or pa.types.is_large_list(cells.type):
            import json

            texts = [None if cell is None else json.dumps(cell) for cell in cells.to_pylist()]
            return pa.chunked_array([pa.array(texts, pa.string())])
        return cells.cast(pa.string()) if is_text(cells.type) else cells

    def row_name(row: int) -> str:
        return f"the data frame, row {row}"

    source = "the data frame"
    return Table(source, names, len(names), table.num_rows, column, row_name, source)


def join_tables(tables: Sequence[Table], options: Options, what: str = "file") -> Table:
    """Return one table of the columns that all files have.

    If no column says who answered, the name of the file (or sheet) does.
    """
    first = tables[0]
    if first.names is None:
        problem = "several files can only be read together by their column names"
        refuse(first.where, problem, "add headers")
    shared = [name for name in first.names if all(name in (t.names or ()) for t in tables)]
    for table in tables:
        if 2 * len(shared) < max(len(table.names or ()), 5):
            got = listed(list(table.names or ()), 12)
            problem = f"expected the columns of {first.source}, got {got}"
            refuse(table.where, problem, "leave out files without answers")
    names, starts = shared, [0]
    for table in tables:
        starts.append(starts[-1] + table.n_rows)
    if "annotator" not in find_details([plain_name(name) for name in names]):
        names = [*shared, "participant"]
        options.say(f"{len(tables)} {what}s read as one participant each, named after the {what}")
    people = _file_names([table.source for table in tables])

    def column(position: int) -> ArrowColumn:
        parts = []
        for table, person in zip(tables, people, strict=True):
            if position == len(shared):
                parts.append(pa.array([person] * table.n_rows, pa.string()))
            else:
                cells = table.column(list(table.names or ()).index(names[position]))
                parts += as_text(cells).chunks
        return pa.chunked_array(parts, pa.string())

    def row_name(row: int) -> str:
        at = max(k for k, start in enumerate(starts[:-1]) if start <= row)
        return tables[at].row_name(row - starts[at])

    return replace(
        first,
        names=names,
        n_columns=len(names),
        n_rows=starts[-1],
        column=column,
        row_name=row_name,
    )


def _file_names(sources: Sequence[str]) -> list[str]:
    """Return the stems of files, with their folders if the stems are not unique."""
    sheets = [source.partition(", sheet ")[2] for source in sources]
    if all(sheets) and len(set(sheets)) == len(sheets):
        return sheets
    paths = [PurePosixPath(source.replace("\\", "/")) for source in sources]
    stems = [path.name.split(".")[0] for path in paths]
    if len(set(stems)) == len(stems):
        return stems
    return [f"{path.parent.name}/{stem}" for path, stem in zip(paths, stems, strict=True)]
