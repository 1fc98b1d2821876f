"""Which column of a table is what: the objects of an answer form, and details of the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ordlink._text import listed, quoted
from ordlink.comparisons._forms import FORMS, AnswerForm, find_form
from ordlink.errors import InputError

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
        "annotator_id",
        "worker",
        "worker_id",
        "workerid",
        "participant",
        "participant_id",
        "subject",
        "subject_id",
    ),
    "time": ("timestamp",),
    "response_time": (
        "rt",
        "rt_ms",
        "response_time_ms",
        "response_time_s",
        "responsetime",
        "reaction_time",
    ),
    "chose_first": (),
}
"""Columns of details, and their other names, best first."""
_CHOOSE = "choose the columns of objects with {columns}"


@dataclass(frozen=True)
class ColumnRoles:
    """What the columns of a table are.

    Attributes
    ----------
    form : AnswerForm
        What a row of objects means.
    objects : tuple of int
        Positions of the object columns, in the order of the form.
    details : dict from str to int
        Positions of count, answer, annotator, time, response_time and chose_first, where present.
    """

    form: AnswerForm
    objects: tuple[int, ...]
    details: dict[str, int] = field(default_factory=dict)


def looks_like_header(cells: Sequence[str]) -> bool:
    """Return whether a row names columns: all objects of a form, or a detail.

    Examples
    --------
    >>> looks_like_header(["Head", "winner", "loser", "comment"])
    True
    >>> looks_like_header(["cat", "dog", "bee"])
    False
    """
    names = [_plain(cell) for cell in cells]
    return bool(_named_forms(names) or _find_details(names))


def find_roles(
    names: Sequence[str] | None,
    n_columns: int,
    *,
    form: str | None,
    columns: Sequence[str] | None,
    where: str,
) -> ColumnRoles:
    """Return what the columns are, from their names if they have any.

    Raises
    ------
    InputError
        If it is not clear which columns are the objects, or what the form is.
    """
    wanted = None if form is None else find_form(form)
    plain = [] if names is None else [_plain(name) for name in names]
    details = _find_details(plain)
    if columns is not None:
        return _chosen(names or (), plain, details, wanted, columns, where)
    named = _named_forms(plain)
    if named:
        return _named(named, plain, details, wanted, where)
    return _counted(names, n_columns, details, wanted, where)


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


def _chosen(
    names: Sequence[str],
    plain: Sequence[str],
    details: dict[str, int],
    wanted: AnswerForm | None,
    columns: Sequence[str],
    where: str,
) -> ColumnRoles:
    """Return the roles if the user picked the object columns by name."""
    if isinstance(columns, str):
        columns = [column.strip() for column in columns.split(",")]
    exact = list(names)
    objects = []
    for column in columns:
        known, key = (exact, column) if column in exact else (list(plain), _plain(column))
        if key not in known:
            raise InputError(
                f"there is no column {quoted(column)}, the columns are {_listed(names)}",
                where=where,
            )
        if known.count(key) > 1:
            raise InputError(
                f"there are two columns {quoted(column)}", where=where, remedy="rename one of them"
            )
        objects.append(known.index(key))
    if len(set(objects)) < len(objects):
        raise InputError(
            f"a column is chosen twice, the columns are {_listed(names)}",
            where=where,
            parameter="columns",
        )
    form = wanted
    if form is None:
        said = [_plain(column) for column in columns]
        named = [form for form in _named_forms(said) if len(form.columns) == len(columns)]
        in_order = named and [slot[0] for slot in _slots(named[0], said)] == [*range(len(columns))]
        form = named[0] if in_order else _form_of_width(len(columns), where)
    if len(form.columns) != len(columns):
        raise InputError(
            f"answers of the form {form.name} have {len(form.columns)} objects "
            f"({', '.join(form.columns)}), but {len(columns)} columns were chosen",
            where=where,
        )
    kept = {
        detail: at for detail, at in details.items() if at not in objects and detail != "answer"
    }
    return ColumnRoles(form, tuple(objects), kept)


def _named(
    named: list[AnswerForm],
    plain: Sequence[str],
    details: dict[str, int],
    wanted: AnswerForm | None,
    where: str,
) -> ColumnRoles:
    """Return the roles if the names of the columns say the form."""
    if wanted is not None and wanted not in named:
        raise InputError(
            f"the columns are named as in the form {named[0].name}, but the form {wanted.name} was "
            "asked for",
            where=where,
            remedy=f"leave out {{form}}, or {_CHOOSE}",
        )
    if wanted is None and len(named) > 1:
        raise InputError(
            f"the columns fit the forms {' and '.join(form.name for form in named)}",
            where=where,
            remedy="pass {form}",
        )
    form = wanted or named[0]
    slots = _slots(form, plain)
    for column, positions in zip(form.columns, slots, strict=True):
        if len(positions) > 1:
            found = ", ".join(plain[position] for position in positions)
            raise InputError(
                f"two columns are the {column} of a {form.name} ({found})",
                where=where,
                remedy=_CHOOSE,
            )
    if form.name != "quadruplet":
        # Each row is an answer by itself, so the column means something else, e.g. what was said.
        details = {detail: at for detail, at in details.items() if detail != "answer"}
    return ColumnRoles(form, tuple(slot[0] for slot in slots), details)


def _counted(
    names: Sequence[str] | None,
    n_columns: int,
    details: dict[str, int],
    wanted: AnswerForm | None,
    where: str,
) -> ColumnRoles:
    """Return the roles if only the number of columns says the form."""
    objects = [at for at in range(n_columns) if at not in details.values()]
    names_of_objects = None if names is None else [names[at] for at in objects]
    widths = (3, 4) if wanted is None else (len(wanted.columns),)
    if len(objects) not in widths:
        expected = "3 or 4 columns of objects"
        if wanted is not None:
            expected = f"{len(wanted.columns)} columns of objects ({', '.join(wanted.columns)})"
        shown, remedy = "", "remove the other columns, or name the columns in a header"
        if names_of_objects is not None:
            shown, remedy = f" ({_listed(names_of_objects)})", _CHOOSE
        raise InputError(
            f"expected {expected}, got {len(objects)}{shown}", where=where, remedy=remedy
        )
    unnamed = [at for at in objects if names is not None and not names[at].strip()]
    if unnamed:
        raise InputError(
            f"column {unnamed[0] + 1} has no name",
            where=where,
            remedy=f"if it numbers the rows, remove it, or {_CHOOSE}",
        )
    if "answer" in details:
        raise InputError(
            "the column 'answer' may say which pair was chosen, then the other columns are not in "
            "order",
            where=where,
            remedy=f"rewrite the rows so that their order is the answer, and {_CHOOSE}",
        )
    if wanted is None and len(objects) == 4 and names_of_objects is not None:
        raise InputError(
            f"the columns {_listed(names_of_objects)} are not known",
            where=where,
            remedy=f"if they are i, j, k, l ({FORMS['quadruplet'].meaning}), pass "
            f"{{form:quadruplet}}, otherwise {_CHOOSE}",
        )
    return ColumnRoles(wanted or _form_of_width(len(objects), where), tuple(objects), details)


def _form_of_width(width: int, where: str) -> AnswerForm:
    if width == 4:
        return FORMS["quadruplet"]
    if width != 3:
        raise InputError(
            f"answers have 3 or 4 objects, but {width} columns were chosen", where=where
        )
    forms = [form for form in FORMS.values() if len(form.columns) == 3]
    raise InputError(
        "rows of three objects can mean three things",
        where=where,
        remedy="pass {form} as one of these ("
        + "; ".join(f"{form.name}: {form.meaning}" for form in forms)
        + f"), or name the columns after a form, e.g. {','.join(FORMS['triplet'].columns)}",
    )


def _listed(names: Sequence[str]) -> str:
    return listed(names, most=12) or "not named"
