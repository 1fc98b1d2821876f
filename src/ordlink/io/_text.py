"""CSV and TSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Literal

from ordlink.comparisons._listed import ListedComparisons
from ordlink.errors import InputError
from ordlink.io._cells import ArrowColumn
from ordlink.io._columns import looks_like_header
from ordlink.io._encoding import utf8_bytes
from ordlink.io._header import FileHeader, header_from_comments
from ordlink.io._own import OwnRows, check_options, own_blocks
from ordlink.io._pieces import Pieces
from ordlink.io._source import Source, reading
from ordlink.io._table import Options, Table, list_table

_MAX_COLUMNS = 1000
_BLOCK_BYTES = 1 << 22
_SAMPLE_BYTES = 1 << 16


@dataclass(frozen=True)
class _Body:
    """The rows of a text file after its comments.

    Attributes
    ----------
    first : list of str
        Cells of the first row.
    first_line, next_line : int
        Lines, from 1, of the first row and of what follows it.
    rest : bytes
        What follows the first row.
    delimiter : str
        Between cells.
    """

    source: str
    first: list[str]
    first_line: int
    next_line: int
    rest: bytes
    delimiter: str

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield line number and cells of each row after the first; slow, for messages."""
        reader = csv.reader(_decoded_lines(self.rest), delimiter=self.delimiter)
        line = self.next_line
        for record in reader:
            if len(record) == len(self.first) or any(cell.strip() for cell in record):
                yield line, record
            line = self.next_line + reader.line_num

    def line_of(self, row: int) -> str:
        """Say on which line a row stands, counted from 0 at the row after the first."""
        try:
            for number, (line, _) in enumerate(self.records()):
                if number == row:
                    return f"{self.source}, line {line}"
        except csv.Error:
            pass
        return f"{self.source}, row {row}"


def read_text(source: Source, options: Options, *, delimiters: str) -> ListedComparisons:
    """Return the comparisons in a text file whose cells one of `delimiters` separates."""
    content = utf8_bytes(source.read_bytes(), source.name)
    if b"\n" not in content:
        content = content.replace(b"\r", b"\n")
    comments, start, line = _leading_comments(content)
    header = header_from_comments(comments, source.name)
    body = _split_body(content, start, line, source.name, delimiters)
    if header is not None:
        check_options(options, source.name)
        return _read_own(body, header, options)
    return list_table(_first_table(body, options), options)


@contextmanager
def open_text(
    source: Source, options: Options, n_rows: int, *, delimiters: str
) -> Iterator[tuple[FileHeader | None, Iterator[Table]]]:
    """Open a text file to read tables of at most n_rows rows, and one more in the first."""
    with source.opened() as stream:
        pieces = Pieces(stream, source.name, quoted=True)
        header, body = _read_top(pieces, source.name, delimiters)
        yield header, _cut(pieces, body, header, options, n_rows)


def write_text(file: BinaryIO, comparisons: ListedComparisons, *, delimiter: str) -> None:
    """Write comparisons as our own text file."""
    import pyarrow as pa
    import pyarrow.csv

    file.write(FileHeader.of(comparisons).to_comments().encode())
    layout = pyarrow.csv.WriteOptions(include_header=False, delimiter=delimiter)
    for number, block in enumerate(own_blocks(comparisons)):
        if not number:
            file.write((delimiter.join(block) + "\n").encode())
        # NaN becomes null, an empty cell.
        table = pa.table({name: pa.array(cells, from_pandas=True) for name, cells in block.items()})
        if table.num_rows:
            pyarrow.csv.write_csv(table, file, write_options=layout)


def _read_top(pieces: Pieces, source: str, delimiters: str) -> tuple[FileHeader | None, _Body]:
    """Return the header of our own files and the first row; what follows it is left in pieces."""
    wanted = _SAMPLE_BYTES
    while True:
        content, is_all = pieces.top(wanted)
        text = utf8_bytes(content, source)
        comments, start, line = _leading_comments(text)
        if is_all or start + _SAMPLE_BYTES <= len(text):
            break
        wanted = 2 * max(len(content), wanted)
    header = header_from_comments(comments, source)
    body = _split_body(text, start, line, source, delimiters)
    pieces.skip(len(content) - len(body.rest), body.next_line)
    return header, replace(body, rest=b"")


def _cut(
    pieces: Pieces, body: _Body, header: FileHeader | None, options: Options, n_rows: int
) -> Iterator[Table]:
    """Yield tables of the pieces of a text file."""
    has_names = True
    for number, (line, piece) in enumerate(pieces.cut(n_rows)):
        part = replace(body, next_line=line, rest=utf8_bytes(piece, body.source, line))
        if number or header is not None:
            table = _as_table(part, _parse(part), has_header=True)
            yield table if has_names else replace(table, names=None)
        else:
            table = _first_table(part, options)
            has_names = table.names is not None
            yield table


def _first_table(body: _Body, options: Options) -> Table:
    """Return the table of all rows, and of the first one if it is no header."""
    if options.columns is not None and options.header is False:
        raise InputError(
            f"{body.source}: columns (--columns) are chosen by their names, which needs a header; "
            "leave out one of the two options"
        )
    if len(body.first) < 3:
        raise InputError(
            f"{body.source}, line {body.first_line}: expected at least 3 columns, got "
            f"{len(body.first)}; separate the columns by commas, semicolons or tabs"
        )
    columns = _parse(body)
    has_header = options.header
    if has_header is None:
        has_header = (
            options.columns is not None
            or looks_like_header(body.first)
            or _only_first_is_text(body.first, columns)
        )
    guessed = options.header is None and not has_header
    return _as_table(body, columns, has_header=has_header, may_have_header=guessed)


