"""Exports of Qualtrics: three header rows, a row per person and a column per question."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NoReturn

from ordlink.errors import InputError
from ordlink.io._cells import as_text, pa
from ordlink.io._source import refuse
from ordlink.io._table import Table, find_details
from ordlink.io._text import QUALTRICS
from ordlink.io._words import FORM_WORDS, MISSING, plain_name, tokens

_CLOSER = re.compile(r"similar|closer|like|resembl|ähnlich|gleicht|passt besser", re.IGNORECASE)
_MOST = 2000
"""Letters of a question that are looked at."""


def is_qualtrics(table: Table) -> bool:
    """Return whether the second row of a table holds the ids by which Qualtrics imports."""
    if table.names is None or table.n_rows < 2:
        return False
    try:
        cell = as_text(table.checked_column(0))[1].as_py()
    except InputError:
        return False
    return bool(cell.startswith(QUALTRICS))


def to_long(table: Table) -> Table:
    """Return one row per answer, where the text of a question names what could be chosen."""
    names = list(table.names or ())
    columns = [as_text(table.column(at)).to_pylist() for at in range(len(names))]
    plain = [plain_name(name) for name in names]
    people = columns[find_details(plain).get("annotator", 0)][2:]
    questions: list[tuple[str, list[str]]] = []
    for column in columns:
        text, said = column[0][:_MOST], [cell.strip() for cell in column[2:]]
        given = {cell for cell in said if cell.casefold() not in MISSING}
        if given and all(_place(name, text) >= 0 for name in given):
            questions.append((text, said))
    known = {cell for _, said in questions for cell in said if cell.casefold() not in MISSING}
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    words: set[str] = set()
    for text, said in questions:
        found = _named_in(text, known)
        if len(found) != 3:
            _refuse(table, f"the question {text[:60]!r} names {len(found)} options, not 3")
        words |= tokens(plain_name(text))
        for row, (person, cell) in enumerate(zip(people, said, strict=True)):
            rows.append((person, *found, cell))
            lines.append(row + 2)
    if not rows:
        _refuse(table, "no question names in its text what could be chosen")
    asked = [form for form, hints in FORM_WORDS.items() if words & hints]
    response = {"odd-one-out": "odd", "most-central": "central"}.get("".join(asked), "response")
    titles = ["participant", "item_1", "item_2", "item_3", response]
    chosen = {row[1] == row[4] for row in rows}
    if not asked and any(_CLOSER.search(text) for text, _ in questions) and chosen == {False}:
        titles = ["participant", "reference", "option_1", "option_2", "response"]
    cells = [pa.chunked_array([pa.array(list(column))]) for column in zip(*rows, strict=True)]
    return replace(
        table,
        names=titles,
        n_columns=len(titles),
        n_rows=len(rows),
        column=cells.__getitem__,
        row_name=lambda row: table.row_name(lines[row]),
    )


def _place(name: str, text: str) -> int:
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    return found.start() if found else -1


def _named_in(text: str, known: set[str]) -> list[str]:
    """Return the names in a text in their order; of names within each other the longer one."""
    places: dict[int, str] = {}
    for name in sorted(known, key=len, reverse=True):
        at = _place(name, text)
        if at >= 0:
            text = text[:at] + "\0" * len(name) + text[at + len(name) :]
            places[at] = name
    return [places[at] for at in sorted(places)]


def _refuse(table: Table, problem: str) -> NoReturn:
    remedy = (
        "write one row per trial with the columns participant, item1, item2, item3, response (or "
        "reference, option1, option2, response), or export questions whose text names the options"
    )
    refuse(table.source, f"this is a Qualtrics export, and {problem}", remedy)
