"""What participants do and what they see next: many participants' steps in one transaction.

Everything is decided by what the database holds. So a step that is sent twice does no harm, a
reload shows the same question again, and any server process can answer.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as checked_dataclass

from ordlink.collect.question_queue import QuestionQueue
from ordlink.collect.question_types import catch_objects
from ordlink.collect.rows import Participant, PendingRows, bump_revision, lock_participants
from ordlink.collect.schema import participant
from ordlink.collect.study import Study
from ordlink.errors import InputError

FEWEST_BEFORE_REPEAT = 5  # main answers of a participant before one of them may be asked again
MOST_UNDONE = 30  # answers that one participant can undo
IS_COMPLETED = participant.c.outcome == "completed"
TOOK_PART = sa.func.coalesce(participant.c.outcome, "").not_in(("declined", "withdrawn"))
_NEXT_PHASE = {
    "before": "instructions",
    "instructions": "practice",
    "ready": "questions",
    "break": "questions",
    "after": "done",
}


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
    """Continues from a page of text or a questionnaire; in another phase it does nothing."""

    phase: Literal["before", "instructions", "ready", "break", "after"]
    answers: dict[str, str | float | None] = field(default_factory=dict)  # of a questionnaire


@_action
class Withdraw(Action):
    """The wish to have all answers removed."""

    confirm: Literal[True]


@dataclass(frozen=True)
class Step:
    """What one participant does; without an action they only look."""

    token_hash: str
    action: Action | None = None


@dataclass(frozen=True)
class View:
    """What a participant sees."""

    phase: str  # before, instructions, practice, ready, questions, break, after or done
    outcome: str | None = None
    number: int = 0  # the participant's own count of questions shown; 0 where there is none
    shown: tuple[int, ...] = ()  # in the order on the screen
    done: int = 0
    total: int = 0
    undoable: int = 0  # number of the question whose answer can be undone; 0 for none
    stored: bool = False  # whether the answer of this step is in the database


class StudySession:
    """Carries out participants' actions and returns their next view."""

    def __init__(self, study: Study, queues: Mapping[str, QuestionQueue]) -> None:
        self._studies = {name: study.in_condition(name) for name in (*study.conditions, "")}
        self.queues = queues  # by condition
        self._extras_due = lru_cache(maxsize=10_000)(self._plan_extras)  # asked for at every step
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
            self._keep_place(rows, person)
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
            study, following = self._study(person.condition), _NEXT_PHASE[person.phase]
            if action.phase in study.questionnaires:
                told = json.loads(person.questionnaire)
                for item in study.questionnaires[action.phase]:
                    told[item.name] = item.check(action.answers.get(item.name))
                person.questionnaire = json.dumps(told, ensure_ascii=False)
            skips = following == "practice" and not study.n_practice
            person.phase = "questions" if skips else following
            person.changed = True
            if following == "done":
                _finish(person, "completed")
        return False

    def _study(self, condition: str) -> Study:
        return self._studies.get(condition) or self._studies[""]

    def _plan_extras(self, condition: str, person: int) -> dict[str, list[int]]:
        return extras_due(self._study(condition), person)

    def _keep_place(self, rows: PendingRows, person: Participant) -> None:
        """End the participation of somebody who was away while others filled the quota."""
        study = self._studies[""]
        condition = study.conditions.get(person.condition)
        if person.phase == "done" or condition is None or condition.quota is None:
            return
        if time.time() - person.seen_at < study.leave_after:
            return
        connection = rows.connection
        n_taken = count_places(connection, study, but=person.id)[person.condition]
        if n_taken >= condition.quota:
            rows.close_question(person, "returned")
            _finish(person, "closed")
        else:  # at once: others may return in the same transaction
            is_person = participant.c.id == person.id
            connection.execute(participant.update().where(is_person).values(seen_at=time.time()))

    def _answer(self, rows: PendingRows, person: Participant, given: Answer) -> bool:
        """Store an answer to the open question; for any other, return whether it is stored."""
        opened = person.open
        if opened is None or opened.number != given.number:
            return rows.is_stored(person, given.number)
        study = self._study(person.condition)
        try:
            study.kind.check_choice(given.choice)
        except InputError:  # it fits the questions of another condition
            return False
        if self.missing and any(study.names[one] in self.missing for one in opened.shown):
            rows.close_question(person, "returned")  # nobody can compare what they do not see
            return False
        details = {"seconds": given.seconds, "n_blurs": given.blurs, "device": given.device}
        rows.add_answer(person, given.choice, **details)
        person.changed = True
        person.undoable = 0 if opened.role == "practice" else given.number
        if opened.role == "practice":
            person.n_practice += 1
            if person.n_practice >= study.n_practice:
                person.phase = "ready"
        elif opened.role == "main":
            person.n_main += 1
            every = study.break_every
            if person.n_main >= study.n_questions and "after" in study.questionnaires:
                person.phase = "after"
            elif person.n_main >= study.n_questions:
                _finish(person, "completed")
            elif every and person.n_main % every == 0:
                person.phase = "break"
        elif opened.role == "catch":
            person.n_catches += 1
            person.n_failed_catches += not study.passes_catch(opened.shown, given.choice)
            most = study.max_failed_catches
            if most is not None and person.n_failed_catches > most:
                _finish(person, "screened_out")
                person.excluded, person.excluded_for = True, "screened out"
                bump_revision(rows.connection)
        else:
            person.n_repeats += 1
        return True

    def _undo(self, rows: PendingRows, person: Participant, wanted: Undo) -> None:
        """Show the last question again, and return the open one."""
        if person.n_undone >= MOST_UNDONE:
            return
        study = self._study(person.condition)
        if not study.undo or person.phase != "questions" or person.undoable != wanted.number:
            return
        last, choice = rows.undo_answer(person, wanted.number)
        person.undoable = 0
        person.n_undone += 1
        rows.close_question(person, "returned")
        if last.role == "main":
            person.n_main -= 1
        elif last.role == "catch":
            person.n_catches -= 1
            person.n_failed_catches -= not study.passes_catch(last.shown, choice)
        else:
            person.n_repeats -= 1
        rows.open_question(person, last.role, last.shown, last.question_id, is_new=False)

    def _serve(self, rows: PendingRows, person: Participant) -> None:
        """Open a question for a participant who should have one and has none."""
        if person.open is not None or person.phase not in ("practice", "questions"):
            return
        if self.state == "complete":
            _finish(person, "closed")
        if self.state != "open":
            return
        if person.condition not in self.queues:  # another server, or the next start, may have it
            return
        study = self._study(person.condition)
        kind, listed = study.kind, study.listed
        rng = random.Random(f"{study.seed} {person.id} {person.last_number + 1}")
        due = self._extras_due(person.condition, person.id)
        is_catch = any(one <= person.n_main for one in due["catch"][person.n_catches :])
        is_repeat = any(one <= person.n_main for one in due["repeat"][person.n_repeats :])
        earlier = None
        if is_repeat and not is_catch:
            earlier = rows.earlier_question(person, kind, rng)
            person.n_repeats += earlier is None  # there is none left to be repeated
        if person.phase == "practice":
            given = listed["practice_trials"]
            objects = (
                given[person.n_practice % len(given)] if given else self._random_objects(study, rng)
            )
            rows.open_question(person, "practice", kind.rearrange(objects, rng))
        elif is_catch:
            given = listed["catch_list"]
            order = random.Random(f"{study.seed} {person.id}").sample(given, len(given))
            objects = catch_objects(self._random_objects(study, rng))
            if given:
                objects = order[person.n_catches % len(given)]
            rows.open_question(person, "catch", kind.rearrange(objects, rng))
        elif earlier is not None:
            rows.open_question(person, "repeat", kind.swapped(earlier))
        elif study.trials and study.trial_order == "fixed":
            # Of a list that was shortened meanwhile, one more: then the person is done.
            shown = listed["trials"][person.n_main % len(study.trials)]
            rows.open_question(person, "main", shown)
        elif study.trials:
            order = random.Random(f"{study.seed} {person.id} order").sample(
                listed["trials"], len(study.trials)
            )
            shown = order[person.n_main % len(order)]
            rows.open_question(person, "main", kind.rearrange(shown, rng))
        else:
            queue = self.queues[person.condition]
            taken = queue.take(rows.connection, person.id, unwritten=rows.shown)
            rows.open_question(person, "main", kind.rearrange(taken.objects, rng), taken.id)

    @staticmethod
    def _random_objects(study: Study, rng: random.Random) -> tuple[int, ...]:
        return tuple(rng.sample(study.objects, study.kind.n_objects))

    def _view(self, person: Participant) -> View:
        due = self._extras_due(person.condition, person.id)
        # With catch trials and repeats: a number that is shown twice would give them away.
        done = person.n_main + person.n_catches + person.n_repeats
        total = self._study(person.condition).n_questions + sum(map(len, due.values()))
        if person.open is None:
            return View(person.phase, person.outcome, done=done, total=total)
        can_undo = person.phase == "questions" and person.n_undone < MOST_UNDONE
        undoable = person.undoable if can_undo else 0
        number, shown = person.open.number, person.open.shown
        return View(person.phase, None, number, shown, done, total, undoable)


