"""The record of main answers, and processes beside the server that draw questions or build trees.

A worker reads the database itself and is called through a pipe, so requests never wait for it.
When the server ends, however it ends, the pipe closes and the worker ends too.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from ordlink._processes import die_with_parent
from ordlink.collect.database import make_engine, snapshot
from ordlink.collect.groups import compare, iso_time, person_name, read_groups
from ordlink.collect.question_types import QUESTION_TYPES, to_comparisons
from ordlink.collect.samplers import (
    PLANS,
    Draw,
    SamplerInput,
    draw_questions,
    read_last_draw,
    read_waiting,
)
from ordlink.collect.schema import answer, participant, read_objects, serving, study
from ordlink.collect.study import Study
from ordlink.collect.trees import RecordVersion, Trees, grow_tree, live_method, quick_method
from ordlink.comparisons import ListedComparisons, concatenate
from ordlink.errors import OrdlinkError
from ordlink.validation import GroupComparison

NICENESS = 5  # participants come first; trees get the processor time that is left
NEWS = 0.1  # share of new answers from which an adaptive draw rebuilds its trees


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
    condition_of: Mapping[int, str] = field(default_factory=dict)  # of each participant

    def in_condition(self, name: str) -> Record:
        """Return the answers of a condition, and the study as these people saw it."""
        own = tuple(one for one in self.answers if self.condition_of.get(one.person, "") == name)
        return Record(self.study.in_condition(name), own, self.condition_of)

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
        """The comparisons, with participant."""
        return self._compare(with_times=False)

    def timed_comparisons(self) -> ListedComparisons:
        """Return the comparisons, with participant, time and response time."""
        return self._compare(with_times=True)

    def _compare(self, *, with_times: bool) -> ListedComparisons:
        names = {self.condition_of.get(one.person, "") for one in self.answers}
        types = {self.study.in_condition(name).question for name in names}
        if len(types) > 1:
            parts = [self.in_condition(name) for name in sorted(names)]
            return concatenate([one._compare(with_times=with_times) for one in parts])
        kind = QUESTION_TYPES[types.pop()] if types else self.study.kind
        times: dict[str, Any] = {}
        if with_times:
            times["times"] = [iso_time(one.received_at) for one in self.answers]
            times["response_times"] = [one.seconds for one in self.answers]
        return to_comparisons(
            kind,
            [one.shown for one in self.answers],
            [one.choice for one in self.answers],
            names=self.study.names,
            people=[person_name(one.person) for one in self.answers],
            **times,
        )

    def of(self, people: set[int]) -> Record:
        """Return the answers of these participants."""
        own = tuple(one for one in self.answers if one.person in people)
        return Record(self.study, own, self.condition_of)


class RecordReader:
    """Reads the main answers; those of a participant again only where their number is wrong.

    It is after undo or a withdrawal, and where another server stored answers with smaller ids
    after larger ones were read.
    """

    def __init__(self, engine: sa.Engine, study: Study) -> None:
        self._engine = engine
        self._study = study
        self._answers: list[MainAnswer] = []
        self._n_of: Counter[int] = Counter()  # answers by participant
        self.revision = -1
        self.kept_people: set[int] = set()

    def read(self, connection: sa.Connection | None = None) -> Record:
        """Return all main answers, seen by this connection or by one of its own."""
        if connection is None:
            with snapshot(self._engine) as own:
                return self.read(own)
        self.revision = connection.execute(sa.select(study.c.revision)).scalar_one()
        last = self._answers[-1].id if self._answers else 0
        self._add(read_main_answers(connection, answer.c.id > last))
        c = participant.c
        people = connection.execute(sa.select(c.id, c.n_main, c.excluded, c.condition)).all()
        wrong = [one.id for one in people if self._n_of[one.id] != one.n_main]
        if wrong:
            changed = set(wrong)
            self._answers = [one for one in self._answers if one.person not in changed]
            for person in wrong:
                del self._n_of[person]
            for start in range(0, len(wrong), 500):
                those = answer.c.participant_id.in_(wrong[start : start + 500])
                self._add(read_main_answers(connection, those))
            self._answers.sort(key=lambda one: one.id)
        self.kept_people = {one.id for one in people if not one.excluded}
        condition_of = {one.id: one.condition for one in people if one.condition}
        return Record(self._study, tuple(self._answers), condition_of)

    def _add(self, found: Iterator[MainAnswer]) -> None:
        for one in found:
            self._answers.append(one)
            self._n_of[one.person] += 1

    def read_kept(self, connection: sa.Connection | None = None) -> Record:
        """Return the main answers of participants who are not excluded."""
        record = self.read(connection)
        if all(one.person in self.kept_people for one in record.answers):
            return record
        return record.of(self.kept_people)


def read_main_answers(
    connection: sa.Connection, which: sa.ColumnElement[bool] | None = None
) -> Iterator[MainAnswer]:
    """Iterate over main answers that were not undone, all or those with a property."""
    a = answer.c
    query = (
        sa.select(
            a.id, a.participant_id, serving.c.shown, a.choice, a.seconds, a.received_at, a.number
        )
        .select_from(answer.join(serving))
        .where(sa.true() if which is None else which, serving.c.role == "main", ~a.undone)
        .order_by(a.id)
    )
    for identity, person, shown, choice, *rest in connection.execute(query):
        yield MainAnswer(identity, person, read_objects(shown), read_objects(choice), *rest)


def count_main_answers(connection: sa.Connection) -> int:
    """Return how many main answers count."""
    return int(connection.scalar(sa.select(sa.func.sum(participant.c.n_main))) or 0)


class WorkerError(OrdlinkError, RuntimeError):
    """The worker failed or is gone."""


class StudyTasks:
    """Draws questions and builds trees in this process, one at a time."""

    def __init__(self, engine: sa.Engine, study: Study) -> None:
        self._study = study
        self._engine = engine
        self._reader = RecordReader(engine, study)
        self._drawn_from: dict[str, tuple[int, Record]] = {}  # by condition
        self._has_trees = False

    def draw(self, n_questions: int, seed: int, condition: str = "") -> Draw:
        """Return questions drawn by the study's sampler, from the answers of a condition."""
        sampler = self._study.sampler
        with snapshot(self._engine) as connection:
            record = self._reader.read_kept(connection).in_condition(condition)
            if sampler == "adaptive":
                record = self._reuse_record(record, condition)
            last_draw = read_last_draw(connection, sampler)
            waiting = read_waiting(connection) if sampler in PLANS else set()
        study, comparisons = record.study, record.comparisons
        shown = [one.shown for one in record.answers]
        if study.asked is not None:  # samplers count the stimuli of the condition only
            number_of = {one: number for number, one in enumerate(study.objects)}
            shown = [tuple(number_of[one] for one in objects) for objects in shown]
            names = [study.names[one] for one in study.objects]
            choices = [one.choice for one in record.answers]
            comparisons = to_comparisons(study.kind, shown, choices, names=names)
        known = SamplerInput(
            kind=study.kind,
            n_objects=len(study.objects),
            comparisons=comparisons,
            answers=tuple(zip(shown, (one.choice for one in record.answers), strict=True)),
            n_people=study.people_per_question,
            waiting=waiting,
            method=quick_method(study.method),
            plan_seed=study.seed,
        )
        share = study.random_share
        drawn = draw_questions(sampler, known, n_questions, seed=seed, random_share=share)
        questions = tuple(
            replace(one, objects=tuple(study.objects[number] for number in one.objects))
            for one in drawn
        )
        return Draw(sampler, seed, record.last_answer, last_draw, questions)

    def _reuse_record(self, record: Record, condition: str) -> Record:
        """Return the record of the draw before while there are few new answers."""
        revision = self._reader.revision
        if condition in self._drawn_from:
            revision_before, before = self._drawn_from[condition]
            has_few_new = len(record.answers) <= (1 + NEWS) * len(before.answers)
            if revision_before == revision and has_few_new:
                return before
        self._drawn_from[condition] = (revision, record)
        return record

    def build_trees(self, unless: RecordVersion | None = None) -> Trees | None:
        """Return the trees, the first ones quickly; None if the record is the one of `unless`."""
        record = self._reader.read()
        version = (record.last_answer, len(record.answers), self._reader.revision)
        if version == unless:
            return None
        kept_record = record.of(self._reader.kept_people)
        method = live_method(self._study.method, len(record.answers))
        is_first = not self._has_trees and quick_method(method) != method
        method = quick_method(method) if is_first else method
        self._has_trees = True
        everybody, agreement = grow_tree(record.comparisons, method, len(record.answers))
        kept = everybody
        if len(kept_record.answers) < len(record.answers):
            kept, _ = grow_tree(kept_record.comparisons, method, len(kept_record.answers))
        n_of = Counter(one.person for one in record.answers)
        total = sum(n_of[person] for person in agreement)
        weighted = sum(share * n_of[person] for person, share in agreement.items())
        overall = weighted / total if total else None
        n_told = (record.n_told, kept_record.n_told)
        return Trees(version, everybody, kept, agreement, *n_told, overall, is_first)

    def compare_groups(self, by: str) -> GroupComparison | None:
        """Return the groups of participants who are not excluded; None for fewer than two."""
        with snapshot(self._engine) as connection:
            record = self._reader.read_kept(connection)
            return compare(record.comparisons, self._study, by, read_groups(connection, by))

    def export(self, path: str) -> None:
        """Write the trials, or the answers of which the tree is built, as the file's name says."""
        from ordlink.collect.exports import write_answers, write_trials

        file = Path(path)
        if file.name.startswith("trials"):
            with snapshot(self._engine) as connection:
                write_trials(connection, self._study, file)
            return
        everybody = "everybody" in file.name
        write_answers(self._reader.read() if everybody else self._reader.read_kept(), file)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


