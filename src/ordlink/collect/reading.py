"""What was answered: the main answers in order, read once and then kept up to date."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

import sqlalchemy as sa

from ordlink.collect.questions import to_comparisons
from ordlink.collect.schema import answer, draw, participant, question, serving, study
from ordlink.collect.study import Study
from ordlink.collect.waiting import read_objects
from ordlink.comparisons import ListedComparisons


@dataclass(frozen=True)
class MainAnswer:
    """One answer that counts."""

    id: int
    person: int
    shown: tuple[int, ...]
    choice: tuple[int, ...]
    seconds: float
    received_at: float


@dataclass(frozen=True)
class Record:
    """Main answers of some people, in the order in which they were stored."""

    study: Study
    answers: tuple[MainAnswer, ...]

    @property
    def last_answer(self) -> int:
        """Number of the last answer, 0 if there is none."""
        return self.answers[-1].id if self.answers else 0

    @cached_property
    def comparisons(self) -> ListedComparisons:
        """What the answers say, with who said it, when, and after how many seconds."""
        return to_comparisons(
            self.study.kind,
            [one.shown for one in self.answers],
            [one.choice for one in self.answers],
            names=self.study.names,
            people=[person_name(one.person) for one in self.answers],
            times=[written_time(one.received_at) for one in self.answers],
            response_times=[one.seconds for one in self.answers],
        )

    def of(self, people: set[int]) -> Record:
        """Return the answers of these people alone."""
        return Record(self.study, tuple(one for one in self.answers if one.person in people))

    def up_to(self, last_answer: int) -> Record:
        """Return the answers up to this number."""
        return Record(self.study, tuple(one for one in self.answers if one.id <= last_answer))


class RecordReader:
    """Reads the main answers; each only once, unless earlier ones changed.

    Parameters
    ----------
    engine : sqlalchemy.Engine
    study : Study
    """

    def __init__(self, engine: sa.Engine, study: Study) -> None:
        self._engine = engine
        self._study = study
        self._answers: list[MainAnswer] = []
        self.revision = -1
        self.kept_people: set[int] = set()

    def read(self) -> Record:
        """Return all main answers that are stored by now."""
        with self._engine.connect() as connection:
            revision = connection.execute(sa.select(study.c.revision)).scalar_one()
            if revision != self.revision:
                self._answers.clear()
                self.revision = revision
            last = self._answers[-1].id if self._answers else 0
            self._answers += read_main_answers(connection, after=last)
            self.kept_people = set(
                connection.execute(
                    sa.select(participant.c.id).where(~participant.c.excluded)
                ).scalars()
            )
        return Record(self._study, tuple(self._answers))

    def read_kept(self) -> Record:
        """Return the main answers of people who are not excluded."""
        record = self.read()
        if all(one.person in self.kept_people for one in record.answers):
            return record
        return record.of(self.kept_people)


def read_main_answers(connection: sa.Connection, *, after: int = 0) -> Iterator[MainAnswer]:
    """Iterate over the answers that count, those after the given number."""
    rows = connection.execute(
        sa.select(
            answer.c.id,
            answer.c.participant_id,
            serving.c.shown,
            answer.c.choice,
            answer.c.seconds,
            answer.c.received_at,
        )
        .select_from(answer.join(serving))
        .where(answer.c.id > after, serving.c.role == "main", ~answer.c.undone)
        .order_by(answer.c.id)
    )
    for number, person, shown, choice, seconds, received_at in rows:
        yield MainAnswer(
            number, person, read_objects(shown), read_objects(choice), seconds, received_at
        )


def read_drawn(connection: sa.Connection) -> tuple[int, set[tuple[int, ...]]]:
    """Return the number of the last draw, and the objects of all questions up to it."""
    last = connection.execute(sa.select(sa.func.max(draw.c.id))).scalar() or 0
    return int(last), read_drawn_up_to(connection, int(last))


def read_drawn_up_to(connection: sa.Connection, last_draw: int) -> set[tuple[int, ...]]:
    """Return the objects of all questions drawn up to this draw."""
    rows = connection.execute(
        sa.select(question.c.objects).where(question.c.draw_id <= last_draw)
    ).scalars()
    return {read_objects(objects) for objects in rows}


def person_name(person: int) -> str:
    """Return what a person is called in exports: a number, never their id of a platform."""
    return f"P{person}"


def written_time(seconds: float) -> str:
    """Return a moment as text, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
