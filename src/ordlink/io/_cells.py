"""From the cells of a column, text or typed, to numbers, names and times."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn, TypeAlias
from urllib.parse import unquote

import numpy as np

from ordlink._text import quoted
from ordlink._typing import AnyArray, BoolArray, FloatArray, Int64Array
from ordlink.comparisons._pairs import RowNamer, natural_key, number_names
from ordlink.io._source import refuse
from ordlink.io._words import MISSING


class _Lazy:
    """A module that is imported at its first use: pyarrow is slow to import."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)


pa: Any = _Lazy("pyarrow")
pc: Any = _Lazy("pyarrow.compute")
arrow_csv: Any = _Lazy("pyarrow.csv")
arrow_parquet: Any = _Lazy("pyarrow.parquet")
ArrowColumn: TypeAlias = Any
"""A pyarrow ChunkedArray; pyarrow ships no types."""

_MEDIA = r"\.(png|jpe?g|gif|webp|svg|bmp|tiff?|wav|mp3|mp4|ogg|webm|m4a|mov|avi|html?|txt)$"
_SOURCE = re.compile(r"""<[^>]*\bsrc\s*=\s*["']([^"']+)["'][^>]*>""", re.IGNORECASE)
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_WHOLE = r"^-?[0-9]+$"
_DECIMAL_COMMA = r"^([+-]?[0-9]*),([0-9]+)$"
_FEWEST_JUDGED = 10  # rows that show that a column holds no objects
_LARGEST_SHARE_OF_NUMBERS = 0.1
"""Fewer numbers than this among names are typos, or need a list of the names."""
_UNKNOWN_TIMES = ("", "na", "n/a", "nan", "null", "none")
_SIDES = ((1.0, ("1", "1.0", "true")), (0.0, ("0", "0.0", "false")), (np.nan, _UNKNOWN_TIMES))
"""What the cells of chose_first may be."""


def object_cells(
    columns: Sequence[ArrowColumn],
    names: Sequence[str] | None,
    row_name: RowNamer,
    *,
    one_based: bool,
    as_names: bool = False,
) -> tuple[AnyArray, Sequence[str] | None, bool]:
    """Return object numbers (n_rows, n_columns), the names, and whether cells held names.

    Whole numbers are numbers, unless all given names are whole numbers and not `one_based`.
    """
    whole_names = [n for n in names or () if n.isascii() and n.removeprefix("-").isdecimal()]
    if not as_names and (one_based or not names or len(whole_names) < len(names)):
        numbers = [_cast_whole(column) for column in columns]
        if all(column is not None for column in numbers):
            return np.stack([c for c in numbers if c is not None], axis=1), names, False
    texts = [_normalised(column) for column in columns]
    missing = _missing(texts, names)
    if missing.any():
        raise MissingCells(missing)
    if names is not None:
        return _look_up(texts, names, row_name), names, True
    if as_names:
        codes, occurring = _encode(texts)
        found = sorted(occurring, key=natural_key)
        return number_names(occurring, found)[codes], found, True
    is_number = _all_match(texts, _NUMBER)
    if is_number.all():  # such as "3.0" or "+3"; "3.5" is refused with all other numbers
        floats = [to_numpy(pc.cast(text, pa.float64())) for text in texts]
        return np.stack(floats, axis=1), None, False
    # A typo must not turn a file of numbers into a file of names.
    if is_number[0].all() or is_number.mean() > 0.5:
        _refuse_text(texts, is_number, row_name, "pass their {names}")
    if is_number.any() and is_number.mean() < _LARGEST_SHARE_OF_NUMBERS:
        whole = _all_match(texts, _WHOLE)
        if whole.any():
            problem = "is a number, but the other objects in the file are names"
            remedy = "correct it, or pass the {names} of all objects if it is one of them"
            _refuse(texts, whole, row_name, problem, remedy)
    apart = is_number.all(axis=0).any() and not is_number.any(axis=0).all()
    if apart and len(is_number) >= _FEWEST_JUDGED:
        only = is_number & is_number.all(axis=0)
        problem = "is a number, as all objects in this column, but those of another are names"
        _refuse(texts, only, row_name, problem, "choose the columns that hold objects, {columns}")
    codes, occurring = _encode(texts)
    found = sorted(occurring, key=natural_key)
    return number_names(occurring, found)[codes], found, True


class MissingCells(Exception):
    """Some cells of objects are missing."""

    def __init__(self, missing: BoolArray) -> None:
        super().__init__()
        self.missing = missing
        """Which cells, of shape (n_rows, n_columns)."""


