"""From the cells of a column, text or typed, to numbers, names and times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, Int64Array
from ordlink.comparisons._objects import RowNamer, in_natural_order
from ordlink.errors import InputError

ArrowColumn: TypeAlias = Any
"""A pyarrow ChunkedArray; pyarrow ships no types."""

_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_WHOLE = r"^-?[0-9]+$"
_DECIMAL_COMMA = r"^([+-]?[0-9]*),([0-9]+)$"
_LARGEST_SHARE_OF_NUMBERS = 0.1
"""Fewer numbers than this among names are typos, or need a list of the names."""
_UNKNOWN_TIMES = ("", "na", "n/a", "nan", "null", "none")
_SIDES = ((1.0, ("1", "1.0", "true")), (0.0, ("0", "0.0", "false")), (np.nan, _UNKNOWN_TIMES))
"""What the cells of chose_first may be."""
_LARGEST_EXACT = 2.0**53


def object_cells(
    columns: Sequence[ArrowColumn],
    *,
    names: Sequence[str] | None,
    one_based: bool,
    row_name: RowNamer,
) -> tuple[Int64Array, Sequence[str] | None, bool]:
    """Return object numbers (n_rows, n_columns), the names, and whether they were looked up.

    Whole numbers are numbers, also where names are given; only if all given names are whole
    numbers themselves, and `one_based` does not say otherwise, they are looked up as names.
    """
    numeric_names = names is not None and all(_is_whole(name) for name in names) and not one_based
    if not (numeric_names and names):
        numbers = [_cast_whole(column) for column in columns]
        if all(column is not None for column in numbers):
            return np.stack([c for c in numbers if c is not None], axis=1), names, False
    texts = [trimmed(as_text(column)) for column in columns]
    _refuse_empty(texts, row_name)
    if names is None:
        is_number = np.stack([_matches(text, _NUMBER) for text in texts], axis=1)
        if is_number.all():
            return _from_decimals(texts, row_name), None, False
        # A typo must not turn a file of numbers into a file of names.
        if is_number[0].all() or is_number.mean() > 0.5:
            remedy = "if the objects are named by text and numbers, pass their names (--names)"
            _refuse_text(texts, ~is_number, row_name, remedy)
        if is_number.any() and is_number.mean() < _LARGEST_SHARE_OF_NUMBERS:
            _refuse_number(texts, row_name)
        return *_from_names(texts), True
    return _look_up(texts, names, row_name), names, True


def int32_cells(column: ArrowColumn) -> Int32Array | None:
    """Return a column that is stored as int32, without a copy if it can be; None for others."""
    import pyarrow as pa

    if column.type != pa.int32() or column.null_count:
        return None
    return to_numpy(column)


def whole_cells(column: ArrowColumn, what: str, row_name: RowNamer) -> Int64Array:
    """Return a column of whole numbers; empty cells are refused."""
    numbers = _cast_whole(column)
    if numbers is None:
        text = trimmed(as_text(column))
        _refuse_empty([text], row_name, what)
        bad = ~_matches(text, _WHOLE)
        row = int(np.flatnonzero(bad)[0]) if bad.any() else _longest(text)
        problem = "is not a whole number" if bad.any() else "is too large"
        raise InputError(
            f"{row_name(row)}: the {what} {_shown(text, row)} {problem}; correct the cell"
        )
    return numbers


def time_cells(
    column: ArrowColumn, what: str, row_name: RowNamer, *, decimal_comma: bool = False
) -> FloatArray:
    """Return a column of decimal numbers, NaN where cells are empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers: Any
    if not _is_text(column.type):
        numbers = pc.cast(column, pa.float64(), safe=False)
    else:
        text = trimmed(as_text(column))
        unknown = pc.is_in(pc.utf8_lower(text), value_set=pa.array(_UNKNOWN_TIMES))
        text = pc.if_else(unknown, pa.scalar(None, pa.string()), text)
        if decimal_comma:
            text = pc.replace_substring_regex(text, _DECIMAL_COMMA, r"\1.\2")
        try:
            numbers = pc.cast(text, pa.float64())
        except pa.ArrowInvalid as error:
            text = text.fill_null("0")
            bad = ~_matches(text, r"^[+-]?(inf|infinity)$|" + _NUMBER)
            row = int(np.flatnonzero(bad)[0]) if bad.any() else 0
            raise InputError(
                f"{row_name(row)}: the {what} {_shown(text, row)} is not a number; "
                "write decimals with a point, leave the cell empty where it is not known"
            ) from error
    return to_numpy(numbers.fill_null(float("nan"))).astype(np.float64)


