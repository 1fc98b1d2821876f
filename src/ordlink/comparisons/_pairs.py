"""Objects and their pairs as numbers.

The objects that users write, numbers or names, become 0..N-1. A pair {i, j} with i < j becomes one
id, in the order of SciPy's condensed distance matrices: (0,1), (0,2), ..., (1,2), ...
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ordlink._text import counted, quoted
from ordlink._typing import AnyArray, Int32Array, PairIdArray
from ordlink._validate import check_names, check_whole_number, count_objects
from ordlink.errors import InputError

Number = TypeVar("Number", bound=np.generic)

MAX_OBJECTS = 65_535
"""Largest number of objects for tables of all pairs; their pair ids fit into int32."""
MOST_LISTED = 10_000_000
"""Largest number of objects that comparisons listed one by one may have."""
_ENTRIES_PER_OBJECT = 0.1  # with fewer, numbers of many objects are more likely to be other codes


def n_pairs(n_objects: int) -> int:
    """Return the number of unordered pairs of objects, E = N (N - 1) / 2."""
    return n_objects * (n_objects - 1) // 2


def check_n_objects(n_objects: object) -> int:
    """Return the number of objects as an int; NumPy's small integers would overflow later."""
    return check_whole_number(n_objects, "n_objects", lowest=1, highest=MOST_LISTED)


def check_pair_ids_fit(n_objects: int) -> None:
    """Raise InputError if there are too many objects for a table of all pairs."""
    if n_objects > MAX_OBJECTS:
        problem = f"tables of all pairs hold at most {MAX_OBJECTS:,} objects, got {n_objects:,}"
        raise InputError(problem, remedy="use an active method (4K-AL-act) on an oracle for more")


def pair_ids(i: AnyArray, j: AnyArray, n_objects: int) -> PairIdArray:
    """Return the ids of the pairs {i, j}; i and j have the same shape and differ everywhere.

    The id is low * (2 N - low - 1) / 2 + (high - low - 1), whichever of the two is low.

    Examples
    --------
    >>> pair_ids(np.array([0, 3]), np.array([1, 2]), 4)
    array([0, 5], dtype=int32)
    """
    whole = np.int32 if 2 * n_objects * n_objects < 2**31 else np.int64  # what products fit into
    low: AnyArray = np.minimum(i, j).astype(whole, copy=False)
    high: AnyArray = np.maximum(i, j).astype(whole, copy=False)
    ids = low * (2 * n_objects - 1 - low) // 2 + (high - low - 1)
    return np.asarray(ids, dtype=id_type(n_objects))


def id_type(n_objects: int) -> type[np.int32] | type[np.int64]:
    """Return the type of pair ids."""
    return np.int32 if n_objects <= MAX_OBJECTS else np.int64


def pair_members(ids: AnyArray, n_objects: int) -> tuple[Int32Array, Int32Array]:
    """Return the objects (i, j), i < j, of each pair id.

    Examples
    --------
    >>> pair_members(np.array([0, 5]), 4)
    (array([0, 2], dtype=int32), array([1, 3], dtype=int32))
    """
    ids = np.asarray(ids, dtype=np.int64)
    b = 2 * n_objects - 1
    # Root of the quadratic in i; exact in float64 up to one unit, which the next two lines correct.
    i = ((b - np.sqrt(b * b - 8.0 * ids)) / 2).astype(np.int64)
    i -= i * (b - i) // 2 > ids
    i += (i + 1) * (b - i - 1) // 2 <= ids
    j = ids - i * (b - i) // 2 + i + 1
    return i.astype(np.int32), j.astype(np.int32)


def square(by_pair: NDArray[Number], n_objects: int) -> NDArray[Number]:
    """Return the symmetric matrix with these entries by pair id, and 0 on the diagonal."""
    matrix = np.zeros((n_objects, n_objects), dtype=by_pair.dtype)
    upper = np.triu_indices(n_objects, 1)
    matrix[upper] = by_pair
    matrix[upper[1], upper[0]] = by_pair
    return matrix


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
    rows: AnyArray, n_objects: int | None, row_name: RowNamer, *, one_based: bool
) -> tuple[Int32Array, int]:
    """Return object indices and N for rows of numbers; an error names the first invalid row."""
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
            named = f"object 0 is never named, 1 to {largest} are"
            remedy = f"pass {{one_based:True}}, or {{n_objects:{largest + 1}}} to keep object 0"
            raise InputError(f"{named}: the answers seem to number objects from 1", remedy=remedy)
        few = n_objects > MAX_OBJECTS and rows.size < _ENTRIES_PER_OBJECT * n_objects
        if few or n_objects > MOST_LISTED:
            problem = f"would be one of {n_objects:,}, but "
            problem += f"{counted(len(rows), 'row')} cannot be about so many objects"
            if n_objects > MOST_LISTED:
                problem = f"is beyond the {MOST_LISTED:,} objects that answers may be about"
            remedy = "if these numbers are codes, write them as text, or number the objects 0, 1, 2"
            _refuse_first(rows == largest, rows, row_name, problem, remedy)
    if largest >= n_objects + first:
        remedy = "check the row, or pass {n_objects} if there are more"
        if not one_based and largest == n_objects:
            remedy += "; if the answers count from 1, pass {one_based:True}"
        problem = f"is out of range: there {count_objects(n_objects, first)}"
        _refuse_first(rows >= n_objects + first, rows, row_name, problem, remedy)
    numbers = rows.astype(np.int32)
    return (numbers - np.int32(first) if first else numbers), n_objects


def objects_from_names(
    rows: AnyArray, names: tuple[str, ...] | None, n_objects: int | None, row_name: RowNamer
) -> tuple[Int32Array, tuple[str, ...]]:
    """Return object indices and names; by default all names that occur, in natural order."""
    occurring, codes = np.unique(rows.astype(str), return_inverse=True)
    different = [str(name) for name in occurring]
    if names is None:
        names = tuple(sorted(different, key=natural_key))
        check_names(names, None)
        if n_objects is not None and n_objects != len(names):
            problem = f"the answers name {len(names):,} objects, not {n_objects:,}"
            remedy = "pass the {names} of all objects"
            raise InputError(problem, parameter="n_objects", remedy=remedy)
    objects = number_names(different, names)[codes.reshape(rows.shape)]
    problem = "is not among the names of the objects"
    _refuse_first(objects < 0, rows, row_name, problem, "check the spelling")
    return objects, names


def number_names(occurring: Sequence[str], names: Sequence[str]) -> Int32Array:
    """Return the position of each occurring name among the names of the objects, -1 for none."""
    position = {name: at for at, name in enumerate(names)}
    if len(position) < len(names):
        twice = next(name for at, name in enumerate(names) if position[name] != at)
        problem = f"two objects are named {quoted(twice)}, so a name does not say which is meant"
        raise InputError(problem, remedy="give them different {names} or use numbers")
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
