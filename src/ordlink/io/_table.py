"""A table of answers, whatever its file format, and what it means as comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ordlink._typing import AnyArray
from ordlink._validate import check_names
from ordlink.comparisons import ListedComparisons, list_answers
from ordlink.comparisons._pairs import RowNamer
from ordlink.io._cells import (
    ArrowColumn,
    check_column_kind,
    object_cells,
    side_cells,
    text_cells,
    time_cells,
    whole_cells,
)
from ordlink.io._columns import Options, find_roles
from ordlink.io._source import NO_ANSWERS, check_names_found, located, refuse

DETAIL_COLUMNS = {
    "answer": "answers",
    "annotator": "annotators",
    "time": "times",
    "response_time": "response_times",
    "chose_first": "chose_first",
}
"""Columns of a file, and the attribute of AnswerDetails that each holds."""
SMALLEST_JUDGED = 10
"""With fewer rows than this, nobody can say whether the first one is a header."""


@dataclass(frozen=True)
class Table:
    """Columns of cells, whatever the file they came from."""

    source: str
    names: Sequence[str] | None
    n_columns: int
    n_rows: int
    column: Callable[[int], ArrowColumn]
    """Returns a column by position; read only when asked for."""
    row_name: RowNamer
    where: str
    """Where the columns are named, e.g. "answers.csv, line 1"."""
    may_have_header: bool = False
    """Whether the first row was taken for an answer without the user saying so."""
    decimal_comma: bool = False

    def checked_column(self, position: int) -> ArrowColumn:
        """Return a column of numbers or text, refuse any other kind."""
        column = self.column(position)
        name = str(position + 1) if self.names is None else self.names[position]
        check_column_kind(column, name, self.source)
        return column


class EarlierChunks:
    """Keeps the chunks of a table consistent: one kind of objects, answers numbered in order."""

    def __init__(self) -> None:
        self.looked_up: bool | None = None
        self.n_answers = 0

    def check_objects(self, where: str, *, looked_up: bool, have_names: bool) -> None:
        """Refuse objects that are names if none were given, and numbers mixed with names."""
        whole = "read the file as a whole (read_comparisons)"
        if looked_up and not have_names:
            problem = "the objects are names, and reading in chunks needs all of them up front"
            refuse(where, problem, f"pass {{names}}, or {whole}")
        if self.looked_up not in (None, looked_up):
            before, now = ("names", "numbers") if self.looked_up else ("numbers", "names")
            problem = f"from here on the objects are {now}, before they were {before}"
            refuse(where, problem, f"write all of them the same way, or {whole}")
        self.looked_up = looked_up

    def renumber(self, chunk: ListedComparisons) -> ListedComparisons:
        """Return a chunk whose answers, 0, 1, 2, ..., are numbered after those of earlier ones."""
        details = chunk.details
        if details is None or details.answers is None:
            return chunk
        answers = (details.answers.astype(np.int64) + self.n_answers).astype(np.int32)
        self.n_answers = int(answers.max(initial=self.n_answers - 1)) + 1
        return replace(chunk, details=replace(details, answers=answers))


def list_table(
    table: Table, options: Options, earlier: EarlierChunks | None = None
) -> ListedComparisons:
    """Return the comparisons of a table of answers, or of a chunk after earlier ones."""
    with located(table.source):
        names = check_names(options.names, options.n_objects)
        roles = find_roles(table.names, table.n_columns, options, table.where)
        if not table.n_rows:
            refuse(table.source, NO_ANSWERS)
        rows, found_names, looked_up = object_cells(
            [table.checked_column(position) for position in roles.objects],
            names=names,
            one_based=options.one_based,
            row_name=table.row_name,
        )
        if earlier is not None:
            have_names = names is not None
            earlier.check_objects(table.row_name(0), looked_up=looked_up, have_names=have_names)
        if found_names is not None and names is None:
            check_names_found(found_names, table.source)
        if table.may_have_header and looked_up and names is None:
            _refuse_header(rows, table)
        details = {
            detail: detail_cells(table, detail, position, trim=True)
            for detail, position in roles.details.items()
        }
        comparisons = list_answers(
            rows,
            roles.form.name,
            names=found_names,
            n_objects=options.n_objects,
            one_based=options.one_based and not looked_up,
            counts=details.pop("count", None),
            skip_repeated=options.skip_repeated,
            named=looked_up,
            may_be_empty=earlier is not None,
            row_name=table.row_name,
            **{DETAIL_COLUMNS[name]: cells for name, cells in details.items()},
        )
        if earlier is None or "answer" in details:
            return comparisons
        return earlier.renumber(comparisons)


def _refuse_header(rows: AnyArray, table: Table) -> None:
    """Refuse names if those of the first row do not occur again, while all others do."""
    again = np.bincount(rows[1:].ravel(), minlength=int(rows.max()) + 1)
    others = np.ones(len(again), dtype=bool)
    others[rows[0]] = False
    if len(rows) >= SMALLEST_JUDGED and not again[rows[0]].any() and (again[others] > 1).all():
        problem = "the first row looks like a header, since its names do not occur again"
        remedy = "pass {header:True} if it is one, or {header:False} if it is an answer"
        refuse(table.where, problem, remedy)


def detail_cells(table: Table, detail: str, position: int, *, trim: bool) -> AnyArray:
    """Return a column of details of the answers."""
    if detail in ("annotator", "time"):
        return text_cells(table.column(position), trim=trim)
    if detail == "chose_first":
        return side_cells(table.column(position), table.source, table.row_name)
    column = table.checked_column(position)
    if detail == "response_time":
        return time_cells(column, table.row_name, decimal_comma=table.decimal_comma)
    numbers = whole_cells(column, detail, table.row_name)
    if detail == "answer":
        bad = numbers != numbers.astype(np.int32)
        if bad.any():
            row = int(bad.argmax())
            problem = f"the answer {numbers[row]} does not fit into 32 bits"
            refuse(table.row_name(row), problem, "number the answers 0, 1, 2, ...")
        return numbers.astype(np.int32)
    return numbers
