"""Tables that cannot be read as answers: what is in the way, and what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ordlink._text import counted, did_you_mean, listed, quoted
from ordlink._typing import BoolArray
from ordlink.comparisons import ListedComparisons
from ordlink.comparisons._answers import FORMS
from ordlink.io._families import families
from ordlink.io._options import Options
from ordlink.io._readings import find_readings, item_families
from ordlink.io._responses import TrialCells, decode
from ordlink.io._source import refuse
from ordlink.io._table import (
    LARGEST_SHARE_MISSING,
    SMALLEST_JUDGED,
    Table,
    find_columns,
    find_details,
    named_forms,
    slots,
)
from ordlink.io._trials import Reading, same_answers
from ordlink.io._words import FORM_WORDS, forms_said, is_response, plain_name

MOST_SHOWN = 5
"""So many different responses are shown."""
WIDE = 60
"""A table of more columns may have several trials per row."""


def refuse_unread(cells: TrialCells, options: Options, rows: BoolArray) -> None:
    """Refuse a table whose response was not understood: the order of its columns is no answer."""
    added = {at for entries in cells.entries.values() for at in entries}
    names = [name for at, name in enumerate(cells.table.names or ()) if at not in added]
    said = [name for name in names if is_response(plain_name(name))]
    n_objects = len(names) - len(find_details(cells.plain))
    no_form = not named_forms(cells.plain) and n_objects > 3  # three: their order is the answer
    if (said and no_form) or options.items or options.response:
        if len(names) <= WIDE:
            _refuse_none_of_them(cells, options, rows)
        what = (
            f"the column {listed(said[:1])} seems to be the response"
            if said
            else "there is a response"
        )
        problem = f"{what}, but no columns of items to choose from were found; the columns are "
        remedy = (
            "name them with {items}, {response} and {reference}; trials of two pairs need "
            "{form:quadruplet} (the response is the pair that is more alike)"
        )
        if len(names) > WIDE:
            remedy = "if a row holds several trials, write one row per trial; otherwise " + remedy
        problem += listed(names, 12)
        refuse(cells.table.where, problem, remedy)


def _refuse_none_of_them(cells: TrialCells, options: Options, rows: BoolArray) -> None:
    """Refuse responses that are none of the items beside them, by the first such row."""
    names = cells.table.names or ()
    named = find_columns(names, options.response or (), cells.table.where)
    responses = named or [at for at, name in enumerate(cells.plain) if is_response(name)]
    found = [(family.members, items) for family, items in item_families(cells, options, rows)]
    for members, items in sorted(found, key=lambda one: -len(one[0])):
        for at in responses:
            codes = None if at in members else cells.codes(at)
            if codes is None:
                continue
            whole = rows & (items >= 0).all(axis=1)
            labels = [cells.plain[k] for k in members]
            if decode(codes, items, labels, cells, whole, one_based=options.one_based):
                continue
            given = whole & (codes >= 0)
            if not given.any():
                problem = f"the column of responses, {names[at]!r}, is empty"
                refuse(cells.table.where, problem, "name the response with {response}")
            strange = given & (items != codes[:, None]).all(axis=1)
            values = cells.words(codes[strange])
            for row in np.flatnonzero(strange)[:1].tolist():
                shown = [cells.vocabulary[code] for code in items[row].tolist()]
                said = cells.vocabulary[codes[row]]
                columns = listed([names[k] for k in members])
                refuse(
                    cells.table.row_name(row),
                    f"the response {quoted(said)} in {names[at]!r} is none of the items "
                    f"{listed(shown)} in {columns}, nor a position, letter or key that is known"
                    f"; this holds for {strange.sum():,} of {counted(int(given.sum()), 'response')}"
                    + (f" ({listed(values)})" if len(values) <= MOST_SHOWN else "")
                    + did_you_mean(said, shown),
                    "correct the responses, or name other columns with {items}, {response} and "
                    "{reference}" + _how_to_say(names[at], len(members), values),
                )


def _how_to_say(name: str, n_items: int, values: Sequence[str]) -> str:
    """Return how to say what the responses mean, where few different ones do not say it."""
    said = [*values[:n_items], *"abcdefgh"[len(values) : n_items]]
    if len(values) > 2 * n_items or not all(re.fullmatch(r"[\w .-]+", s) for s in (name, *said)):
        return ""
    which = f"{{response:{name}={'/'.join(said)}}}"
    return f"; or say which response is for the first item, the second, ..., such as {which}"


def refuse_ignored(cells: TrialCells, options: Options, rows: BoolArray) -> None:
    """Refuse chosen columns of objects if a column left out says which of them was chosen.

    A column of responses is not left out if it says the same as the order of the chosen columns.
    """
    names, plain = list(cells.table.names or ()), cells.plain
    columns = find_columns(names, options.columns or (), cells.table.where)
    items = cells.matrix(columns)
    if items is None:
        return
    forms = [form for form in FORMS.values() if len(form.columns) == len(columns)]
    by_name = any(slots(form, plain) == [[at] for at in columns] for form in forms)
    orders = [Reading(form.name, tuple(columns)) for form in forms]
    whole = rows & (items >= 0).all(axis=1)
    readings = find_readings(cells, replace(options, columns=None, form=None), rows)
    known = {*columns, *find_details(plain).values()}
    for reading in readings:
        if any(same_answers(order, reading, cells, rows) for order in orders):
            known |= set(reading.columns)
    groups = [*cells.entries.values(), *(family.members for family in families(plain))]
    for group in (*groups, *((at,) for at in range(len(names)))):
        if known & set(group):
            continue
        codes = cells.matrix(group)
        if codes is None:
            continue
        given = whole & (codes >= 0).all(axis=1)
        varies = len(np.unique(codes[given], axis=0)) > 1
        named = (items[given, :, None] == codes[given, None, :]).any(axis=2)
        if given.any() and (named.sum(axis=1) == len(group)).all():
            varies = len(np.unique(named, axis=0)) > 1
            known |= set() if varies else set(group)  # other names of the same columns
        elif by_name or not all(is_response(plain[at]) for at in group):
            continue
        if varies:
            added = {new: at for at, entries in cells.entries.items() for new in entries}
            said = listed([names[at] for at in dict.fromkeys(added.get(at, at) for at in group)])
            refuse(
                cells.table.where,
                f"{said}, which is not among the chosen columns, seems to say what was chosen",
                "pass {items} and {response} instead of {columns}, or remove or rename it if it is "
                "no response",
            )


def refuse_contradicted(
    readings: Sequence[Reading], cells: TrialCells, options: Options, rows: BoolArray
) -> None:
    """Refuse a form or a response that the user named, if the names of columns say otherwise."""
    names = cells.table.names or ()
    for reading in readings:
        said = forms_said(cells.plain[reading.response[0]]) if reading.response else []
        if reading.kind in FORM_WORDS and reading.form not in said and said:
            problem = (
                f"the column {names[reading.response[0]]!r} says {said[0]}, not {reading.form}"
            )
            refuse(cells.table.where, problem, "leave out {form}, or rename the column")
    if not options.response:
        return
    for wider in find_readings(cells, replace(options, response=None), rows):
        more = [r for r in readings if set(r.response) < set(wider.response)]
        if more and not any(same_answers(r, wider, cells, rows) for r in more):
            columns = listed([names[at] for at in wider.response], 12)
            problem = f"the columns {columns} belong together: all of them say what was chosen"
            remedy = "leave out {response}, name all of them, or remove the others"
            refuse(cells.table.where, problem, remedy)


def refuse_repeats(comparisons: ListedComparisons, table: Table) -> None:
    """Refuse chosen columns of which more than a fifth of the rows repeat an object."""
    n_left_out = table.n_rows - comparisons.n_answers
    if table.n_rows >= SMALLEST_JUDGED and n_left_out > LARGEST_SHARE_MISSING * table.n_rows:
        share = f"{n_left_out:,} of {counted(table.n_rows, 'row')}"
        problem = f"{share} repeat an object or a pair, which is too many to skip"
        remedy = (
            "if one of the columns holds the response, name it with {response} and the options "
            "with {items}, otherwise remove these rows"
        )
        refuse(table.where, problem, remedy)
