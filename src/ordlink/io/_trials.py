"""Trial logs: columns of items and responses, converted to the plain forms of answers.

Every file is first a table of cells with column names, whatever its format. A *reading* says which
columns hold the items, which one the response and which one the reference, and what was asked. A
table of plain answers (anchor, closer, farther) is the reading without a response. Readings are
found in three steps:

1. Names. Columns that differ in a number, a letter or a place (item1, item2; left, right) are a
   family of items; words (`_words.py`) tell responses and references.
2. Content. A response must choose one of the items of its row in (nearly) every row: by name, by
   the stem of a file, by position, letter, place or key. Without a known name, a column is a
   response if its cells always repeat one of the items. Items share names.
3. Exactly one reading may be left. Readings that give the same answers about the same objects,
   under other names, are one reading: the one in words is taken. Otherwise the file is refused
   with all readings.

Each trial form is a function in `TRIAL_FORMS` from items, reference and choice to plain answers,
so that everything after it is the same for all files. Rows that are not trials, practice, attention
checks and missing answers are skipped and counted, but never more than a fifth of the trials.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from ordlink._text import counted, did_you_mean, listed, quoted
from ordlink._typing import BoolArray, Int64Array
from ordlink.io._responses import TrialCells
from ordlink.io._source import refuse
from ordlink.io._table import LARGEST_SHARE_MISSING
from ordlink.io._words import (
    FILLED,
    KIND_COLUMNS,
    NOT_TRIALS,
    YES_NO,
    is_no_trial,
    is_response,
    tokens,
)

MOST_KINDS = 100
"""A column with more different cells does not say what kind of trial a row is."""
YES, NO = (frozenset(pair[k] for pair in YES_NO) for k in (0, 1))
FLAGS = YES | NO
"""What a column says whose name says what its rows are, such as is_practice."""
FEWEST_SCREENS = 10
"""Rows of a kind that show that it never has a response."""


@dataclass(frozen=True)
class Reading:
    """One way to read the rows of a table."""

    form: str
    items: tuple[int, ...]
    reference: int | None = None
    response: tuple[int, ...] = ()
    how: str = ""
    chosen: Int64Array | None = None
    """Positions of the chosen items, of shape (n_rows, n_responses)."""
    less: BoolArray | None = None
    """Whether what was chosen is less alike, for each row."""

    @property
    def kind(self) -> str:
        """Name of the trial form, see `TRIAL_FORMS`."""
        if not self.response:
            return "ranking" if self.how else "plain"
        return "pick" if self.form == "triplet" else self.form

    @property
    def columns(self) -> tuple[int, ...]:
        """All columns that the reading uses."""
        reference = () if self.reference is None else (self.reference,)
        return (*reference, *self.items, *self.response)


Answers = tuple[Int64Array, Int64Array]
"""Codes in the columns of the form, and for each of these rows the row of the trials."""


def _pick(reading: Reading, items: Int64Array, reference: Int64Array, rows: Int64Array) -> Answers:
    """Return reference, chosen and other option: the chosen ones are closer to the reference."""
    assert reading.chosen is not None and reading.less is not None
    chosen = reading.chosen[rows]
    options = np.arange(items.shape[1])
    is_chosen = (chosen[:, :, None] == options).any(axis=1) != reading.less[rows, None]
    row, near, far = np.nonzero(is_chosen[:, :, None] & ~is_chosen[:, None, :])
    return np.stack([reference[row], items[row, near], items[row, far]], axis=1), row


def _ranking(_: Reading, items: Int64Array, reference: Int64Array, rows: Int64Array) -> Answers:
    """Return reference, option and any option after it: the first is closest to the reference."""
    near, far = np.triu_indices(items.shape[1], 1)
    each = np.repeat(np.arange(len(rows)), len(near))
    columns = reference[each], items[:, near].ravel(), items[:, far].ravel()
    return np.stack(columns, axis=1), each


def _one_of_three(first: bool) -> Callable[..., Answers]:  # noqa: FBT001
    def answers(reading: Reading, items: Int64Array, _: Int64Array, rows: Int64Array) -> Answers:
        assert reading.chosen is not None
        chosen = reading.chosen[rows, 0]
        each = np.arange(len(rows))
        others = np.array([[1, 2], [0, 2], [0, 1]])[chosen]
        columns = [items[each, chosen], items[each, others[:, 0]], items[each, others[:, 1]]]
        return np.stack(columns if first else [*columns[1:], columns[0]], axis=1), each

    return answers


def _two_pairs(reading: Reading, items: Int64Array, _: Int64Array, rows: Int64Array) -> Answers:
    """Return the chosen pair first: it is more alike than the other."""
    assert reading.chosen is not None and reading.less is not None
    second = (reading.chosen[rows, 0] == 1) != reading.less[rows]
    return np.where(second[:, None], items[:, [2, 3, 0, 1]], items), np.arange(len(rows))


TRIAL_FORMS: dict[str, Callable[[Reading, Int64Array, Int64Array, Int64Array], Answers]] = {
    "plain": lambda _reading, items, _reference, rows: (items, np.arange(len(rows))),
    "pick": _pick,
    "ranking": _ranking,
    "most-central": _one_of_three(first=True),
    "odd-one-out": _one_of_three(first=False),
    "quadruplet": _two_pairs,
}


def not_trials(cells: TrialCells) -> tuple[BoolArray, list[str]]:
    """Return which rows are trials by the columns of kinds, and what the others are called."""
    rows, found = np.ones(cells.table.n_rows, dtype=bool), []
    for at, name in enumerate(cells.plain):
        words_of = tokens(name) | {name.removeprefix("is_")}  # warm_up is one word, too
        says = words_of & NOT_TRIALS  # is_practice, practice.thisN, GOLDEN:result
        if not (says or (tokens(name) & KIND_COLUMNS and not is_response(name))):
            continue
        codes = cells.codes(at)
        if codes is None:
            continue
        words = cells.words(codes)
        marked = [word for word in words if is_no_trial(word)]
        if says and {word.casefold() for word in words} <= FLAGS:
            marked = [word for word in words if word.casefold() in YES]
        elif says & FILLED and 0 < 2 * (codes >= 0).sum() < len(codes):
            rows &= codes < 0
            found.append(f"{(cells.table.names or ())[at]} is not empty")
        if marked and len(words) <= MOST_KINDS:
            numbers = [cells.vocabulary.index(word) for word in marked]
            rows &= ~np.isin(codes, numbers)
            found += [f"{(cells.table.names or ())[at]} = {word}" for word in marked]
    return rows, found


def other_screens(cells: TrialCells, missing: BoolArray, answered: BoolArray) -> BoolArray:
    """Return the rows of kinds that never have a response, such as Gorilla's fixation screens."""
    others = np.zeros(len(missing), dtype=bool)
    for at, name in enumerate(cells.plain):
        codes = cells.codes(at) if tokens(name) & KIND_COLUMNS and not is_response(name) else None
        if codes is None or not missing.any():
            continue
        kinds, counts = np.unique(codes[missing & (codes >= 0)], return_counts=True)
        silent = np.setdiff1d(kinds[counts >= FEWEST_SCREENS], codes[answered]).tolist()
        words = [code for code in silent if not cells.vocabulary[code].isdecimal()]
        others |= missing & np.isin(codes, words)
    return others


