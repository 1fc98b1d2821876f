"""Questions that wait to be shown: leased from the database by this process, held in memory.

A question belongs to the process that leased it, so no two servers show it at the same time; the
database itself refuses to count more showings than are wanted.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from ordlink.collect.samplers import Drawn
from ordlink.collect.schema import draw, participant, question, serving

LEASE_SECONDS = 60.0
"""After so long without a sign of life, another process may take the questions of a process."""
LEASE_SIZE = 256


@dataclass
class WaitingQuestion:
    """A question and how many more people it is to be shown to."""

    id: int
    objects: tuple[int, ...]
    n_left: int


class WaitingQuestions:
    """The questions that this process may show next, first come first shown.

    Parameters
    ----------
    process : str
        Name of this process, different from that of every other.
    n_people : int
        To how many people each question is shown.
    draw_now : callable
        From a number to that many random questions, for when none is waiting.

    Attributes
    ----------
    n_shown : int
        Questions that were taken so far.
    is_short : bool
        Whether somebody found none that they had not seen; whoever draws more sets it back.
    """

    def __init__(self, process: str, n_people: int, draw_now: Callable[[int], Drawn]) -> None:
        self._process = process
        self._n_people = n_people
        self._draw_now = draw_now
        self._queue: deque[WaitingQuestion] = deque()
        self._had: dict[int, set[int]] = {}
        self._forgot = False
        self.n_shown = 0
        self.is_short = False

    def __len__(self) -> int:
        return len(self._queue)

    def forget(self) -> None:
        """Forget everything: what this process leased is leased again when it is needed."""
        self._queue.clear()
        self._had.clear()
        self._forgot = True

    def take(self, connection: sa.Connection, person: int) -> WaitingQuestion:
        """Return a question that the person has not seen, and count it as shown to them."""
        had = self._seen_by(connection, person)
        found = self._first_not_in(had)
        if found is None:
            self.lease(connection)
            found = self._first_not_in(had)
        while found is None:
            # Where others wait, but this person has seen them all, a few more will do.
            self.is_short = True
            add_draw(connection, self._draw_now(8 if self._queue else 32), self._n_people)
            self.lease(connection)
            found = self._first_not_in(had)
        self.n_shown += 1
        found.n_left -= 1
        if not found.n_left:
            self._queue.remove(found)
        if self._n_people > 1:
            had.add(found.id)
        return found

    def lease(self, connection: sa.Connection, *, most: int = LEASE_SIZE) -> None:
        """Lease questions that nobody holds."""
        now = time.time()
        if self._forgot:
            connection.execute(
                question.update()
                .where(question.c.leased_by == self._process)
                .values(leased_by=None)
            )
            self._forgot = False
        free = sa.or_(question.c.leased_by.is_(None), question.c.leased_at < now - LEASE_SECONDS)
        rows = connection.execute(
            sa.select(question.c.id, question.c.objects, question.c.n_wanted - question.c.n_served)
            .where(question.c.n_served < question.c.n_wanted, free)
            .order_by(question.c.id)
            .limit(most)
            .with_for_update(skip_locked=True)
        ).all()
        if not rows:
            return
        connection.execute(
            question.update()
            .where(question.c.id.in_([row[0] for row in rows]))
            .values(leased_by=self._process, leased_at=now)
        )
        self._queue.extend(
            WaitingQuestion(number, read_objects(objects), left) for number, objects, left in rows
        )

    def keep(self, connection: sa.Connection) -> None:
        """Show that this process lives, so that its questions stay its own."""
        connection.execute(
            question.update()
            .where(question.c.leased_by == self._process, question.c.n_served < question.c.n_wanted)
            .values(leased_at=time.time())
        )

    def _first_not_in(self, had: set[int]) -> WaitingQuestion | None:
        return next((one for one in self._queue if one.id not in had), None)

    def _seen_by(self, connection: sa.Connection, person: int) -> set[int]:
        if self._n_people == 1:
            return set()
        if person not in self._had:
            self._had[person] = set(
                connection.execute(
                    sa.select(serving.c.question_id).where(
                        serving.c.participant_id == person, serving.c.question_id.is_not(None)
                    )
                ).scalars()
            )
        return self._had[person]


def add_draw(connection: sa.Connection, drawn: Drawn, n_people: int) -> None:
    """Note a draw and its questions; nobody holds them yet."""
    made = connection.execute(
        draw.insert().values(
            sampler=drawn.sampler,
            seed=drawn.seed,
            n_questions=len(drawn.questions),
            last_answer=drawn.last_answer,
            last_draw=drawn.last_draw,
            created_at=time.time(),
        )
    )
    if drawn.questions:
        connection.execute(
            question.insert(),
            [
                {
                    "draw_id": inserted_id(made),
                    "objects": write_objects(one.objects),
                    "reason": one.reason,
                    "n_wanted": n_people,
                    "n_served": 0,
                }
                for one in drawn.questions
            ],
        )


def inserted_id(made: sa.CursorResult[Any]) -> int:
    """Return the number that the database gave to a new row."""
    key = made.inserted_primary_key
    if key is None:
        raise RuntimeError("the database gave no number to a new row")
    return int(key[0])


def release_abandoned(connection: sa.Connection, seconds: float) -> int:
    """Take back questions that were shown long ago and not answered; return how many."""
    is_late = sa.and_(serving.c.status == "open", serving.c.served_at < time.time() - seconds)
    # Whoever holds a person holds their servings: a server that stores an answer of a person at
    # this moment goes first, and what is read afterwards is what it left behind.
    people = (
        connection.execute(
            sa.select(participant.c.id)
            .where(participant.c.id.in_(sa.select(serving.c.participant_id).where(is_late)))
            .order_by(participant.c.id)
            .with_for_update(skip_locked=True)
        )
        .scalars()
        .all()
    )
    late = connection.execute(
        sa.select(serving.c.participant_id, serving.c.number, serving.c.question_id).where(
            is_late, serving.c.participant_id.in_(people)
        )
    ).all()
    if not late:
        return 0
    connection.execute(
        serving.update()
        .where(
            serving.c.participant_id == sa.bindparam("person"),
            serving.c.number == sa.bindparam("at"),
        )
        .values(status="expired"),
        [{"person": row.participant_id, "at": row.number} for row in late],
    )
    give_back(connection, [row.question_id for row in late if row.question_id is not None])
    return len(late)


def give_back(connection: sa.Connection, questions: Sequence[int]) -> None:
    """Count showings as not made: the questions are shown to somebody else."""
    if questions:
        connection.execute(
            question.update()
            .where(question.c.id == sa.bindparam("one"))
            .values(n_served=question.c.n_served - 1, leased_by=None),
            [{"one": one} for one in sorted(questions)],
        )


def release_all(connection: sa.Connection) -> None:
    """Void all leases: where one process owns the database, those of earlier runs are dead."""
    connection.execute(
        question.update().where(question.c.leased_by.is_not(None)).values(leased_by=None)
    )


def write_objects(objects: Sequence[int]) -> str:
    """Return objects or positions as text: 4,7,9."""
    return ",".join(map(str, objects))


def read_objects(text: str) -> tuple[int, ...]:
    """Return what `write_objects` wrote."""
    return tuple(map(int, text.split(","))) if text else ()
