"""JSON: lines whose keys are the names of the columns, and lists of trials as jsPsych writes."""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any, BinaryIO

from ordlink._text import shorten
from ordlink.comparisons import ListedComparisons
from ordlink.comparisons._pairs import RowNamer
from ordlink.errors import InputError
from ordlink.io._cells import ArrowColumn, pa, pc
from ordlink.io._options import Options
from ordlink.io._own import (
    MAGIC,
    WRITE_AGAIN,
    FileHeader,
    OpenTables,
    header_from_object,
    own_blocks,
    parse_json,
)
from ordlink.io._source import InputFile, Pieces, reading, refuse, to_utf8, utf8_bytes
from ordlink.io._table import Table
from ordlink.io._words import KIND_COLUMNS, NOT_TRIALS, OBJECTS, is_response, plain_name, tokens

SAMPLE = 1000
"""Rows of a table that show whether its cells hold lists of trials."""
FEW_ROWS = 5
"""Trials of a session that show whether they have responses."""
MOST_OPTIONS = 10
"""A shorter list of small dicts, or columns as short, are the options of a trial, not trials."""


@contextmanager
def open_jsonl(source: InputFile, options: Options, n_rows: int | None) -> Iterator[OpenTables]:
    """Open a file of JSON lines to read tables of at most n_rows rows, or a single one."""
    with source.opened() as stream:
        pieces = Pieces(stream, source.name, n_rows)
        pieces.top(1)
        cut = pieces.cut()
        rows, lines = _parse_rows(*next(cut), source.name)
        header, columns = _take_header(rows, lines, source.name)

        def tables() -> Iterator[Table]:
            yield _json_table(rows, lines, source.name, columns)
            for piece in cut:
                yield _json_table(*_parse_rows(*piece, source.name), source.name, columns)

        yield OpenTables(header, tables())


@contextmanager
def open_json(source: InputFile, options: Options, n_rows: int | None) -> Iterator[OpenTables]:
    """Open a JSON file: a list of objects, as jsPsych writes, columns, or lines after all."""
    content = utf8_bytes(to_utf8(source.read_bytes()), source.name)
    if not content.lstrip().startswith((b"[", b"{")) or _is_lines(content):
        lines = replace(source, path=None, stream=io.BytesIO(content))
        with open_jsonl(lines, options, n_rows) as opened:
            yield opened
        return
    found = parse_json(content.decode(), source.name)
    with reading(source.name, "JSON", "store a list of trials"):
        found = records(found)
    if not found or not all(isinstance(row, dict) for row in found):
        expected = "expected a list of objects, one for each trial"
        refuse(source.name, expected, 'such as [{"item1": "a", "item2": "b", ...}, ...]')
    table = _json_table(found, list(range(len(found))), source.name, [])
    where = f"{source.name}, trial "
    named = replace(table, row_name=lambda row: f"{where}{row + 1}", where=source.name)
    yield OpenTables(None, iter([named]))


def records(found: Any) -> list[dict[str, Any]]:
    """Return the rows in nested JSON, with what they share: trials of sessions, answers of tasks.

    A dict of columns becomes rows; so does a dict of dicts by their keys, as Firebase stores lists.
    """
    if isinstance(found, list):
        return [row for one in found for row in records(one)]
    if not isinstance(found, dict):
        return [{"": found}]
    if not any(isinstance(cell, list | dict) for cell in found.values()):
        return [found]
    if rows := _rows_of_columns(found):
        return rows
    nested = {name: inner for name, cell in found.items() if (inner := _rows_in(cell))}
    shared = {key: cell for key, cell in found.items() if key not in nested}
    if _has_response(shared):  # lists of other things, such as the path of the mouse
        nested = {name: inner for name, inner in nested.items() if _has_response(inner[0])}
    if not nested:
        return [found]
    name = max(nested, key=lambda name: len(nested[name]))
    return [{**shared, **row} for row in records(nested[name])]


def _has_response(cell: Any) -> bool:
    """Return whether a key in nested JSON is named as a response."""
    if isinstance(cell, list):
        return any(map(_has_response, cell[:FEW_ROWS]))
    return isinstance(cell, dict) and any(
        (is_response(plain_name(key)) and inner not in (None, "")) or _has_response(inner)
        for key, inner in cell.items()
    )