def extras_due(study: Study, person: int) -> dict[str, list[int]]:
    """Return after how many main answers a participant's catch trials and repeats come: spread out.

    A number of repeats that is not whole is rounded up or down so that it is right on average.
    """
    due = {}
    for role, first, mean in (
        ("catch", 0, study.catch_trials),
        ("repeat", FEWEST_BEFORE_REPEAT, study.repeat_share * study.n_questions),
    ):
        rng = random.Random(f"{study.seed} {person} {role}")
        number = int(mean + rng.random()) if study.n_questions > first else 0
        each = (study.n_questions - first) / max(number, 1)
        due[role] = [first + int((one + rng.random()) * each) for one in range(number)]
    return due


def count_places(connection: sa.Connection, study: Study, *, but: int = 0) -> Counter[str]:
    """Return how many people completed each condition or are on the way, without one of them.

    People who are excluded have no place: somebody else may take it.
    """
    if connection.dialect.name == "postgresql":  # servers take turns; SQLite has one writer
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(314159265)"))
    c = participant.c
    has_place = sa.or_(IS_COMPLETED, is_under_way(study))
    return count_people(connection, has_place, ~c.excluded, c.id != but)


def is_under_way(study: Study) -> sa.ColumnElement[bool]:
    """Return whether participants have not finished and were active recently."""
    c = participant.c
    return sa.and_(c.outcome.is_(None), c.seen_at > time.time() - study.leave_after)


def count_people(
    connection: sa.Connection,
    *which: sa.ColumnElement[bool],
    by: sa.ColumnElement[Any] = participant.c.condition,
) -> Counter[Any]:
    """Return how many people with these properties there are in each condition, or by a column."""
    query = sa.select(by, sa.func.count()).where(*which).group_by(by)
    return Counter(dict(connection.execute(query).all()))


def choose_condition(connection: sa.Connection, study: Study) -> str | None:
    """Return the condition with the largest share of its quota left; None if all are full."""
    if not study.conditions:
        return ""
    taken = count_places(connection, study)
    quotas = {name: one.quota for name, one in study.conditions.items()}
    largest = max((quota for quota in quotas.values() if quota), default=1)
    rng = random.Random(
        f"{study.seed} {connection.scalar(sa.select(sa.func.max(participant.c.id)))}"
    )
    shares = {
        name: (taken[name] / (quota or largest), rng.random())
        for name, quota in quotas.items()
        if quota is None or taken[name] < quota
    }
    return min(shares, key=shares.__getitem__) if shares else None


def _finish(person: Participant, outcome: str) -> None:
    person.phase, person.outcome, person.finished_at = "done", outcome, time.time()
    person.changed = True