def _leading_comments(content: bytes) -> tuple[list[str], int, int]:
    """Return the comment lines at the top, where the first row starts, and its line number.

    A comment starts with "# ", so that a first object such as "#ff0000" is none.
    """
    comments: list[str] = []
    start, line = 0, 1
    while start < len(content):
        end = content.find(b"\n", start)
        end = len(content) if end < 0 else end
        text = content[start:end].rstrip(b"\r")
        if text.startswith(b"# ") or text.rstrip() == b"#":
            comments.append(text.decode())
        elif text.strip():
            break
        start, line = end + 1, line + 1
    return comments, start, line


def _split_body(content: bytes, start: int, line: int, source: str, delimiters: str) -> _Body:
    """Read the first row and find what separates the cells."""
    if start >= len(content):
        raise InputError(f"{source}: there are no answers in this file; expected rows of objects")
    delimiter = _find_delimiter(content[start : start + _SAMPLE_BYTES], delimiters)
    lines = _Lines(content, start)
    with reading(source, "text", "check the quotation marks in its first row"):
        reader = csv.reader(lines, delimiter=delimiter)
        first = [cell.strip() for cell in next(reader)]
    if len(first) > _MAX_COLUMNS:
        raise InputError(f"{source}, line {line}: expected 3 or 4 columns, got {len(first)}")
    return _Body(source, first, line, line + reader.line_num, content[lines.at :], delimiter)


class _Lines:
    """Decoded lines of text, which knows how far it has come."""

    def __init__(self, content: bytes, start: int) -> None:
        self.content = content
        self.at = start

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self.at >= len(self.content):
            raise StopIteration
        end = self.content.find(b"\n", self.at)
        end = len(self.content) if end < 0 else end + 1
        line = self.content[self.at : end].decode()
        self.at = end
        return line


def _decoded_lines(content: bytes) -> Iterator[str]:
    return (line.decode() for line in content.splitlines(keepends=True))


def _find_delimiter(sample: bytes, delimiters: str) -> str:
    """Return what separates the cells: what every row has equally often, at least twice."""
    whole_lines = sample.splitlines()[:20]
    if len(sample) == _SAMPLE_BYTES and len(whole_lines) > 1:
        whole_lines.pop()
    lines = [re.sub(rb'"[^"]*"', b"", line) for line in whole_lines if line.strip()]
    for delimiter in delimiters:
        counts = {line.count(delimiter.encode()) for line in lines}
        if len(counts) == 1 and min(counts) >= 2:
            return delimiter
    return max(reversed(delimiters), key=lambda delimiter: lines[0].count(delimiter.encode()))


def _parse(body: _Body) -> list[ArrowColumn]:
    """Return the columns of all rows after the first, as text."""
    import pyarrow as pa
    import pyarrow.csv

    names = [str(number) for number in range(len(body.first))]
    if not body.rest.strip(b" \t\r\n"):
        return [pa.chunked_array([], type=pa.string()) for _ in names]
    rest: Any = pa.BufferReader(body.rest)
    try:
        table = pyarrow.csv.read_csv(
            rest,
            read_options=pyarrow.csv.ReadOptions(column_names=names, block_size=_BLOCK_BYTES),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=body.delimiter,
                newlines_in_values=b'"' in body.rest,
                invalid_row_handler=_skip_blank,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
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


def _skip_blank(row: Any) -> Literal["skip", "error"]:
    return "error" if row.text.strip() else "skip"


def _refuse_ragged(body: _Body) -> None:
    """Raise InputError for the first row with another number of columns than the first."""
    with reading(body.source, "text", "check its quotation marks"):
        for line, record in body.records():
            if len(record) != len(body.first):
                raise InputError(
                    f"{body.source}, line {line}: expected {len(body.first)} columns as in the "
                    f"first row (line {body.first_line}), got {len(record)}; complete or remove "
                    "the row, and put cells that hold the separator in quotation marks"
                )


def _only_first_is_text(first: Sequence[str], columns: Sequence[ArrowColumn]) -> bool:
    """Return whether no cell of the first row is a number, while all others are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = pa.array(first, type=pa.string())
    number = r"^\s*[+-]?[0-9.]+([eE][+-]?[0-9]+)?\s*$"
    if pc.any(pc.match_substring_regex(cells, number)).as_py() or not len(columns[0]):
        return False
    return all(pc.all(pc.match_substring_regex(column, number)).as_py() for column in columns)


def _as_table(
    body: _Body, columns: Sequence[ArrowColumn], *, has_header: bool, may_have_header: bool = False
) -> Table:
    import pyarrow as pa

    def column(position: int) -> ArrowColumn:
        cells = columns[position]
        if has_header:
            return cells
        first = pa.array([body.first[position]], type=pa.string())
        return pa.chunked_array([first, *cells.chunks])

    def row_name(row: int) -> str:
        if has_header:
            return body.line_of(row)
        if row:
            return body.line_of(row - 1)
        return f"{body.source}, line {body.first_line}"

    return Table(
        source=body.source,
        names=body.first if has_header else None,
        n_columns=len(columns),
        n_rows=len(columns[0]) + (not has_header),
        column=column,
        row_name=row_name,
        where=f"{body.source}, line {body.first_line}",
        may_have_header=may_have_header,
        decimal_comma=body.delimiter != ",",
    )


def _read_own(body: _Body, header: FileHeader, options: Options) -> ListedComparisons:
    table = _as_table(body, _parse(body), has_header=True)
    rows = OwnRows(header, table.n_rows)
    rows.add(table)
    return rows.to_comparisons(options, body.source)
