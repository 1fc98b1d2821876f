"""JSON: lines whose keys are the names of the columns, and lists of trials as jsPsych writes."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO

from ordlink._text import shorten
from ordlink.comparisons import ListedComparisons
from ordlink.comparisons._pairs import RowNamer
from ordlink.io._cells import ArrowColumn, pa
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
from ordlink.io._source import InputFile, Pieces, refuse, to_utf8, utf8_bytes
from ordlink.io._table import Table


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
    if isinstance(found, dict):
        lists = [rows for rows in found.values() if isinstance(rows, list)]
        if lists and len({len(rows) for rows in lists}) == 1 and len(lists) == len(found) > 2:
            found = [dict(zip(found, cells, strict=True)) for cells in zip(*lists, strict=True)]
        else:
            found = max(lists, key=len, default=[])
    if not found or not all(isinstance(row, dict) for row in found):
        expected = "expected a list of objects, one for each trial"
        refuse(source.name, expected, 'such as [{"item1": "a", "item2": "b", ...}, ...]')
    table = _json_table(found, list(range(len(found))), source.name, [])
    where = f"{source.name}, trial "
    named = replace(table, row_name=lambda row: f"{where}{row + 1}", where=source.name)
    yield OpenTables(None, iter([named]))


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
                rows.append(row)
                lines.append(number)
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
    rows = [_flat(row) for row in rows]
    names = list(dict.fromkeys([*columns, *(key for row in rows for key in row)]))

    def row_name(row: int) -> str:
        return f"{source}, line {lines[row]}"

    def column(position: int) -> ArrowColumn:
        return _arrow([row.get(names[position]) for row in rows], names[position], row_name)

    where = row_name(0) if lines else source
    return Table(source, names, len(names), len(rows), column, row_name, where)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row in which {"response": {"odd": "lion"}} is {"response.odd": "lion"}."""
    if not any(type(cell) is dict for cell in row.values()):
        return row
    return {
        f"{name}.{key}" if key else name: inner
        for name, cell in row.items()
        for key, inner in (cell.items() if type(cell) is dict else [("", cell)])
    }


def _arrow(cells: list[Any], name: str, row_name: RowNamer) -> ArrowColumn:
    """Return a column of numbers, or of text if any cell is text."""
    if name == "chose_first":
        cells = [int(cell) if isinstance(cell, bool) else cell for cell in cells]
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
