"""The answer forms, and the checked conversion of answers to listed comparisons."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._text import counted, listed
from ordlink._typing import AnyArray, BoolArray, Int32Array, PairIdArray
from ordlink._validate import check_choice, check_names
from ordlink.comparisons._base import check_length, make_details
from ordlink.comparisons._listed import ListedComparisons
from ordlink.comparisons._pairs import (
    RowNamer,
    check_n_objects,
    id_type,
    objects_from_names,
    objects_from_numbers,
    pair_ids,
    plain_row,
)
from ordlink.errors import InputError, InputKindError, OrdlinkWarning

_ROWS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class AnswerForm:
    """One way to ask, and what an answer says.

    Attributes
    ----------
    name, meaning : str
        Name of the form, and what a row says, for messages and help.
    columns : tuple of str
        Column names of a row, as in our own files.
    comparisons : tuple of tuple of int
        For each comparison (i, j, k, l) that a row becomes, the columns that hold i, j, k, l.
    """

    name: str
    columns: tuple[str, ...]
    meaning: str
    comparisons: tuple[tuple[int, int, int, int], ...]

    def to_pairs(self, objects: AnyArray, n_objects: int) -> tuple[PairIdArray, PairIdArray]:
        """Return winners and losers, answer by answer, from objects (len(columns), n_answers)."""
        n_answers = objects.shape[1]
        ids = np.empty((2, n_answers, len(self.comparisons)), dtype=id_type(n_objects))
        for first in range(0, n_answers, _ROWS_AT_ONCE):  # what is computed on the way stays small
            rows = slice(first, first + _ROWS_AT_ONCE)
            for number, (i, j, k, l) in enumerate(self.comparisons):  # noqa: E741 - as in the paper
                ids[0, rows, number] = pair_ids(objects[i, rows], objects[j, rows], n_objects)
                ids[1, rows, number] = pair_ids(objects[k, rows], objects[l, rows], n_objects)
        return ids[0].reshape(-1), ids[1].reshape(-1)


FORMS: dict[str, AnswerForm] = {
    form.name: form
    for form in (
        AnswerForm(
            "quadruplet", tuple("ijkl"), "i and j are more alike than k and l", ((0, 1, 2, 3),)
        ),
        AnswerForm(
            "triplet",
            ("anchor", "closer", "farther"),
            "the first is closer to the second than to the third",
            ((0, 1, 0, 2),),
        ),
        AnswerForm(
            "most-central",
            ("central", "other_1", "other_2"),
            "the first is the most central of the three",
            ((1, 0, 1, 2), (2, 0, 2, 1)),
        ),
        AnswerForm(
            "odd-one-out",
            ("alike_1", "alike_2", "odd"),
            "the third is the odd one out",
            ((0, 1, 0, 2), (0, 1, 1, 2)),
        ),
    )
}
"""The four answer forms by name."""


def find_form(name: str) -> AnswerForm:
    """Return the form of this name; spaces and underscores count as hyphens."""
    plain = name.strip().lower().replace("_", "-").replace(" ", "-").removesuffix("s")
    return FORMS[check_choice(plain, "form", FORMS)]


LARGEST_COUNT = np.iinfo(np.int32).max


def list_answers(
    rows: Sequence[Sequence[object]] | AnyArray,
    form: str,
    *,
    names: Sequence[str] | None = None,
    n_objects: int | None = None,
    one_based: bool = False,
    counts: Sequence[int] | AnyArray | None = None,
    skip_repeated: bool = False,
    named: bool = False,
    may_be_empty: bool = False,
    row_name: RowNamer = plain_row,
    **details: Any,
) -> ListedComparisons:
    """Return the comparisons in rows of answers that all have one form.

    Parameters
    ----------
    rows, names, n_objects, one_based, counts, skip_repeated
        As in :meth:`Comparisons.from_quadruplets`.
    form : str
        One of :data:`FORMS`.
    named, may_be_empty : bool
        Whether messages show names for the numbers; whether all rows may be skipped.
    row_name : callable
        Says where a row is.
    **details : array of shape (n_answers,), optional
        Columns of :class:`AnswerDetails`.
    """
    answer_form = find_form(form)
    table = _as_table(rows, answer_form)
    n_objects = None if n_objects is None else check_n_objects(n_objects)
    checked_names = check_names(names, n_objects)
    if table.dtype.kind in "OUT":
        objects, checked_names = objects_from_names(table, checked_names, n_objects, row_name)
        n_objects = len(checked_names)
    else:
        n = n_objects if checked_names is None else len(checked_names)
        objects, n_objects = objects_from_numbers(table, n, row_name, one_based=one_based)
        if one_based and checked_names is None:  # objects keep the numbers that users know
            checked_names = tuple(str(number) for number in range(1, n_objects + 1))
    each = len(answer_form.comparisons)
    checked_counts = _count_column(counts, len(table), row_name)
    by_column = np.ascontiguousarray(objects.T)
    shown = np.array(checked_names, dtype=object)[objects] if named else table
    skip = "none" if not skip_repeated else "all" if may_be_empty else "some"
    kept = _check_rows(by_column, shown, row_name, skip)
    if kept is not None:
        by_column = by_column[:, kept]
        checked_counts = None if checked_counts is None else checked_counts[kept]
    winners, losers = answer_form.to_pairs(by_column, n_objects)
    return ListedComparisons(
        n_objects=n_objects,
        winners=winners,
        losers=losers,
        names=checked_names,
        counts=None if checked_counts is None else np.repeat(checked_counts, each),
        details=make_details(len(table), each, kept, details),
    )


def check_counts(counts: AnyArray, row_name: RowNamer) -> None:
    """Refuse counts that are not positive integers."""
    bad = (counts < 1) | (counts != np.floor(counts)) | (counts > LARGEST_COUNT)
    if bad.any():
        row = int(bad.argmax())
        problem = f"the count {counts[row]} is not a whole number from 1 to {LARGEST_COUNT:,}"
        raise InputError(problem, where=row_name(row), remedy="leave out answers that nobody gave")


def _count_column(
    counts: Sequence[int] | AnyArray | None, n_answers: int, row_name: RowNamer
) -> Int32Array | None:
    if counts is None:
        return None
    given = np.asarray(counts)
    check_length(given, n_answers, "counts")
    if given.dtype.kind not in "iuf":
        raise InputKindError(f"expected whole numbers, got dtype {given.dtype}", parameter="counts")
    check_counts(given, row_name)
    return given.astype(np.int32)


def _frame_rows(frame: Any, form: AnswerForm) -> AnyArray:
    """Return the columns of a data frame by their names, never by their order."""
    names = [str(name) for name in getattr(frame, "column_names", None) or frame.columns]
    remedy = "rename its columns, or read it with ordlink.read_answers"
    if not set(form.columns) <= set(names):
        got = f"expected the columns {', '.join(form.columns)} in a data frame, got {listed(names)}"
        raise InputError(got, parameter="rows", remedy=remedy)
    columns = [np.asarray(frame[name]) for name in form.columns]
    for name, column in zip(form.columns, columns, strict=True):
        missing = [entry is None or entry != entry for entry in column.tolist()]
        if any(missing):
            problem = f"the cell of {name} is missing"
            where = f"row {missing.index(True)}"
            raise InputError(problem, where=where, parameter="rows", remedy=remedy)
    return np.stack(columns, axis=1)


def _as_table(rows: Sequence[Sequence[object]] | AnyArray, form: AnswerForm) -> AnyArray:
    width = len(form.columns)
    expected = f"expected rows of {width} objects each ({', '.join(form.columns)})"
    if hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "__dataframe__"):
        rows = _frame_rows(rows, form)
    try:
        table = np.asarray(rows)
    except ValueError as error:
        raise InputError(f"{expected}, got rows of different lengths", parameter="rows") from error
    if table.size == 0:
        table = table.reshape(0, width).astype(np.int32)
    if table.ndim != 2 or table.shape[1] != width:
        raise InputError(f"{expected}, got an array of shape {table.shape}", parameter="rows")
    if table.dtype.kind == "O" and all(
        isinstance(entry, (int, np.integer)) and not isinstance(entry, bool) for entry in table.flat
    ):
        problem = "a number of an object does not fit into 64 bits; objects are 0, 1, 2, ..."
        raise InputError(problem, parameter="rows")
    mixed = table.dtype.kind in "OUT" and not isinstance(rows, np.ndarray)
    if (mixed or table.dtype.kind == "O") and not all(
        isinstance(entry, str) for row in rows for entry in row
    ):
        problem = "expected objects that are all numbers or all names, got a mixture"
        raise InputKindError(problem, parameter="rows")
    if table.dtype.kind not in "iufOUT":
        problem = f"expected objects as whole numbers or names, got dtype {table.dtype}"
        raise InputKindError(problem, parameter="rows")
    return table


def _check_rows(
    by_column: Int32Array, shown: AnyArray, row_name: RowNamer, skip: str
) -> BoolArray | None:
    """Refuse rows that repeat an object or a pair, or return which rows stay, None for all.

    `skip` says how many rows may be left out: "none", "some" (one must stay) or "all".
    """
    problems: tuple[tuple[BoolArray, str], ...]
    if len(by_column) == 4:
        i, j, k, l = by_column  # noqa: E741 - the paper's letters
        self_pair = (i == j) | (k == l)
        same_pair = ((i == k) & (j == l)) | ((i == l) & (j == k))
        problems = (
            (self_pair, "pairs an object with itself, a pair needs two different objects"),
            (same_pair, "compares a pair with itself, which says nothing"),
        )
    else:
        i, j, k = by_column
        repeated = (i == j) | (i == k) | (j == k)
        problems = ((repeated, "names an object twice, three different objects are needed"),)
    bad: BoolArray = np.logical_or.reduce([rows for rows, _ in problems])
    n_bad = int(bad.sum())
    if not n_bad:
        return None
    share = f"{n_bad:,} of {counted(len(bad), 'row')}"
    if skip == "all" or (skip == "some" and n_bad < len(bad)):
        warnings.warn(
            f"{share} repeat{'s' if n_bad == 1 else ''} an object or a pair and "
            f"{'is' if n_bad == 1 else 'are'} left out, the first at {row_name(int(bad.argmax()))}",
            OrdlinkWarning,
            stacklevel=4,
        )
        return ~bad
    row, problem = next((int(rows.argmax()), problem) for rows, problem in problems if rows.any())
    raise InputError(
        f"{tuple(shown[row].tolist())} {problem} ({share} do{'es' if n_bad == 1 else ''} so)",
        where=row_name(row),
        remedy="no row is left"
        if skip == "some"
        else f"remove {'it' if n_bad == 1 else 'them'}, or leave out all such rows (attention "
        "checks, say) with {skip_repeated:True}",
    )