def _normalised(column: ArrowColumn) -> ArrowColumn:
    """Return trimmed text in Unicode's composed form (NFC)."""
    text = pc.utf8_trim_whitespace(as_text(column))
    return text if pc.all(pc.string_is_ascii(text)).as_py() else pc.utf8_normalize(text, form="NFC")


def _missing(texts: Sequence[ArrowColumn], names: Sequence[str] | None) -> BoolArray:
    words = pa.array(sorted(MISSING - {name.casefold() for name in names or ()}))
    return np.stack([to_numpy(pc.is_in(pc.utf8_lower(text), words)) for text in texts], axis=1)


def object_name(cell: str, *, folder: bool = False) -> str:
    """Return what a cell names: the stem of a file or an address, otherwise the text itself.

    With `folder`, the folder of the file is part of the name.
    """
    text = unicodedata.normalize("NFC", cell).strip()
    if single := re.fullmatch(r"""\[\s*["']([^"']+)["']\s*\]""", text):  # as PsychoPy writes
        text = single[1]
    if single := re.fullmatch(r"""\{\s*"[^"]*"\s*:\s*"([^"]*)"\s*\}""", text):  # as jsPsych writes
        text = single[1]
    if source := _SOURCE.search(text):
        text = source[1].strip()
    elif re.fullmatch(r"<[^<>]+>.*</\w+>", text, re.DOTALL):
        text = re.sub(r"<[^<>]*>", " ", text).strip() or text
    if re.search(_MEDIA, text.split("?")[0], re.IGNORECASE):
        parts = re.split(r"[/\\]", text.split("?")[0])
        file = "/".join(parts[-2:]) if folder else parts[-1]
        return unquote(re.sub(_MEDIA, "", file, flags=re.IGNORECASE)) or text
    return re.sub(r"^(-?\d+)\.0+$", r"\1", re.sub(r"\s+", " ", text))


def file_stems(names: Sequence[str]) -> Sequence[str]:
    """Return the stems of names that are all files, if these differ."""
    stems = [object_name(name) for name in names]
    are_files = all(re.search(_MEDIA, name.split("?")[0], re.IGNORECASE) for name in names)
    return stems if are_files and len(set(stems)) == len(stems) else names


def whole_cells(column: ArrowColumn, what: str, row_name: RowNamer) -> Int64Array:
    """Return a column of whole numbers; empty cells are refused."""
    numbers = _cast_whole(column)
    if numbers is None:
        text = pc.utf8_trim_whitespace(as_text(column))
        _refuse_empty([text], row_name, what)
        bad, problem = ~_all_match([text], _WHOLE), "is not a whole number"
        if not bad.any():
            bad = np.abs(to_numpy(pc.cast(text, pa.float64())))[:, None] >= 2.0**63
            problem = "is too large"
        _refuse([text], bad, row_name, problem, "correct the cell", what=f"the {what}")
    return numbers


def time_cells(column: ArrowColumn, row_name: RowNamer, *, decimal_comma: bool) -> FloatArray:
    """Return a column of response times, NaN where cells are empty."""
    numbers: Any
    if not is_text(column.type):
        numbers = pc.cast(column, pa.float64(), safe=False)
    else:
        text = pc.utf8_trim_whitespace(as_text(column))
        unknown = pc.is_in(pc.utf8_lower(text), value_set=pa.array(_UNKNOWN_TIMES))
        text = pc.if_else(unknown, pa.scalar(None, pa.string()), text)
        text = pc.replace_substring_regex(text, r"^\[(?:.*,)?\s*([^,\]]*)\]$", r"\1")  # PsychoPy
        if decimal_comma:
            text = pc.replace_substring_regex(text, _DECIMAL_COMMA, r"\1.\2")
        try:
            numbers = pc.cast(text, pa.float64())
        except pa.ArrowInvalid:
            text = text.fill_null("0")
            bad = ~_all_match([text], r"^[+-]?(inf|infinity)$|" + _NUMBER)
            bad[0] |= not bad.any()
            remedy = "write decimals with a point; leave the cell empty if it is unknown"
            what = "the response time"
            _refuse([text], bad, row_name, "is not a number", remedy, what=what)
    return to_numpy(numbers.fill_null(float("nan"))).astype(np.float64)


def side_cells(column: ArrowColumn, source: str, row_name: RowNamer) -> FloatArray:
    """Return a column that says whether the first option was chosen: 1, 0, NaN where unknown."""
    if pa.types.is_boolean(column.type):
        column = pc.cast(column, pa.int8())
    check_column_kind(column, "chose_first", source)
    text = pc.utf8_lower(pc.utf8_trim_whitespace(as_text(column)))
    numbers = np.full(len(text), np.inf)
    for number, words in _SIDES:
        numbers[to_numpy(pc.is_in(text, value_set=pa.array(words)))] = number
    bad = np.isinf(numbers)[:, None]
    if bad.any():
        remedy = "write 1 if the option shown first was chosen, 0 if not, nothing if unknown"
        _refuse([text], bad, row_name, "is not 1, 0 or empty", remedy, what="chose_first")
    return numbers


