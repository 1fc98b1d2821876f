"""What participants do and what they see next: many participants' steps in one transaction.

Everything is decided by what the database holds. So a step that is sent twice does no harm, a
reload shows the same question again, and any server process can answer.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked_dataclass

from ordlink.collect.question_queue import QuestionQueue
from ordlink.collect.question_types import catch_objects, passes_catch
from ordlink.collect.rows import Participant, PendingRows, lock_participants
from ordlink.collect.study import Study

FEWEST_BEFORE_REPEAT = 5  # main answers of a participant before one of them may be asked again
MOST_UNDONE = 30  # answers that one participant can undo
_NEXT_PHASE = {"instructions": "practice", "ready": "questions", "break": "questions"}


_action = checked_dataclass(frozen=True, config=ConfigDict(extra="forbid", allow_inf_nan=False))


@_action
class Action:
    """What a page sends; `visit` says whose page it is, where it is given."""

    visit: Annotated[str, Field(max_length=64)] = field(default="", kw_only=True)


@_action
class Undo(Action):
    """Undoes the last answer, to the question with this number in the participant's own count."""

    number: Annotated[int, Field(ge=1, le=1_000_000)]


@_action
class Answer(Undo):
    """An answer: the positions that were chosen, none for "can't tell"."""

    choice: Annotated[tuple[int, ...], Field(max_length=8)]
    seconds: Annotated[float, Field(ge=0, le=86_400)] = 0.0
    blurs: Annotated[int, Field(ge=0, le=10_000)] = 0
    device: Literal["mouse", "touch", "keyboard", ""] = ""


@_action
class Continue(Action):
    """Continues from a page of text; in another phase it does nothing."""

    phase: Literal["instructions", "ready", "break"]


@dataclass(frozen=True)
class Step:
    """What one participant does; without an action they only look."""

    token_hash: str
    action: Action | None = None


@dataclass(frozen=True)
class View:
    """What a participant sees."""

    phase: str  # instructions, practice, ready, questions, break or done
    outcome: str | None = None
    number: int = 0  # the participant's own count of questions shown; 0 where there is none
    shown: tuple[int, ...] = ()  # in the order on the screen
    done: int = 0
    total: int = 0
    undoable: int = 0  # number of the question whose answer can be undone; 0 for none
    stored: bool = False  # whether the answer of this step is in the database


class StudySession:
    """Carries out steps of participants."""

    def __init__(self, study: Study, queue: QuestionQueue) -> None:
        self._study = study
        self._kind = study.kind
        self.queue = queue
        self.state = "open"  # or paused or complete
        self.missing: Mapping[str, Any] = {}  # names of stimuli that cannot be shown

    def take(self, connection: sa.Connection, steps: list[Step]) -> list[View | None]:
        """Carry out steps and return each participant's view; None for unknown participants."""
        participants = lock_participants(connection, {step.token_hash for step in steps})
        rows = PendingRows(connection)
        views: list[View | None] = []
        for step in steps:
            person = participants.get(step.token_hash)
            if person is None:
                views.append(None)
                continue
            stored = self._act(rows, person, step.action)
            self._serve(rows, person)
            views.append(replace(self._view(person), stored=stored))
        rows.write(participants.values())
        return views

    def _act(self, rows: PendingRows, person: Participant, action: Action | None) -> bool:
        """Carry out an action; return whether it is an answer that is stored."""
        if isinstance(action, Answer):
            return self._answer(rows, person, action)
        if isinstance(action, Undo):
            self._undo(rows, person, action)
        elif isinstance(action, Continue) and action.phase == person.phase in _NEXT_PHASE:
            following = _NEXT_PHASE[person.phase]
            skips = following == "practice" and not self._study.practice
            person.phase = "questions" if skips else following
            person.changed = True
        return False

    def _answer(self, rows: PendingRows, person: Participant, given: Answer) -> bool:
        """Store an answer to the open question; for any other, return whether it is stored."""
        opened = person.open
        if opened is None or opened.number != given.number:
            return rows.is_stored(person, given.number)
        if self.missing and any(self._study.names[one] in self.missing for one in opened.shown):
            rows.close_question(person, "returned")  # nobody can compare what they do not see
            return False
        details = {"seconds": given.seconds, "n_blurs": given.blurs, "device": given.device}
        rows.add_answer(person, given.choice, **details)
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
                _finish(person, "completed")
            elif every and person.n_main % every == 0:
                person.phase = "break"
        elif opened.role == "catch" and not passes_catch(self._kind, opened.shown, given.choice):
            person.n_failed_catches += 1
            most = self._study.max_failed_catches
            if most is not None and person.n_failed_catches > most:
                _finish(person, "screened_out")
        return True

    def _undo(self, rows: PendingRows, person: Participant, wanted: Undo) -> None:
        """Show the last question again, and return the open one."""
        if person.n_undone >= MOST_UNDONE:
            return
        if not self._study.undo or person.phase != "questions" or person.undoable != wanted.number:
            return
        last, choice = rows.undo_answer(person, wanted.number)
        person.undoable = 0
        person.n_undone += 1
        rows.close_question(person, "returned")
        if last.role == "main":
            person.n_main -= 1
        elif last.role == "catch" and not passes_catch(self._kind, last.shown, choice):
            person.n_failed_catches -= 1
        rows.open_question(person, last.role, last.shown, last.question_id, is_new=False)

    def _serve(self, rows: PendingRows, person: Participant) -> None:
        """Open a question for a participant who should have one and has none."""
        if person.open is not None or person.phase not in ("practice", "questions"):
            return
        if self.state == "complete":
            _finish(person, "closed")
        if self.state != "open":
            return
        rng = random.Random(f"{self._study.seed} {person.id} {person.last_number + 1}")
        if person.phase == "practice":
            objects = self._random_objects(rng)
            rows.open_question(person, "practice", self._kind.rearrange(objects, rng))
            return
        lot = rng.random()
        if lot < self._study.catch_share:
            objects = catch_objects(self._random_objects(rng))
            rows.open_question(person, "catch", self._kind.rearrange(objects, rng))
            return
        lot -= self._study.catch_share
        if lot < self._study.repeat_share and person.n_main >= FEWEST_BEFORE_REPEAT:
            earlier = rows.earlier_question(person, self._kind, rng)
            if earlier is not None:
                rows.open_question(person, "repeat", self._kind.swapped(earlier))
                return
        taken = self.queue.take(rows.connection, person.id, unwritten=rows.shown)
        rows.open_question(person, "main", self._kind.rearrange(taken.objects, rng), taken.id)

    def _random_objects(self, rng: random.Random) -> tuple[int, ...]:
        return tuple(rng.sample(range(self._study.n_objects), self._kind.n_objects))

    def _view(self, person: Participant) -> View:
        done, total = person.n_main, self._study.questions_per_person
        if person.open is None:
            return View(person.phase, person.outcome, done=done, total=total)
        can_undo = person.phase == "questions" and person.n_undone < MOST_UNDONE
        undoable = person.undoable if can_undo else 0
        number, shown = person.open.number, person.open.shown
        return View(person.phase, None, number, shown, done, total, undoable)


def _finish(person: Participant, outcome: str) -> None:
    person.phase, person.outcome, person.finished_at = "done", outcome, time.time()
    person.changed = True
