"""Reading the main answers: each once, then only what is new."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

import sqlalchemy as sa

from ordlink.collect.database import snapshot
from ordlink.collect.question_types import to_comparisons
from ordlink.collect.schema import answer, participant, read_objects, serving, study
from ordlink.collect.study import Study
from ordlink.comparisons import ListedComparisons


@dataclass(frozen=True)
class MainAnswer:
    """An answer to a main question; `number` is the participant's own count."""

    id: int
    person: int
    shown: tuple[int, ...]
    choice: tuple[int, ...]
    seconds: float
    received_at: float
    number: int


@dataclass(frozen=True)
class Record:
    """Main answers of some participants, in the order in which they were stored."""

    study: Study
    answers: tuple[MainAnswer, ...]

    @property
    def last_answer(self) -> int:
        """Id of the last answer; 0 if there is none."""
        return self.answers[-1].id if self.answers else 0

    @property
    def n_told(self) -> int:
        """Number of answers other than "can't tell"."""
        return sum(bool(one.choice) for one in self.answers)

    @cached_property
    def comparisons(self) -> ListedComparisons:
        """The comparisons, with participant, time and response time."""
        return to_comparisons(
            self.study.kind,
            [one.shown for one in self.answers],
            [one.choice for one in self.answers],
            names=self.study.names,
            people=[person_name(one.person) for one in self.answers],
            times=[
                datetime.fromtimestamp(one.received_at, UTC).isoformat(timespec="milliseconds")
                for one in self.answers
            ],
            response_times=[one.seconds for one in self.answers],
        )

    def of(self, people: set[int]) -> Record:
        """Return the answers of these participants."""
        return Record(self.study, tuple(one for one in self.answers if one.person in people))


class RecordReader:
    """Reads the main answers; each only once, unless earlier ones changed."""

    def __init__(self, engine: sa.Engine, study: Study) -> None:
        self._engine = engine
        self._study = study
        self._answers: list[MainAnswer] = []
        self.revision = -1
        self.kept_people: set[int] = set()

    def read(self, connection: sa.Connection | None = None) -> Record:
        """Return all main answers, seen by this connection or by one of its own."""
        if connection is None:
            with snapshot(self._engine) as own:
                return self.read(own)
        revision = connection.execute(sa.select(study.c.revision)).scalar_one()
        if revision != self.revision:
            self._answers.clear()
            self.revision = revision
        last = self._answers[-1].id if self._answers else 0
        self._answers += read_main_answers(connection, after=last)
        if len(self._answers) != count_main_answers(connection):
            # Another server stored answers with smaller numbers after larger ones were read.
            self._answers[:] = read_main_answers(connection)
        self.kept_people = set(
            connection.scalars(sa.select(participant.c.id).where(~participant.c.excluded))
        )
        return Record(self._study, tuple(self._answers))

    def read_kept(self, connection: sa.Connection | None = None) -> Record:
        """Return the main answers of participants who are not excluded."""
        record = self.read(connection)
        if all(one.person in self.kept_people for one in record.answers):
            return record
        return record.of(self.kept_people)


def read_main_answers(connection: sa.Connection, *, after: int = 0) -> Iterator[MainAnswer]:
    """Iterate over the main answers after the given one that were not undone."""
    a = answer.c
    query = (
        sa.select(
            a.id, a.participant_id, serving.c.shown, a.choice, a.seconds, a.received_at, a.number
        )
        .select_from(answer.join(serving))
        .where(a.id > after, serving.c.role == "main", ~a.undone)
        .order_by(a.id)
    )
    for identity, person, shown, choice, *rest in connection.execute(query):
        yield MainAnswer(identity, person, read_objects(shown), read_objects(choice), *rest)


def count_main_answers(connection: sa.Connection) -> int:
    """Return how many main answers count."""
    found = connection.execute(
        sa.select(sa.func.coalesce(sa.func.sum(participant.c.n_main), 0))
    ).scalar_one()
    return int(found)


def person_name(person: int) -> str:
    """Return the name of a participant in exports, never their id of a platform."""
    return f"P{person}"
