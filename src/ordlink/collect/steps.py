"""What a person does, and what they see next: many people's steps in a few statements.

Everything is decided by what the database holds, so a step that is sent twice does no harm, a
reload shows the same question again, and any server process can answer.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from ordlink.collect.questions import QuestionType, catch_objects, passes_catch
from ordlink.collect.schema import answer, participant, question, serving
from ordlink.collect.study import Study
from ordlink.collect.waiting import WaitingQuestions, give_back, read_objects, write_objects

FEWEST_BEFORE_REPEAT = 5
"""Main answers of a person before one of them may be asked again."""


@dataclass(frozen=True)
class Answer:
    """An answer to the question with this number of the person's own count."""

    number: int
    choice: tuple[int, ...]
    seconds: float = 0.0
    n_blurs: int = 0
    device: str = ""


@dataclass(frozen=True)
class Undo:
    """The wish to answer the question with this number, the last one, once more."""

    number: int


@dataclass(frozen=True)
class Continue:
    """The wish to go on from a page of text; from another phase than this it does nothing."""

    phase: str


@dataclass(frozen=True)
class Step:
    """What one person does; nothing but look, if there is no action."""

    token_hash: str
    action: Answer | Undo | Continue | None = None


@dataclass(frozen=True)
class View:
    """What a person sees.

    Attributes
    ----------
    phase : str
        instructions, practice, ready, questions, break or done.
    outcome : str or None
        How the visit ended, once it is done.
    number : int
        The person's own count of the questions shown; 0 where there is none.
    role : str
        main, practice, catch or repeat; not for the person's eyes.
    shown : tuple of int
        The objects in the order in which they stand on the screen.
    n_done, n_total : int
        Progress.
    undoable : int
        Number of the question whose answer can be undone; 0 for none.
    stored : bool
        Whether the answer that came with the step is in the database.
    """

    phase: str
    outcome: str | None = None
    number: int = 0
    role: str = ""
    shown: tuple[int, ...] = ()
    n_done: int = 0
    n_total: int = 0
    undoable: int = 0
    stored: bool = False


@dataclass
class _Open:
    number: int
    question_id: int | None
    role: str
    shown: tuple[int, ...]


@dataclass
class _Person:
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
    open: _Open | None = None
    changed: bool = False


class Desk:
    """Carries out the steps of many people within one transaction.

    Parameters
    ----------
    study : Study
    waiting : WaitingQuestions
        Where main questions come from.

    Attributes
    ----------
    state : {"open", "paused", "complete"}
        Whether questions are shown at all.
    """

    def __init__(self, study: Study, waiting: WaitingQuestions) -> None:
        self._study = study
        self._kind = study.kind
        self.waiting = waiting
        self.state = "open"

    def forget(self) -> None:
        """Forget what was held in memory about a transaction that failed."""
        self.waiting.forget()

    def take(self, connection: sa.Connection, steps: list[Step]) -> list[View | None]:
        """Carry out steps and return what each person then sees; None for unknown people."""
        people = self._lock(connection, {step.token_hash for step in steps})
        changes = _Changes(connection)
        views: list[View | None] = []
        for step in steps:
            person = people.get(step.token_hash)
            if person is None:
                views.append(None)
                continue
            stored = self._act(changes, person, step.action)
            self._serve(changes, person)
            views.append(replace(self._view(person), stored=stored))
        changes.write(person for person in people.values() if person.changed)
        return views

    # --- reading ------------------------------------------------------------------------------

    def _lock(self, connection: sa.Connection, hashes: set[str]) -> dict[str, _Person]:
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
        people = {row[0]: _Person(*row[1:]) for row in rows}
        by_id = {person.id: person for person in people.values()}
        s = serving.c
        opened = connection.execute(
            sa.select(s.participant_id, s.number, s.question_id, s.role, s.shown).where(
                s.participant_id.in_(by_id), s.status == "open"
            )
        )
        for person_id, number, question_id, role, shown in opened:
            by_id[person_id].open = _Open(number, question_id, role, read_objects(shown))
        return people

    # --- acting -------------------------------------------------------------------------------

    def _act(
        self, changes: _Changes, person: _Person, action: Answer | Undo | Continue | None
    ) -> bool:
        if isinstance(action, Answer):
            return self._answer(changes, person, action)
        if isinstance(action, Undo):
            self._undo(changes, person, action)
        elif isinstance(action, Continue) and action.phase == person.phase:
            self._continue(person)
        return False

    def _answer(self, changes: _Changes, person: _Person, given: Answer) -> bool:
        """Store an answer to the open question; for any other number, say whether it is stored."""
        opened = person.open
        if opened is None or opened.number != given.number:
            return changes.is_stored(person.id, given.number)
        changes.answer(person, given)
        person.changed = True
        person.undoable = 0 if opened.role == "practice" else given.number
        if opened.role == "practice":
            person.n_practice += 1
            if person.n_practice >= self._study.practice:
                person.phase = "ready"
        elif opened.role == "main":
            person.n_main += 1
            every = self._study.break_every
            if person.n_main >= self._study.questions_per_person:
                self._finish(person, "completed")
            elif every and person.n_main % every == 0:
                person.phase = "break"
        elif opened.role == "catch" and not passes_catch(self._kind, opened.shown, given.choice):
            person.n_failed_catches += 1
            most = self._study.max_failed_catches
            if most is not None and person.n_failed_catches > most:
                self._finish(person, "screened_out")
        return True

    def _undo(self, changes: _Changes, person: _Person, wanted: Undo) -> None:
        """Show the last question again, and put the one that is open back."""
        if not self._study.undo or person.phase != "questions" or person.undoable != wanted.number:
            return
        last = changes.undo(person, wanted.number)
        person.undoable = 0
        changes.close(person, "returned")
        if last.role == "main":
            person.n_main -= 1
        elif last.role == "catch" and not passes_catch(self._kind, last.shown, last.choice):
            person.n_failed_catches -= 1
        changes.open(person, last.question_id, last.role, last.shown, is_new=False)

    def _continue(self, person: _Person) -> None:
        following = {
            "instructions": "practice" if self._study.practice else "questions",
            "ready": "questions",
            "break": "questions",
        }
        if person.phase in following:
            person.phase = following[person.phase]
            person.changed = True

    def _finish(self, person: _Person, outcome: str) -> None:
        person.phase, person.outcome, person.finished_at = "done", outcome, time.time()
        person.changed = True

    # --- showing ------------------------------------------------------------------------------

    def _serve(self, changes: _Changes, person: _Person) -> None:
        """Open a question for a person who should have one and has none."""
        if person.open is not None or person.phase not in ("practice", "questions"):
            return
        if self.state == "complete":
            self._finish(person, "closed")
        if self.state != "open":
            return
        rng = random.Random(f"{self._study.seed} {person.id} {person.last_number + 1}")
        if person.phase == "practice":
            objects = self._any_objects(rng)
            changes.open(person, None, "practice", self._kind.rearrange(objects, rng))
            return
        lot = rng.random()
        if lot < self._study.catch_share:
            objects = catch_objects(self._kind, self._any_objects(rng))
            changes.open(person, None, "catch", self._kind.rearrange(objects, rng))
            return
        lot -= self._study.catch_share
        if lot < self._study.repeat_share and person.n_main >= FEWEST_BEFORE_REPEAT:
            earlier = changes.earlier_question(person, self._kind, rng)
            if earlier is not None:
                changes.open(person, None, "repeat", self._kind.swapped(earlier))
                return
        taken = self.waiting.take(changes.connection, person.id)
        changes.open(person, taken.id, "main", self._kind.rearrange(taken.objects, rng))

    def _any_objects(self, rng: random.Random) -> tuple[int, ...]:
        return tuple(rng.sample(range(self._study.n_objects), self._kind.n_objects))

    def _view(self, person: _Person) -> View:
        total = self._study.questions_per_person
        if person.open is None:
            return View(person.phase, person.outcome, n_done=person.n_main, n_total=total)
        opened = person.open
        return View(
            person.phase,
            None,
            opened.number,
            opened.role,
            opened.shown,
            n_done=person.n_main,
            n_total=total,
            undoable=person.undoable if person.phase == "questions" else 0,
        )


