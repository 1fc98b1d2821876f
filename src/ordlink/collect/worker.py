"""Processes beside the server that draw questions or build trees: requests never wait for them.

A worker reads the database itself and is called through a pipe. When the server ends, however it
ends, the pipe closes and the worker ends too.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, cast

import sqlalchemy as sa

from ordlink._processes import die_with_parent
from ordlink.collect.database import make_engine, snapshot
from ordlink.collect.reading import Record, RecordReader
from ordlink.collect.samplers import (
    PLANS,
    Draw,
    SamplerInput,
    draw_questions,
    read_last_draw,
    read_waiting,
)
from ordlink.collect.study import Study
from ordlink.collect.trees import grow_tree
from ordlink.errors import OrdlinkError

NICENESS = 19  # participants come first: trees get the processor time that is left
NEWS = 0.1  # share of new answers from which an adaptive draw builds its trees anew


class WorkerError(OrdlinkError, RuntimeError):
    """The worker failed or is gone."""


@dataclass(frozen=True)
class RecordVersion:
    """Identifies what was read: equal versions hold the same answers."""

    last_answer: int
    n_answers: int
    revision: int


@dataclass(frozen=True)
class Trees:
    """The trees of all participants and without excluded ones, as the dashboard takes them."""

    version: RecordVersion
    everybody: dict[str, Any] | None  # see `LiveTree.as_json`; None without comparisons
    kept: dict[str, Any] | None
    agreement: dict[int, float]  # of each participant's comparisons with the tree of everybody
    n_told: int = 0  # answers other than "can't tell"
    n_told_kept: int = 0


class StudyTasks:
    """Draws questions and builds trees in this process, one at a time."""

    def __init__(self, engine: sa.Engine, study: Study) -> None:
        self._study = study
        self._engine = engine
        self._reader = RecordReader(engine, study)
        self._drawn_from: tuple[int, Record] | None = None

    def draw(self, n_questions: int, seed: int) -> Draw:
        """Return questions drawn by the study's sampler."""
        study, sampler = self._study, self._study.sampler
        with snapshot(self._engine) as connection:
            record = self._reader.read_kept(connection)
            if sampler == "adaptive":
                record = self._reuse_record(record)
            last_draw = read_last_draw(connection, sampler)
            waiting = read_waiting(connection) if sampler in PLANS else set()
        known = SamplerInput(
            kind=study.kind,
            n_objects=study.n_objects,
            comparisons=record.comparisons,
            answers=tuple((one.shown, one.choice) for one in record.answers),
            n_people=study.people_per_question,
            waiting=waiting,
            method=study.method,
        )
        questions = draw_questions(
            sampler,
            known,
            n_questions,
            seed=seed,
            random_share=study.random_share,
            plan_seed=study.seed,
        )
        return Draw(sampler, seed, record.last_answer, last_draw, questions)

    def _reuse_record(self, record: Record) -> Record:
        """Return the record of the draw before while there are few new answers."""
        revision = self._reader.revision
        if self._drawn_from is not None:
            revision_before, before = self._drawn_from
            has_few_new = len(record.answers) <= (1 + NEWS) * len(before.answers)
            if revision_before == revision and has_few_new:
                return before
        self._drawn_from = (revision, record)
        return record

    def build_trees(self, unless: RecordVersion | None = None) -> Trees | None:
        """Return the trees; None if the record is the one of `unless`."""
        record = self._reader.read()
        version = RecordVersion(record.last_answer, len(record.answers), self._reader.revision)
        if version == unless:
            return None
        kept_record = record.of(self._reader.kept_people)
        method = self._study.method
        everybody = grow_tree(record.comparisons, method, len(record.answers))
        kept = everybody
        if len(kept_record.answers) < len(record.answers):
            kept = grow_tree(kept_record.comparisons, method, len(kept_record.answers))
        return Trees(
            version,
            None if everybody is None else everybody.as_json(),
            None if kept is None else kept.as_json(),
            {} if everybody is None else everybody.agreement,
            record.n_told,
            kept_record.n_told,
        )

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

    def draw(self, n_questions: int, seed: int) -> Draw:
        """Return questions drawn by the study's sampler; blocks."""
        return cast(Draw, self._call("draw", n_questions, seed))

    def build_trees(self, unless: RecordVersion | None = None) -> Trees | None:
        """Return the trees; None if the record is the one of `unless`; blocks."""
        return cast(Trees | None, self._call("build_trees", unless))

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

    def _call(self, task: str, *arguments: object) -> Any:
        """Return the result of a task; a process that is gone is restarted for the next one."""
        with self._lock:
            if self._closed:
                raise WorkerError("the worker is closed")
            try:
                self._pipe.send((task, arguments))
                is_good, result = self._pipe.recv()
            except (EOFError, OSError) as error:
                if not self._closed:
                    self._start()
                raise WorkerError("the worker process ended and is restarted") from error
        if not is_good:
            raise WorkerError(result)
        return result


def _work(pipe: Connection, url: str, study: Study) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes us
    die_with_parent()
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    os.environ.setdefault("ORDLINK_THREADS", "1")
    tasks = StudyTasks(make_engine(url), study)
    while True:
        try:
            task, arguments = pipe.recv()
        except EOFError:
            return
        try:
            reply = (True, getattr(tasks, task)(*arguments))
        except Exception as error:  # the server logs it
            reply = (False, f"{type(error).__name__}: {error}")
        try:
            pipe.send(reply)
        except OSError:
            return
