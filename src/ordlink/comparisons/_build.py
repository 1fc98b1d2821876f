"""From rows of answers to listed comparisons, with every row checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordlink.comparisons._details import make_details
from ordlink.comparisons._forms import AnswerForm, find_form
from ordlink.comparisons._listed import ListedComparisons
from ordlink.comparisons._objects import (
    RowNamer,
    check_names,
    objects_from_names,
    objects_from_numbers,
    plain_row,
)
from ordlink.comparisons._pairs import pair_ids
from ordlink.errors import InputError, InputKindError
from ordlink.typing import AnyArray, Int32Array


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
    row_name: RowNamer = plain_row,
) -> ListedComparisons:
    """Return the comparisons that rows of answers of one form stand for.

    `row_name` says where a row stands, for messages; the other parameters are those of
    :meth:`Comparisons.from_quadruplets`.
    """
    answer_form = find_form(form)
    table = _as_table(rows, answer_form)
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
    _check_rows(objects, table, answer_form, row_name)
    quadruplets = answer_form.to_quadruplets(objects)
    each = len(answer_form.comparisons)
    return ListedComparisons(
        n_objects=n_objects,
        winners=pair_ids(quadruplets[:, 0], quadruplets[:, 1], n_objects),
        losers=pair_ids(quadruplets[:, 2], quadruplets[:, 3], n_objects),
        names=checked_names,
        counts=_check_counts(counts, len(table), each, row_name),
        details=make_details(
            len(table), each, annotators=annotators, times=times, response_times=response_times
        ),
    )


def _as_table(rows: Sequence[Sequence[object]] | AnyArray, form: AnswerForm) -> AnyArray:
    width = len(form.columns)
    try:
        table = np.asarray(rows)
    except ValueError as error:
        raise InputError(
            f"answers of the form {form.name} are rows of {width} objects each; "
            "these rows have different lengths"
        ) from error
    if table.size == 0:
        table = table.reshape(0, width).astype(np.int32)
    if table.ndim != 2 or table.shape[1] != width:
        raise InputError(
            f"answers of the form {form.name} are rows of {width} objects "
            f"({', '.join(form.columns)}), got an array of shape {table.shape}"
        )
    if table.dtype.kind == "O" and all(
        isinstance(entry, (int, np.integer)) and not isinstance(entry, bool) for entry in table.flat
    ):
        raise InputError("an object's number does not fit into 64 bits; objects are 0, 1, 2, ...")
    mixed = table.dtype.kind in "OUT" and not isinstance(rows, np.ndarray)
    if (mixed or table.dtype.kind == "O") and not all(
        isinstance(entry, str) for row in rows for entry in row
    ):
        raise InputKindError("objects are all numbers or all names, got a mixture of kinds")
    if table.dtype.kind not in "iufOUT":
        raise InputKindError(f"objects are whole numbers or names, got dtype {table.dtype}")
    return table


def _check_rows(objects: Int32Array, table: AnyArray, form: AnswerForm, row_name: RowNamer) -> None:
    """Refuse the first row with a pair of an object with itself or a pair against itself."""
    problems: tuple[tuple[AnyArray, str], ...]
    if form.name == "quadruplet":
        i, j, k, l = objects.T  # noqa: E741 - the paper's letters
        self_pair = (i == j) | (k == l)
        same_pair = ((i == k) & (j == l)) | ((i == l) & (j == k))
        problems = (
            (self_pair, "pairs an object with itself; a pair needs two different objects"),
            (same_pair, "compares a pair with itself; it says nothing, remove the row"),
        )
    else:
        i, j, k = objects.T
        repeated = (i == j) | (i == k) | (j == k)
        problems = (
            (repeated, "names an object twice; three different objects are needed, remove the row"),
        )
    for bad, problem in problems:
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise InputError(f"{row_name(row)}: {tuple(table[row].tolist())} {problem}")


def _check_counts(
    counts: Sequence[int] | AnyArray | None, n_answers: int, each: int, row_name: RowNamer
) -> Int32Array | None:
    if counts is None:
        return None
    given = np.asarray(counts)
    if given.shape != (n_answers,):
        raise InputError(
            f"counts must have one entry per answer: expected {n_answers}, "
            f"got an array of shape {given.shape}"
        )
    if given.dtype.kind not in "iuf":
        raise InputKindError(f"counts are whole numbers, got dtype {given.dtype}")
    bad = (given < 1) | (given != np.floor(given)) | (given > np.iinfo(np.int32).max)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"{row_name(row)}: the count {given[row]} is not a whole number from 1 up; "
            "leave out answers that nobody gave"
        )
    return np.repeat(given.astype(np.int32), each)
