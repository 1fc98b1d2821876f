"""A table of answers, whatever its file format: what its columns are, and the comparisons in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ordlink._text import counted, listed, quoted
from ordlink._typing import AnyArray, BoolArray, Int64Array
from ordlink._validate import check_names
from ordlink.comparisons import ListedComparisons, list_answers
from ordlink.comparisons._answers import FORMS, AnswerForm, find_form
from ordlink.comparisons._pairs import RowNamer
from ordlink.errors import InputError
from ordlink.io._cells import (
    ArrowColumn,
    MissingCells,
    as_text,
    check_column_kind,
    file_stems,
    object_cells,
    pa,
    pc,
    side_cells,
    time_cells,
    to_numpy,
    whole_cells,
)
from ordlink.io._options import Options
from ordlink.io._slips import merge_slips
from ordlink.io._source import NO_ANSWERS, check_names_found, located, refuse
from ordlink.io._words import DETAILS, is_reference, is_response, object_role, plain_name

_CHOOSE = "choose the columns of objects with {columns}"
_CHOOSE_OR_SAY = (
    "if a column holds the response, name it with {response}, the options with {items} and what "
    "they were compared with, if any, with {reference}; if the order of the columns is the answer, "
    "choose them with {columns}"
)


@dataclass(frozen=True)
class ColumnRoles:
    """The form of the answers, the positions of its objects and of the details."""

    form: AnswerForm
    objects: tuple[int, ...]
    details: dict[str, int]


def looks_like_header(cells: Sequence[str]) -> bool:
    """Return whether a row names columns: all objects of a form, or a detail."""
    names = [plain_name(cell) for cell in cells]
    details = {detail: names[at] for detail, at in find_details(names).items()}
    sure = any(name in (detail, *DETAILS[detail][:12]) for detail, name in details.items())
    trials = any(map(is_response, names)) and (sure or any(map(is_reference, names)))
    numbered = any(map(is_response, names)) and any(re.fullmatch(r".*[a-z]_?1", n) for n in names)
    return bool(named_forms(names) or sure or trials or numbered)


def find_roles(
    names: Sequence[str] | None, n_columns: int, options: Options, where: str
) -> ColumnRoles:
    """Return what the columns are; raise InputError if the objects or the form are not clear."""
    wanted = None if options.form is None else find_form(options.form)
    plain = [] if names is None else [plain_name(name) for name in names]
    details = find_details(plain)
    if options.columns is not None:
        form, objects = _choose(names or (), plain, wanted, options.columns, where)
        details.pop("answer", None)
        details = {detail: at for detail, at in details.items() if at not in objects}
    elif named := named_forms(plain):
        form, objects = _find_named(named, plain, wanted, where)
        if form.name != "quadruplet":  # the column may hold e.g. what was said
            details.pop("answer", None)
    else:
        objects = [at for at in range(n_columns) if at not in details.values()]
        form = _find_counted(names, objects, wanted, where, has_answer="answer" in details)
    return ColumnRoles(form, tuple(objects), details)


def slots(form: AnswerForm, names: Sequence[str]) -> list[list[int]]:
    """Return, for each object of a form, the positions of the columns named after it."""
    found = []
    for column in form.columns:
        fits = [object_role(name, column) for name in names]
        best = max([1, *fits])
        found.append([at for at, fit in enumerate(fits) if fit == best])
    return found


def named_forms(names: Sequence[str]) -> list[AnswerForm]:
    """Return the forms whose columns are all present by name."""
    return [form for form in FORMS.values() if all(slots(form, names))]


def find_details(names: Sequence[str]) -> dict[str, int]:
    """Return the positions of the columns of details, by plain names."""
    found = {}
    for detail, aliases in DETAILS.items():
        if present := [name for name in (detail, *aliases) if name in names]:
            found[detail] = names.index(present[0])
    return found


def find_columns(names: Sequence[str], columns: Sequence[str] | str, where: str) -> list[int]:
    """Return the positions of columns that the user picked by name, exact or in plain form."""
    exact, plain = list(names), [plain_name(name) for name in names]
    found = []
    for column in columns.split(",") if isinstance(columns, str) else columns:
        known, key = (exact, column) if column in exact else (plain, plain_name(column))
        if key not in known:
            known_names = f"the columns are {listed(names, 12)}"
            refuse(where, f"there is no column {quoted(column)}, {known_names}")
        if known.count(key) > 1:
            refuse(where, f"there are two columns {quoted(column)}", "rename one of them")
        found.append(known.index(key))
    if len(set(found)) < len(found):
        problem = f"a column is chosen twice; the columns are {listed(names, 12)}"
        raise InputError(problem, where=where, parameter="columns")
    return found


def take_rows(table: Table, rows: Int64Array) -> Table:
    """Return some rows of a table."""
    return replace(
        table,
        n_rows=len(rows),
        column=lambda at: table.column(at).take(pa.array(rows)),
        row_name=lambda row: table.row_name(int(rows[row])),
    )


def _say_names(names: Sequence[str], roles: ColumnRoles) -> bool:
    """Return whether columns such as anchor_name say that even numbers in them are names."""
    return all(plain_name(names[at]).endswith("_name") for at in roles.objects)


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
    objects = find_columns(names, columns, where)
    said = [plain_name(column) for column in columns]
    in_order = [[at] for at in range(len(columns))]
    named = [form for form in named_forms(said) if slots(form, said) == in_order]
    form = wanted or (named[0] if named else _form_of_width(len(columns), where))
    if len(form.columns) != len(columns):
        expected = f"a {form.name} has {len(form.columns)} objects ({', '.join(form.columns)})"
        refuse(where, f"{expected}, but {len(columns)} columns were chosen")
    return form, objects


def _find_named(
    named: list[AnswerForm], plain: list[str], wanted: AnswerForm | None, where: str
) -> tuple[AnswerForm, list[int]]:
    """Return form and positions of object columns whose names say the form."""
    if wanted is not None and wanted not in named:
        problem = f"the columns are named as in the form {named[0].name}, not {wanted.name}"
        refuse(where, problem, f"leave out {{form}}, or {_CHOOSE}")
    if wanted is None and len(named) > 1:
        problem = f"the columns fit the forms {' and '.join(form.name for form in named)}"
        refuse(where, problem, "pass {form}")
    form = wanted or named[0]
    found_slots = slots(form, plain)
    for column, positions in zip(form.columns, found_slots, strict=True):
        if len(positions) > 1:
            found = ", ".join(plain[position] for position in positions)
            refuse(where, f"two columns are the {column} of a {form.name} ({found})", _CHOOSE)
    return form, [slot[0] for slot in found_slots]


def _find_counted(
    names: Sequence[str] | None,
    objects: list[int],
    wanted: AnswerForm | None,
    where: str,
    *,
    has_answer: bool,
) -> AnswerForm:
    """Return the form if only the number of object columns says it."""
    expected = "3 or 4 columns of objects"
    if wanted is not None:
        expected = f"{len(wanted.columns)} columns of objects ({', '.join(wanted.columns)})"
    if len(objects) not in ((3, 4) if wanted is None else (len(wanted.columns),)):
        shown, remedy = "", "remove the other columns, or name the columns in a header"
        if names is not None:
            shown, remedy = f" ({listed([names[at] for at in objects], 12)})", _CHOOSE_OR_SAY
        refuse(where, f"expected {expected}, got {len(objects)}{shown}", remedy)
    unnamed = [at for at in objects if names is not None and not names[at].strip()]
    if unnamed:
        problem = f"column {unnamed[0] + 1} has no name"
        refuse(where, problem, f"if it numbers the rows, remove it, or {_CHOOSE}")
    if has_answer:
        problem = "the column 'answer' may say which object or pair was chosen"
        refuse(where, problem, f"rewrite the rows so that their order is the answer, and {_CHOOSE}")
    if wanted is None and len(objects) == 4 and names is not None:
        said = f"if they are i, j, k, l ({FORMS['quadruplet'].meaning}), pass {{form:quadruplet}}"
        shown = listed([names[at] for at in objects], 12)
        refuse(where, f"the columns {shown} are not recognised", f"{_CHOOSE_OR_SAY}; {said}")
    return wanted or _form_of_width(len(objects), where)


def _form_of_width(width: int, where: str) -> AnswerForm:
    if width == 3:
        forms = [form for form in FORMS.values() if len(form.columns) == 3]
        meanings = "; ".join(f"{form.name}: {form.meaning}" for form in forms)
        named = f"name the columns after a form, e.g. {','.join(FORMS['triplet'].columns)}"
        remedy = f"pass {{form}} as one of these ({meanings}), or {named}"
        refuse(where, "rows of three objects can mean three things", remedy)
    if width != 4:
        refuse(where, f"answers have 3 or 4 objects, but {width} columns were chosen")
    return FORMS["quadruplet"]


DETAIL_COLUMNS = {name: f"{name}s" for name in ("answer", "annotator", "time", "response_time")}
DETAIL_COLUMNS["chose_first"] = "chose_first"
"""Attribute of AnswerDetails for each column of a file."""
LARGEST_SHARE_MISSING = 0.2
"""Largest share of rows with missing cells that may be left out."""
SMALLEST_JUDGED = 10
"""Fewest rows that show whether the first one is a header."""


@dataclass(frozen=True)
class Table:
    """Columns of cells, whatever the file they came from."""

    source: str
    names: Sequence[str] | None
    n_columns: int
    n_rows: int
    column: Callable[[int], ArrowColumn]
    """Returns a column by its position; columns are read on demand."""
    row_name: RowNamer
    where: str
    """Where the columns are named, e.g. "answers.csv, line 1"."""
    may_have_header: bool = False
    """Whether the first row, read as an answer, may be a header after all."""
    decimal_comma: bool = False
    roles: ColumnRoles | None = None
    """What the columns are, if already known."""
    titles: Sequence[str] = ()
    """Comments and other lines above the table."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Names of objects by their codes, if another sheet has them."""
    as_names: bool = False
    """Whether to read whole numbers as names of objects, too."""

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

    @property
    def is_first(self) -> bool:
        """Whether no chunk was read yet."""
        return self.looked_up is None

    def check_objects(self, where: str, looked_up: bool, names: object) -> None:  # noqa: FBT001
        """Refuse objects that are names if none were given, and numbers mixed with names."""
        whole = "read the file as a whole (read_comparisons)"
        if looked_up and names is None:
            problem = "the objects are names, and reading in chunks needs the full list up front"
            refuse(where, problem, f"pass {{names}}, or {whole}")
        if self.looked_up not in (None, looked_up):
            before, now = ("names", "numbers") if self.looked_up else ("numbers", "names")
            problem = f"from here on the objects are {now}, but before they were {before}"
            refuse(where, problem, f"write all of them the same way, or {whole}")
        self.looked_up = looked_up

    def renumber(self, chunk: ListedComparisons) -> ListedComparisons:
        """Return a chunk whose answer numbers continue those of earlier chunks."""
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
        roles = table.roles or find_roles(table.names, table.n_columns, options, table.where)
        if not table.n_rows:
            refuse(table.source, NO_ANSWERS)
        cells = [table.checked_column(position) for position in roles.objects]
        one_based = bool(options.one_based)
        given = (names, options.n_objects, options.one_based)
        as_names = table.as_names or (table.names is not None and _say_names(table.names, roles))
        as_names = as_names and all(value is None for value in given)
        missing = None
        try:
            rows, found_names, looked_up = object_cells(
                cells, names, table.row_name, one_based=one_based, as_names=as_names
            )
        except MissingCells as found:
            missing = found.missing
        if missing is not None:
            kept = _present(missing, table, options)
            return list_table(replace(take_rows(table, kept), roles=roles), options, earlier)
        if looked_up and names is None and found_names is not None:
            rows, found_names = merge_slips(rows, file_stems(found_names), options)
        if earlier is not None:
            earlier.check_objects(table.row_name(0), looked_up, names)
        if found_names is not None and names is None:
            check_names_found(found_names, table.source)
        if table.may_have_header and looked_up and names is None:
            _refuse_header(rows, found_names, table)
        details = {
            detail: detail_cells(table, detail, position, trim=True)
            for detail, position in roles.details.items()
        }
        comparisons = list_answers(
            rows,
            roles.form.name,
            names=found_names,
            n_objects=options.n_objects,
            one_based=one_based and not looked_up,
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


def _present(missing: BoolArray, table: Table, options: Options) -> Int64Array:
    """Return the rows without missing cells; refuse if too many have some, or on request any."""
    rows = np.flatnonzero(missing.any(axis=1))
    column = int(missing[rows[0]].argmax())
    which = f"the cell of object {column + 1} is empty"
    share = f"{len(rows):,} of {counted(table.n_rows, 'row')}"
    if options.missing == "error" or len(rows) > LARGEST_SHARE_MISSING * table.n_rows:
        refuse(table.row_name(int(rows[0])), f"{which} ({share})", "complete or remove the row")
    options.note(f"{share} skipped: a cell is missing, first at {table.row_name(int(rows[0]))}")
    return np.flatnonzero(~missing.any(axis=1))


def _refuse_header(rows: AnyArray, names: Sequence[str] | None, table: Table) -> None:
    """Refuse names of the first row that occur nowhere else, if all others do.

    One that a response column could have is enough, however few rows there are.
    """
    again = np.bincount(rows[1:].ravel(), minlength=int(rows.max()) + 1)
    once = [name for name in rows[0] if not again[name]]
    others = np.ones(len(again), dtype=bool)
    others[rows[0]] = False
    are_known = len(rows) >= SMALLEST_JUDGED and (again[others] > 1).all()
    says = names is not None and any(is_response(plain_name(names[name])) for name in once)
    if says or (are_known and len(once) == len(rows[0])):
        problem = "the first row looks like a header, since its names do not occur again"
        remedy = "pass {header:True} if it is one, or {header:False} if it is an answer"
        refuse(table.where, problem, remedy)


def detail_cells(table: Table, detail: str, position: int, *, trim: bool) -> AnyArray:
    """Return a column of details of the answers."""
    if detail in ("annotator", "time"):
        text = as_text(table.column(position))
        return to_numpy(pc.utf8_trim_whitespace(text) if trim else text).astype(object)
    if detail == "chose_first":
        return side_cells(table.column(position), table.source, table.row_name)
    column = table.checked_column(position)
    if detail == "response_time":
        return time_cells(column, table.row_name, decimal_comma=table.decimal_comma)
    numbers = whole_cells(column, detail, table.row_name)
    if detail != "answer":
        return numbers
    for row in np.flatnonzero(numbers != numbers.astype(np.int32))[:1].tolist():
        problem = f"the answer {numbers[row]} does not fit into 32 bits"
        refuse(table.row_name(row), problem, "number the answers 0, 1, 2, ...")
    return numbers.astype(np.int32)
