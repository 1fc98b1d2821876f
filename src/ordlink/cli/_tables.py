"""Small tables besides the answers: similarities, features, initial clusters, known classes."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from pathlib import Path
from typing import NoReturn

import numpy as np

from ordlink._text import counted, did_you_mean, listed, quoted
from ordlink._typing import AnyArray, FloatArray
from ordlink.comparisons import ListedComparisons, check_similarities
from ordlink.datasets import FeatureTable
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.io import InputFile, reading

OBJECT_COLUMNS = ("name", "object")
"""Titles of columns of objects; one of them in the first cell makes the first line a header."""
SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
CLUSTERS_HEADER = ("object", "name", "cluster")
"""The header of clusters.csv."""
SET_ASIDE = " set aside"
"""What stands for an empty cluster; no cell begins with a blank."""
_FILL_IN = "fill it in or remove the object"
Row = tuple[int, list[str]]  # line number and cells


def _refuse(where: str, problem: str, remedy: str | None = None) -> NoReturn:
    raise InputError(problem, where=where, remedy=remedy)


def check_table(path: str) -> None:
    """Refuse a path that is a folder, a spreadsheet or missing."""
    InputFile.of(path).check_exists()
    if path.lower().endswith(SPREADSHEETS):
        _refuse(path, "this is a spreadsheet", "save it as CSV")


def read_rows(path: str) -> list[Row]:
    """Return the lines of a text table that are not blank.

    Cells are separated by tabs in .tsv, else by the most frequent of comma, semicolon and tab.
    """
    check_table(path)
    save_as = "save it as CSV in UTF-8"
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
        if "\0" in text:
            _refuse(path, "this is not a text file", save_as)
        unquoted = re.sub(r'"[^"]*"', "", text)
        delimiter = "\t" if path.lower().endswith(".tsv") else max(",;\t", key=unquoted.count)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        return [
            (rows.line_num, [cell.strip() for cell in cells])
            for cells in rows
            if any(cell.strip() for cell in cells)
        ]
    except UnicodeDecodeError:
        _refuse(path, "this is not UTF-8 text", save_as)
    except csv.Error as error:
        _refuse(path, f"this is not CSV ({error})", save_as)
    except OSError as error:
        _refuse(path, f"cannot be read ({error.strerror or error})")


def read_similarities(path: str, *, n_objects: int) -> FloatArray:
    """Return an N x N similarity matrix from an .npy file or a CSV of numbers without a header."""
    if path.lower().endswith(".npy"):
        InputFile.of(path).check_exists()
        with reading(path, "a NumPy file"):
            matrix = np.load(path, allow_pickle=False)
        return check_similarities(matrix, n_objects=n_objects, name=path)
    rows = read_rows(path)
    if not rows:
        _refuse(path, "the file is empty; expected a square matrix of numbers")
    width = len(rows[0][1])
    for line, cells in rows:
        where, wrong = f"{path}, line {line}", [cell for cell in cells if not _is_number(cell)]
        if wrong:
            got = quoted(wrong[0])
            _refuse(where, f"expected numbers only, got {got}", "remove headers and names")
        if len(cells) != width:
            _refuse(where, f"expected {width} numbers as in the first line, got {len(cells)}")
    matrix = np.array([list(map(float, cells)) for _, cells in rows])
    return check_similarities(matrix, n_objects=n_objects, name=path)


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
        _refuse(path, f"expected a header and at least three objects, got {found}")
    titles = rows[0][1]
    header = [cell.lower() for cell in titles]
    columns = [number for number, name in enumerate(header) if name not in {"name", "class"}]
    if not columns:
        _refuse(path, "expected columns of numbers besides 'name' and 'class'")
    features, names, classes = [], [], []
    for number, (line, cells) in enumerate(rows[1:]):
        where = f"{path}, line {line}"
        if len(cells) != len(header):
            _refuse(where, f"expected {counted(len(header), 'column')}, got {len(cells)}")
        named = dict(zip(header[::-1], cells[::-1], strict=True))  # the first of its title
        features.append(
            [_feature(cells[c], f"{where}, column {quoted(titles[c])}") for c in columns]
        )
        names.append(named.get("name", f"object {number}"))
        classes.append(named.get("class", ""))
        if not names[-1]:
            _refuse(where, "the name is empty", _FILL_IN)
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


def _feature(cell: str, where: str) -> float:
    number = float(cell) if _is_number(cell) else math.nan
    if not math.isfinite(number):
        got = quoted(cell) if cell else "an empty cell"
        _refuse(where, f"expected a number, got {got}", _FILL_IN)
    return number


def read_initial_clusters(
    path: str | None, comparisons: ListedComparisons, *, one_based: bool
) -> list[list[int]] | None:
    """Return the clusters in a file with one cluster per line.

    Objects are separated by commas, semicolons or tabs. A cell that is the name of an object stands
    for it; other cells are numbers.
    """
    if path is None:
        return None
    names, n_objects = comparisons.names, comparisons.n_objects
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
                _refuse(where, f"several objects are named {quoted(cell)}", "use numbers")
            item = index[cell] if cell in index else _numbered(cell, n_objects, int(one_based))
            if item is None:
                last = n_objects - 1 + one_based
                known = f"the {counted(n_objects, 'object')}, {int(one_based)} to {last}"
                _refuse(
                    where,
                    f"{quoted(cell)} is not one of {known}{', or a name' if index else ''}"
                    f"{did_you_mean(cell, index)}",
                )
            if item in cluster:
                _refuse(where, f"{quoted(labels[item])} is listed twice", "remove one")
            if item in line_of:
                _refuse(
                    where,
                    f"{quoted(labels[item])} is already in the cluster on line {line_of[item]}",
                    "initial clusters must not overlap",
                )
            cluster.append(item)
        line_of.update(dict.fromkeys(cluster, line))
        clusters.append(cluster)
    if not clusters:
        expected = "expected one cluster per line, objects separated by commas"
        _refuse(path, f"the file is empty; {expected}")
    return clusters


def _numbered(cell: str, n_objects: int, first: int) -> int | None:
    """Return the object with the number in a cell."""
    number = int(cell) - first if re.fullmatch("[0-9]{1,9}", cell) else -1
    return number if 0 <= number < n_objects else None


def read_classes(path: str, tree: Hierarchy) -> tuple[AnyArray, list[str], list[int]]:
    """Return labels in the order of the objects, title and number of classes per class column.

    A single column without a header holds the classes in the order of the objects. Otherwise the
    first column, or the column "name" or "object" of the header, names the object of each line, and
    the lines may come in any order. In a clusters.csv of 'ordlink cluster', an empty cluster means
    that the object is set aside: those are a class of their own, which the number leaves out.
    """
    rows = read_rows(path)
    header: list[str] | None = None
    if rows and rows[0][1][0].lower() in OBJECT_COLUMNS:
        header, rows = rows[0][1], rows[1:]
    if not rows:
        _refuse(path, "the file is empty; expected one line per object with its class")
    width = len(rows[0][1] if header is None else header)
    if header is not None and tuple(header) == CLUSTERS_HEADER:
        rows = [(line, [*cells[:-1], cells[-1] or SET_ASIDE]) for line, cells in rows]
    for line, cells in rows:
        if len(cells) != width or not all(cells):
            _refuse(
                f"{path}, line {line}",
                f"expected {counted(width, 'filled column')}, got {sum(map(bool, cells))}",
            )
    if header is None and width == 1:
        columns = [0]
        if len(rows) != tree.n_objects:
            is_header = f"; if its first line, {quoted(rows[0][1][0])}, is a header, remove it"
            _refuse(
                path,
                f"expected one line for each of {counted(tree.n_objects, 'object')}, got "
                f"{len(rows)}{is_header if len(rows) == tree.n_objects + 1 else ''}",
            )
    else:
        objects, columns = _object_column(path, header, width)
        rows = _in_order(path, rows, objects, tree, has_header=header is not None)
    by_column = [[cells[column] for _, cells in rows] for column in columns]
    labels = [np.unique(cells, return_inverse=True)[1] for cells in by_column]
    numbers = [max(len(set(cells) - {SET_ASIDE}), 1) for cells in by_column]
    return np.array(labels), _titles(header, columns), numbers


def _object_column(path: str, header: list[str] | None, width: int) -> tuple[int, list[int]]:
    """Return the column of the objects and the columns of classes."""
    names = ["name"] if header is None else [cell.lower() for cell in header]
    about = [column for column, name in enumerate(names) if name in OBJECT_COLUMNS]
    columns = [column for column in range(width) if column not in about]
    if not columns:
        _refuse(path, f"there is no column of classes besides {listed(names)}")
    return (names.index("name") if "name" in names else about[0]), columns


def _in_order(
    path: str, rows: list[Row], column: int, tree: Hierarchy, *, has_header: bool
) -> list[Row]:
    """Return the lines in the order of the tree's objects, exactly one for each of them."""
    names = tuple(name.strip() for name in tree.labels_text)  # as cells are
    expected = Counter(names)
    first_line: dict[str, int] = {}
    for number, (line, cells) in enumerate(rows):
        name, where = cells[column], f"{path}, line {line}"
        if name not in expected:
            numbers = f": it has no names, objects are 0 to {tree.n_objects - 1}"
            is_header = number == 0 and not has_header
            _refuse(
                where,
                f"{quoted(name)} is not an object of the tree"
                f"{numbers if tree.names is None else ''}{did_you_mean(name, names)}",
                "if this line is a header, call its first column 'name'" if is_header else None,
            )
        if name in first_line and expected[name] == 1:
            _refuse(where, f"{quoted(name)} already has a line, line {first_line[name]}")
        first_line.setdefault(name, line)
    missing = list((expected - Counter(cells[column] for _, cells in rows)).elements())
    if missing:
        _refuse(
            path,
            f"{counted(len(missing), 'object')} of the tree "
            f"{'has' if len(missing) == 1 else 'have'} no line: {listed(missing)}",
        )
    if len(expected) == len(names):
        by_name = {cells[column]: (line, cells) for line, cells in rows}
        return [by_name[name] for name in names]
    # Objects of the same name differ only by their position: the lines must be in their order.
    repeated = next(name for name, number in expected.items() if number > 1)
    for (line, cells), name in zip(rows, names, strict=False):
        if cells[column] != name:
            _refuse(
                f"{path}, line {line}",
                f"expected {quoted(name)}, got {quoted(cells[column])}; several objects are named "
                f"{quoted(repeated)}, so lines must be in the order of the objects",
            )
    if len(rows) > len(names):
        line, cells = rows[len(names)]
        _refuse(f"{path}, line {line}", f"{quoted(cells[column])} already has a line")
    return rows


def _titles(header: list[str] | None, columns: list[int]) -> list[str]:
    if header is None:
        return ["class"] if len(columns) == 1 else [f"class {column}" for column in columns]
    titles = [header[column] or f"column {column + 1}" for column in columns]
    return [
        title if titles.count(title) == 1 else f"{title} (column {column + 1})"
        for title, column in zip(titles, columns, strict=True)
    ]