class WorkerProcess:
    """A process that runs `StudyTasks`; call it from any thread but the event loop's."""

    def __init__(self, url: str, study: Study) -> None:
        self._url, self._study = url, study
        self._lock = threading.Lock()
        self._closed = False
        self._start()

    def __getattr__(self, task: str) -> Callable[..., Any]:
        """Return a function that does a task of `StudyTasks` in the process; it blocks."""
        if not hasattr(StudyTasks, task):
            raise AttributeError(task)
        return partial(self._call, task)

    def close(self) -> None:
        """End the process."""
        self._closed = True
        self._pipe.close()
        self._process.terminate()
        self._process.join(5)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_work, args=(theirs, self._url, self._study), name="worker", daemon=True
        )
        self._process.start()
        theirs.close()  # so that the pipe ends with either process

    def _call(self, task: str, *arguments: object, **options: object) -> Any:
        """Return the result of a task; a process that is gone is restarted for the next one."""
        with self._lock:
            if self._closed:
                raise WorkerError("the worker is closed")
            try:
                self._pipe.send((task, arguments, options))
                is_good, result = self._pipe.recv()
            except (EOFError, OSError) as error:
                if not self._closed:
                    self._start()
                raise WorkerError("the worker process ended and is being restarted") from error
        if not is_good:
            raise WorkerError(result)
        return result


def _work(pipe: Connection, url: str, study: Study) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes us
    die_with_parent()
    if hasattr(os, "nice"):  # not on Windows
        with contextlib.suppress(OSError):
            os.nice(NICENESS)
    os.environ.setdefault("ORDLINK_THREADS", "2")
    tasks = StudyTasks(make_engine(url), study)
    while True:
        try:
            task, arguments, options = pipe.recv()
        except (EOFError, OSError):  # the server ended, or was killed
            return
        try:
            if task != "draw" and sys.platform == "linux":  # questions are waited for, trees not
                with contextlib.suppress(OSError):
                    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            reply = (True, getattr(tasks, task)(*arguments, **options))
        except Exception as error:  # the server logs it
            reply = (False, f"{type(error).__name__}: {error}")
        try:
            pipe.send(reply)
        except OSError:
            return
