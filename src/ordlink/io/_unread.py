"""Tables that cannot be read as answers: what is in the way, and what to do."""

from __future__ import annotations

import numpy as np

from ordlink._text import counted, did_you_mean, listed, quoted
from ordlink._typing import BoolArray
from ordlink.io._options import Options
from ordlink.io._readings import item_families
from ordlink.io._responses import TrialCells, decode
from ordlink.io._source import refuse
from ordlink.io._table import find_columns, find_details, named_forms
from ordlink.io._words import is_response, plain_name

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
                    "{reference}",
                )


def refuse_ignored(cells: TrialCells, options: Options, rows: BoolArray) -> None:
    """Refuse chosen columns of objects if another column says which of them was chosen."""
    names = cells.table.names or ()
    columns = find_columns(names, options.columns or (), cells.table.where)
    items = cells.matrix(columns)
    for at in range(len(names)):
        response = None if at in columns or items is None else cells.codes(at)
        if response is None or items is None:
            continue
        hits, given = items == response[:, None], rows & (response >= 0)
        places = set(hits[given].argmax(axis=1).tolist())
        if given.any() and hits[given].any(axis=1).all() and len(places) > 1:
            problem = f"the column {names[at]!r} says which of the objects was chosen"
            remedy = "pass {items} and {response} instead of {columns}"
            refuse(cells.table.where, problem, remedy)
