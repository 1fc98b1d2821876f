"""From rows of answers to listed comparisons, with every row checked."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from ordlink._text import counted
from ordlink._typing import AnyArray, BoolArray, Int32Array
from ordlink._validate import check_names
from ordlink.comparisons._details import make_details
from ordlink.comparisons._forms import AnswerForm, find_form
from ordlink.comparisons._listed import ListedComparisons
from ordlink.comparisons._objects import (
    RowNamer,
    objects_from_names,
    objects_from_numbers,
    plain_row,
)
from ordlink.comparisons._pairs import check_n_objects
from ordlink.errors import InputError, InputKindError, OrdlinkWarning

LARGEST_COUNT = np.iinfo(np.int32).max


def list_answers(
    rows: Sequence[Sequence[object]] | AnyArray,
    form: str,
    *,
    names: Sequence[str] | None = None,
    n_objects: int | None = None,
    one_based: bool = False,
    counts: Sequence[int] | AnyArray | None = None,
    annotators: Sequence[object] | AnyArray | None = None,
    times: Sequence[object] | AnyArray | None = None,
    response_times: Sequence[float] | AnyArray | None = None,
    chose_first: Sequence[float] | AnyArray | None = None,
    skip_repeated: bool = False,
    answers: Int32Array | None = None,
    named: bool = False,
    may_be_empty: bool = False,
    row_name: RowNamer = plain_row,
) -> ListedComparisons:
    """Return the comparisons of rows of answers of one form.

    Parameters
    ----------
    rows, names, n_objects, one_based, counts, annotators, times, response_times, chose_first, \
skip_repeated
        As in :meth:`Comparisons.from_quadruplets`.
    form : str
        One of :data:`FORMS`.
    answers : ndarray of shape (n_answers,), optional
        Numbers of the answers that the rows came from.
    named : bool
        Whether rows of numbers stand for names, which messages should show.
    may_be_empty : bool
        Whether all rows may be skipped.
    row_name : callable
        Says where a row is.

    Returns
    -------
    ListedComparisons
    """
    answer_form = find_form(form)
    table = _as_table(rows, answer_form)
    n_objects = None if n_objects is None else check_n_objects(n_objects)
    checked_names = check_names(names, n_objects)
    if table.dtype.kind in "OUT":
        objects, checked_names = objects_from_names(
            table, names=checked_names, n_objects=n_objects, row_name=row_name
        )
        n_objects = len(checked_names)
    else:
        n_objects = n_objects if checked_names is None else len(checked_names)
        objects, n_objects = objects_from_numbers(
            table, n_objects=n_objects, one_based=one_based, row_name=row_name
        )
        if one_based and checked_names is None:  # objects keep the numbers that users know
            checked_names = tuple(str(number) for number in range(1, n_objects + 1))
    each = len(answer_form.comparisons)
    checked_counts = _count_column(counts, len(table), row_name)
    shown = np.array(checked_names, dtype=object)[objects] if named else table
    by_column = np.ascontiguousarray(objects.T)
    kept = _check_rows(
        by_column,
        shown,
        answer_form,
        row_name,
        skip_repeated=skip_repeated,
        may_be_empty=may_be_empty,
    )
    details = make_details(
        len(table),
        each,
        kept,
        answers=answers,
        annotators=annotators,
        times=times,
        response_times=response_times,
        chose_first=chose_first,
    )
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
        details=details,
    )


def check_counts(counts: AnyArray, row_name: RowNamer) -> None:
    """Refuse counts that are not whole numbers from 1 up."""
    bad = (counts < 1) | (counts != np.floor(counts)) | (counts > LARGEST_COUNT)
    if bad.any():
        row = int(bad.argmax())
        raise InputError(
            f"the count {counts[row]} is not a whole number from 1 to {LARGEST_COUNT:,}",
            where=row_name(row),
            remedy="leave out answers that nobody gave",
        )


def _count_column(
    counts: Sequence[int] | AnyArray | None, n_answers: int, row_name: RowNamer
) -> Int32Array | None:
    if counts is None:
        return None
    given = np.asarray(counts)
    if given.shape != (n_answers,):
        raise InputError(
            f"expected one entry per answer, {n_answers:,}, got an array of shape {given.shape}",
            parameter="counts",
        )
    if given.dtype.kind not in "iuf":
        raise InputKindError(f"expected whole numbers, got dtype {given.dtype}", parameter="counts")
    check_counts(given, row_name)
    return given.astype(np.int32)


def _as_table(rows: Sequence[Sequence[object]] | AnyArray, form: AnswerForm) -> AnyArray:
    width = len(form.columns)
    expected = f"expected rows of {width} objects each ({', '.join(form.columns)})"
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
        raise InputError(
            "a number of an object does not fit into 64 bits; objects are 0, 1, 2, ...",
            parameter="rows",
        )
    mixed = table.dtype.kind in "OUT" and not isinstance(rows, np.ndarray)
    if (mixed or table.dtype.kind == "O") and not all(
        isinstance(entry, str) for row in rows for entry in row
    ):
        raise InputKindError(
            "expected objects that are all numbers or all names, got a mixture", parameter="rows"
        )
    if table.dtype.kind not in "iufOUT":
        raise InputKindError(
            f"expected objects as whole numbers or names, got dtype {table.dtype}", parameter="rows"
        )
    return table


def _check_rows(
    by_column: Int32Array,
    shown: AnyArray,
    form: AnswerForm,
    row_name: RowNamer,
    *,
    skip_repeated: bool,
    may_be_empty: bool,
) -> BoolArray | None:
    """Refuse rows with a pair of an object with itself or a pair against itself, or skip them.

    Returns
    -------
    ndarray of bool or None
        Which rows stay; None for all.
    """
    problems: tuple[tuple[BoolArray, str], ...]
    if form.name == "quadruplet":
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
    if skip_repeated and (n_bad < len(bad) or may_be_empty):
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
        if skip_repeated
        else f"remove {'it' if n_bad == 1 else 'them'}, or leave out all such rows (attention "
        "checks, say) with {skip_repeated:True}",
    )
