"""From the objects as users write them (numbers or names) to indices 0..N-1."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from ordlink._typing import AnyArray, Int32Array, Int64Array
from ordlink.comparisons._pairs import check_pair_ids_fit
from ordlink.errors import InputError, InputKindError

_NOT_TEXT = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
"""What no name may hold: control characters and lone surrogates."""
_LARGEST_NUMBER = 2.0**53
RowNamer = Callable[[int], str]
"""Says where row r of the input stands, e.g. "answers.csv, line 18"."""


def plain_row(row: int) -> str:
    """Name a row of an array, counted from 0 as NumPy does."""
    return f"row {row}"


def check_names(names: Sequence[str] | None, n_objects: int | None) -> tuple[str, ...] | None:
    """Return the names as a tuple; they may repeat, but not be empty or span lines."""
    if names is None:
        return None
    if isinstance(names, str):
        raise InputKindError(f"names must be a sequence of strings, got the string {names!r}")
    checked = tuple(str(name) for name in names)
    if n_objects is not None and len(checked) != n_objects:
        names_text = "is 1 name" if len(checked) == 1 else f"are {len(checked)} names"
        raise InputError(
            f"there {names_text} for {n_objects} object{'s' if n_objects != 1 else ''}; "
            "give one name per object"
        )
    for index, name in enumerate(checked):
        if not name.strip() or _NOT_TEXT.search(name):
            raise InputError(
                f"the name of object {index}, {name!r}, is empty or has control characters; "
                "names are single lines of text"
            )
    return checked


def in_natural_order(names: Sequence[str]) -> list[str]:
    """Return the names sorted so that "car 2" comes before "car 10".

    Examples
    --------
    >>> in_natural_order(["car 10", "car 2", "bus"])
    ['bus', 'car 2', 'car 10']
    """

    def key(name: str) -> tuple[list[tuple[int, int, str]], str]:
        # Digits are compared by length, then as text: Python refuses to turn 4301 into a number.
        parts = re.findall(r"[0-9]+|[^0-9]+", name)
        stripped = [part.lstrip("0") if part[0] in "0123456789" else part for part in parts]
        return [
            (0, len(short), short) if part[0] in "0123456789" else (1, 0, part)
            for part, short in zip(parts, stripped, strict=True)
        ], name

    return sorted(names, key=key)


def count_objects(n_objects: int, first: int = 0) -> str:
    """Return "are 4 objects (0 to 3)", or "is 1 object (0)"."""
    if n_objects == 1:
        return f"is 1 object ({first})"
    return f"are {n_objects} objects ({first} to {n_objects - 1 + first})"


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
    if rows.dtype.kind == "f":
        _refuse_fractions(rows, row_name)
    smallest, largest = (int(rows.min()), int(rows.max())) if rows.size else (first, first - 1)
    if max(-smallest, largest) > _LARGEST_NUMBER:
        _refuse_far_too_large(rows, row_name)
    if smallest < first:
        remedy = (
            "the answers are said to count from 1; if they count from 0, leave out one_based "
            "(--one-based), otherwise check the row"
            if one_based
            else "check the row"
        )
        _refuse_first(rows < first, rows, row_name, f"is below {first}, the first object; {remedy}")
    if n_objects is None:
        n_objects = largest + 1 - first
        if not one_based and rows.size and smallest == 1:
            raise InputError(
                f"object 0 is never named, 1 to {largest} are: this looks as if the answers count "
                "from 1; pass one_based=True (--one-based), or n_objects "
                f"(--n-objects {largest + 1}) if there is an object 0"
            )
    check_pair_ids_fit(n_objects)
    if largest >= n_objects + first:
        _refuse_first(
            rows >= n_objects + first,
            rows,
            row_name,
            f"is out of range: there {count_objects(n_objects, first)}; check the row, or pass "
            "n_objects (--n-objects) if there are more"
            + (
                "; if the answers count from 1, pass one_based=True (--one-based)"
                if not one_based and largest == n_objects
                else ""
            ),
        )
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
    codes = codes.reshape(rows.shape)
    if names is None:
        names = tuple(in_natural_order([str(name) for name in occurring]))
        check_names(names, None)
        if n_objects is not None and n_objects != len(names):
            raise InputError(
                f"the answers name {len(names)} objects, not n_objects={n_objects}; "
                "pass the names of all objects"
            )
    check_pair_ids_fit(len(names))
    index = {name: position for position, name in enumerate(names)}
    if len(index) < len(names):
        twice = next(name for position, name in enumerate(names) if index[name] != position)
        raise InputError(
            f"two objects are named {twice!r}, so answers cannot tell them apart by name; "
            "give them different names or use numbers"
        )
    known = np.array([index.get(str(name), -1) for name in occurring], dtype=np.int32)
    objects = known[codes]
    _refuse_first(
        objects < 0, rows, row_name, "is not among the names of the objects; check the spelling"
    )
    return objects, names


def check_kept_objects(objects: Sequence[int] | AnyArray, n_objects: int) -> Int64Array:
    """Return the objects of a subset: different numbers from 0 to N - 1."""
    try:
        kept = np.asarray(objects)
    except ValueError:
        kept = np.empty((0, 0))
    fits = kept.ndim == 1 and len(kept) > 0 and kept.dtype.kind in "iu"
    if not fits or len(np.unique(kept)) != len(kept):
        raise InputError("objects must be a list of different object numbers, and not empty")
    if not 0 <= int(kept.min()) <= int(kept.max()) < n_objects:
        raise InputError(f"objects must lie between 0 and {n_objects - 1}")
    return kept.astype(np.int64)


def _refuse_fractions(rows: AnyArray, row_name: RowNamer) -> None:
    _refuse_far_too_large(rows, row_name)
    _refuse_first(
        rows != np.floor(rows),
        rows,
        row_name,
        "is not a whole number; objects are 0, 1, 2, ...; check the row",
    )


def _refuse_far_too_large(rows: AnyArray, row_name: RowNamer) -> None:
    _refuse_first(
        np.abs(rows.astype(np.float64)) > _LARGEST_NUMBER,
        rows,
        row_name,
        "is far too large; objects are 0, 1, 2, ...; check the row",
    )


def _refuse_first(bad: AnyArray, rows: AnyArray, row_name: RowNamer, problem: str) -> None:
    """Raise InputError for the first row with a bad entry, quoting the entry."""
    if bad.any():
        row, column = np.argwhere(bad)[0]
        entry = rows[row, column]
        shown = repr(str(entry)) if rows.dtype.kind in "OUT" else f"{entry:.12g}"
        raise InputError(f"{row_name(int(row))}: object {shown} {problem}")
