"""JSON lines: one object per line, whose keys are the names of the columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from ordlink._text import shorten
from ordlink.comparisons import ListedComparisons
from ordlink.comparisons._objects import RowNamer
from ordlink.errors import InputError
from ordlink.io._cells import ArrowColumn
from ordlink.io._header import MAGIC, FileHeader, header_from_object, parse_json_line
from ordlink.io._own import WRITE_AGAIN, own_blocks
from ordlink.io._pieces import Pieces
from ordlink.io._source import InputFile, utf8_bytes
from ordlink.io._table import OpenTables, Options, Table


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
            yield _as_table(rows, lines, source.name, columns)
            for piece in cut:
                yield _as_table(*_parse_rows(*piece, source.name), source.name, columns)

        yield OpenTables(header, tables())


def write_jsonl(file: BinaryIO, comparisons: ListedComparisons) -> None:
    """Write comparisons as our own JSON lines."""
    for number, block in enumerate(own_blocks(comparisons)):
        if not number:
            file.write((FileHeader.of(comparisons).to_json(columns=list(block)) + "\n").encode())
        texts = [
            [f"{json.dumps(name)}: {_json_cell(cell)}" for cell in cells.tolist()]
            for name, cells in block.items()
        ]
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
        if not line.strip():
            continue
        row = parse_json_line(line.decode(), source, number)
        if not isinstance(row, dict):
            raise InputError(
                'expected a JSON object such as {"anchor": 0, "closer": 1, "farther": 2}, got '
                f"{type(row).__name__}",
                where=f"{source}, line {number}",
            )
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
        raise InputError("expected columns to be a list of names", where=where, remedy=WRITE_AGAIN)
    return header, columns


def _json_cell(cell: float | str) -> str:
    """Return a cell as strict JSON, which has neither NaN nor infinity."""
    if isinstance(cell, float) and cell != cell:
        return "null"
    if isinstance(cell, float) and cell in (float("inf"), float("-inf")):
        return f'"{cell}"'
    return json.dumps(cell, ensure_ascii=False)


def _as_table(
    rows: Sequence[dict[str, Any]], lines: Sequence[int], source: str, columns: Sequence[str]
) -> Table:
    names = list(dict.fromkeys([*columns, *(key for row in rows for key in row)]))

    def row_name(row: int) -> str:
        return f"{source}, line {lines[row]}"

    def column(position: int) -> ArrowColumn:
        name = names[position]
        return _arrow([row.get(name) for row in rows], name, row_name)

    return Table(
        source=source,
        names=names,
        n_columns=len(names),
        n_rows=len(rows),
        column=column,
        row_name=row_name,
        where=row_name(0) if lines else source,
    )


def _arrow(cells: list[Any], name: str, row_name: RowNamer) -> ArrowColumn:
    """Return a column of numbers, or of text if any cell is text."""
    import pyarrow as pa

    if name == "chose_first":
        cells = [int(cell) if isinstance(cell, bool) else cell for cell in cells]
    kinds = {type(cell) for cell in cells}
    if kinds - {int, float, str, type(None)}:
        row = next(at for at, cell in enumerate(cells) if type(cell) in (bool, list, dict))
        raise InputError(
            f"expected a number or text for {name!r}, got {shorten(json.dumps(cells[row]))}",
            where=row_name(row),
        )
    if str not in kinds:
        try:
            return pa.chunked_array(
                [pa.array(cells, pa.float64() if float in kinds else pa.int64())]
            )
        except (OverflowError, pa.ArrowInvalid):
            pass  # numbers beyond 64 bits: as text they can be named in the message
    texts = [cell if cell is None or isinstance(cell, str) else repr(cell) for cell in cells]
    for row, text in enumerate(texts):
        if text is not None and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise InputError(f"{name!r} is not valid Unicode", where=row_name(row))
    return pa.chunked_array([pa.array(texts, pa.string())])
