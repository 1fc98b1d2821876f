"""JSON lines: one object per line, whose keys are the names of the columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from ordlink.comparisons._listed import ListedComparisons
from ordlink.errors import InputError
from ordlink.io._cells import ArrowColumn
from ordlink.io._encoding import utf8_bytes
from ordlink.io._header import MAGIC, FileHeader, header_from_object, parse_json_line
from ordlink.io._own import OwnRows, check_options, own_blocks
from ordlink.io._pieces import Pieces
from ordlink.io._source import Source
from ordlink.io._table import Options, Table, list_table


def read_jsonl(source: Source, options: Options) -> ListedComparisons:
    """Return the comparisons in a file of JSON lines, our own or a table."""
    rows, lines = _parse_rows(source.read_bytes(), source.name)
    header, columns = _take_header(rows, lines, source.name)
    if header is None:
        return list_table(_as_table(rows, lines, source.name), options)
    check_options(options, source.name)
    gathered = OwnRows(header, len(rows))
    gathered.add(_as_table(rows, lines, source.name, columns))
    return gathered.to_comparisons(options, source.name)


@contextmanager
def open_jsonl(
    source: Source, options: Options, n_rows: int
) -> Iterator[tuple[FileHeader | None, Iterator[Table]]]:
    """Open a file of JSON lines to read tables of at most n_rows rows."""
    with source.opened() as stream:
        pieces = Pieces(stream, source.name, quoted=False)
        pieces.top(1)
        cut = pieces.cut(n_rows)
        line, content = next(cut)
        rows, lines = _parse_rows(content, source.name, line)
        header, columns = _take_header(rows, lines, source.name)

        def tables() -> Iterator[Table]:
            yield _as_table(rows, lines, source.name, columns)
            for line, content in cut:
                yield _as_table(
                    *_parse_rows(content, source.name, line), source.name, columns=columns
                )

        yield header, tables()


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
    content: bytes, source: str, first_line: int = 1
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
                f"{source}, line {number}: expected a JSON object such as "
                '{"anchor": 0, "closer": 1, "farther": 2}, got '
                f"{type(row).__name__}"
            )
        rows.append(row)
        lines.append(number)
    return rows, lines


def _take_header(
    rows: list[dict[str, Any]], lines: list[int], source: str
) -> tuple[FileHeader | None, list[str]]:
    """Remove the header of our own files, and return it with the columns that it names."""
    if not rows or MAGIC not in rows[0]:
        return None, []
    row, where = rows.pop(0), f"{source}, line {lines.pop(0)}"
    return header_from_object(row, where), _announced_columns(row, where)


def _json_cell(cell: float | str) -> str:
    """Return a cell as strict JSON, which has neither NaN nor infinity."""
    if isinstance(cell, float) and cell != cell:
        return "null"
    if isinstance(cell, float) and cell in (float("inf"), float("-inf")):
        return f'"{cell}"'
    return json.dumps(cell, ensure_ascii=False)


def _announced_columns(row: dict[str, Any], where: str) -> list[str]:
    """Return the columns that our header names, which matters if there are no rows."""
    columns = row.get("columns", [])
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise InputError(f"{where}: expected columns to be a list of names; write the file again")
    return columns


def _as_table(
    rows: Sequence[dict[str, Any]],
    lines: Sequence[int],
    source: str,
    columns: Sequence[str] = (),
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
        where=f"{source}, line {lines[0]}" if lines else source,
    )


def _arrow(cells: list[Any], name: str, row_name: Any) -> ArrowColumn:
    """Return a column of numbers, or of text if any cell is text."""
    import pyarrow as pa

    if name == "chose_first":
        cells = [int(cell) if isinstance(cell, bool) else cell for cell in cells]
    kinds = {type(cell) for cell in cells}
    if kinds - {int, float, str, type(None)}:
        row = next(at for at, cell in enumerate(cells) if type(cell) in (bool, list, dict))
        raise InputError(
            f"{row_name(row)}: expected a number or text for {name!r}, got "
            f"{json.dumps(cells[row])[:40]}"
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
            raise InputError(f"{row_name(row)}: {name!r} is not valid Unicode")
    return pa.chunked_array([pa.array(texts, pa.string())])
