"""Small tables besides the answers: similarities, features, initial clusters."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ordlink._text import counted, did_you_mean, quoted
from ordlink._typing import FloatArray
from ordlink.comparisons import check_similarities
from ordlink.datasets import FeatureTable
from ordlink.errors import InputError
from ordlink.io import InputFile, reading

SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
Row = tuple[int, list[str]]
"""Line number and cells."""


def check_table(path: str) -> None:
    """Refuse a path that is a folder, a spreadsheet or nothing at all."""
    InputFile.of(path).check_exists()
    if path.lower().endswith(SPREADSHEETS):
        raise InputError("this is a spreadsheet", where=path, remedy="save it as CSV")


def read_rows(path: str) -> list[Row]:
    """Return the lines of a text table that are not blank.

    Cells are separated by tabs in .tsv, else by the most frequent of comma, semicolon and tab.
    """
    check_table(path)
    save_as = "save it as CSV in UTF-8"
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
        if "\0" in text:
            raise InputError("this is not a text file", where=path, remedy=save_as)
        unquoted = re.sub(r'"[^"]*"', "", text)
        delimiter = "\t" if path.lower().endswith(".tsv") else max(",;\t", key=unquoted.count)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        return [
            (rows.line_num, [cell.strip() for cell in cells])
            for cells in rows
            if any(cell.strip() for cell in cells)
        ]
    except UnicodeDecodeError as error:
        raise InputError("this is not UTF-8 text", where=path, remedy=save_as) from error
    except csv.Error as error:
        raise InputError(f"this is not CSV ({error})", where=path, remedy=save_as) from error
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error})", where=path) from error


def read_similarities(path: str, *, n_objects: int) -> FloatArray:
    """Return an N x N similarity matrix from .npy or a CSV of numbers without header."""
    if path.lower().endswith(".npy"):
        InputFile.of(path).check_exists()
        with reading(path, "a NumPy file"):
            matrix = np.load(path, allow_pickle=False)
        return check_similarities(matrix, n_objects=n_objects, name=path)
    numbers: list[list[float]] = []
    for line, cells in read_rows(path):
        where = f"{path}, line {line}"
        try:
            numbers.append([float(cell) for cell in cells])
        except ValueError as error:
            wrong = next(cell for cell in cells if not _is_number(cell))
            raise InputError(
                f"expected numbers only, got {quoted(wrong)}",
                where=where,
                remedy="remove headers and names",
            ) from error
        if len(cells) != len(numbers[0]):
            raise InputError(
                f"expected {len(numbers[0])} numbers as in the first line, got {len(cells)}",
                where=where,
            )
    if not numbers:
        raise InputError("the file is empty; expected a square matrix of numbers", where=path)
    return check_similarities(np.array(numbers), n_objects=n_objects, name=path)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def read_features(path: str) -> FeatureTable:
    """Return the features in a CSV file with a header; columns "name" and "class" are optional."""
    rows = read_rows(path)
    if len(rows) < 4:
        found = counted(len(rows), "line")
        raise InputError(f"expected a header and at least three objects, got {found}", where=path)
    titles = rows[0][1]
    header = [cell.lower() for cell in titles]
    columns = [number for number, name in enumerate(header) if name not in {"name", "class"}]
    if not columns:
        raise InputError("expected columns of numbers besides 'name' and 'class'", where=path)
    features, names, classes = [], [], []
    for number, (line, cells) in enumerate(rows[1:]):
        where = f"{path}, line {line}"
        if len(cells) != len(header):
            expected = counted(len(header), "column")
            raise InputError(f"expected {expected}, got {len(cells)}", where=where)
        features.append(
            [_feature(cells[c], f"{where}, column {quoted(titles[c])}") for c in columns]
        )
        names.append(cells[header.index("name")] if "name" in header else f"object {number}")
        if not names[-1]:
            raise InputError("the name is empty", where=where, remedy=_FILL_IN)
        classes.append(cells[header.index("class")] if "class" in header else "")
    class_names, labels = np.unique(classes, return_inverse=True)
    return FeatureTable(
        features=np.array(features),
        feature_names=tuple(header[column] for column in columns),
        names=tuple(names),
        classes=labels,
        class_names=tuple(map(str, class_names)),
        citation="",
        licence="",
    )


_FILL_IN = "fill it in or remove the object"


def _feature(cell: str, where: str) -> float:
    number = float(cell) if _is_number(cell) else math.nan
    if not math.isfinite(number):
        got = quoted(cell) if cell else "an empty cell"
        raise InputError(f"expected a number, got {got}", where=where, remedy=_FILL_IN)
    return number


def read_initial_clusters(
    path: str, *, names: Sequence[str] | None, n_objects: int, one_based: bool
) -> list[list[int]]:
    """Return the clusters in a file with one cluster per line.

    Objects are separated by commas, semicolons or tabs. A cell that is the name of an object stands
    for it; other cells are numbers.
    """
    labels = names or [str(number + one_based) for number in range(n_objects)]
    index = {name: number for number, name in enumerate(names or ())}
    repeated = {name for name, count in Counter(names or ()).items() if count > 1}
    clusters = []
    line_of: dict[int, int] = {}
    for line, cells in read_rows(path):
        where = f"{path}, line {line}"
        cluster: list[int] = []
        for cell in filter(None, cells):
            if cell in repeated:
                raise InputError(
                    f"several objects are named {quoted(cell)}", where=where, remedy="use numbers"
                )
            item = index[cell] if cell in index else _numbered(cell, n_objects, int(one_based))
            if item is None:
                last = n_objects - 1 + one_based
                known = f"the {counted(n_objects, 'object')}, {int(one_based)} to {last}"
                raise InputError(
                    f"{quoted(cell)} is not one of {known}{', or a name' if index else ''}"
                    f"{did_you_mean(cell, index)}",
                    where=where,
                )
            if item in cluster:
                raise InputError(
                    f"{quoted(labels[item])} is listed twice", where=where, remedy="remove one"
                )
            if item in line_of:
                raise InputError(
                    f"{quoted(labels[item])} is already in the cluster on line {line_of[item]}",
                    where=where,
                    remedy="initial clusters must not overlap",
                )
            cluster.append(item)
        line_of.update(dict.fromkeys(cluster, line))
        clusters.append(cluster)
    if not clusters:
        expected = "expected one cluster per line, objects separated by commas"
        raise InputError(f"the file is empty; {expected}", where=path)
    return clusters


def _numbered(cell: str, n_objects: int, first: int) -> int | None:
    """Return the object with the number in a cell."""
    is_number = cell.isascii() and cell.isdecimal() and len(cell) < 10
    return int(cell) - first if is_number and 0 <= int(cell) - first < n_objects else None
