"""A table of answers as any format holds it, and what it means as comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, Int64Array
from ordlink.comparisons._build import list_answers
from ordlink.comparisons._listed import ListedComparisons
from ordlink.comparisons._objects import RowNamer, check_names
from ordlink.errors import InputError
from ordlink.io._cells import (
    ArrowColumn,
    check_column_kind,
    object_cells,
    side_cells,
    text_cells,
    time_cells,
    whole_cells,
)
from ordlink.io._columns import find_roles
from ordlink.io._earlier import EarlierChunks
from ordlink.io._source import prefixed

SMALLEST_JUDGED = 10
"""Fewer rows than this do not tell whether the first one is a header."""


@dataclass(frozen=True)
class Options:
    """What the user says about a file, see :func:`read_comparisons`."""

    form: str | None = None
    names: Sequence[str] | None = None
    n_objects: int | None = None
    one_based: bool = False
    columns: Sequence[str] | None = None
    header: bool | None = None
    skip_repeated: bool = False


@dataclass(frozen=True)
class Table:
    """Columns of cells, whatever the file they came from.

    Attributes
    ----------
    source : str
        Name of the file in messages.
    names : sequence of str or None
        Names of the columns; None if there is no header.
    n_columns, n_rows : int
        Size.
    column : callable
        Returns the pyarrow ChunkedArray of a column, by position; read only when asked for.
    row_name : callable
        Says where a row stands, e.g. "answers.csv, line 18".
    where : str
        Where the columns are named, e.g. "answers.csv, line 1".
    may_have_header : bool
        Whether the first row was taken for an answer without the user saying so.
    decimal_comma : bool
        Whether "3,5" may be a number.
    """

    source: str
    names: Sequence[str] | None
    n_columns: int
    n_rows: int
    column: Callable[[int], ArrowColumn]
    row_name: RowNamer
    where: str
    may_have_header: bool = False
    decimal_comma: bool = False

    def checked_column(self, position: int) -> ArrowColumn:
        """Return a column of numbers or text, refuse any other kind."""
        column = self.column(position)
        name = str(position + 1) if self.names is None else self.names[position]
        check_column_kind(column, name, self.source)
        return column


def list_table(
    table: Table, options: Options, earlier: EarlierChunks | None = None
) -> ListedComparisons:
    """Return the comparisons that a table of answers stands for, or a chunk after earlier ones."""
    names = options.names
    with prefixed(table.source):
        names = check_names(names, options.n_objects)
        roles = find_roles(
            table.names,
            table.n_columns,
            form=options.form,
            columns=options.columns,
            where=table.where,
        )
        if not table.n_rows:
            raise InputError(f"{table.source}: there are no answers in this file")
        rows, found_names, looked_up = object_cells(
            [table.checked_column(position) for position in roles.objects],
            names=names,
            one_based=options.one_based,
            row_name=table.row_name,
        )
        if earlier is not None:
            earlier.check_objects(
                table.row_name(0), looked_up=looked_up, have_names=names is not None
            )
        if table.may_have_header and looked_up and names is None:
            _refuse_header(rows, table)
        details = {
            detail: detail_cells(table, detail, position, trim=True)
            for detail, position in roles.details.items()
        }
        listed = list_answers(
            rows,
            roles.form.name,
            names=found_names,
            n_objects=options.n_objects,
            one_based=options.one_based and not looked_up,
            counts=details.get("count"),
            annotators=details.get("annotator"),
            times=details.get("time"),
            response_times=details.get("response_time"),
            chose_first=details.get("chose_first"),
            answers=details.get("answer"),
            skip_repeated=options.skip_repeated,
            named=looked_up,
            may_be_empty=earlier is not None,
            row_name=table.row_name,
        )
        if earlier is None or "answer" in details:
            return listed
        return earlier.numbered_on(listed)


def _refuse_header(rows: Int64Array, table: Table) -> None:
    """Refuse names if those of the first row never come again, while all others do."""
    again = np.bincount(rows[1:].ravel(), minlength=int(rows.max()) + 1)
    others = np.ones(len(again), dtype=bool)
    others[rows[0]] = False
    if len(rows) >= SMALLEST_JUDGED and not again[rows[0]].any() and (again[others] > 1).all():
        raise InputError(
            f"{table.where}: the first row looks like a header, since its names never come again; "
            "pass header=True (--header) if it is one, or header=False (--no-header) if it is an "
            "answer"
        )


def detail_cells(table: Table, detail: str, position: int, *, trim: bool) -> AnyArray:
    """Return a column that goes along with the objects."""
    if detail in ("annotator", "time"):
        return text_cells(table.column(position), trim=trim)
    if detail == "response_time":
        return time_cells(
            table.checked_column(position),
            "response time",
            table.row_name,
            decimal_comma=table.decimal_comma,
        )
    if detail == "chose_first":
        return side_cells(table.column(position), table.source, table.row_name)
    numbers = whole_cells(table.checked_column(position), detail, table.row_name)
    if detail == "answer":
        limits = np.iinfo(np.int32)
        bad = (numbers < limits.min) | (numbers > limits.max)
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"{table.row_name(row)}: the answer {numbers[row]} does not fit into 32 bits; "
                "number the answers 0, 1, 2, ..."
            )
        return numbers.astype(np.int32)
    return numbers
