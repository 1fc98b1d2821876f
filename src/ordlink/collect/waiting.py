"""Questions that wait to be shown: leased from the database by this process, held in memory.

A question belongs to the process that leased it, so no two servers show it at the same time; the
database itself refuses to count more showings than are wanted.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import sqlalchemy as sa

from ordlink.collect.samplers import PLANS, Drawn
from ordlink.collect.schema import answer, draw, event, participant, question, serving

LEASE_SECONDS = 60.0
"""After so long without a sign of life, another process may take the questions of a process."""
LEASE_SIZE = 256


@dataclass
class WaitingQuestion:
    """A question, how many people are to see it, and how many more these are."""

    id: int
    objects: tuple[int, ...]
    n_wanted: int
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
        self.n_shown = 0
        self.is_short = False

    def __len__(self) -> int:
        return len(self._queue)

    def forget(self) -> None:
        """Forget everything: what this process leased is read again when it is needed."""
        self._queue.clear()
        self._had.clear()

    def take(
        self,
        connection: sa.Connection,
        person: int,
        *,
        unwritten: Mapping[int, int] = MappingProxyType({}),
    ) -> WaitingQuestion:
        """Return a question that the person has not seen, and count it as shown to them.

        Parameters
        ----------
        connection : sqlalchemy.Connection
        person : int
        unwritten : mapping from int to int
            How often questions were shown in this transaction, as far as it is not yet written.
        """
        found = self._first_for(connection, person)
        if found is None:
            self.lease(connection, unwritten=unwritten)
            found = self._first_for(connection, person)
        while found is None:
            # Where others wait, but this person has seen them all, a few more will do.
            self.is_short = True
            add_draw(connection, self._draw_now(8 if self._queue else 32), self._n_people)
            self.lease(connection, unwritten=unwritten)
            found = self._first_for(connection, person)
        self.n_shown += 1
        found.n_left -= 1
        if not found.n_left:
            self._queue.remove(found)
        if found.n_wanted > 1:
            self._seen_by(connection, person).add(found.id)
        return found

    def lease(
        self,
        connection: sa.Connection,
        *,
        most: int = LEASE_SIZE,
        unwritten: Mapping[int, int] = MappingProxyType({}),
    ) -> None:
        """Lease questions that nobody holds, and read again what is held."""
        now = time.time()
        free = sa.or_(question.c.leased_by.is_(None), question.c.leased_at < now - LEASE_SECONDS)
        found = (
            connection.execute(
                sa.select(question.c.id)
                .where(question.c.n_served < question.c.n_wanted, free)
                .order_by(question.c.id)
                .limit(most)
                .with_for_update(skip_locked=True)
            )
            .scalars()
            .all()
        )
        if found:
            connection.execute(
                question.update()
                .where(question.c.id.in_(found))
                .values(leased_by=self._process, leased_at=now)
            )
        self._read_held(connection, unwritten)

    def keep(self, connection: sa.Connection) -> None:
        """Show that this process lives, so that its questions stay its own, and read them again."""
        connection.execute(
            question.update()
            .where(question.c.leased_by == self._process, question.c.n_served < question.c.n_wanted)
            .values(leased_at=time.time())
        )
        self._read_held(connection, {})

    def _read_held(self, connection: sa.Connection, unwritten: Mapping[int, int]) -> None:
        """Make the queue what the database says: questions may have been given back meanwhile."""
        c = question.c
        rows = connection.execute(
            sa.select(c.id, c.objects, c.n_wanted, c.n_wanted - c.n_served)
            .where(c.leased_by == self._process, c.n_served < c.n_wanted)
            .order_by(c.id)
        ).all()
        self._queue = deque(
            WaitingQuestion(number, read_objects(objects), wanted, left - unwritten.get(number, 0))
            for number, objects, wanted, left in rows
            if left > unwritten.get(number, 0)
        )

    def _first_for(self, connection: sa.Connection, person: int) -> WaitingQuestion | None:
        """Return the first question that the person has not seen."""
        for one in self._queue:
            if one.n_wanted == 1:  # if it was shown to anybody, it was given back
                return one
            had = self._seen_by(connection, person)
            if one.id in had:
                continue
            if not self._was_shown(connection, person, one.id):
                return one
            had.add(one.id)
        return None

    def _seen_by(self, connection: sa.Connection, person: int) -> set[int]:
        """Return what the person saw here, and what they had seen elsewhere by then."""
        if person not in self._had:
            self._had[person] = set(
                connection.execute(
                    sa.select(serving.c.question_id).where(
                        serving.c.participant_id == person, serving.c.question_id.is_not(None)
                    )
                ).scalars()
            )
        return self._had[person]

    @staticmethod
    def _was_shown(connection: sa.Connection, person: int, number: int) -> bool:
        """Return whether a person saw a question, also where another server showed it."""
        found = connection.execute(
            sa.select(serving.c.number).where(
                serving.c.participant_id == person, serving.c.question_id == number
            )
        ).first()
        return found is not None


def add_draw(connection: sa.Connection, drawn: Drawn, n_people: int) -> bool:
    """Note a draw and its questions; nobody holds them yet.

    What a plan asks is added once: questions that another server added since the draw was made are
    left out, and two servers never add at the same time.

    Returns
    -------
    bool
        False if another server is adding questions of the plan; then nothing is added.
    """
    dropped: list[int] = []
    if drawn.sampler in PLANS:
        if connection.dialect.name == "postgresql" and not connection.execute(_TRY_LOCK).scalar():
            return False
        dropped = _added_meanwhile(connection, drawn)
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
    number = inserted_id(made)
    rows = [
        {
            "draw_id": number,
            "objects": write_objects(one.objects),
            "reason": one.reason,
            "n_wanted": one.n_people or n_people,
            "n_served": 0,
        }
        for place, one in enumerate(drawn.questions)
        if place not in dropped
    ]
    if rows:
        connection.execute(question.insert(), rows)
    knew = {} if drawn.knew is None else asdict(drawn.knew)
    data = json.dumps({"draw": number, **knew, "dropped": dropped})
    connection.execute(event.insert().values(at=time.time(), kind="draw", data=data))
    return True


def _added_meanwhile(connection: sa.Connection, drawn: Drawn) -> list[int]:
    """Return the places of questions of the plan that were added after the last draw it knew."""
    rows = connection.execute(
        sa.select(question.c.objects)
        .select_from(question.join(draw))
        .where(draw.c.id > drawn.last_draw, draw.c.sampler == drawn.sampler)
    ).scalars()
    added = {read_objects(objects) for objects in rows}
    return [
        place
        for place, one in enumerate(drawn.questions)
        if one.n_people is not None and one.objects in added
    ]


_TRY_LOCK = sa.text("SELECT pg_try_advisory_xact_lock(718281829)")


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
    """Count showings as not made: the questions are shown to somebody else.

    A question that waits for more people stays with the process that holds it, which reads it
    again; one that was shown to all is free for any.
    """
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
    """Return which servings count as showings of their question.

    An undone answer was asked again: both servings count once.
    """
    return sa.and_(
        serving.c.question_id.is_not(None),
        serving.c.status.in_(("open", "answered")),
        ~sa.exists().where(
            answer.c.participant_id == serving.c.participant_id,
            answer.c.number == serving.c.number,
            answer.c.undone,
        ),
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