def _rows_of_columns(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a dict of three or more columns, of equal length, or none."""
    lengths = {len(cells) if isinstance(cells, list) else -1 for cells in found.values()}
    if len(found) < 3 or len(lengths) > 1 or lengths == {-1}:
        return []
    return [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]


def _rows_in(cell: Any) -> list[Any]:
    """Return the rows that a cell holds, if any: a list of dicts, or a dict of alike dicts."""
    if isinstance(cell, list) and cell and all(isinstance(row, dict) for row in cell):
        are_options = 1 < len(cell) <= MOST_OPTIONS and all(len(row) <= 3 for row in cell)
        return [] if are_options else cell
    if not isinstance(cell, dict):
        return []
    if len(rows := _rows_of_columns(cell)) >= MOST_OPTIONS:
        return rows
    inner = list(cell.values())
    alike = [set(row) for row in inner if isinstance(row, dict)]
    if len(alike) == len(inner) > 0 and alike[0].intersection(*alike):
        return inner
    return next((rows for one in inner if (rows := _rows_in(one))), []) if alike else []


@contextmanager
def open_frames(source: InputFile, _: Options, n_rows: int | None) -> Iterator[OpenTables]:
    """Open a text file of E-Prime: a header and a frame for each trial, a line for each column."""
    text = utf8_bytes(to_utf8(source.read_bytes()), source.name).decode()
    header, *frames = re.split(r"\*\*\* LogFrame Start \*\*\*", text)
    shared, *rows = [
        dict(re.findall(r"^\s*([\w.]+): ?(.*?)\s*$", part, re.MULTILINE))
        for part in (header, *frames)
    ]
    table = _json_table([{**shared, **row} for row in rows], range(len(rows)), source.name, [])
    where = f"{source.name}, frame "
    yield OpenTables(None, iter([replace(table, row_name=lambda row: f"{where}{row + 1}")]))


def unpack_cells(table: Table) -> Table:
    """Return the table with the rows that lists in its cells hold, such as trials of a session."""
    packed: list[int] = []
    columns = []
    for at in range(table.n_columns):
        try:
            column = table.checked_column(at)
        except InputError:
            return table
        columns.append(column)
        if pa.types.is_string(column.type):
            lists = pc.match_substring_regex(column[:SAMPLE], r'^\s*\[\s*\{\s*"')
            if pc.any(lists).as_py():
                packed.append(at)
    if not packed:
        return table
    rows, lines = [], []
    for line, cells in enumerate(zip(*(c.to_pylist() for c in columns), strict=True)):
        row = dict(zip(table.names or (), cells, strict=True))
        for at in packed:
            with contextlib.suppress(InputError):
                row[(table.names or ())[at]] = parse_json(cells[at], table.source)
        found = records(row) if any(isinstance(cell, list) for cell in row.values()) else []
        rows += found
        lines += [line] * len(found)
    unpacked = _json_table(rows, lines, table.source, [])
    return replace(unpacked, where=table.where, row_name=lambda row: table.row_name(lines[row]))


def _is_lines(content: bytes) -> bool:
    """Return whether each line of a file is an object, or a list of them as JATOS writes."""
    lines = [line.strip() for line in content.splitlines()[:2] if line.strip()]
    ends = {(line[:1], line[-1:]) for line in lines}
    return len(lines) == 2 and ends in ({(b"{", b"}")}, {(b"[", b"]")})


def write_jsonl(file: BinaryIO, comparisons: ListedComparisons) -> None:
    """Write comparisons as our own JSON lines."""
    for number, block in enumerate(own_blocks(comparisons)):
        if not number:
            file.write((FileHeader.of(comparisons).to_json(columns=list(block)) + "\n").encode())
        texts = (
            [f"{json.dumps(name)}: {_json_cell(cell)}" for cell in cells.tolist()]
            for name, cells in block.items()
        )
        lines = ["{" + ", ".join(cells) + "}\n" for cells in zip(*texts, strict=True)]
        file.write("".join(lines).encode())


def _parse_rows(
    first_line: int, content: bytes, source: str
) -> tuple[list[dict[str, Any]], list[int]]:
    """Return the JSON objects and the numbers of their lines."""
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    content = utf8_bytes(content, source, first_line)
    for number, line in enumerate(content.splitlines(), start=first_line):
        if line.strip():
            found = parse_json(line.decode(), source, number)
            many = isinstance(found, list) and all(isinstance(row, dict) for row in found)
            for row in found if many else [found]:
                if not isinstance(row, dict):
                    expected = 'a JSON object such as {"anchor": 0, "closer": 1, "farther": 2}'
                    got = type(row).__name__
                    refuse(f"{source}, line {number}", f"expected {expected}, got {got}")
                flat = line.count(b"{") == 1 and b"[" not in line
                nested = [row] if flat or MAGIC in row else records(row)
                rows += nested
                lines += [number] * len(nested)
    return rows, lines


def _take_header(
    rows: list[dict[str, Any]], lines: list[int], source: str
) -> tuple[FileHeader | None, list[str]]:
    """Remove the header of our own files; return it with its columns, in case there are no rows."""
    if not rows or MAGIC not in rows[0]:
        return None, []
    row, where = rows.pop(0), f"{source}, line {lines.pop(0)}"
    header, columns = header_from_object(row, where), row.get("columns", [])
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        refuse(where, "expected columns to be a list of names", WRITE_AGAIN)
    return header, columns


def _json_cell(cell: float | str) -> str:
    """Return a cell as strict JSON, which has neither NaN nor infinity."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return "null" if math.isnan(cell) else f'"{cell}"'
    return json.dumps(cell, ensure_ascii=False)


def _json_table(
    rows: Sequence[dict[str, Any]], lines: Sequence[int], source: str, columns: Sequence[str]
) -> Table:
    with reading(source, "JSON", "store a list of trials"):
        rows = [_flat(row) for row in rows]
    names = list(dict.fromkeys([*columns, *(key for row in rows for key in row)]))

    def row_name(row: int) -> str:
        return f"{source}, line {lines[row]}"

    @cache
    def column(position: int) -> ArrowColumn:
        return _arrow([row.get(names[position]) for row in rows], names[position], row_name)

    where = row_name(0) if lines else source
    return Table(source, names, len(names), len(rows), column, row_name, where)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row in which {"response": {"odd": "lion"}} is {"response.odd": "lion"}.

    A list of dicts, such as [{"id": 1, "url": "lion.png"}, ...], is a dict of lists.
    """
    if not any(type(cell) in (dict, list) for cell in row.values()):
        return row
    return {
        f"{name}.{key}" if key else name: inner
        for name, cell in row.items()
        for key, inner in (_flat(_unlisted(cell)).items() if _is_dict(cell) else [("", cell)])
    }


def _is_dict(cell: Any) -> bool:
    return type(cell) is dict or (type(cell) is list and bool(cell) and type(cell[0]) is dict)


def _unlisted(cell: Any) -> dict[str, Any]:
    """Return a dict, or that of the cells of a list of dicts with the same keys."""
    if type(cell) is dict or len(cell) == 1:
        return cell if type(cell) is dict else cell[0]
    alike = all(type(one) is dict and one.keys() == cell[0].keys() for one in cell)
    return {key: [one[key] for one in cell] for key in cell[0]} if alike else {}


def _arrow(cells: list[Any], name: str, row_name: RowNamer) -> ArrowColumn:
    """Return a column of numbers, or of text if any cell is text."""
    if name == "chose_first":
        cells = [int(cell) if isinstance(cell, bool) else cell for cell in cells]
    elif (is_response(plain := plain_name(name)) and plain not in OBJECTS) or (
        tokens(plain) & (KIND_COLUMNS | NOT_TRIALS)
    ):
        cells = [str(cell).lower() if isinstance(cell, bool) else cell for cell in cells]
    cells = [c[0] if type(c) is list and len(c) == 1 and type(c[0]) is str else c for c in cells]
    is_list = [type(cell) is list and len(cell) > 1 for cell in cells]
    cells = [
        json.dumps(cell) if lists else cell for cell, lists in zip(cells, is_list, strict=True)
    ]
    kinds = {type(cell) for cell in cells}
    if kinds - {int, float, str, type(None)}:
        row = next(at for at, cell in enumerate(cells) if type(cell) in (bool, list, dict))
        problem = f"expected a number or text for {name!r}, got {shorten(json.dumps(cells[row]))}"
        refuse(row_name(row), problem)
    if str not in kinds:
        try:
            kind = pa.float64() if float in kinds else pa.int64()
            return pa.chunked_array([pa.array(cells, kind)])
        except (OverflowError, pa.ArrowInvalid):
            pass  # numbers beyond 64 bits: as text they can be named in the message
    texts = [cell if cell is None or isinstance(cell, str) else repr(cell) for cell in cells]
    for row, text in enumerate(texts):
        if text is not None and any("\ud800" <= letter <= "\udfff" for letter in text):
            refuse(row_name(row), f"{name!r} is not valid Unicode")
    return pa.chunked_array([pa.array(texts, pa.string())])
