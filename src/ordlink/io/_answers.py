"""From a table of any layout to comparisons: how it is read, and which rows are skipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ordlink._text import counted
from ordlink._typing import AnyArray, BoolArray, Int64Array
from ordlink.comparisons import ListedComparisons
from ordlink.comparisons._answers import FORMS, find_form
from ordlink.io import _trials
from ordlink.io._cells import ArrowColumn, as_text, pa, pc, to_numpy
from ordlink.io._json import unpack_cells
from ordlink.io._options import Options
from ordlink.io._readings import find_readings, is_unknown
from ordlink.io._responses import TrialCells
from ordlink.io._slips import find_slips
from ordlink.io._source import refuse
from ordlink.io._surveys import to_long
from ordlink.io._table import (
    ColumnRoles,
    EarlierChunks,
    Table,
    find_details,
    list_table,
    named_forms,
    slots,
    take_rows,
)
from ordlink.io._trials import Reading
from ordlink.io._unread import refuse_contradicted, refuse_ignored, refuse_repeats, refuse_unread
from ordlink.io._words import KIND_COLUMNS, is_response, plain_name, tokens


def read_table(
    table: Table, options: Options, earlier: EarlierChunks | None = None
) -> ListedComparisons:
    """Return the comparisons of a table of answers, or of a chunk after earlier ones."""
    by_hand = options.items or options.response or options.reference
    if by_hand and (earlier is not None or table.names is None):
        problem = "columns of items and responses need a header, and cannot be read in chunks"
        refuse(table.where, problem, "read the file as a whole, with a header")
    if by_hand and options.columns is not None:
        problem = "either the order of columns is the answer, or a column of responses says it"
        refuse(table.where, problem, "leave out {columns}, or {items}, {response} and {reference}")
    if table.names is not None and table.n_rows:
        if earlier is None:
            table = to_plain(table, options)
        elif earlier.is_first and options.columns is not None:
            _check_columns(table, options)
    comparisons = list_table(table, options, earlier)
    if options.columns is not None and earlier is None:
        refuse_repeats(comparisons, table)
    names = tuple(table.labels.get(name, "") for name in comparisons.names or ())
    distinct = len(set(names) - {""}) == len(names) > 0
    if not distinct or any(name.isdecimal() for name in names):
        return comparisons
    options.note("objects are named by the codes of another sheet")
    return replace(comparisons, names=names)


def to_plain(table: Table, options: Options) -> Table:
    """Return a table of plain answers: the table itself, or the answers of its trials."""
    table = to_long(unpack_cells(_without_headers(table, options)), options)
    names = list(table.names or ())
    plain = [plain_name(name) for name in names]
    named = named_forms(plain) if options.columns is None else []
    chosen = options.items or options.response or options.reference
    hints = any(is_response(name) or (tokens(name) & KIND_COLUMNS) for name in plain)
    known = {at for form in named for slot in slots(form, plain) for at in slot}
    others = [name for at, name in enumerate(plain) if at not in known]
    clear = not any(tokens(n) & KIND_COLUMNS or is_response(n) for n in others)
    pairs = any(form.name == "quadruplet" for form in named) and any(map(is_unknown, others))
    if named and not chosen and clear and not pairs:
        return table
    if not named and not hints and not chosen and len(plain) < 4:
        return table
    if options.columns is not None:
        _check_columns(table, options)
        return table
    merge = options.merge_names if isinstance(options.merge_names, Mapping) else None
    for split in (False, True):
        cells = TrialCells(table, merge, split=split)
        rows, kinds = _trials.not_trials(cells)
        readings = [] if chosen else _plain_readings(cells, options)
        trials = find_readings(cells, options, rows)
        said = {
            reading.items
            for reading in trials
            if any(is_response(cells.plain[at]) for at in reading.response)
        }
        readings = [reading for reading in readings if reading.items not in said] + trials
        if readings:
            break
    else:
        refuse_unread(cells, options, rows)
        return table
    refuse_contradicted(readings, cells, options, rows)
    reading = _trials.choose_reading(readings, cells, rows)
    if _is_by_name(reading, plain) and rows.all() and not chosen:
        return table
    if options.merge_names is True:
        counts = _counts(cells, reading, rows)
        cells = TrialCells(table, find_slips(counts), split=split)
        readings = find_readings(cells, options, rows)
        reading = _trials.choose_reading(readings, cells, rows)
    return _answers(reading, cells, rows, kinds, options)


def _check_columns(table: Table, options: Options) -> None:
    """Refuse chosen columns that ignore a response."""
    for split in (False, True):
        cells = TrialCells(table, split=split)
        refuse_ignored(cells, options, _trials.not_trials(cells)[0])


def _without_headers(table: Table, options: Options) -> Table:
    """Return the table without rows that repeat its header, as in files joined end to end."""
    repeated = np.ones(table.n_rows, dtype=bool)
    for at, name in enumerate(table.names or ()):
        column = table.column(at)
        if not pa.types.is_string(column.type) or not name:
            return table
        repeated &= to_numpy(pc.equal(column, name)).astype(bool)
        if not repeated.any():
            return table
    options.note(f"{counted(int(repeated.sum()), 'row')} skipped: the header once more")
    return take_rows(table, np.flatnonzero(~repeated))


def _plain_readings(cells: TrialCells, options: Options) -> list[Reading]:
    """Return the readings of columns whose names are those of a form."""
    wanted = None if options.form is None else find_form(options.form)
    readings = []
    for form in named_forms(cells.plain):
        found = slots(form, cells.plain)
        others = {cells.plain[at].partition("_")[2] for at in range(len(cells.plain))} - {""}
        for suffix in ("", *sorted(others)):  # head, winner, loser; head_filename, ...
            columns = [f"{cells.plain[slot[0]]}_{suffix}" for slot in found] if suffix else []
            if suffix and all(cells.plain.count(column) == 1 for column in columns):
                own = [[cells.plain.index(column)] for column in columns]
            else:
                own = found if not suffix else []
            once = bool(own) and all(len(slot) == 1 for slot in own)
            positions = tuple(slot[0] for slot in own)
            if once and wanted in (None, form) and cells.matrix(positions) is not None:
                readings.append(Reading(form.name, positions))
    return readings


def _is_by_name(reading: Reading, plain: list[str]) -> bool:
    """Return whether a reading is that of a table of plain answers, by the names of its columns."""
    columns = [slot for form in named_forms(plain) for slot in slots(form, plain)]
    return reading.kind == "plain" and all([at] in columns for at in reading.items)


def _counts(cells: TrialCells, reading: Reading, rows: BoolArray) -> dict[str, int]:
    codes = cells.matrix(
        reading.columns if reading.how in ("", "by name") else reading.columns[:-1]
    )
    assert codes is not None
    found, counts = np.unique(codes[rows], return_counts=True)
    return {cells.vocabulary[c]: int(n) for c, n in zip(found, counts, strict=True) if c >= 0}


def _answers(
    reading: Reading, cells: TrialCells, rows: BoolArray, kinds: list[str], options: Options
) -> Table:
    """Return the plain answers of a reading; report how it was read and what was skipped."""
    table = cells.table
    items = cells.matrix([at for at in (reading.reference, *reading.items) if at is not None])
    assert items is not None
    shown = rows & (items[:, -len(reading.items) :] >= 0).any(axis=1)
    if reading.chosen is not None:
        silent = (reading.chosen == -1).all(axis=1)
        shown &= ~_trials.other_screens(cells, silent & shown, ~silent & shown)
    whole = shown & (items >= 0).all(axis=1)
    _trials.refuse_strange(reading, cells, whole)
    missing = shown & ~whole
    if reading.chosen is not None:
        missing |= whole & (reading.chosen == -1).any(axis=1)
    kept = rows & _trials.complete(reading, cells)
    repeated = shown & ~missing & ~kept
    for left_out, reason in (
        (missing, "the answer is missing"),
        (repeated, "an object occurs twice"),
    ):
        first = np.flatnonzero(left_out)[:1].tolist()
        if first and options.missing == "error" and left_out is missing:
            refuse(table.row_name(first[0]), reason, "complete or remove the row")
        if first:
            where = table.row_name(first[0])
            _trials.check_left_out(int(left_out.sum()), int(shown.sum()), where, reason)
            options.note(
                f"{counted(int(left_out.sum()), 'trial')} skipped: {reason}, first at {where}"
            )
    if not kept.any():
        refuse(table.source, "no trials are left")
    n_others = int((rows & ~shown).sum())
    if n_others:
        options.note(f"{counted(n_others, 'row')} skipped: other screens, not trials")
    if not rows.all():
        options.note(f"{counted(int((~rows).sum()), 'row')} skipped: {', '.join(kinds[:5])}")
    source = np.flatnonzero(kept)
    codes, of_trial = _trials.plain_answers(reading, cells, source)
    options.say(_sentence(reading, cells, kept, source))
    return _as_table(reading, cells, codes, source[of_trial], of_trial)


def _sentence(reading: Reading, cells: TrialCells, kept: BoolArray, source: Int64Array) -> str:
    details = find_details(cells.plain)
    who = "somebody"
    if "annotator" in details:
        who = str(as_text(cells.table.column(details["annotator"]))[int(source[0])].as_py()) or who
    number = int(source[0]) + 1
    return f"Row {number} read as: {_trials.in_words(reading, cells, kept, who)}."


def _as_table(
    reading: Reading, cells: TrialCells, codes: Int64Array, source: Int64Array, trial: Int64Array
) -> Table:
    """Return the table of the answers, whose details are those of the rows they came from."""
    form, table = FORMS[reading.form], cells.table
    details = {d: at for d, at in find_details(cells.plain).items() if at not in reading.columns}
    details.pop("answer", None)
    details.pop("count", None) if "count" in details and reading.response else None
    vocabulary = pa.array(cells.vocabulary, pa.string())
    columns: list[AnyArray | ArrowColumn] = [
        pa.chunked_array([vocabulary.take(pa.array(column))]) for column in codes.T
    ]
    taken = take_rows(table, source)
    columns += [taken.column(at) for at in details.values()]
    positions = {detail: len(form.columns) + k for k, detail in enumerate(details)}
    if len(trial) > len(np.unique(trial)):
        positions["answer"] = len(columns)
        columns.append(pa.chunked_array([pa.array(trial)]))
    roles = ColumnRoles(form, tuple(range(len(form.columns))), positions)
    names = [*form.columns, *positions]
    return replace(
        taken,
        names=names,
        n_columns=len(columns),
        column=columns.__getitem__,
        roles=roles,
        as_names=bool(reading.response)
        or any(not name.lstrip("-").isdecimal() for name in cells.words(codes)),
    )