@dataclass(frozen=True)
class _Undone:
    question_id: int | None
    role: str
    shown: tuple[int, ...]
    choice: tuple[int, ...]


class _Changes:
    """Rows to be written, gathered over all steps of a transaction, then written at once."""

    def __init__(self, connection: sa.Connection) -> None:
        self.connection = connection
        self._now = time.time()
        self._answers: dict[tuple[int, int], dict[str, Any]] = {}
        self._servings: dict[tuple[int, int], dict[str, Any]] = {}
        self._statuses: list[dict[str, Any]] = []
        self._counts: dict[int, int] = {}
        self._returned: list[int] = []

    def answer(self, person: _Person, given: Answer) -> None:
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

    def close(self, person: _Person, status: str) -> None:
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
        person: _Person,
        question_id: int | None,
        role: str,
        shown: tuple[int, ...],
        *,
        is_new: bool = True,
    ) -> None:
        """Show a question to a person; one that is shown again after undo counts once."""
        person.last_number += 1
        person.changed = True
        person.open = _Open(person.last_number, question_id, role, shown)
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
            self._counts[question_id] = self._counts.get(question_id, 0) + 1

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

    def undo(self, person: _Person, number: int) -> _Undone:
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
        bump_revision(self.connection)
        return _Undone(row[0], row[1], read_objects(row[2]), read_objects(row[3]))

    def earlier_question(
        self, person: _Person, kind: QuestionType, rng: random.Random
    ) -> tuple[int, ...] | None:
        """Return a main question of this person, as it was shown, that was not repeated yet."""
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
            .order_by(serving.c.number)
        ).all()
        shown: dict[str, list[tuple[int, ...]]] = {"main": [], "repeat": []}
        for objects, role in rows:
            shown[role].append(read_objects(objects))
        repeated = {kind.identity(objects) for objects in shown["repeat"]}
        earlier = [objects for objects in shown["main"] if kind.identity(objects) not in repeated]
        return rng.choice(earlier) if earlier else None

    def write(self, changed: Iterable[_Person]) -> None:
        """Write all that was gathered."""
        self._write_answers()
        if self._counts:
            # In the order of their ids, as in every transaction: no two can wait for each other.
            self.connection.execute(
                _COUNT_SHOWN,
                [{"one": one, "more": self._counts[one]} for one in sorted(self._counts)],
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


def bump_revision(connection: sa.Connection) -> None:
    """Say that earlier answers changed, so that trees are built anew."""
    connection.execute(sa.text("UPDATE study SET revision = revision + 1"))


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
