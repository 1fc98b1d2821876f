"""Exports of surveys: a row per person, a column per question.

Qualtrics adds two header rows: the texts of the questions, and ids for its own imports. Elsewhere
(Google Forms, SurveyMonkey) the text of a question is the name of its column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

from ordlink.errors import InputError
from ordlink.io._cells import as_text, pa
from ordlink.io._source import refuse
from ordlink.io._table import Table, find_details
from ordlink.io._text import QUALTRICS
from ordlink.io._words import MISSING, forms_said, is_less, plain_name

_CLOSER = re.compile(r"similar|closer|like|resembl|ähnlich|gleicht|passt besser", re.IGNORECASE)
_MOST = 2000
"""Letters of a question that are looked at."""
_FEWEST = 3
"""Questions that show that a table is a survey."""


def to_long(table: Table) -> Table:
    """Return one row per answer if the columns are questions that name their options."""
    names = list(table.names or ())
    is_qualtrics = "".join(_first_cells(table, 0, 2)[1:]).startswith(QUALTRICS)
    if not is_qualtrics and sum(" " in name.strip() for name in names) < _FEWEST:
        return table
    skipped, texts = 0, names
    if is_qualtrics:
        skipped, texts = 2, [(_first_cells(table, at, 1) or [""])[0] for at in range(len(names))]
    elif any(" " in name for name in names) and _first_cells(table, 0, 1) == [""]:
        skipped = 1  # SurveyMonkey: "Response" below each question
    columns = [_cells(table, at)[skipped:] for at in range(len(names))]
    questions = [
        (text[:_MOST], said)
        for text, said in zip(texts, columns, strict=True)
        if len(text) > max(map(len, said), default=0) and _are_named(said, text[:_MOST])
    ]
    if not is_qualtrics and len(questions) < _FEWEST:
        return table
    known = {cell for _, said in questions for cell in said if cell.casefold() not in MISSING}
    people = columns[find_details([plain_name(name) for name in names]).get("annotator", 0)]
    rows = []
    for text, said in questions:
        found = _named_in(text, known)
        if len(found) != 3:
            _refuse(table, f"the question {text[:60]!r} names {len(found)} options, not 3")
        rows += [
            (str(line + skipped), person, *found, cell)
            for line, (person, cell) in enumerate(zip(people, said, strict=True))
        ]
    if not rows:
        _refuse(table, "no question names its options in its text")
    lines, *cells = [list(column) for column in zip(*rows, strict=True)]
    titles = _titles([text for text, _ in questions], cells)
    return replace(
        table,
        names=titles,
        n_columns=len(titles),
        n_rows=len(rows),
        column=lambda at: pa.chunked_array([pa.array(cells[at], pa.string())]),
        row_name=lambda row: table.row_name(int(lines[row])),
    )


def _titles(questions: Sequence[str], cells: Sequence[list[str]]) -> list[str]:
    """Return the names of the columns: what was asked, and which of the three was the reference."""
    asked = {form for text in questions for form in forms_said(plain_name(text))}
    never = [
        at for at in (1, 2, 3) if all(a != b for a, b in zip(cells[at], cells[4], strict=True))
    ]
    less = {is_less(plain_name(text)) for text in questions}
    if (
        len(never) == 1
        and len(less) == 1
        and (less == {True} or any(map(_CLOSER.search, questions)))
    ):
        names = ["option_1", "option_2"]
        names.insert(never[0] - 1, "reference")
        return ["participant", *names, "less_similar" if less == {True} else "response"]
    response = {"odd-one-out": "odd", "most-central": "central"}.get("".join(asked), "response")
    return ["participant", "item_1", "item_2", "item_3", response]


def _cells(table: Table, at: int) -> list[str]:
    try:
        return [cell.strip() for cell in as_text(table.checked_column(at)).to_pylist()]
    except InputError:
        return [""] * table.n_rows


def _first_cells(table: Table, at: int, n: int) -> list[str]:
    head = replace(table, column=lambda position: table.column(position)[:n], n_rows=n)
    return _cells(head, at) if table.names and table.n_rows >= n else []


def _are_named(cells: Sequence[str], text: str) -> bool:
    given = {cell for cell in cells if cell.casefold() not in MISSING}
    return bool(given) and all(_place(cell, text) >= 0 for cell in given)


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
    refuse(table.source, f"this is a survey export, and {problem}", remedy)
