"""A process beside the server that draws questions and grows trees: requests never wait for it.

It reads the database itself and is asked through a pipe. When the server ends, however it ends,
the pipe closes and the process ends too.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import sqlalchemy as sa

from ordlink.collect.database import make_engine
from ordlink.collect.reading import Record, RecordReader, read_drawn
from ordlink.collect.samplers import Drawn, Known, draw_questions
from ordlink.collect.study import Study
from ordlink.errors import OrdlinkError

NICENESS = 10


class WorkerError(OrdlinkError, RuntimeError):
    """The worker failed or is gone."""


@dataclass(frozen=True)
class DrawOrder:
    """Draw so many questions."""

    n_questions: int
    seed: int


@dataclass(frozen=True)
class TreeOrder:
    """Grow the trees, if anything changed since these numbers."""

    last_answer: int = -1
    revision: int = -1


@dataclass(frozen=True)
class Trees:
    """Trees of all people and without those who are excluded, as the dashboard takes them."""

    last_answer: int
    revision: int
    everybody: dict[str, Any] | None
    kept: dict[str, Any] | None
    agreement: dict[int, float]


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
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
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

    def carry_out(self, order: DrawOrder | TreeOrder) -> Drawn | Trees | None:
        """Return the questions or trees that were ordered; None for trees that did not change."""
        if isinstance(order, DrawOrder):
            return self._draw(order)
        return self._grow(order)

    def _draw(self, order: DrawOrder) -> Drawn:
        with self._engine.connect() as connection:
            last_draw, drawn = read_drawn(connection)
        record = self._reader.read_kept()
        questions = draw_known(self._study, record, drawn, order.n_questions, order.seed)
        return Drawn(self._study.sampler, order.seed, record.last_answer, last_draw, questions)

    def _grow(self, order: TreeOrder) -> Trees | None:
        from ordlink.collect.trees import grow_tree

        record = self._reader.read()
        now = (record.last_answer, self._reader.revision)
        if now == (order.last_answer, order.revision):
            return None
        everybody = grow_tree(record)
        kept_record = record.of(self._reader.kept_people)
        same = len(kept_record.answers) == len(record.answers)
        kept = everybody if same else grow_tree(kept_record)
        return Trees(
            *now,
            None if everybody is None else everybody.as_json(),
            None if kept is None else kept.as_json(),
            {} if everybody is None else everybody.agreement,
        )


def draw_known(
    study: Study, record: Record, drawn: set[tuple[int, ...]], n_questions: int, seed: int
) -> Any:
    """Return the questions that the study's sampler draws from a record: also to replay a draw."""
    known = Known(
        kind=study.kind,
        n_objects=study.n_objects,
        comparisons=record.comparisons,
        answers=tuple((one.shown, one.choice) for one in record.answers),
        n_people=study.people_per_question,
        drawn=drawn,
        method=study.method,
    )
    return draw_questions(
        study.sampler,
        known,
        n_questions,
        seed=seed,
        random_share=study.random_share,
        plan_seed=study.seed,
    )
