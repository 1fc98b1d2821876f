"""Text formats: CSV and TSV, and JSON lines, whose keys are the names of the columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import BinaryIO

from ordlink._text import listed
from ordlink.comparisons import ListedComparisons
from ordlink.io._cells import ArrowColumn, arrow_csv, pa, pc
from ordlink.io._options import Options
from ordlink.io._own import (
    FileHeader,
    OpenTables,
    header_from_comments,
    own_blocks,
)
from ordlink.io._source import (
    NO_ANSWERS,
    InputFile,
    Pieces,
    find_delimiter,
    reading,
    refuse,
    utf8_bytes,
)
from ordlink.io._table import Table, looks_like_header

QUALTRICS = '{"ImportId"'
"""How the third row of an export of Qualtrics begins."""
_MAX_COLUMNS = 1000
MOST_TITLES = 10
"""Lines that may stand above the header of a table."""
_BLOCK_BYTES = 1 << 22
_SAMPLE_BYTES = 1 << 16


@dataclass(frozen=True)
class _Body:
    """The rows of a text file after its comments: the cells of the first row, and the rest."""

    source: str
    first: list[str]
    first_line: int
    next_line: int
    rest: bytes
    delimiter: str
    titles: Sequence[str] = ()
    """Lines above the header, such as the name of the study."""
    comments: Sequence[str] = ()

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield line number and cells of each row after the first; slow, for messages."""
        lines = (line.decode() for line in self.rest.splitlines(keepends=True))
        reader = csv.reader(lines, delimiter=self.delimiter)
        line = self.next_line
        for record in reader:
            if len(record) == len(self.first) or any(cell.strip() for cell in record):
                yield line, record
            line = self.next_line + reader.line_num

    def line_of(self, row: int) -> str:
        """Return the line of a row, counted from 0 at the row after the first."""
        try:
            line, _ = next(islice(self.records(), row, None))
        except (csv.Error, StopIteration):
            return f"{self.source}, row {row}"
        return f"{self.source}, line {line}"


@contextmanager
def open_text(
    source: InputFile, options: Options, n_rows: int | None, *, delimiters: str
) -> Iterator[OpenTables]:
    """Open a text file to read tables of at most n_rows rows (plus the first), or a single one."""
    with source.opened() as stream:
        pieces = Pieces(stream, source.name, n_rows, quoted=True)
        header, body = _read_top(pieces, source.name, delimiters)
        if body.titles:
            options.note(f"skipped above the table: {listed(body.titles, 3)}")
        yield OpenTables(header, _tables(pieces, body, header, options))


def write_text(file: BinaryIO, comparisons: ListedComparisons, *, delimiter: str) -> None:
    """Write comparisons as our own text file."""
    file.write(FileHeader.of(comparisons).to_comments().encode())
    layout = arrow_csv.WriteOptions(include_header=False, delimiter=delimiter)
    for number, block in enumerate(own_blocks(comparisons)):
        if not number:
            file.write((delimiter.join(block) + "\n").encode())
        # NaN becomes null, an empty cell.
        table = pa.table({name: pa.array(cells, from_pandas=True) for name, cells in block.items()})
        if table.num_rows:
            arrow_csv.write_csv(table, file, write_options=layout)


def _read_top(pieces: Pieces, source: str, delimiters: str) -> tuple[FileHeader | None, _Body]:
    """Return the header of our own files and the first row; the rest stays in the pieces."""
    wanted = _SAMPLE_BYTES
    while True:
        content, is_all = pieces.top(wanted)
        text = utf8_bytes(content, source)
        comments, start, line = _leading_comments(text)
        if is_all or start + _SAMPLE_BYTES <= len(text):
            break
        wanted = 2 * max(len(content), wanted)
    header = header_from_comments(comments, source)
    body, end = _first_row(text, start, line, source, delimiters)
    if header is None:
        body = replace(body, comments=comments)
    pieces.skip(len(content) - len(text) + end, body.next_line)
    return header, body


