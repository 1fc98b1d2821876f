"""Spreadsheets (.xlsx and .ods): only values are read, never formulas or links."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ordlink._text import listed
from ordlink.errors import InputError, MissingDependencyError
from ordlink.io._answers import read_table
from ordlink.io._cells import ArrowColumn, pa
from ordlink.io._options import Options
from ordlink.io._own import OpenTables
from ordlink.io._source import NO_ANSWERS, InputFile, check_unpacked, reading, refuse
from ordlink.io._table import Table
from ordlink.io._text import count_titles
from ordlink.io._unpack import join_tables

MOST_CELLS = 4_000_000
"""Cells that a sheet may span, empty ones included."""
_PLACE = re.compile(rb"""\br\s*=\s*["']\s*([A-Za-z]{0,9})(\d{0,20})""")
_ROW = re.compile(rb"<(?:\w+:)?table-row\b(.*?)</(?:\w+:)?table-row>", re.DOTALL)


def _check_spread(archive: zipfile.ZipFile, source: str) -> None:
    """Refuse a sheet whose cells are so far apart that the whole table would not fit in memory."""
    largest = 0
    for name in archive.namelist():
        if name.endswith(".xml") and "worksheets/" in name:
            places = _PLACE.findall(archive.read(name))
            columns = max((_column(letters) for letters, _ in places), default=1)
            rows = max((int(number or 0) for _, number in places), default=1)
            largest = max(largest, rows * columns)
        if name == "content.xml":
            rows_found = _ROW.findall(archive.read(name))
            filled = [row for row in rows_found if b"<text:p" in row or b"value" in row]
            largest = max(largest, sum(map(_repeated, filled)))
    if largest > MOST_CELLS:
        problem = f"a sheet spans {largest:,} cells, expected at most {MOST_CELLS:,}"
        refuse(source, problem, "clear cells far from the table, or save it as CSV")


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return max(1, number)


def _repeated(row: bytes) -> int:
    """Return how many cells a row of an .ods file stands for."""
    counts = {"rows": 1, "columns": 0}
    for kind, number in re.findall(rb"number-(rows|columns)-repeated\s*=\s*.(\d{1,20})", row):
        if kind == b"rows":
            counts["rows"] = int(number)
        else:
            counts["columns"] += int(number)
    return counts["rows"] * (counts["columns"] + row.count(b"table-cell"))


@contextmanager
def open_sheet(source: InputFile, options: Options, n_rows: int | None) -> Iterator[OpenTables]:
    """Open a spreadsheet (.xlsx, .ods): its one sheet with cells, or the one that is named."""
    try:
        import python_calamine as calamine
    except ImportError as error:
        raise MissingDependencyError(
            "spreadsheets need the package python-calamine, which is not installed",
            remedy="run: pip install python-calamine, or save the sheet as CSV",
        ) from error
    content = source.read_bytes()
    with reading(source.name, "a spreadsheet"), zipfile.ZipFile(io.BytesIO(content)) as archive:
        check_unpacked(source.name, len(content), sum(m.file_size for m in archive.infolist()))
        _check_spread(archive, source.name)
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        sheets = {name: _rows(book, name) for name in book.sheet_names}
    except (calamine.CalamineError, OSError, ValueError, OverflowError) as error:
        refuse(source.name, f"this is not readable as a spreadsheet ({str(error)[:160]})")
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # what Rust code raises on damaged files
            raise
        refuse(source.name, "this is not readable as a spreadsheet, it may be damaged")
    filled = {
        name: rows
        for name, rows in sheets.items()
        if len(rows) > 1 and any(len([cell for cell in row if cell]) > 1 for _, row in rows)
    }
    if options.sheet is not None and options.sheet not in sheets:
        refuse(
            source.name,
            f"there is no sheet {options.sheet!r}, the sheets are {listed(list(sheets))}",
        )
    if options.sheet is not None:
        filled = {options.sheet: sheets[options.sheet]}
    if not filled or any(len(rows) < 2 for rows in filled.values()):
        refuse(source.name, NO_ANSWERS)
    tables = {}
    for name, rows in filled.items():
        n_titles = count_titles([row for _, row in rows])
        tables[name] = _text_table(f"{source.name}, sheet {name}", rows[n_titles:])
        if n_titles:
            titles = [" ".join(row).strip() for _, row in rows[:n_titles]]
            options.note(f"skipped above the table: {listed(titles, 3)}")
    yield OpenTables(None, iter([_choose_sheet(source.name, tables, options)]))


def _choose_sheet(source: str, tables: dict[str, Table], options: Options) -> Table:
    """Return the only sheet, all sheets of the same columns, or the only one with answers.

    The only sheet of two columns may name the objects by their codes.
    """
    wide = {name: table for name, table in tables.items() if table.n_columns > 2} or tables
    codes = [table for name, table in tables.items() if name not in wide and table.n_columns == 2]
    if len({tuple(table.names or ()) for table in wide.values()}) == 1:
        several = len(wide) > 1
        found = join_tables(list(wide.values()), options, what="sheet") if several else None
        found = found or next(iter(wide.values()))
    else:
        good = [name for name, table in wide.items() if _has_answers(table, options)]
        if len(good) != 1:
            refuse(source, f"there are several sheets: {listed(list(wide))}", "pass {sheet}")
        others = [name for name in wide if name not in good]
        options.note(f"sheet {good[0]!r} is read; no answers were found in {listed(others)}")
        found = wide[good[0]]
    if len(codes) != 1:
        return found
    pairs = zip(codes[0].column(0).to_pylist(), codes[0].column(1).to_pylist(), strict=True)
    return replace(found, labels=dict(pairs))


def _has_answers(table: Table, options: Options) -> bool:
    try:
        read_table(table, replace(options, tell=lambda _sentence: None))
    except InputError:
        return False
    return True


Row = tuple[int, list[str]]
"""Number and cells of a row that is not empty."""


def _rows(book: Any, name: str) -> list[Row]:
    rows = [[_text(cell) for cell in row] for row in book.get_sheet_by_name(name).to_python()]
    return [(number + 1, row) for number, row in enumerate(rows) if any(row)]


def _text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _text_table(source: str, rows: Sequence[Row]) -> Table:
    """Return a table of text cells, named by its first row."""
    (first, header), *rows = rows
    used = [at for at, name in enumerate(header) if name.strip()]
    names = [header[at] for at in used]

    def column(position: int) -> ArrowColumn:
        at = used[position]
        cells = [row[at] if at < len(row) else "" for _, row in rows]
        return pa.chunked_array([pa.array(cells, pa.string())])

    def row_name(row: int) -> str:
        return f"{source}, row {rows[row][0]}"

    return Table(source, names, len(names), len(rows), column, row_name, f"{source}, row {first}")
