"""The file of known classes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ordlink._text import counted, did_you_mean, listed, quoted
from ordlink._typing import AnyArray
from ordlink.cli._tables import Row, read_rows
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy

OBJECT_COLUMNS = ("name", "object")
"""Titles of columns of objects; one of them in the first cell makes the first line a header."""


@dataclass(frozen=True)
class Classes:
    """Classes of the objects of a tree.

    Attributes
    ----------
    labels : ndarray of shape (n_levels, N)
        One row for each column of classes.
    titles : tuple of str
        The title of each column; all different.
    """

    labels: AnyArray
    titles: tuple[str, ...]


def read_classes(path: str, tree: Hierarchy) -> Classes:
    """Return the classes in a file, in the order of the tree's objects.

    A single column without header holds the classes in the order of the objects. Otherwise the
    first column, or the column "name" or "object" of the header, names the object of each line, and
    the lines may come in any order.
    """
    rows = read_rows(path)
    header: list[str] | None = None
    if rows and rows[0][1][0].lower() in OBJECT_COLUMNS:
        header, rows = rows[0][1], rows[1:]
    if not rows:
        raise InputError(
            "the file is empty; expected one line per object with its class", where=path
        )
    width = len(rows[0][1] if header is None else header)
    for line, cells in rows:
        if len(cells) != width or not all(cells):
            raise InputError(
                f"expected {counted(width, 'filled column')}, got {sum(map(bool, cells))}",
                where=f"{path}, line {line}",
            )
    if header is None and width == 1:
        _check_number_of_lines(path, rows, tree)
        columns = [0]
    else:
        objects, columns = _object_column(path, header, width)
        rows = _in_order(path, rows, objects, tree, has_header=header is not None)
    labels = [
        np.unique([cells[column] for _, cells in rows], return_inverse=True)[1]
        for column in columns
    ]
    return Classes(np.array(labels), _titles(header, columns))


def _object_column(path: str, header: list[str] | None, width: int) -> tuple[int, list[int]]:
    """Return the column of the objects and the columns of classes."""
    names = ["name"] if header is None else [cell.lower() for cell in header]
    about = [column for column, name in enumerate(names) if name in OBJECT_COLUMNS]
    columns = [column for column in range(width) if column not in about]
    if not columns:
        raise InputError(f"there is no column of classes besides {listed(names)}", where=path)
    return (names.index("name") if "name" in names else about[0]), columns


def _check_number_of_lines(path: str, rows: list[Row], tree: Hierarchy) -> None:
    if len(rows) == tree.n_objects:
        return
    header = f"; if its first line, {quoted(rows[0][1][0])}, is a header, remove it"
    raise InputError(
        f"expected one line for each of {counted(tree.n_objects, 'object')}, got {len(rows)}"
        f"{header if len(rows) == tree.n_objects + 1 else ''}",
        where=path,
    )


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
            is_header = not number and not has_header
            raise InputError(
                f"{quoted(name)} is not an object of the tree"
                f"{numbers if tree.names is None else ''}{did_you_mean(name, names)}",
                where=where,
                remedy="if this line is a header, call its first column 'name'"
                if is_header
                else None,
            )
        if name in first_line and expected[name] == 1:
            raise InputError(
                f"{quoted(name)} already has a line, line {first_line[name]}", where=where
            )
        first_line.setdefault(name, line)
    missing = list((expected - Counter(cells[column] for _, cells in rows)).elements())
    if missing:
        raise InputError(
            f"{counted(len(missing), 'object')} of the tree "
            f"{'has' if len(missing) == 1 else 'have'} no line: {listed(missing)}",
            where=path,
        )
    if len(expected) == len(names):
        by_name = {cells[column]: (line, cells) for line, cells in rows}
        return [by_name[name] for name in names]
    # Objects of the same name differ only by their position: the lines must be in their order.
    repeated = next(name for name, number in expected.items() if number > 1)
    for (line, cells), name in zip(rows, names, strict=False):
        if cells[column] != name:
            raise InputError(
                f"expected {quoted(name)}, got {quoted(cells[column])}; several objects are named "
                f"{quoted(repeated)}, so lines must be in the order of the objects",
                where=f"{path}, line {line}",
            )
    if len(rows) > len(names):
        line, cells = rows[len(names)]
        raise InputError(
            f"{quoted(cells[column])} already has a line", where=f"{path}, line {line}"
        )
    return rows


def _titles(header: list[str] | None, columns: list[int]) -> tuple[str, ...]:
    if header is None:
        return ("class",) if len(columns) == 1 else tuple(f"class {c}" for c in columns)
    titles = [header[column] or f"column {column + 1}" for column in columns]
    return tuple(
        title if titles.count(title) == 1 else f"{title} (column {column + 1})"
        for title, column in zip(titles, columns, strict=True)
    )