def _tables(
    pieces: Pieces, body: _Body, header: FileHeader | None, options: Options
) -> Iterator[Table]:
    """Yield the tables of the pieces of a text file."""
    has_names = header is not None
    for number, (line, piece) in enumerate(pieces.cut()):
        part = replace(body, next_line=line, rest=utf8_bytes(piece, body.source, line))
        if number or header is not None:
            table = _as_table(part, _parse(part), has_header=True)
            table = table if has_names else replace(table, names=None)
        else:
            table = _first_table(part, options)
            has_names = table.names is not None
        yield table


def _first_table(body: _Body, options: Options) -> Table:
    """Return the table of all rows, and of the first one if it is no header."""
    if options.columns is not None and options.header is False:
        problem = "choosing columns by name needs a header"
        refuse(body.source, problem, "leave out {columns} or {header:False}")
    if len(body.first) < 3:
        problem = f"expected at least 3 columns, got {len(body.first)}"
        remedy = "separate the columns by commas, semicolons or tabs"
        refuse(f"{body.source}, line {body.first_line}", problem, remedy)
    columns = _parse(body)
    if options.header is not None:
        return _as_table(body, columns, has_header=options.header)
    known = options.columns is not None or looks_like_header(body.first)
    has_header = (
        known or _only_first_is_text(body.first, columns) or _never_again(body.first, columns)
    )
    return _as_table(body, columns, has_header=has_header, may_have_header=not has_header)


def _leading_comments(content: bytes) -> tuple[list[str], int, int]:
    """Return the comment lines at the top, where the first row starts, and its line number."""
    comments: list[str] = []
    start, line = 0, 1
    while start < len(content):
        end = content.find(b"\n", start)
        end = len(content) if end < 0 else end
        text = content[start:end].rstrip(b"\r")
        # "# " with a space: a first object such as "#ff0000" is no comment.
        if text.startswith(b"# ") or text.rstrip() == b"#":
            comments.append(text.decode())
        elif text.strip():
            break
        start, line = end + 1, line + 1
    return comments, start, line


def _first_row(
    content: bytes, start: int, line: int, source: str, delimiters: str
) -> tuple[_Body, int]:
    """Read the first row, find what separates the cells; return also where the row ends."""
    if start >= len(content):
        refuse(source, NO_ANSWERS)
    sample = content[start : start + _SAMPLE_BYTES]
    whole_lines = sample.splitlines()[:20]
    if len(sample) == _SAMPLE_BYTES and len(whole_lines) > 1:
        whole_lines.pop()
    lines = [line.decode(errors="replace") for line in whole_lines]
    n_titles = count_titles(
        [_cells(line, find_delimiter(lines[k:], delimiters)) for k, line in enumerate(lines)]
    )
    delimiter = find_delimiter(lines[n_titles:], delimiters)
    stream = io.BytesIO(content)
    stream.seek(start)
    for _ in range(n_titles):
        stream.readline()
    line += n_titles
    with reading(source, "text", "check the quotation marks in its first row"):
        reader = csv.reader((line.decode() for line in stream), delimiter=delimiter)
        first = [cell.strip() for cell in next(reader)]
    if len(first) > _MAX_COLUMNS:
        refuse(f"{source}, line {line}", f"expected 3 or 4 columns, got {len(first)}")
    first = _widened(first, lines[n_titles + 1 :], delimiter)
    titles = [
        title.strip(f"{delimiters} ") for title in lines[:n_titles] if title.strip(delimiters)
    ]
    next_line = line + reader.line_num
    return _Body(source, first, line, next_line, b"", delimiter, titles), stream.tell()


def _cells(line: str, delimiter: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]


