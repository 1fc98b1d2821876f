"""Small tables that commands read besides answers: initial clusters, classes, similarities."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ordlink.comparisons import check_similarities
from ordlink.errors import InputError
from ordlink.typing import AnyArray, FloatArray


def read_rows(path: str) -> list[tuple[int, list[str]]]:
    """Return the lines of a CSV file that are not blank, as (line number, cells)."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
        if "\0" in text:
            raise InputError(f"{path} is not a text file; save it as CSV in UTF-8")
        delimiter = "\t" if path.lower().endswith(".tsv") else ","
        rows = csv.reader(text.splitlines(), delimiter=delimiter)
        return [
            (rows.line_num, [cell.strip() for cell in cells])
            for cells in rows
            if any(cell.strip() for cell in cells)
        ]
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text; save it as CSV in UTF-8") from error
    except csv.Error as error:
        raise InputError(f"{path} is not a CSV file ({error}); save it as CSV in UTF-8") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


def read_initial_clusters(
    path: str, *, n_objects: int, names: Sequence[str] | None, one_based: bool
) -> list[list[int]]:
    """Return clusters from a file with one cluster per line, its objects separated by commas.

    Objects are names, where the objects have names and the entry is one of them, else numbers.
    """
    index = {name: number for number, name in enumerate(names or ())}
    clusters = []
    for line, cells in read_rows(path):
        cluster = []
        for cell in filter(None, cells):
            if names is not None and cell in index:
                if names.count(cell) > 1:
                    raise InputError(
                        f"{path}, line {line}: several objects are named {cell!r}; use numbers"
                    )
                cluster.append(index[cell])
                continue
            try:
                number = int(cell) - one_based
            except ValueError:
                number = -1
            if not 0 <= number < n_objects:
                raise InputError(
                    f"{path}, line {line}: {cell!r} is not an object; there are {n_objects} "
                    f"objects, {int(one_based)} to {n_objects - 1 + one_based}, or use their names"
                )
            cluster.append(number)
        clusters.append(cluster)
    if not clusters:
        raise InputError(f"{path} is empty; expected one cluster per line, objects between commas")
    return clusters


def read_classes(path: str, *, names: Sequence[str]) -> AnyArray:
    """Return classes as labels of shape (n_levels, N), one row for each column of classes.

    The file has one line per object: either as many lines as objects, in their order, or a first
    column with the objects' names. A header line is recognised by its first cell, "name" or
    "object", or because there is one line too many.
    """
    rows = read_rows(path)
    if rows and (rows[0][1][0].lower() in {"name", "object"} or len(rows) == len(names) + 1):
        rows = rows[1:]
    if not rows:
        raise InputError(f"{path} is empty; expected one line per object with its class")
    width = len(rows[0][1])
    for line, cells in rows:
        if len(cells) != width or not all(cells):
            raise InputError(f"{path}, line {line}: expected {width} filled columns, got {cells}")
    table = [cells for _, cells in rows]
    if width > 1 and {cells[0] for cells in table} >= set(names):
        if len(table) != len(names):
            raise InputError(f"{path}: expected {len(names)} objects, got {len(table)} lines")
        if len(set(names)) == len(names):
            by_name = {cells[0]: cells for cells in table}
            table = [by_name[name] for name in names]
        elif [cells[0] for cells in table] != list(names):
            raise InputError(
                f"{path}: objects share names, so the lines must be in the order of the objects"
            )
        table = [cells[1:] for cells in table]
    elif len(table) != len(names):
        raise InputError(
            f"{path}: expected one line for each of {len(names)} objects, got {len(table)}; "
            "put the objects' names into the first column if the order differs"
        )
    return np.array(
        [np.unique(column, return_inverse=True)[1] for column in zip(*table, strict=True)]
    )


def read_similarities(path: str, *, n_objects: int | None = None) -> FloatArray:
    """Return an N x N similarity matrix from .npy or a CSV of numbers without header."""
    if path.lower().endswith(".npy"):
        try:
            matrix = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise InputError(f"{path} is not a NumPy file ({error})") from error
        return check_similarities(matrix, n_objects=n_objects, name=path)
    numbers = []
    for line, cells in read_rows(path):
        try:
            numbers.append([float(cell) for cell in cells])
        except ValueError as error:
            raise InputError(
                f"{path}, line {line}: expected numbers only, {error}; remove headers and names"
            ) from error
        if len(cells) != len(numbers[0]):
            raise InputError(
                f"{path}, line {line}: expected {len(numbers[0])} numbers, got {len(cells)}"
            )
    if not numbers:
        raise InputError(f"{path} is empty; expected a square matrix of numbers")
    return check_similarities(np.array(numbers), n_objects=n_objects, name=path)