def side_cells(column: ArrowColumn, source: str, row_name: RowNamer) -> FloatArray:
    """Return a column that says whether the first option was chosen: 1, 0, NaN where unknown."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_boolean(column.type):
        column = pc.cast(column, pa.int8())
    check_column_kind(column, "chose_first", source)
    text = pc.utf8_lower(trimmed(as_text(column)))
    numbers = np.full(len(text), np.inf)
    for number, words in _SIDES:
        numbers[to_numpy(pc.is_in(text, value_set=pa.array(words)))] = number
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        raise InputError(
            f"{row_name(row)}: chose_first is {_shown(text, row)}; write 1 if the answer chose "
            "what was shown first, 0 if not, leave the cell empty where it is not known"
        )
    return numbers


def text_cells(column: ArrowColumn, *, trim: bool) -> AnyArray:
    """Return a column of text as an object array, empty where cells are null."""
    text = as_text(column)
    return to_numpy(trimmed(text) if trim else text).astype(object)


def as_text(column: ArrowColumn) -> ArrowColumn:
    """Return a column as text, null cells empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    if column.type != pa.string():
        column = pc.cast(column, pa.string())
    return pc.fill_null(column, "") if column.null_count else column


def trimmed(text: ArrowColumn) -> ArrowColumn:
    """Return text without spaces around it."""
    import pyarrow.compute as pc

    return pc.utf8_trim_whitespace(text)


def to_numpy(column: ArrowColumn) -> AnyArray:
    """Return a column (or an array) as a NumPy array."""
    import pyarrow as pa

    array = column
    if isinstance(column, pa.ChunkedArray):  # a single chunk is not copied
        array = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    numbers: AnyArray = array.to_numpy(zero_copy_only=False)
    return numbers


