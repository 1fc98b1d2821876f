"""What was answered: the main answers in order, read once and then kept up to date."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

import sqlalchemy as sa

from ordlink.collect.database import one_moment
from ordlink.collect.questions import to_comparisons
from ordlink.collect.schema import answer, participant, serving, study
from ordlink.collect.study import Study
from ordlink.collect.waiting import read_objects
from ordlink.comparisons import ListedComparisons


@dataclass(frozen=True)
class MainAnswer:
    """An answer to a main question; `number` is the person's own count of what was shown."""

    id: int
    person: int
    shown: tuple[int, ...]
    choice: tuple[int, ...]
    seconds: float
    received_at: float
    number: int
    undone: bool = False


@dataclass(frozen=True)
class Record:
    """Main answers of some people, in the order in which they were stored."""

    study: Study
    answers: tuple[MainAnswer, ...]

    @property
    def last_answer(self) -> int:
        """Number of the last answer, 0 if there is none."""
        return self.answers[-1].id if self.answers else 0

    @property
    def n_told(self) -> int:
        """Number of answers other than "can't tell"."""
        return sum(bool(one.choice) for one in self.answers)

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


class RecordReader:
    """Reads the main answers; each only once, unless earlier ones changed.

    Parameters
    ----------
    engine : sqlalchemy.Engine
    study : Study

    Attributes
    ----------
    revision : int
        Of the study, when it was last read.
    kept_people : set of int
        Who was not excluded then.
    """

    def __init__(self, engine: sa.Engine, study: Study) -> None:
        self._engine = engine
        self._study = study
        self._answers: list[MainAnswer] = []
        self.revision = -1
        self.kept_people: set[int] = set()

    def read(self, moment: sa.Connection | None = None) -> Record:
        """Return all main answers that are stored by now, or were at one moment."""
        if moment is None:
            with one_moment(self._engine) as connection:
                return self.read(connection)
        revision = moment.execute(sa.select(study.c.revision)).scalar_one()
        if revision != self.revision:
            self._answers.clear()
            self.revision = revision
        last = self._answers[-1].id if self._answers else 0
        self._answers += read_main_answers(moment, after=last)
        if len(self._answers) != count_main_answers(moment):
            # Another server stored answers with smaller numbers after larger ones were read.
            self._answers[:] = read_main_answers(moment)
        self.kept_people = set(
            moment.execute(sa.select(participant.c.id).where(~participant.c.excluded)).scalars()
        )
        return Record(self._study, tuple(self._answers))

    def read_kept(self, moment: sa.Connection | None = None) -> Record:
        """Return the main answers of people who are not excluded."""
        record = self.read(moment)
        if all(one.person in self.kept_people for one in record.answers):
            return record
        return record.of(self.kept_people)


def read_main_answers(
    connection: sa.Connection, *, after: int = 0, with_undone: bool = False
) -> Iterator[MainAnswer]:
    """Iterate over the main answers after the given one; undone ones count only if wanted."""
    query = (
        sa.select(
            answer.c.id,
            answer.c.participant_id,
            serving.c.shown,
            answer.c.choice,
            answer.c.seconds,
            answer.c.received_at,
            answer.c.number,
            answer.c.undone,
        )
        .select_from(answer.join(serving))
        .where(answer.c.id > after, serving.c.role == "main")
        .order_by(answer.c.id)
    )
    if not with_undone:
        query = query.where(~answer.c.undone)
    for identity, person, shown, choice, *rest in connection.execute(query):
        yield MainAnswer(identity, person, read_objects(shown), read_objects(choice), *rest)


def count_main_answers(connection: sa.Connection) -> int:
    """Return how many answers count, as the rows of the people say."""
    found = connection.execute(
        sa.select(sa.func.coalesce(sa.func.sum(participant.c.n_main), 0))
    ).scalar_one()
    return int(found)


def person_name(person: int) -> str:
    """Return what a person is called in exports: a number, never their id of a platform."""
    return f"P{person}"


def written_time(seconds: float) -> str:
    """Return a moment as text, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
