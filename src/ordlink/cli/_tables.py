"""Small tables that commands read besides answers: rows of cells, and similarities."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np

from ordlink._typing import FloatArray
from ordlink.cli._messages import shown
from ordlink.comparisons import check_similarities
from ordlink.errors import InputError
from ordlink.io import InputFile, reading

SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")


def refuse_what_is_no_table(path: str) -> None:
    """Raise InputError for a folder, a file that is not there, and a spreadsheet."""
    InputFile.of(path).check_exists()
    if path.lower().endswith(SPREADSHEETS):
        raise InputError(f"{path}: this is a spreadsheet; save it as CSV")


def read_rows(path: str) -> list[tuple[int, list[str]]]:
    """Return the lines of a text table that are not blank, as (line number, cells).

    What separates the cells is a tab in .tsv, else the most frequent of comma, semicolon and tab.
    """
    refuse_what_is_no_table(path)
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
        if "\0" in text:
            raise InputError(f"{path}: this is not a text file; save it as CSV in UTF-8")
        unquoted = re.sub(r'"[^"]*"', "", text)
        delimiter = "\t" if path.lower().endswith(".tsv") else max(",;\t", key=unquoted.count)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        return [
            (rows.line_num, [cell.strip() for cell in cells])
            for cells in rows
            if any(cell.strip() for cell in cells)
        ]
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: this is not UTF-8 text; save it as CSV in UTF-8") from error
    except csv.Error as error:
        raise InputError(f"{path}: this is not CSV ({error}); save it as CSV in UTF-8") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error


def read_similarities(path: str, *, n_objects: int | None = None) -> FloatArray:
    """Return an N x N similarity matrix from .npy or a CSV of numbers without header."""
    if path.lower().endswith(".npy"):
        InputFile.of(path).check_exists()
        with reading(path, "a NumPy file"):
            matrix = np.load(path, allow_pickle=False)
        return check_similarities(matrix, n_objects=n_objects, name=path)
    numbers: list[list[float]] = []
    for line, cells in read_rows(path):
        numbers.append([_number(cell, path, line) for cell in cells])
        if len(cells) != len(numbers[0]):
            raise InputError(
                f"{path}, line {line}: expected {len(numbers[0])} numbers as in the first line, "
                f"got {len(cells)}"
            )
    if not numbers:
        raise InputError(f"{path} is empty; expected a square matrix of numbers")
    return check_similarities(np.array(numbers), n_objects=n_objects, name=path)


def _number(cell: str, path: str, line: int) -> float:
    try:
        return float(cell)
    except ValueError as error:
        raise InputError(
            f"{path}, line {line}: expected numbers only, got {shown(cell)}; "
            "remove headers and names"
        ) from error