def check_column_kind(column: ArrowColumn, name: str, source: str) -> None:
    """Refuse columns that hold neither numbers nor text."""
    import pyarrow as pa

    kind = column.type
    if not (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or _is_text(kind)
        or pa.types.is_null(kind)
    ):
        raise InputError(
            f"{source}: the column {name!r} holds {kind}; expected whole numbers or text"
        )


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _is_whole(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdecimal()


def _cast_whole(column: ArrowColumn) -> Int64Array | None:
    """Return a column as int64, None if a cell is not a whole number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.null_count:
        return None
    if not _is_text(column.type):
        try:
            return to_numpy(pc.cast(column, pa.int64()))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None
    text = as_text(column)
    for trim in (False, True):  # spaces are rare, and looking for them takes time
        try:
            numbers = pc.cast(trimmed(text) if trim else text, pa.int64())
        except pa.ArrowInvalid:
            continue
        # pyarrow reads "0x1F" as 31; here it is text.
        hexadecimal = any(pc.any(pc.match_substring(text, x)).as_py() for x in "xX")
        return None if hexadecimal else to_numpy(numbers)
    return None


def _matches(text: ArrowColumn, pattern: str) -> BoolArray:
    import pyarrow.compute as pc

    matches: Any = pc.match_substring_regex(text, pattern, ignore_case=True)
    return to_numpy(matches).astype(bool)


def _refuse_empty(texts: Sequence[ArrowColumn], row_name: RowNamer, what: str = "object") -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    empty = np.stack(
        [to_numpy(pc.equal(text, pa.scalar(""))).astype(bool) for text in texts], axis=1
    )
    if empty.any():
        row, column = (int(at) for at in np.argwhere(empty)[0])
        which = f"{what} {column + 1}" if len(texts) > 1 else what
        raise InputError(
            f"{row_name(row)}: the cell of {which} is empty; complete the row or remove it"
        )


def _refuse_text(
    texts: Sequence[ArrowColumn], bad: BoolArray, row_name: RowNamer, remedy: str
) -> None:
    row, column = (int(at) for at in np.argwhere(bad)[0])
    raise InputError(
        f"{row_name(row)}: object {_shown(texts[column], row)} is not a whole number, but other "
        f"objects of the file are; correct it; if it names a column, pass header=True; {remedy}"
    )


def _refuse_number(texts: Sequence[ArrowColumn], row_name: RowNamer) -> None:
    """Refuse the first whole number among names."""
    whole = np.stack([_matches(text, _WHOLE) for text in texts], axis=1)
    if whole.any():
        row, column = (int(at) for at in np.argwhere(whole)[0])
        raise InputError(
            f"{row_name(row)}: object {_shown(texts[column], row)} is a number, but the other "
            "objects of the file are names; correct it, or pass the names of all objects (--names) "
            "if this is one of them"
        )


def _from_decimals(texts: Sequence[ArrowColumn], row_name: RowNamer) -> Int64Array:
    """Return numbers such as "3.0" or "+3", refuse "3.5" and what is too large."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = np.stack([to_numpy(pc.cast(text, pa.float64())) for text in texts], axis=1)
    bad = ~((numbers == np.floor(numbers)) & (np.abs(numbers) < _LARGEST_EXACT))
    if bad.any():
        row, column = (int(at) for at in np.argwhere(bad)[0])
        too_large = abs(numbers[row, column]) >= _LARGEST_EXACT
        raise InputError(
            f"{row_name(row)}: object {_shown(texts[column], row)} is "
            f"{'too large' if too_large else 'not a whole number'}; objects are 0, 1, 2, ...; "
            "check the row"
        )
    return numbers.astype(np.int64)


def _encode(texts: Sequence[ArrowColumn]) -> tuple[Int64Array, list[str]]:
    """Return for each cell the number of its text among the different ones, and these."""
    import pyarrow as pa

    cells = pa.chunked_array([chunk for text in texts for chunk in text.chunks], type=pa.string())
    encoded = cells.combine_chunks().dictionary_encode()
    codes = encoded.indices.to_numpy().reshape(len(texts), -1).T
    return codes.astype(np.int64), [str(name) for name in encoded.dictionary.to_pylist()]


def _from_names(texts: Sequence[ArrowColumn]) -> tuple[Int64Array, list[str]]:
    codes, occurring = _encode(texts)
    names = in_natural_order(occurring)
    position = {name: at for at, name in enumerate(names)}
    return np.array([position[name] for name in occurring], dtype=np.int64)[codes], names


def _look_up(texts: Sequence[ArrowColumn], names: Sequence[str], row_name: RowNamer) -> Int64Array:
    codes, occurring = _encode(texts)
    position = {name: at for at, name in enumerate(names)}
    if len(position) < len(names):
        twice = next(name for at, name in enumerate(names) if position[name] != at)
        raise InputError(
            f"two objects are named {twice!r}, so answers cannot tell them apart by name; "
            "give them different names or use numbers"
        )
    numbers = np.array([position.get(name, -1) for name in occurring], dtype=np.int64)[codes]
    unknown = numbers < 0
    if unknown.any():
        is_number = np.stack([_matches(text, _NUMBER) for text in texts], axis=1)
        if is_number[0].all() and unknown[0].all() and not is_number.all():
            remedy = "if the objects are named, write the same names as in names (--names)"
            _refuse_text(texts, ~is_number, row_name, remedy)
        row, column = (int(at) for at in np.argwhere(unknown)[0])
        raise InputError(
            f"{row_name(row)}: object {_shown(texts[column], row)} is not among the names of the "
            "objects; check the spelling"
        )
    return numbers


def _longest(text: ArrowColumn) -> int:
    import pyarrow.compute as pc

    return int(np.argmax(to_numpy(pc.utf8_length(text))))


def _shown(text: ArrowColumn, row: int) -> str:
    cell = text[row].as_py()
    return repr(cell if len(cell) <= 40 else cell[:37] + "...")