def plain_answers(reading: Reading, cells: TrialCells, rows: Int64Array) -> Answers:
    """Return the answers of some rows as codes in the columns of the form."""
    items = cells.matrix(reading.items)
    reference = None if reading.reference is None else cells.codes(reading.reference)
    assert items is not None
    anchor = np.zeros(len(rows), dtype=np.int64) if reference is None else reference[rows]
    return TRIAL_FORMS[reading.kind](reading, items[rows], anchor, rows)


def choose_reading(readings: Sequence[Reading], cells: TrialCells, rows: BoolArray) -> Reading:
    """Return the one reading that is left; refuse several that say different things."""
    different: list[Reading] = []
    for reading in sorted(readings, key=lambda reading: _awkward(reading, cells, rows)):
        if not any(same_answers(reading, other, cells, rows) for other in different):
            different.append(reading)
    if len(different) > 1:
        _refuse_several(different, cells, rows)
    return different[0]


def _refuse_several(readings: list[Reading], cells: TrialCells, rows: BoolArray) -> NoReturn:
    words = [_label(reading, cells) + in_words(reading, cells, rows) for reading in readings[:4]]
    shown = "; or ".join(word for word in dict.fromkeys(words))
    forms = list(dict.fromkeys(reading.form for reading in readings))
    remedy = "name the columns with {items}, {response} and {reference}"
    if not all(reading.response for reading in readings):
        remedy += ", or those whose order is the answer with {columns}"
    if len(forms) > 1:
        remedy = f"pass {' or '.join(f'{{form:{form}}}' for form in forms)}, or {remedy}"
    elif len({reading.how for reading in readings if reading.response}) > 1:
        remedy = (
            "pass {one_based:True} or {one_based:False} to say whether positions count from 1 or 0"
        )
    problem = f"the rows can be read in {len(readings)} ways: {shown}"
    refuse(cells.table.where, problem, remedy)