def as_text(column: ArrowColumn) -> ArrowColumn:
    """Return a column as text, null cells empty."""
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    if column.type != pa.string():
        column = pc.cast(column, pa.string())
    return pc.fill_null(column, "") if column.null_count else column


def to_numpy(column: ArrowColumn) -> AnyArray:
    """Return a column (or an array) as a NumPy array."""
    if isinstance(column, pa.ChunkedArray):  # a single chunk is not copied
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    numbers: AnyArray = column.to_numpy(zero_copy_only=False)
    return numbers


def check_column_kind(column: ArrowColumn, name: str, source: str) -> None:
    """Refuse columns that hold neither numbers nor text."""
    kind = column.type
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if not (is_number or is_text(kind) or pa.types.is_null(kind)):
        refuse(source, f"the column {quoted(name)} holds {kind}; expected whole numbers or text")


def is_text(kind: Any) -> bool:
    """Return whether an Arrow type holds text."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _cast_whole(column: ArrowColumn) -> Int64Array | None:
    """Return a column as int64, None if a cell is not a whole number."""
    if column.null_count:
        return None
    if not is_text(column.type):
        try:
            return to_numpy(pc.cast(column, pa.int64()))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None
    text = as_text(column)
    for trim in (False, True):  # spaces are rare, and looking for them takes time
        try:
            numbers = pc.cast(pc.utf8_trim_whitespace(text) if trim else text, pa.int64())
        except pa.ArrowInvalid:
            continue
        # pyarrow reads "0x1F" as 31; here it is text.
        hexadecimal = any(pc.any(pc.match_substring(text, x)).as_py() for x in "xX")
        return None if hexadecimal else to_numpy(numbers)
    return None


def _all_match(texts: Sequence[ArrowColumn], pattern: str) -> BoolArray:
    """Return for each cell, of shape (n_rows, n_columns), whether it matches."""
    matches: list[Any] = [pc.match_substring_regex(t, pattern, ignore_case=True) for t in texts]
    return np.stack([to_numpy(column).astype(bool) for column in matches], axis=1)


def _refuse_empty(texts: Sequence[ArrowColumn], row_name: RowNamer, what: str = "object") -> None:
    for row, column in np.argwhere(_all_match(texts, "^$"))[:1]:
        which = f"{what} {column + 1}" if len(texts) > 1 else what
        refuse(row_name(int(row)), f"the cell of {which} is empty", "complete or remove the row")


def _refuse_text(
    texts: Sequence[ArrowColumn], is_number: BoolArray, row_name: RowNamer, remedy: str
) -> NoReturn:
    problem = "is not a whole number, but other objects in the file are"
    remedy = f"if objects are named by text and numbers, {remedy}"
    remedy = f"correct it; if it names a column, pass {{header:True}}; {remedy}"
    _refuse(texts, ~is_number, row_name, problem, remedy)


def _refuse(
    texts: Sequence[ArrowColumn],
    bad: BoolArray,
    row_name: RowNamer,
    problem: str,
    remedy: str,
    *,
    what: str = "object",
) -> NoReturn:
    """Raise InputError for the first bad cell."""
    row, column = (int(at) for at in np.argwhere(bad)[0])
    cell = quoted(texts[column][row].as_py())
    refuse(row_name(row), f"{what} {cell} {problem}", remedy)


def _encode(texts: Sequence[ArrowColumn]) -> tuple[Int64Array, list[str]]:
    """Return an integer code for each cell, and the distinct texts."""
    cells = pa.chunked_array([chunk for text in texts for chunk in text.chunks], type=pa.string())
    encoded = cells.combine_chunks().dictionary_encode()
    codes = encoded.indices.to_numpy().reshape(len(texts), -1).T
    return codes.astype(np.int64), [str(name) for name in encoded.dictionary.to_pylist()]


def _look_up(texts: Sequence[ArrowColumn], names: Sequence[str], row_name: RowNamer) -> AnyArray:
    codes, occurring = _encode(texts)
    numbers = number_names(occurring, names)[codes]
    unknown = numbers < 0
    if unknown.any():
        is_number = _all_match(texts, _NUMBER)
        if is_number[0].all() and unknown[0].all() and not is_number.all():
            _refuse_text(texts, is_number, row_name, "write the same names as in {names}")
        problem = "is not among the names of the objects"
        _refuse(texts, unknown, row_name, problem, "check the spelling")
    return numbers
