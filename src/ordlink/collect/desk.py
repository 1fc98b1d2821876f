"""What is decided when a person does something: many people's steps in a few statements.

Everything is decided by what the database holds, so a step that is sent twice does no harm, a
reload shows the same question again, and any server process can answer.
"""

from __future__ import annotations

import random
import time
from dataclasses import replace

import sqlalchemy as sa

from ordlink.collect.changes import Changes, Person, lock_people
from ordlink.collect.questions import catch_objects, passes_catch
from ordlink.collect.steps import Answer, Continue, Step, Undo, View
from ordlink.collect.study import Study
from ordlink.collect.waiting import WaitingQuestions

FEWEST_BEFORE_REPEAT = 5
"""Main answers of a person before one of them may be asked again."""


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
        people = lock_people(connection, {step.token_hash for step in steps})
        changes = Changes(connection)
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

    # --- acting -------------------------------------------------------------------------------

    def _act(
        self, changes: Changes, person: Person, action: Answer | Undo | Continue | None
    ) -> bool:
        if isinstance(action, Answer):
            return self._answer(changes, person, action)
        if isinstance(action, Undo):
            self._undo(changes, person, action)
        elif isinstance(action, Continue) and action.phase == person.phase:
            self._continue(person)
        return False

    def _answer(self, changes: Changes, person: Person, given: Answer) -> bool:
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

    def _undo(self, changes: Changes, person: Person, wanted: Undo) -> None:
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

    def _continue(self, person: Person) -> None:
        following = {
            "instructions": "practice" if self._study.practice else "questions",
            "ready": "questions",
            "break": "questions",
        }
        if person.phase in following:
            person.phase = following[person.phase]
            person.changed = True

    def _finish(self, person: Person, outcome: str) -> None:
        person.phase, person.outcome, person.finished_at = "done", outcome, time.time()
        person.changed = True

    # --- showing ------------------------------------------------------------------------------

    def _serve(self, changes: Changes, person: Person) -> None:
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
            objects = catch_objects(self._any_objects(rng))
            changes.open(person, None, "catch", self._kind.rearrange(objects, rng))
            return
        lot -= self._study.catch_share
        if lot < self._study.repeat_share and person.n_main >= FEWEST_BEFORE_REPEAT:
            earlier = changes.earlier_question(person, self._kind, rng)
            if earlier is not None:
                changes.open(person, None, "repeat", self._kind.swapped(earlier))
                return
        taken = self.waiting.take(changes.connection, person.id, unwritten=changes.shown)
        changes.open(person, taken.id, "main", self._kind.rearrange(taken.objects, rng))

    def _any_objects(self, rng: random.Random) -> tuple[int, ...]:
        return tuple(rng.sample(range(self._study.n_objects), self._kind.n_objects))

    def _view(self, person: Person) -> View:
        total = self._study.questions_per_person
        if person.open is None:
            return View(person.phase, person.outcome, n_done=person.n_main, n_total=total)
        opened = person.open
        return View(
            person.phase,
            None,
            opened.number,
            opened.shown,
            n_done=person.n_main,
            n_total=total,
            undoable=person.undoable if person.phase == "questions" else 0,
        )
