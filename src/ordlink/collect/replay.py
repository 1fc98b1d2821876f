"""Drawing the same questions again: what a draw knew, found in the record.

A draw notes its seed, the last answer that it knew, how many answers these were, and the revision
of the study. Every change of earlier answers (undone, excluded, included, withdrawn) is noted with
the revision that it led to, and so are the settings of the study whenever they change. What
somebody withdrew is gone: draws that knew it cannot be made again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from ordlink.collect.draws import draw_at_once, draw_known, read_numbers
from ordlink.collect.reading import Record, read_main_answers
from ordlink.collect.samplers import DrawnQuestion
from ordlink.collect.schema import draw, event, question
from ordlink.collect.schema import study as study_table
from ordlink.collect.study import Study, make_study
from ordlink.collect.waiting import read_objects
from ordlink.errors import InputError


@dataclass(frozen=True)
class _Event:
    id: int
    person: int | None
    kind: str
    data: dict[str, Any]

    @property
    def revision(self) -> int:
        """The revision that it led to; 0 for what an older ordlink noted."""
        return int(self.data.get("revision", 0))


def replay_draw(connection: sa.Connection, study: Study, number: int) -> tuple[DrawnQuestion, ...]:
    """Return the questions of a draw, drawn again from what its sampler knew.

    Parameters
    ----------
    connection : sqlalchemy.Connection
    study : Study
        For its stimuli; the settings are those that were in force.
    number : int
        Of the draw.

    Raises
    ------
    InputError
        If what the sampler knew is not in the record any more.
    """
    row = connection.execute(sa.select(draw).where(draw.c.id == number)).one()
    events = _read_events(connection)
    noted = next((one for one in events if one.kind == "draw" and one.data["draw"] == number), None)
    if noted is None:
        raise InputError(f"draw {number}: made by an older ordlink, which did not note all it knew")
    then = make_study(_settings_before(connection, events, noted.id), study.stimuli)
    if "revision" not in noted.data:
        drawn = draw_at_once(then, row.n_questions, row.seed)
    else:
        record = _known_answers(connection, then, events, noted, row.last_answer)
        waiting = _objects_of(connection, read_numbers(noted.data["waiting"]))
        drawn = draw_known(then, record, waiting, row.n_questions, row.seed)
    dropped = noted.data["dropped"]
    return tuple(one for place, one in enumerate(drawn) if place not in dropped)


def _known_answers(
    connection: sa.Connection, study: Study, events: list[_Event], noted: _Event, last: int
) -> Record:
    """Return the answers that a draw knew: those stored, undone and excluded as they were."""
    where = f"draw {noted.data['draw']}"
    later = [one for one in events if one.revision > noted.revision]
    if any(
        one.kind == "withdrawn" and (one.data["first_answer"] or last + 1) <= last for one in later
    ):
        raise InputError(f"{where}: knew answers that were withdrawn since; it cannot be replayed")
    undone_later = {(one.person, one.data["number"]) for one in later if one.kind == "undone"}
    excluded: set[int | None] = set()
    for one in events:
        if one.kind == "excluded" and one.revision <= noted.revision:
            excluded.add(one.person)
        elif one.kind == "included" and one.revision <= noted.revision:
            excluded.discard(one.person)
    answers = tuple(
        one
        for one in read_main_answers(connection, with_undone=True)
        if one.id <= last
        and one.person not in excluded
        and (not one.undone or (one.person, one.number) in undone_later)
    )
    if len(answers) != noted.data["n_answers"]:
        raise InputError(
            f"{where}: knew {noted.data['n_answers']} answers, {len(answers)} are found; another "
            "server was storing answers at that moment, so it cannot be replayed"
        )
    return Record(study, answers)


def _settings_before(
    connection: sa.Connection, events: list[_Event], number: int
) -> dict[str, Any]:
    """Return the settings that were in force before an event."""
    noted = [one.data for one in events if one.kind == "settings" and one.id < number]
    if noted:
        return noted[-1]
    stored = connection.execute(sa.select(study_table.c.settings)).scalar_one()
    settings: dict[str, Any] = json.loads(stored)
    return settings


def _objects_of(connection: sa.Connection, numbers: set[int]) -> set[tuple[int, ...]]:
    if not numbers:
        return set()
    rows = connection.execute(
        sa.select(question.c.id, question.c.objects).where(
            question.c.id.between(min(numbers), max(numbers))
        )
    )
    return {read_objects(objects) for number, objects in rows if number in numbers}


def _read_events(connection: sa.Connection) -> list[_Event]:
    kinds = ("draw", "settings", "undone", "excluded", "included", "withdrawn")
    rows = connection.execute(
        sa.select(event.c.id, event.c.participant_id, event.c.kind, event.c.data)
        .where(event.c.kind.in_(kinds))
        .order_by(event.c.id)
    )
    return [_Event(number, person, kind, json.loads(data)) for number, person, kind, data in rows]
