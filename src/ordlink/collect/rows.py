"""The rows that a batch of steps reads and writes, in a few statements for all participants."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any

import sqlalchemy as sa

from ordlink.collect.question_queue import SET_STATUS, return_questions
from ordlink.collect.question_types import QuestionType
from ordlink.collect.schema import (
    answer,
    event,
    participant,
    question,
    read_objects,
    serving,
    study,
    write_objects,
)

RECENT = 100  # a repeat is of one of so many questions before it: a bound on the search


@dataclass
class OpenQuestion:
    """The question that a participant sees now."""

    number: int
    question_id: int | None
    role: str
    shown: tuple[int, ...]


@dataclass
class Participant:
    """A row of `participant`, the open question, and whether the row changed."""

    id: int
    phase: str
    outcome: str | None
    last_number: int
    n_main: int
    n_practice: int
    n_catches: int
    n_failed_catches: int
    n_repeats: int
    undoable: int
    n_undone: int
    finished_at: float | None
    condition: str
    questionnaire: str
    seen_at: float
    excluded: bool
    excluded_for: str
    open: OpenQuestion | None = None
    changed: bool = False


# Columns of `participant` that steps change.
_UPDATED = [one.name for one in fields(Participant) if one.name not in ("id", "open", "changed")]


def lock_participants(connection: sa.Connection, hashes: set[str]) -> dict[str, Participant]:
    """Return participants by token hash, locked in the order of their ids."""
    c = participant.c
    rows = connection.execute(
        sa.select(c.token_hash, c.id, *(c[name] for name in _UPDATED))
        .where(c.token_hash.in_(hashes))
        .order_by(c.id)
        .with_for_update()
    ).all()
    found = {row[0]: Participant(*row[1:]) for row in rows}
    by_id = {one.id: one for one in found.values()}
    s = serving.c
    opened = connection.execute(
        sa.select(s.participant_id, s.number, s.question_id, s.role, s.shown).where(
            s.participant_id.in_(by_id), s.status == "open"
        )
    )
    for participant_id, number, question_id, role, shown in opened:
        by_id[participant_id].open = OpenQuestion(number, question_id, role, read_objects(shown))
    return found


class PendingRows:
    """Rows to write, collected over all steps of a transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        self.connection = connection
        self.shown: dict[int, int] = {}  # how often questions were shown to somebody new
        self._now = time.time()
        self._answers: dict[tuple[int, int], dict[str, Any]] = {}
        self._servings: dict[tuple[int, int], dict[str, Any]] = {}
        self._statuses: list[dict[str, Any]] = []
        self._returned: list[int] = []

    def add_answer(self, person: Participant, choice: tuple[int, ...], **details: Any) -> None:
        """Answer the open question."""
        assert person.open is not None
        self._answers[person.id, person.open.number] = {
            "participant_id": person.id,
            "number": person.open.number,
            "choice": write_objects(choice),
            "received_at": self._now,
            "undone": False,
            **details,
        }
        self.close_question(person, "answered")

    def close_question(self, person: Participant, status: str) -> None:
        """Close the open question; one that is returned is shown to somebody else."""
        opened = person.open
        if opened is None:
            return
        row = self._servings.get((person.id, opened.number))
        if row is not None:
            row["status"] = status
        else:
            self._statuses.append({"person": person.id, "at": opened.number, "new": status})
        if status == "returned" and opened.question_id is not None:
            self._returned.append(opened.question_id)
        person.open = None

    def open_question(
        self,
        person: Participant,
        role: str,
        shown: tuple[int, ...],
        question_id: int | None = None,
        *,
        is_new: bool = True,
    ) -> None:
        """Show a question to a participant; one that is shown again after undo counts once."""
        person.last_number += 1
        person.changed = True
        person.open = OpenQuestion(person.last_number, question_id, role, shown)
        self._servings[person.id, person.last_number] = {
            "participant_id": person.id,
            "number": person.last_number,
            "question_id": question_id,
            "role": role,
            "shown": write_objects(shown),
            "status": "open",
            "served_at": self._now,
        }
        if is_new and question_id is not None:
            self.shown[question_id] = self.shown.get(question_id, 0) + 1

    def is_stored(self, person: Participant, number: int) -> bool:
        """Return whether a question has its answer already."""
        if (person.id, number) in self._answers:
            return True
        query = sa.select(answer.c.id).where(_is_row(answer, person, number))
        return self.connection.execute(query).first() is not None

    def undo_answer(self, person: Participant, number: int) -> tuple[OpenQuestion, tuple[int, ...]]:
        """Mark an answer as undone; return its question and the choice."""
        self._write_answers()
        row = self.connection.execute(
            sa.select(serving.c.question_id, serving.c.role, serving.c.shown, answer.c.choice)
            .select_from(serving.join(answer))
            .where(_is_row(serving, person, number))
        ).one()
        self.connection.execute(
            answer.update().where(_is_row(answer, person, number)).values(undone=True)
        )
        note_event(self.connection, "undone", person=person.id, number=number)
        answered = OpenQuestion(number, row[0], row[1], read_objects(row[2]))
        return answered, read_objects(row[3])

    def earlier_question(
        self, person: Participant, kind: QuestionType, rng: random.Random
    ) -> tuple[int, ...] | None:
        """Return a recent main question of this participant that was not repeated yet."""
        s = serving.c
        rows = self.connection.execute(
            sa.select(s.shown, s.role)
            .where(
                s.participant_id == person.id,
                # The one answered in this very transaction is still open: never repeated.
                sa.or_(s.role == "repeat", sa.and_(s.role == "main", s.status == "answered")),
            )
            .order_by(s.number.desc())
            .limit(RECENT)
        ).all()
        shown = [(read_objects(row.shown), row.role) for row in reversed(rows)]
        repeated = {kind.identity(one) for one, role in shown if role == "repeat"}
        earlier = [one for one, _ in shown if kind.identity(one) not in repeated]
        return rng.choice(earlier) if earlier else None

    def write(self, participants: Collection[Participant]) -> None:
        """Write all that was collected, and the participants that changed."""
        self._write_answers()
        if self.shown:
            # In the order of their ids, as in every transaction: no two can wait for each other.
            self.connection.execute(
                _COUNT_SHOWN, [{"one": one, "more": self.shown[one]} for one in sorted(self.shown)]
            )
        return_questions(self.connection, self._returned)
        for one in participants:
            one.seen_at = self._now
        rows = [
            {"person": one.id, **{f"new_{name}": getattr(one, name) for name in _UPDATED}}
            for one in participants
            if one.changed
        ]
        if rows:
            self.connection.execute(_UPDATE_PARTICIPANT, rows)

    def _write_answers(self) -> None:
        """Write servings and answers, in the order in which they depend on each other."""
        if self._statuses:
            self.connection.execute(SET_STATUS, self._statuses)
        if self._servings:
            rows = sorted(self._servings.values(), key=lambda row: row["status"] == "open")
            self.connection.execute(serving.insert(), rows)
        if self._answers:
            self.connection.execute(answer.insert(), list(self._answers.values()))
        self._statuses, self._servings, self._answers = [], {}, {}


def bump_revision(connection: sa.Connection) -> None:
    """Note that earlier answers changed, so that trees are rebuilt."""
    connection.execute(study.update().values(revision=study.c.revision + 1))


def note_event(
    connection: sa.Connection, kind: str, *, person: int | None = None, **data: object
) -> None:
    """Add an event to the record."""
    written = json.dumps(data, ensure_ascii=False)
    connection.execute(
        event.insert().values(at=time.time(), participant_id=person, kind=kind, data=written)
    )


def _is_row(table: sa.Table, person: Participant, number: int) -> sa.ColumnElement[bool]:
    return sa.and_(table.c.participant_id == person.id, table.c.number == number)


_COUNT_SHOWN = (
    question.update()
    .where(question.c.id == sa.bindparam("one"))
    .values(n_served=question.c.n_served + sa.bindparam("more"))
)
_UPDATE_PARTICIPANT = (
    participant.update()
    .where(participant.c.id == sa.bindparam("person"))
    .values({name: sa.bindparam(f"new_{name}") for name in _UPDATED})
)
