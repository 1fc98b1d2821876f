"""Exports of surveys: a row per person, a column per question.

Qualtrics adds two header rows: the texts of the questions, and ids for its own imports. Elsewhere
(Google Forms, SurveyMonkey) the text of a question is the name of its column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NoReturn

from ordlink._text import counted
from ordlink.errors import InputError
from ordlink.io._cells import as_text, pa
from ordlink.io._families import families
from ordlink.io._options import Options
from ordlink.io._source import refuse
from ordlink.io._table import LARGEST_SHARE_MISSING, Table, find_details
from ordlink.io._text import QUALTRICS
from ordlink.io._words import (
    DETAILS,
    ITEM,
    MISSING,
    TRIAL,
    YES_NO,
    forms_said,
    is_less,
    is_no_answer,
    is_no_trial,
    is_reference,
    is_response,
    plain_name,
    tokens,
)

_CLOSER = re.compile(
    r"similar|closer|like|resembl|parece|proche|simile|somiglia|lijk|ähnlich|gleicht|passt besser",
    re.IGNORECASE,
)
_MOST = 2000
"""Letters of a question that are looked at."""
SMALLEST_SHARE = 0.8
"""Share of the answers to a question that its text must name."""
_FEWEST = 3
"""Questions that show that a table is a survey."""


def to_long(table: Table, options: Options) -> Table:
    """Return one row per answer if the columns are questions that name their options."""
    names = list(table.names or ())
    is_qualtrics = "".join(_first_cells(table, 0, 2)[1:]).startswith(QUALTRICS)
    labels = [(_first_cells(table, at, 1) or [""])[0] for at in range(len(names))]
    are_labels = sum("?" in label and " " in label for label in labels) >= _FEWEST  # SoSci
    if not (is_qualtrics or are_labels) and sum(" " in name.strip() for name in names) < _FEWEST:
        return _joined(table)
    skipped, texts = 0, names
    if is_qualtrics:
        skipped, texts = 2, labels
    elif are_labels:
        skipped, texts = 1, labels
    elif any(" " in name for name in names) and _first_cells(table, 0, 1) == [""]:
        skipped = 1  # SurveyMonkey: "Response" below each question
    status = [_cells(table, at) for at, name in enumerate(names) if plain_name(name) == "status"]
    kept = [
        row
        for row in range(skipped, table.n_rows)
        if not any(is_no_trial(cells[row]) for cells in status)
    ]
    columns = [
        [cells[row] for row in kept] for cells in map(partial(_cells, table), range(len(names)))
    ]
    asked = [
        (text[:_MOST], _named_answers(said, text[:_MOST]))
        for text, said in zip(texts, columns, strict=True)
    ]
    questions = [
        (text, said)
        for text, said in asked
        if len(text) > max(map(len, said), default=0)
        and ("?" in text or not are_labels or is_qualtrics)
        and _are_named(said, text)
    ]
    if not is_qualtrics and len(questions) < _FEWEST:
        return _joined(table)
    given = {cell for _, said in questions for cell in said}
    known = {c for c in given if c.casefold() not in MISSING and not is_no_answer(c)}
    listed = [_options(text) for text, _ in questions]
    known |= {name for names in listed if known.intersection(names) for name in names}
    people = columns[find_details([plain_name(name) for name in names]).get("annotator", 0)]
    rows, others, texts = [], [], []
    named = [_named_in(text, known) for text, _ in questions]
    counts = Counter(name for names in named for name in names)
    for (text, said), found in zip(questions, named, strict=True):
        if len(found) != 3 or all(counts[name] == 1 for name in found):  # e.g. gender
            others.append(f"the question {text[:60]!r} names {len(found)} options, not 3")
            continue
        texts.append(text)
        rows += [
            (str(line), person, *found, cell)
            for line, person, cell in zip(kept, people, said, strict=True)
            if cell or options.missing == "error"
        ]
    if len(others) > LARGEST_SHARE_MISSING * len(questions):
        _refuse(table, others[0])
    if not rows:
        _refuse(table, "no question names its options in its text")
    n_empty = len(kept) * len(texts) - len(rows)
    if n_empty:
        options.note(f"{counted(n_empty, 'cell')} skipped: not asked, or not answered")
    if others:
        options.note(f"{counted(len(others), 'question')} skipped: {others[0]}")
    lines, *cells = [list(column) for column in zip(*rows, strict=True)]
    if len({(*forms_said(plain_name(text)), is_less(plain_name(text))) for text in texts}) > 1:
        _refuse(table, "its questions ask different things")
    return _of_cells(table, _titles(texts, cells), cells, [int(line) for line in lines])


def _of_cells(
    table: Table, names: list[str], cells: Sequence[list[str]], rows: Sequence[int]
) -> Table:
    """Return a table of other columns; `rows` says which rows of the old one they come from."""
    return replace(
        table,
        names=names,
        n_columns=len(names),
        n_rows=len(rows),
        column=lambda at: pa.chunked_array([pa.array(cells[at], pa.string())]),
        row_name=lambda row: table.row_name(rows[row]),
    )


def _joined(table: Table) -> Table:
    return _with_reference(_join_items(_join_people(table)))


def _with_reference(table: Table) -> Table:
    """Return the table with the reference as a column, if a question in each row names it.

    Such as "Which is more similar to X?", where X differs and is an object of other columns.
    """
    names = list(table.names or ())
    first = [(_first_cells(table, at, 1) or [""])[0] for at in range(len(names))]
    named = [at for at, name in enumerate(names) if is_reference(plain_name(name))]
    if any(first[at].count(" ") < 2 for at in named):
        return table
    for at, name in enumerate(names):
        if is_response(plain_name(name)) or first[at].count(" ") < 2:
            continue
        texts = [re.sub("<[^<>]*>", "", text).split() for text in _cells(table, at)]
        [(start, _)] = Counter(tuple(text[:3]) for text in texts).most_common(1)
        words = [text for text in texts if tuple(text[:3]) == start]
        n_before = next(
            (k for k, same in enumerate(zip(*words, strict=False)) if len({*same}) > 1), 0
        )
        backwards = zip(*(text[::-1] for text in words), strict=False)
        n_after = next((k for k, same in enumerate(backwards) if len({*same}) > 1), 0)
        found = [
            " ".join(text[n_before : len(text) - n_after]).strip(" ?!.:\"'")
            if tuple(text[:3]) == start
            else ""
            for text in texts
        ]
        asked = " ".join(words[0][:n_before] + words[0][len(words[0]) - n_after :])
        shown = (cell for k in range(len(names)) if k != at for cell in _cells(table, k))
        others = {one for cell in shown for one in _listed(cell)}
        if (
            _CLOSER.search(asked)
            and not is_less(plain_name(asked))
            and len(set(found)) > 1
            and {*found} - {""} <= others
        ):
            cells = [*(_cells(table, k) for k in range(len(names))), found]
            return _of_cells(table, [*names, "reference"], cells, range(table.n_rows))
    return table


def _listed(cell: str) -> list[str]:
    return re.findall(r'"([^"]*)"', cell) if cell.startswith("[") else [cell]


def _join_people(table: Table) -> Table:
    """Return one row per person and trial if each person has a column, such as Rater01, Rater02."""
    names, plain = list(table.names or ()), [plain_name(name) for name in table.names or ()]
    people = [f.members for f in families(plain) if f.stem in DETAILS["annotator"]]
    others = [f for f in families(plain) if not any(set(f.members) & set(p) for p in people)]
    if len(people) != 1 or not others or any(map(is_response, plain)):
        return table
    summaries = {"majority", "mode", "consensus", "modal", "mehrheit"}
    kept = [at for at in range(len(names)) if at not in people[0] and plain[at] not in summaries]
    n_people = len(people[0])
    cells = [_cells(table, at) * n_people for at in kept]
    cells.append([names[person] for person in people[0] for _ in range(table.n_rows)])
    cells.append([cell for person in people[0] for cell in _cells(table, person)])
    titles = [*(names[at] for at in kept), "participant", "response"]
    return _of_cells(table, titles, cells, list(range(table.n_rows)) * n_people)


def _join_items(table: Table) -> Table:
    """Return one row per trial if each item has a row, with a column that says yes to one of them.

    Such as trial, item, is_odd; or trial, role, item, selected, where a role is the reference.
    """
    names = list(table.names or ())
    plain = [plain_name(name) for name in names]
    trials = [at for at, name in enumerate(plain) if tokens(name) & TRIAL]
    items = [at for at, name in enumerate(plain) if tokens(name) & ITEM and name in ITEM]
    said = [at for at, name in enumerate(plain) if is_response(name) and at not in items]
    if not (len(trials) == len(items) == len(said) == 1):
        return table
    marks = [cell.casefold() for cell in _cells(table, said[0])]
    yes = next((pair[0] for pair in YES_NO if set(marks) - MISSING == set(pair)), None)
    person = find_details(plain).get("annotator")
    people = [""] * table.n_rows if person is None else _cells(table, person)
    of_trial: dict[tuple[str, str], list[int]] = {}
    for row, key in enumerate(zip(people, _cells(table, trials[0]), strict=True)):
        of_trial.setdefault(key, []).append(row)
    role = plain.index("role") if "role" in plain else None
    are_references = [
        role is not None and is_reference(plain_name(cell)) for cell in _cells(table, role or 0)
    ]
    grouped = [sorted(rows, key=lambda row: not are_references[row]) for rows in of_trial.values()]
    chosen = [[row for row in rows if marks[row] == yes] for rows in grouped]
    n_references = {sum(are_references[row] for row in rows) for rows in grouped}
    alike = n_references == {int(role is not None)} and {len(rows) for rows in grouped} == {3}
    if yes is None or not alike or any(len(rows) > 1 for rows in chosen):
        return table
    shown = _cells(table, items[0])
    cells = [[people[rows[0]] for rows in grouped]]
    cells += [[shown[rows[k]] for rows in grouped] for k in range(3)]
    cells.append(["".join(shown[row] for row in rows) for rows in chosen])
    first = ["item_1", "item_2", "item_3"] if role is None else ["reference", "item_1", "item_2"]
    titles = ["participant", *first, names[said[0]]]
    return _of_cells(table, titles, cells, [rows[0] for rows in grouped])


def _titles(questions: Sequence[str], cells: Sequence[list[str]]) -> list[str]:
    """Return the names of the columns: what was asked, and which of the three was the reference."""
    asked = {form for text in questions for form in forms_said(plain_name(text))}
    never = [
        at for at in (1, 2, 3) if all(a != b for a, b in zip(cells[at], cells[4], strict=True))
    ]
    less = is_less(plain_name(questions[0]))  # all questions ask the same
    if len(never) == 1 and (less or any(map(_CLOSER.search, questions))):
        names = ["option_1", "option_2"]
        names.insert(never[0] - 1, "reference")
        return ["participant", *names, "less_similar" if less else "response"]
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


def _options(text: str) -> list[str]:
    """Return the options at the end of a question: "(1) A (2) B", "[A, B]", "A or B"."""
    if numbered := re.findall(r"\(\d\)\s*([^()]+)", text):
        return [name.strip() for name in numbered]
    tail = re.split(r"[:?\[(]|\s[-\u2013]\s", text.rstrip(" ])?."))[-1]
    return [name.strip() for name in re.split(r"\s/\s|,|\s(?:or|oder|ou|o)\s", tail)]


def _named_answers(cells: list[str], text: str) -> list[str]:
    """Return the answers to a question, the names of the options if they are their numbers."""
    said = {cell for cell in cells if cell.casefold() not in MISSING and not is_no_answer(cell)}
    options = _options(text) if said and said <= set("123") else []
    if len(options) not in (2, 3) or max(map(int, said), default=9) > len(options):
        return cells
    return [options[int(cell) - 1] if cell in said else cell for cell in cells]


def _are_named(cells: Sequence[str], text: str) -> bool:
    given = [cell for cell in cells if cell.casefold() not in MISSING and not is_no_answer(cell)]
    named = [cell for cell in given if _place(cell, text) >= 0]
    return bool(given) and len(named) >= SMALLEST_SHARE * len(given)


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
