"""A table of answers, whatever its file format: what its columns are, and the comparisons in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ordlink._text import listed, quoted
from ordlink._typing import AnyArray
from ordlink._validate import check_names
from ordlink.comparisons import ListedComparisons, list_answers
from ordlink.comparisons._answers import FORMS, AnswerForm, find_form
from ordlink.comparisons._pairs import RowNamer
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
from ordlink.io._source import NO_ANSWERS, check_names_found, located, refuse

OBJECT_ALIASES: dict[str, tuple[str, ...]] = {
    "anchor": ("head",),
    "closer": ("winner", "positive"),
    "farther": ("loser", "negative"),
}
"""Other names of object columns, beside those of the forms."""

DETAIL_ALIASES: dict[str, tuple[str, ...]] = {
    "count": ("counts",),
    "answer": (),
    "annotator": (
        *("annotator_id", "worker", "worker_id", "workerid"),
        *("participant", "participant_id", "subject", "subject_id"),
    ),
    "time": ("timestamp",),
    "response_time": (
        *("rt", "rt_ms", "response_time_ms", "response_time_s", "responsetime", "reaction_time"),
    ),
    "chose_first": (),
}
"""Columns of details, and their other names, best first."""
_CHOOSE = "choose the columns of objects with {columns}"


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
class ColumnRoles:
    """The form of the answers, the positions of its objects, and of the details that there are."""

    form: AnswerForm
    objects: tuple[int, ...]
    details: dict[str, int]


def looks_like_header(cells: Sequence[str]) -> bool:
    """Return whether a row names columns: all objects of a form, or a detail."""
    names = [_plain(cell) for cell in cells]
    return bool(_named_forms(names) or _find_details(names))


def find_roles(
    names: Sequence[str] | None, n_columns: int, options: Options, where: str
) -> ColumnRoles:
    """Return what the columns are; raise InputError if the objects or the form are not clear."""
    wanted = None if options.form is None else find_form(options.form)
    plain = [] if names is None else [_plain(name) for name in names]
    details = _find_details(plain)
    if options.columns is not None:
        form, objects = _choose(names or (), plain, wanted, options.columns, where)
        details.pop("answer", None)
        details = {detail: at for detail, at in details.items() if at not in objects}
    elif named := _named_forms(plain):
        form, objects = _find_named(named, plain, wanted, where)
        if form.name != "quadruplet":
            # Each row is an answer by itself: the column means something else, e.g. what was said.
            details.pop("answer", None)
    else:
        objects = [at for at in range(n_columns) if at not in details.values()]
        form = _find_counted(names, objects, wanted, where, has_answer="answer" in details)
    return ColumnRoles(form, tuple(objects), details)


def _plain(name: str) -> str:
    return name.strip().casefold()


def _slots(form: AnswerForm, names: Sequence[str]) -> list[list[int]]:
    """Return, for each object of a form, the positions of the columns named after it."""
    return [
        [at for at, name in enumerate(names) if name in (column, *OBJECT_ALIASES.get(column, ()))]
        for column in form.columns
    ]


def _named_forms(names: Sequence[str]) -> list[AnswerForm]:
    return [form for form in FORMS.values() if all(_slots(form, names))]


def _find_details(names: Sequence[str]) -> dict[str, int]:
    found = {}
    for detail, aliases in DETAIL_ALIASES.items():
        present = [name for name in (detail, *aliases) if name in names]
        if present:
            found[detail] = names.index(present[0])
    return found


def _choose(
    names: Sequence[str],
    plain: list[str],
    wanted: AnswerForm | None,
    columns: Sequence[str],
    where: str,
) -> tuple[AnswerForm, list[int]]:
    """Return form and positions of the object columns that the user picked by name."""
    if isinstance(columns, str):
        columns = [column.strip() for column in columns.split(",")]
    exact = list(names)
    objects = []
    for column in columns:
        known, key = (exact, column) if column in exact else (plain, _plain(column))
        if key not in known:
            refuse(where, f"there is no column {quoted(column)}, the columns are {_listed(names)}")
        if known.count(key) > 1:
            refuse(where, f"there are two columns {quoted(column)}", "rename one of them")
        objects.append(known.index(key))
    if len(set(objects)) < len(objects):
        problem = f"a column is chosen twice, the columns are {_listed(names)}"
        raise InputError(problem, where=where, parameter="columns")
    form = wanted
    if form is None:
        said = [_plain(column) for column in columns]
        named = [form for form in _named_forms(said) if len(form.columns) == len(columns)]
        in_order = named and [slot[0] for slot in _slots(named[0], said)] == [*range(len(columns))]
        form = named[0] if in_order else _form_of_width(len(columns), where)
    if len(form.columns) != len(columns):
        refuse(
            where,
            f"answers of the form {form.name} have {len(form.columns)} objects "
            f"({', '.join(form.columns)}), but {len(columns)} columns were chosen",
        )
    return form, objects


def _find_named(
    named: list[AnswerForm], plain: list[str], wanted: AnswerForm | None, where: str
) -> tuple[AnswerForm, list[int]]:
    """Return form and positions of object columns whose names say the form."""
    if wanted is not None and wanted not in named:
        problem = (
            f"the columns are named as in the form {named[0].name}, but the form {wanted.name} was "
            "asked for"
        )
        refuse(where, problem, f"leave out {{form}}, or {_CHOOSE}")
    if wanted is None and len(named) > 1:
        problem = f"the columns fit the forms {' and '.join(form.name for form in named)}"
        refuse(where, problem, "pass {form}")
    form = wanted or named[0]
    slots = _slots(form, plain)
    for column, positions in zip(form.columns, slots, strict=True):
        if len(positions) > 1:
            found = ", ".join(plain[position] for position in positions)
            refuse(where, f"two columns are the {column} of a {form.name} ({found})", _CHOOSE)
    return form, [slot[0] for slot in slots]


def _find_counted(
    names: Sequence[str] | None,
    objects: list[int],
    wanted: AnswerForm | None,
    where: str,
    *,
    has_answer: bool,
) -> AnswerForm:
    """Return the form if only the number of object columns says it."""
    names_of_objects = None if names is None else [names[at] for at in objects]
    widths = (3, 4) if wanted is None else (len(wanted.columns),)
    if len(objects) not in widths:
        expected = "3 or 4 columns of objects"
        if wanted is not None:
            expected = f"{len(wanted.columns)} columns of objects ({', '.join(wanted.columns)})"
        shown, remedy = "", "remove the other columns, or name the columns in a header"
        if names_of_objects is not None:
            shown, remedy = f" ({_listed(names_of_objects)})", _CHOOSE
        refuse(where, f"expected {expected}, got {len(objects)}{shown}", remedy)
    unnamed = [at for at in objects if names is not None and not names[at].strip()]
    if unnamed:
        problem = f"column {unnamed[0] + 1} has no name"
        refuse(where, problem, f"if it numbers the rows, remove it, or {_CHOOSE}")
    if has_answer:
        problem = (
            "the column 'answer' may say which pair was chosen, then the other columns are not in "
            "order"
        )
        refuse(where, problem, f"rewrite the rows so that their order is the answer, and {_CHOOSE}")
    if wanted is None and len(objects) == 4 and names_of_objects is not None:
        remedy = (
            f"if they are i, j, k, l ({FORMS['quadruplet'].meaning}), pass "
            f"{{form:quadruplet}}, otherwise {_CHOOSE}"
        )
        refuse(where, f"the columns {_listed(names_of_objects)} are not known", remedy)
    return wanted or _form_of_width(len(objects), where)


def _form_of_width(width: int, where: str) -> AnswerForm:
    if width == 3:
        forms = [form for form in FORMS.values() if len(form.columns) == 3]
        meanings = "; ".join(f"{form.name}: {form.meaning}" for form in forms)
        remedy = (
            f"pass {{form}} as one of these ({meanings}), or name the columns after a form, e.g. "
            f"{','.join(FORMS['triplet'].columns)}"
        )
        refuse(where, "rows of three objects can mean three things", remedy)
    if width != 4:
        refuse(where, f"answers have 3 or 4 objects, but {width} columns were chosen")
    return FORMS["quadruplet"]


def _listed(names: Sequence[str]) -> str:
    return listed(names, most=12) or "not named"


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
        cells = [table.checked_column(position) for position in roles.objects]
        rows, found_names, looked_up = object_cells(
            cells, names, table.row_name, one_based=options.one_based
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
