"""From the objects as users write them (numbers or names) to indices 0..N-1."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ordlink._text import quoted
from ordlink._typing import AnyArray, Int32Array
from ordlink._validate import check_names, count_objects
from ordlink.comparisons._pairs import check_pair_ids_fit
from ordlink.errors import InputError

_LARGEST_NUMBER = 2.0**53
RowNamer: TypeAlias = Callable[[int], str]
"""Says where row r of the input is, e.g. "answers.csv, line 18"."""


def plain_row(row: int) -> str:
    """Name a row of an array, counted from 0 as NumPy does."""
    return f"row {row}"


def natural_key(name: str) -> tuple[list[tuple[int, int, str]], str]:
    """Return a key to sort names by, so that "car 2" comes before "car 10".

    Examples
    --------
    >>> sorted(["car 10", "car 2", "bus"], key=natural_key)
    ['bus', 'car 2', 'car 10']
    """
    # Digits are compared by length, then as text: Python refuses to turn 4301 into a number.
    parts = []
    for digits, text in re.findall(r"([0-9]+)|([^0-9]+)", name):
        short = digits.lstrip("0")
        parts.append((0, len(short), short) if digits else (1, 0, text))
    return parts, name


def objects_from_numbers(
    rows: AnyArray,
    *,
    n_objects: int | None,
    one_based: bool,
    row_name: RowNamer = plain_row,
) -> tuple[Int32Array, int]:
    """Return object indices and N for rows of whole numbers.

    Raises
    ------
    InputError
        If a number is fractional, negative, out of range, or seems to count from 1 by mistake.
    """
    first = 1 if one_based else 0
    known = "objects are 0, 1, 2, ..., check the row"
    is_float = rows.dtype.kind == "f"
    if is_float or (rows.size and max(-int(rows.min()), int(rows.max())) > _LARGEST_NUMBER):
        too_large = np.abs(rows.astype(np.float64)) > _LARGEST_NUMBER
        _refuse_first(too_large, rows, row_name, "is far too large", known)
    if is_float:
        _refuse_first(rows != np.floor(rows), rows, row_name, "is not a whole number", known)
    smallest, largest = (int(rows.min()), int(rows.max())) if rows.size else (first, first - 1)
    if smallest < first:
        remedy = "check the row"
        if one_based:
            remedy = "if the answers count from 0, leave out {one_based:True}, otherwise " + remedy
        problem = f"is below {first}, the first object"
        _refuse_first(rows < first, rows, row_name, problem, remedy)
    if n_objects is None:
        n_objects = largest + 1 - first
        if not one_based and rows.size and smallest == 1:
            raise InputError(
                f"object 0 is never named, 1 to {largest} are: this looks as if the answers count "
                "from 1",
                remedy=f"pass {{one_based:True}}, or {{n_objects:{largest + 1}}} if there is an "
                "object 0",
            )
    check_pair_ids_fit(n_objects)
    if largest >= n_objects + first:
        remedy = "check the row, or pass {n_objects} if there are more"
        if not one_based and largest == n_objects:
            remedy += "; if the answers count from 1, pass {one_based:True}"
        problem = f"is out of range: there {count_objects(n_objects, first)}"
        _refuse_first(rows >= n_objects + first, rows, row_name, problem, remedy)
    numbers = rows.astype(np.int32)
    return (numbers - np.int32(first) if first else numbers), n_objects


def objects_from_names(
    rows: AnyArray,
    *,
    names: tuple[str, ...] | None,
    n_objects: int | None = None,
    row_name: RowNamer = plain_row,
) -> tuple[Int32Array, tuple[str, ...]]:
    """Return object indices and names for rows of names.

    Without a list of names, the objects are all names that occur, in natural order, so that the
    order of the answers does not matter.
    """
    occurring, codes = np.unique(rows.astype(str), return_inverse=True)
    different = [str(name) for name in occurring]
    if names is None:
        names = tuple(sorted(different, key=natural_key))
        check_names(names, None)
        if n_objects is not None and n_objects != len(names):
            raise InputError(
                f"the answers name {len(names):,} objects, not {n_objects:,}",
                parameter="n_objects",
                remedy="pass the {names} of all objects",
            )
    check_pair_ids_fit(len(names))
    objects = number_names(different, names)[codes.reshape(rows.shape)]
    problem = "is not among the names of the objects"
    _refuse_first(objects < 0, rows, row_name, problem, "check the spelling")
    return objects, names


def number_names(occurring: Sequence[str], names: Sequence[str]) -> Int32Array:
    """Return the position of each occurring name among the names of the objects, -1 for none."""
    position = {name: at for at, name in enumerate(names)}
    if len(position) < len(names):
        twice = next(name for at, name in enumerate(names) if position[name] != at)
        raise InputError(
            f"two objects are named {quoted(twice)}, so a name does not say which is meant",
            remedy="give them different {names} or use numbers",
        )
    return np.array([position.get(name, -1) for name in occurring], dtype=np.int32)


def _refuse_first(
    bad: AnyArray, rows: AnyArray, row_name: RowNamer, problem: str, remedy: str
) -> None:
    """Raise InputError for the first row with a bad entry, quoting the entry."""
    if bad.any():
        row, column = np.argwhere(bad)[0]
        entry = rows[row, column]
        shown = quoted(entry) if rows.dtype.kind in "OUT" else f"{entry:.12g}"
        raise InputError(f"object {shown} {problem}", where=row_name(int(row)), remedy=remedy)
