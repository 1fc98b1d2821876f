"""The queue of questions to show next: leased from the database by this process, kept in memory.

A question belongs to the process that leased it, so no two servers show it at the same time; the
database itself refuses to count more showings than are wanted.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import sqlalchemy as sa

from ordlink.collect.samplers import PLANS, Draw
from ordlink.collect.schema import (
    answer,
    draw,
    participant,
    question,
    read_objects,
    serving,
    write_objects,
)

LEASE_SECONDS = 60.0  # after so long without renewal, another process may take the questions
LEASE_SIZE = 256
Showings = Mapping[int, int]  # how often questions were shown, by their id
_NOTHING: Showings = MappingProxyType({})
_TRY_LOCK = sa.text("SELECT pg_try_advisory_xact_lock(718281829)")
SET_STATUS = (
    serving.update()
    .where(
        serving.c.participant_id == sa.bindparam("person"), serving.c.number == sa.bindparam("at")
    )
    .values(status=sa.bindparam("new"))
)


@dataclass
class QueuedQuestion:
    """A question, how many participants are to see it, and how many of these are left."""

    id: int
    objects: tuple[int, ...]
    n_wanted: int
    n_left: int


class QuestionQueue:
    """The questions that this process may show next, in order."""

    def __init__(
        self, process: str, n_people: int, draw_now: Callable[[int], Draw], condition: str = ""
    ) -> None:
        self._process = process
        self._condition = condition
        self._n_people = n_people
        self._draw_now = draw_now  # random questions, for when the queue is empty
        self._queue: deque[QueuedQuestion] = deque()
        self._taken: defaultdict[int, set[int]] = defaultdict(set)  # by participant
        self.n_shown = 0
        self.is_short = False  # whether a participant had seen all; whoever draws more resets it

    def __len__(self) -> int:
        return len(self._queue)

    def forget(self) -> None:
        """Clear the cached questions; leased ones are read again when needed."""
        self._queue.clear()
        self._taken.clear()

    def take(
        self, connection: sa.Connection, person: int, *, unwritten: Showings = _NOTHING
    ) -> QueuedQuestion:
        """Return a question that the participant has not seen, and count it as shown to them.

        `unwritten` are the showings of this transaction that are not in the database yet.
        """
        found = self._first_for(connection, person)
        if found is None:
            self.lease(connection, unwritten=unwritten)
            found = self._first_for(connection, person)
        while found is None:
            # Where the participant has seen all that is queued, a few more will do.
            self.is_short = True
            drawn = self._draw_now(8 if self._queue else 32)
            add_draw(connection, drawn, self._n_people, self._condition)
            self.lease(connection, unwritten=unwritten)
            found = self._first_for(connection, person)
        self.n_shown += 1
        found.n_left -= 1
        if not found.n_left:
            self._queue.remove(found)
        if found.n_wanted > 1:
            self._taken[person].add(found.id)
        return found

    def lease(
        self, connection: sa.Connection, *, most: int = LEASE_SIZE, unwritten: Showings = _NOTHING
    ) -> None:
        """Lease free questions, and read the leased ones again."""
        now = time.time()
        free = sa.or_(question.c.leased_by.is_(None), question.c.leased_at < now - LEASE_SECONDS)
        found = connection.scalars(
            sa.select(question.c.id)
            .where(question.c.n_served < question.c.n_wanted, free)
            .where(question.c.condition == self._condition)
            .order_by(question.c.id)
            .limit(most)
            .with_for_update(skip_locked=True)
        ).all()
        if found:
            connection.execute(
                question.update()
                .where(question.c.id.in_(found))
                .values(leased_by=self._process, leased_at=now)
            )
        self._read_leased(connection, unwritten)

    def renew(self, connection: sa.Connection) -> None:
        """Renew the leases of this process, and read its questions again."""
        connection.execute(
            question.update()
            .where(question.c.leased_by == self._process, question.c.n_served < question.c.n_wanted)
            .values(leased_at=time.time())
        )
        self._read_leased(connection, _NOTHING)

    def _read_leased(self, connection: sa.Connection, unwritten: Showings) -> None:
        """Make the queue what the database says: questions may have been returned meanwhile."""
        c = question.c
        rows = connection.execute(
            sa.select(c.id, c.objects, c.n_wanted, c.n_wanted - c.n_served)
            .where(c.leased_by == self._process, c.n_served < c.n_wanted)
            .where(c.condition == self._condition)
            .order_by(c.id)
        ).all()
        self._queue = deque(
            QueuedQuestion(number, read_objects(objects), wanted, left - unwritten.get(number, 0))
            for number, objects, wanted, left in rows
            if left > unwritten.get(number, 0)
        )

    def _first_for(self, connection: sa.Connection, person: int) -> QueuedQuestion | None:
        """Return the first question that the participant has not seen, here or elsewhere."""
        if not self._queue or self._queue[0].n_wanted == 1:
            return self._queue[0] if self._queue else None
        query = sa.select(serving.c.question_id).where(serving.c.participant_id == person)
        seen = self._taken[person].union(connection.scalars(query))
        # One that is for a single participant and was shown to somebody was returned.
        return next((one for one in self._queue if one.n_wanted == 1 or one.id not in seen), None)


def add_draw(connection: sa.Connection, drawn: Draw, n_people: int, condition: str = "") -> bool:
    """Store a draw and its questions; False if another server adds to the same plan right now.

    What a plan asks is added once: without questions that another server added since the draw.
    """
    questions = list(drawn.questions)
    if drawn.sampler in PLANS:
        if connection.dialect.name == "postgresql" and not connection.scalar(_TRY_LOCK):
            return False
        rows = connection.scalars(
            sa.select(question.c.objects)
            .select_from(question.join(draw))
            .where(draw.c.id > drawn.last_draw, draw.c.sampler == drawn.sampler)
        )
        added = set(map(read_objects, rows))
        questions = [one for one in questions if one.n_people is None or one.objects not in added]
    row = {**vars(drawn), "n_questions": len(drawn.questions), "created_at": time.time()}
    del row["questions"]
    draw_id = connection.execute(draw.insert().returning(draw.c.id), row).scalar_one()
    new = [
        {
            "draw_id": draw_id,
            "objects": write_objects(one.objects),
            "reason": one.reason,
            "n_wanted": one.n_people or n_people,
            "n_served": 0,
            "condition": condition,
        }
        for one in questions
    ]
    if new:
        connection.execute(question.insert(), new)
    return True


def release_abandoned(connection: sa.Connection, seconds: float) -> int:
    """Requeue questions that were shown long ago and never answered; return their number."""
    is_late = sa.and_(serving.c.status == "open", serving.c.served_at < time.time() - seconds)
    # Whoever locks a participant locks their servings: a server that stores an answer at this
    # moment goes first, and its result is read afterwards.
    people = connection.scalars(
        sa.select(participant.c.id)
        .where(participant.c.id.in_(sa.select(serving.c.participant_id).where(is_late)))
        .order_by(participant.c.id)
        .with_for_update(skip_locked=True)
    ).all()
    late = connection.execute(
        sa.select(serving.c.participant_id, serving.c.number, serving.c.question_id).where(
            is_late, serving.c.participant_id.in_(people)
        )
    ).all()
    if not late:
        return 0
    connection.execute(
        SET_STATUS,
        [{"person": row.participant_id, "at": row.number, "new": "expired"} for row in late],
    )
    return_questions(connection, [row.question_id for row in late if row.question_id is not None])
    return len(late)


def return_questions(connection: sa.Connection, questions: Sequence[int]) -> None:
    """Undo one showing of each question; fully shown ones become free for any process."""
    c = question.c
    if questions:
        connection.execute(
            question.update()
            .where(c.id == sa.bindparam("one"))
            .values(
                n_served=c.n_served - 1,
                leased_by=sa.case((c.n_served < c.n_wanted, c.leased_by), else_=None),
            ),
            [{"one": one} for one in sorted(questions)],
        )


def counts_as_shown() -> sa.ColumnElement[bool]:
    """Return the condition for servings that count; one that was undone was shown again."""
    return sa.and_(
        serving.c.question_id.is_not(None),
        serving.c.status.in_(("open", "answered")),
        ~sa.exists().where(
            answer.c.participant_id == serving.c.participant_id,
            answer.c.number == serving.c.number,
            answer.c.undone,
        ),
    )