def _label(reading: Reading, cells: TrialCells) -> str:
    names = cells.table.names or ()
    said = f"{', '.join(names[at] for at in reading.response)} {reading.how}: "
    return said if reading.response else ""


def _awkward(reading: Reading, cells: TrialCells, rows: BoolArray) -> tuple[int, bool, int, bool]:
    """Return how awkward a reading is: few rows, numbers for names, long texts."""
    items = cells.matrix(reading.items)
    assert items is not None
    names = cells.words(items)[:200]
    numbers = all(re.fullmatch(r"-?\d+", name) for name in names)
    longest = max(map(len, names), default=0)
    return -int((rows & complete(reading, cells)).sum()), numbers, longest, bool(reading.response)


def same_answers(one: Reading, other: Reading, cells: TrialCells, rows: BoolArray) -> bool:
    """Return whether two readings agree in all rows that both can read, up to other names."""
    both = np.flatnonzero(rows & complete(one, cells) & complete(other, cells))
    if one.form != other.form or not len(both):
        return False
    numbered = []
    for reading in (one, other):
        answers, _ = plain_answers(reading, cells, both)
        _, first, codes = np.unique(answers, return_index=True, return_inverse=True)
        numbered.append(first.argsort().argsort()[codes.reshape(-1)])
    return np.array_equal(numbered[0], numbered[1])


def complete(reading: Reading, cells: TrialCells) -> BoolArray:
    """Return which rows have all items, a valid choice, and no item twice."""
    columns = cells.matrix([at for at in (reading.reference, *reading.items) if at is not None])
    assert columns is not None
    good: BoolArray = np.asarray((columns >= 0).all(axis=1))
    if reading.chosen is not None:
        good &= (reading.chosen >= 0).all(axis=1)
    ordered = np.sort(columns, axis=1)
    if reading.form != "quadruplet":
        good &= (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
    return good


def in_words(reading: Reading, cells: TrialCells, rows: BoolArray, who: str = "somebody") -> str:
    """Return the first row of a reading in words."""
    first = np.flatnonzero(rows & complete(reading, cells))[:1]
    if not len(first):
        return f"answers of the form {reading.form}"
    answers, _ = plain_answers(reading, cells, first)
    items = cells.matrix(reading.items)
    assert items is not None
    name = cells.vocabulary.__getitem__
    shown = ", ".join(map(name, items[first[0]].tolist()))
    objects = [name(code) for code in answers[0].tolist()]
    match reading.form:
        case "odd-one-out":
            return f"of {shown}, {who} chose {objects[2]} as the odd one out"
        case "most-central":
            return f"of {shown}, {who} chose {objects[0]} as the most central"
        case "quadruplet":
            pairs = f"{objects[0]} and {objects[1]} more alike than {objects[2]} and {objects[3]}"
            return f"{who} found {pairs}"
    if len(reading.items) > 2 and reading.response:
        chosen = " and ".join(dict.fromkeys(name(code) for code in answers[:, 1].tolist()))
        return f"of {shown}, {who} chose {chosen} as closest to {objects[0]}"
    return f"{who} found {objects[0]} closer to {objects[1]} than to {objects[2]}"


def refuse_strange(reading: Reading, cells: TrialCells, rows: BoolArray) -> None:
    """Refuse a response that is not one of the items of its row."""
    if reading.chosen is None:
        return
    for row in np.flatnonzero(rows & (reading.chosen == -2).any(axis=1))[:1].tolist():
        columns = cells.matrix((*reading.items, *reading.response))
        assert columns is not None
        names = [cells.vocabulary[code] if code >= 0 else "" for code in columns[row].tolist()]
        items, said = names[: len(reading.items)], names[len(reading.items)]
        if (columns[row, : len(reading.items)] >= 0).all():
            problem = f"the response {quoted(said)} is not one of the items {listed(items)}"
            hint = did_you_mean(said, items)
            refuse(
                cells.table.row_name(row),
                problem + hint,
                "correct it, clear the cell if there was no answer, pass {merge_names}, or say "
                "what counts, such as {response:key=f/j} in the order of the items",
            )


def check_left_out(n_left_out: int, n_trials: int, where: str, reason: str) -> None:
    """Refuse to skip more than a fifth of the trials."""
    if n_left_out > LARGEST_SHARE_MISSING * n_trials:
        share = f"{n_left_out:,} of {counted(n_trials, 'trial')}"
        refuse(where, f"{share} would be skipped, more than a fifth: {reason}", "correct the file")