def count_titles(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows stand above a header: titles, or a small table and an empty line."""
    filled = [sum(map(bool, row)) for row in rows[:MOST_TITLES]]
    for number, n_cells in enumerate(filled):
        if n_cells > 2 and (looks_like_header(rows[number]) or max(filled[:number], default=2) < 2):
            return number
        if n_cells > 2 and 0 in filled[number:]:
            start = filled.index(0, number) + 1
            sure = start < len(filled) and looks_like_header(rows[start])
            return start if sure and len(rows[start]) != len(rows[number]) else 0
        if n_cells > 2:
            return 0
    return 0


def _widened(first: list[str], lines: Sequence[str], delimiter: str) -> list[str]:
    """Return a header with empty names for the row numbers or empty cells that it does not name."""
    rows = [_cells(line, delimiter) for line in lines if line.strip() and line.count('"') % 2 == 0]
    n_more = len(rows[0]) - len(first) if rows else 0
    if n_more < 1 or len({len(row) for row in rows}) > 1 or not looks_like_header(first):
        return first
    if not any(cell for row in rows for cell in row[len(first) :]):
        return first + [""] * n_more
    numbers = [row[0] for row in rows] == [str(k + 1) for k in range(len(rows))]  # as R writes
    return ["", *first] if n_more == 1 and numbers else first


def _parse(body: _Body) -> list[ArrowColumn]:
    """Return the columns of all rows after the first, as text."""
    names = [str(number) for number in range(len(body.first))]
    if not body.rest.strip(b" \t\r\n"):
        return [pa.chunked_array([], type=pa.string()) for _ in names]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(body.rest),
            read_options=arrow_csv.ReadOptions(column_names=names, block_size=_BLOCK_BYTES),
            parse_options=arrow_csv.ParseOptions(
                delimiter=body.delimiter,
                newlines_in_values=b'"' in body.rest,
                invalid_row_handler=lambda row: "error" if _is_content(row.text) else "skip",
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                strings_can_be_null=False,
                check_utf8=False,  # the whole file was checked
            ),
        )
    except (pa.ArrowException, ValueError, OSError, MemoryError) as error:
        _refuse_ragged(body)
        with reading(body.source, "text", "check its quotation marks"):
            raise ValueError(str(error)) from error
    return list(table.columns)


def _is_content(line: str) -> bool:
    """Return whether a line of too few cells is more than blanks, or the end that Gorilla marks."""
    return line.strip().strip(',;"').casefold() not in ("", "end of file")


def _refuse_ragged(body: _Body) -> None:
    """Raise InputError for the first row with another number of columns than the first."""
    with reading(body.source, "text", "check its quotation marks"):
        for line, record in body.records():
            if len(record) != len(body.first):
                expected = f"expected {len(body.first)} columns as in line {body.first_line}"
                remedy = "correct the row; put cells that contain the separator in quotation marks"
                where = f"{body.source}, line {line}"
                refuse(where, f"{expected}, got {len(record)}", remedy)


def _only_first_is_text(first: Sequence[str], columns: Sequence[ArrowColumn]) -> bool:
    """Return whether no cell of the first row is a number, while all others are."""
    cells = pa.array(first, type=pa.string())
    number = r"^\s*[+-]?[0-9.]+([eE][+-]?[0-9]+)?\s*$"
    if pc.any(pc.match_substring_regex(cells, number)).as_py() or not len(columns[0]):
        return False
    return all(pc.all(pc.match_substring_regex(column, number)).as_py() for column in columns)


def _never_again(first: Sequence[str], columns: Sequence[ArrowColumn]) -> bool:
    """Return whether the cells at the top of a wide table differ and occur nowhere below."""
    named = [cell for cell in first if cell]
    if len(named) < 5 or len(columns[0]) < 2:
        return False
    if columns[0][1].as_py().startswith(QUALTRICS):
        return True
    if len(set(named)) < len(named):
        return False
    cells = zip(first, columns, strict=True)
    return not any(cell and pc.any(pc.equal(column, cell)).as_py() for cell, column in cells)


def _as_table(
    body: _Body, columns: Sequence[ArrowColumn], *, has_header: bool, may_have_header: bool = False
) -> Table:
    def column(position: int) -> ArrowColumn:
        cells = columns[position]
        first = [] if has_header else [pa.array([body.first[position]], type=pa.string())]
        return pa.chunked_array([*first, *cells.chunks], type=pa.string())

    def row_name(row: int) -> str:
        row -= not has_header
        return body.line_of(row) if row >= 0 else where

    where = f"{body.source}, line {body.first_line}"
    names, n_rows = body.first if has_header else None, len(columns[0]) + (not has_header)
    table = Table(body.source, names, len(columns), n_rows, column, row_name, where)
    return replace(
        table,
        may_have_header=may_have_header,
        decimal_comma=body.delimiter != ",",
        titles=(*body.comments, *body.titles),
    )
