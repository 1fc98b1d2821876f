"""The rows that steps of people change, written a few statements at a time."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from ordlink.collect.questions import QuestionType
from ordlink.collect.schema import answer, event, participant, question, serving, study
from ordlink.collect.steps import Answer
from ordlink.collect.waiting import give_back, read_objects, write_objects

RECENT = 100
"""A repeat is of one of so many questions before it: looking through all would take ever longer."""


@dataclass
class OpenQuestion:
    """The question that a person has before them."""

    number: int
    question_id: int | None
    role: str
    shown: tuple[int, ...]


@dataclass
class Person:
    """A row of `participant`, what is open, and whether either changed."""

    id: int
    phase: str
    outcome: str | None
    last_number: int
    n_main: int
    n_practice: int
    n_failed_catches: int
    undoable: int
    finished_at: float | None
    open: OpenQuestion | None = None
    changed: bool = False


def lock_people(connection: sa.Connection, hashes: set[str]) -> dict[str, Person]:
    """Return the people, locked in the order of their ids, with what is open for them."""
    c = participant.c
    rows = connection.execute(
        sa.select(
            c.token_hash, c.id, c.phase, c.outcome, c.last_number, c.n_main, c.n_practice,
            c.n_failed_catches, c.undoable, c.finished_at,
        )
        .where(c.token_hash.in_(hashes))
        .order_by(c.id)
        .with_for_update()
    ).all()  # fmt: skip
    people = {row[0]: Person(*row[1:]) for row in rows}
    by_id = {person.id: person for person in people.values()}
    s = serving.c
    opened = connection.execute(
        sa.select(s.participant_id, s.number, s.question_id, s.role, s.shown).where(
            s.participant_id.in_(by_id), s.status == "open"
        )
    )
    for person_id, number, question_id, role, shown in opened:
        by_id[person_id].open = OpenQuestion(number, question_id, role, read_objects(shown))
    return people


@dataclass(frozen=True)
class Undone:
    """What an answer that was undone was about."""

    question_id: int | None
    role: str
    shown: tuple[int, ...]
    choice: tuple[int, ...]


class Changes:
    """Rows to be written, gathered over all steps of a transaction, then written at once.

    Attributes
    ----------
    shown : dict from int to int
        How often questions were shown for the first time to somebody; not written before the end.
    """

    def __init__(self, connection: sa.Connection) -> None:
        self.connection = connection
        self._now = time.time()
        self._answers: dict[tuple[int, int], dict[str, Any]] = {}
        self._servings: dict[tuple[int, int], dict[str, Any]] = {}
        self._statuses: list[dict[str, Any]] = []
        self.shown: dict[int, int] = {}
        self._returned: list[int] = []

    def answer(self, person: Person, given: Answer) -> None:
        """Add an answer and close its serving."""
        self._answers[person.id, given.number] = {
            "participant_id": person.id,
            "number": given.number,
            "choice": write_objects(given.choice),
            "seconds": given.seconds,
            "n_blurs": given.n_blurs,
            "device": given.device,
            "received_at": self._now,
            "undone": False,
        }
        self.close(person, "answered")

    def close(self, person: Person, status: str) -> None:
        """Close what is open; a question that goes back is shown to somebody else."""
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

    def open(
        self,
        person: Person,
        question_id: int | None,
        role: str,
        shown: tuple[int, ...],
        *,
        is_new: bool = True,
    ) -> None:
        """Show a question to a person; one that is shown again after undo counts once."""
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

    def is_stored(self, person_id: int, number: int) -> bool:
        """Return whether a serving has its answer already."""
        if (person_id, number) in self._answers:
            return True
        found = self.connection.execute(
            sa.select(answer.c.id).where(
                answer.c.participant_id == person_id, answer.c.number == number
            )
        ).first()
        return found is not None

    def undo(self, person: Person, number: int) -> Undone:
        """Mark an answer as undone and return what it was about."""
        self._write_answers()
        row = self.connection.execute(
            sa.select(serving.c.question_id, serving.c.role, serving.c.shown, answer.c.choice)
            .select_from(serving.join(answer))
            .where(
                serving.c.participant_id == person.id,
                serving.c.number == number,
            )
        ).one()
        self.connection.execute(
            answer.update()
            .where(answer.c.participant_id == person.id, answer.c.number == number)
            .values(undone=True)
        )
        self.connection.execute(
            event.insert().values(
                at=self._now,
                participant_id=person.id,
                kind="undone",
                data=json.dumps({"number": number, "revision": bump_revision(self.connection)}),
            )
        )
        return Undone(row[0], row[1], read_objects(row[2]), read_objects(row[3]))

    def earlier_question(
        self, person: Person, kind: QuestionType, rng: random.Random
    ) -> tuple[int, ...] | None:
        """Return a recent main question of this person, as it was shown, not repeated yet."""
        rows = self.connection.execute(
            sa.select(serving.c.shown, serving.c.role)
            .where(
                serving.c.participant_id == person.id,
                sa.or_(
                    serving.c.role == "repeat",
                    # The one answered in this very transaction is still open: never repeated.
                    sa.and_(serving.c.role == "main", serving.c.status == "answered"),
                ),
            )
            .order_by(serving.c.number.desc())
            .limit(RECENT)
        ).all()
        shown: dict[str, list[tuple[int, ...]]] = {"main": [], "repeat": []}
        for objects, role in reversed(rows):
            shown[role].append(read_objects(objects))
        repeated = {kind.identity(objects) for objects in shown["repeat"]}
        earlier = [objects for objects in shown["main"] if kind.identity(objects) not in repeated]
        return rng.choice(earlier) if earlier else None

    def write(self, changed: Iterable[Person]) -> None:
        """Write all that was gathered."""
        self._write_answers()
        if self.shown:
            # In the order of their ids, as in every transaction: no two can wait for each other.
            self.connection.execute(
                _COUNT_SHOWN,
                [{"one": one, "more": self.shown[one]} for one in sorted(self.shown)],
            )
        give_back(self.connection, self._returned)
        rows = [
            {
                "person": person.id,
                "new_phase": person.phase,
                "new_outcome": person.outcome,
                "new_number": person.last_number,
                "new_main": person.n_main,
                "new_practice": person.n_practice,
                "new_failed": person.n_failed_catches,
                "new_undoable": person.undoable,
                "new_finished": person.finished_at,
            }
            for person in changed
        ]
        if rows:
            self.connection.execute(_UPDATE_PERSON, rows)

    def _write_answers(self) -> None:
        """Write servings and answers, in the order in which they depend on each other."""
        if self._statuses:
            self.connection.execute(_CLOSE, self._statuses)
        if self._servings:
            rows = sorted(self._servings.values(), key=lambda row: row["status"] == "open")
            self.connection.execute(serving.insert(), rows)
        if self._answers:
            self.connection.execute(answer.insert(), list(self._answers.values()))
        self._statuses, self._servings, self._answers = [], {}, {}


def bump_revision(connection: sa.Connection) -> int:
    """Say that earlier answers changed, so that trees are built anew; return the new revision."""
    connection.execute(study.update().values(revision=study.c.revision + 1))
    return int(connection.execute(sa.select(study.c.revision)).scalar_one())


_CLOSE = (
    serving.update()
    .where(
        serving.c.participant_id == sa.bindparam("person"), serving.c.number == sa.bindparam("at")
    )
    .values(status=sa.bindparam("new"))
)
_COUNT_SHOWN = (
    question.update()
    .where(question.c.id == sa.bindparam("one"))
    .values(n_served=question.c.n_served + sa.bindparam("more"))
)
_UPDATE_PERSON = (
    participant.update()
    .where(participant.c.id == sa.bindparam("person"))
    .values(
        phase=sa.bindparam("new_phase"),
        outcome=sa.bindparam("new_outcome"),
        last_number=sa.bindparam("new_number"),
        n_main=sa.bindparam("new_main"),
        n_practice=sa.bindparam("new_practice"),
        n_failed_catches=sa.bindparam("new_failed"),
        undoable=sa.bindparam("new_undoable"),
        finished_at=sa.bindparam("new_finished"),
    )
)
