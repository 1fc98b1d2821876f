"""Processes beside the server that draw questions or grow trees: requests never wait for them.

A worker reads the database itself and is asked through a pipe. When the server ends, however it
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
from typing import Any

import sqlalchemy as sa

from ordlink._processes import die_with_parent
from ordlink.collect.database import make_engine, one_moment
from ordlink.collect.draws import draw_known, read_last_draw, read_waiting, write_numbers
from ordlink.collect.reading import Record, RecordReader
from ordlink.collect.samplers import PLANS, Drawn, Knew
from ordlink.collect.study import Study
from ordlink.errors import OrdlinkError

NICENESS = 19
"""People come first: trees take what they leave of the processor."""
NEWS = 0.1
"""Adaptive draws know all answers, or those before the last tenth of them."""


class WorkerError(OrdlinkError, RuntimeError):
    """The worker failed or is gone."""


@dataclass(frozen=True)
class DrawOrder:
    """Draw so many questions."""

    n_questions: int
    seed: int


@dataclass(frozen=True)
class Mark:
    """What a record was like when it was read; two that are equal hold the same answers."""

    last_answer: int
    n_answers: int
    revision: int


@dataclass(frozen=True)
class TreeOrder:
    """Grow the trees, if the record is not as it was."""

    unless: Mark | None = None


@dataclass(frozen=True)
class Trees:
    """Trees of all people and without those who are excluded, as the dashboard takes them.

    Attributes
    ----------
    mark : Mark
        The record that they were grown from.
    everybody, kept : dict or None
        See :meth:`ordlink.collect.trees.LiveTree.as_json`; None while there is no comparison.
    agreement : dict from int to float
        For each person, the share of their comparisons that the tree of everybody agrees with.
    n_told, n_told_kept : int
        Answers other than "can't tell", of everybody and without those who are excluded.
    """

    mark: Mark
    everybody: dict[str, Any] | None
    kept: dict[str, Any] | None
    agreement: dict[int, float]
    n_told: int = 0
    n_told_kept: int = 0


class Worker:
    """The server's side: one order at a time, from any thread but the event loop's.

    Parameters
    ----------
    url : str
        Address of the database.
    study : Study
    """

    def __init__(self, url: str, study: Study) -> None:
        self._url, self._study = url, study
        self._lock = threading.Lock()
        self._closed = False
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_work, args=(theirs, self._url, self._study), name="worker", daemon=True
        )
        self._process.start()
        theirs.close()  # so that the pipe ends with either process

    def order(self, order: DrawOrder | TreeOrder) -> Any:
        """Return what was ordered; blocks.

        Raises
        ------
        WorkerError
            If it failed; a worker that is gone is started anew for the next order.
        """
        with self._lock:
            if self._closed:
                raise WorkerError("the worker is closed")
            try:
                self._pipe.send(order)
                good, reply = self._pipe.recv()
            except (EOFError, OSError) as error:
                if not self._closed:
                    self._start()
                raise WorkerError("the worker process ended; it is started anew") from error
        if not good:
            raise WorkerError(reply)
        return reply

    def close(self) -> None:
        """End the process."""
        self._closed = True
        self._pipe.close()
        self._process.terminate()
        self._process.join(5)


def _work(pipe: Connection, url: str, study: Study) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes us
    die_with_parent()
    _step_back()
    os.environ.setdefault("ORDLINK_THREADS", "1")
    bench = Bench(make_engine(url), study)
    while True:
        try:
            order = pipe.recv()
        except EOFError:
            return
        reply: tuple[bool, Any]
        try:
            reply = (True, bench.carry_out(order))
        except Exception as error:  # told to the server, which logs it
            reply = (False, f"{type(error).__name__}: {error}")
        try:
            pipe.send(reply)
        except OSError:
            return


def _step_back() -> None:
    """Let the server go first, as far as the system knows how to."""
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


class Bench:
    """The worker's side; tests use it without a process.

    Parameters
    ----------
    engine : sqlalchemy.Engine
    study : Study
    """

    def __init__(self, engine: sa.Engine, study: Study) -> None:
        self._engine = engine
        self._study = study
        self._reader = RecordReader(engine, study)
        self._drawn_from: tuple[int, Record] | None = None

    def carry_out(self, order: DrawOrder | TreeOrder) -> Drawn | Trees | None:
        """Return the questions or trees that were ordered; None for trees that did not change."""
        if isinstance(order, DrawOrder):
            return self._draw(order)
        return self._grow(order)

    def _draw(self, order: DrawOrder) -> Drawn:
        sampler = self._study.sampler
        with one_moment(self._engine) as moment:
            record = self._reader.read_kept(moment)
            if sampler == "adaptive":
                record = self._unless_news(record)
            last_draw = read_last_draw(moment, sampler)
            waiting = read_waiting(moment) if sampler in PLANS else {}
        questions = draw_known(
            self._study, record, set(waiting.values()), order.n_questions, order.seed
        )
        knew = Knew(self._reader.revision, len(record.answers), write_numbers(waiting))
        return Drawn(sampler, order.seed, record.last_answer, last_draw, questions, knew)

    def _unless_news(self, record: Record) -> Record:
        """Return the record of the draw before while there is little more to know by now."""
        revision = self._reader.revision
        if self._drawn_from is not None:
            revision_before, before = self._drawn_from
            little = len(record.answers) <= (1 + NEWS) * len(before.answers)
            if revision_before == revision and little:
                return before
        self._drawn_from = (revision, record)
        return record

    def _grow(self, order: TreeOrder) -> Trees | None:
        from ordlink.collect.trees import grow_tree

        record = self._reader.read()
        mark = Mark(record.last_answer, len(record.answers), self._reader.revision)
        if mark == order.unless:
            return None
        everybody = grow_tree(record)
        kept_record = record.of(self._reader.kept_people)
        same = len(kept_record.answers) == len(record.answers)
        kept = everybody if same else grow_tree(kept_record)
        return Trees(
            mark,
            None if everybody is None else everybody.as_json(),
            None if kept is None else kept.as_json(),
            {} if everybody is None else everybody.agreement,
            record.n_told,
            kept_record.n_told,
        )
