"""A running study: the database, its writer, the worker, and what happens in the background."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import sqlalchemy as sa

from ordlink.collect import schema
from ordlink.collect.database import checkpoint, is_sqlite, open_database, settle_study
from ordlink.collect.desk import Desk
from ordlink.collect.people import note_event
from ordlink.collect.samplers import Drawn, Known, random_questions
from ordlink.collect.steps import Step, View
from ordlink.collect.stimuli import Media, stimulus_keys
from ordlink.collect.study import Study
from ordlink.collect.waiting import WaitingQuestions, add_draw, release_abandoned, release_all
from ordlink.collect.worker import DrawOrder, TreeOrder, Trees, Worker, WorkerError
from ordlink.collect.writer import Writer
from ordlink.errors import InputError

LOG = logging.getLogger("ordlink.collect")
FEWEST_WAITING = 24
"""Questions that should always wait; with many people it is what they use in two seconds."""
MOST_DRAWN = 2048
TICK_SECONDS = 0.25
UPKEEP_SECONDS = 2.0
TREE_SECONDS = 3.0
Result = TypeVar("Result")


class Orders(Protocol):
    """Whoever carries out orders: the worker process, or a bench in tests."""

    def order(self, order: DrawOrder | TreeOrder) -> Any:
        """Return what was ordered; blocks."""
        ...

    def close(self) -> None:
        """End."""
        ...


@dataclass
class Live:
    """The newest trees, and over how many checks the tree stayed the same."""

    trees: Trees | None = None
    n_stable: int = 0
    grown_at: float = 0.0


class Hub:
    """Everything behind the pages of one study.

    Parameters
    ----------
    study : Study
    url : str
        Address of the database.
    make_worker : callable, optional
        From the address and the study to the worker.
    """

    def __init__(
        self, study: Study, url: str, *, make_worker: Callable[[str, Study], Orders] = Worker
    ) -> None:
        self.study = study
        self.engine = open_database(url)
        self.secret = settle_study(self.engine, study)
        self.keys = stimulus_keys(self.secret, study.n_objects)
        self.media = Media(study.stimuli, self.keys)
        self.process = secrets.token_hex(8)
        self._rng = np.random.default_rng()
        self.desk = Desk(
            study, WaitingQuestions(self.process, study.people_per_question, self._draw_now)
        )
        self.writer = Writer(self.engine, self.desk)
        if is_sqlite(self.engine):
            self.writer.change(release_all).result()
        self.live = Live()
        self._read_state()
        self._url, self._make_worker = url, make_worker
        self._worker: Orders | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._shown: deque[tuple[float, int]] = deque(maxlen=16)
        self._sampler_waits_until = 0.0

    # --- what requests use --------------------------------------------------------------------

    async def step(self, step: Step) -> View | None:
        """Carry out a step of a person; returns after it is on the disk."""
        view: View | None = await self.writer.step(step)
        return view

    async def change(self, change: Callable[[sa.Connection], Result]) -> Result:
        """Make a change; returns after it is on the disk."""
        result: Result = await asyncio.wrap_future(self.writer.change(change))
        return result

    async def read(self, query: Callable[[sa.Connection], Result]) -> Result:
        """Return what a query finds, without holding up anybody."""

        def run() -> Result:
            with self.engine.connect() as connection:
                return query(connection)

        return await asyncio.to_thread(run)

    @property
    def is_open(self) -> bool:
        """Whether people may take part."""
        return self.desk.state == "open"

    async def set_state(self, state: str) -> None:
        """Open, pause or end the study."""
        if state not in ("open", "paused", "complete"):
            raise InputError(f"a study is open, paused or complete, got {state!r}")

        def change(connection: sa.Connection) -> None:
            connection.execute(schema.study.update().values(state=state))
            note_event(connection, "state", state=state)

        await self.change(change)
        self._read_state()

    # --- beginning and end --------------------------------------------------------------------

    def start(self) -> None:
        """Start what happens in the background."""
        self._worker = self._make_worker(self._url, self.study)
        self._tasks = [
            asyncio.create_task(self._forever(work, seconds), name=work.__name__)
            for work, seconds in (
                (self._fill, TICK_SECONDS),
                (self._keep_up, UPKEEP_SECONDS),
                (self._grow, TREE_SECONDS),
            )
        ]

    async def stop(self) -> None:
        """Stop the background, finish what is being written, close everything."""
        for task in self._tasks:
            task.cancel()
        if self._worker is not None:
            await asyncio.to_thread(self._worker.close)
        for task in self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await asyncio.to_thread(self.writer.close)
        self.engine.dispose()

    # --- the background -----------------------------------------------------------------------

    async def _forever(self, work: Callable[[], Any], seconds: float) -> None:
        while True:
            try:
                await work()
            except asyncio.CancelledError:
                raise
            except WorkerError as error:
                LOG.warning("%s", error)
            except Exception:
                LOG.exception("in the background, tried again later")
            await asyncio.sleep(seconds)

    async def _fill(self) -> None:
        """Have questions drawn ahead, as many as people use in two seconds."""
        waiting = self.desk.waiting
        now = time.monotonic()
        self._shown.append((now, waiting.n_shown))
        since, earlier = self._shown[0]
        rate = (waiting.n_shown - earlier) / (now - since) if now > since else 0.0
        wanted = int(np.clip(2 * rate, FEWEST_WAITING, MOST_DRAWN))
        enough = len(waiting) > wanted // 2 and not waiting.is_short
        if not self.is_open or enough or self._worker is None:
            return
        waiting.is_short = False
        order = DrawOrder(max(wanted - len(waiting), FEWEST_WAITING // 2), self._new_seed())
        drawn: Drawn = await asyncio.to_thread(self._worker.order, order)

        def change(connection: sa.Connection) -> None:
            add_draw(connection, drawn, self.study.people_per_question)
            waiting.lease(connection)

        await self.change(change)

    async def _keep_up(self) -> None:
        """Take back abandoned questions, keep the leases, look whether the study is over."""
        seconds = self.study.abandon_after

        def change(connection: sa.Connection) -> int:
            release_abandoned(connection, seconds)
            self.desk.waiting.keep(connection)
            return count_main_answers(connection)

        n_answers = await self.change(change)
        await asyncio.to_thread(checkpoint, self.engine)
        await asyncio.to_thread(self._read_state)
        budget, stable = self.study.budget, self.study.stable_trees
        spent = budget is not None and n_answers >= budget
        settled = stable is not None and self.live.n_stable >= stable
        if self.is_open and (spent or settled):
            await self.set_state("complete")

    async def _grow(self) -> None:
        """Have the trees grown, if there is anything new."""
        if self._worker is None:
            return
        old = self.live.trees
        order = TreeOrder() if old is None else TreeOrder(old.last_answer, old.revision)
        trees: Trees | None = await asyncio.to_thread(self._worker.order, order)
        if trees is None:
            return
        same = old is not None and old.kept is not None and trees.kept is not None
        unchanged = same and old.kept["newick"] == trees.kept["newick"]  # type: ignore[union-attr, index]
        self.live = Live(trees, self.live.n_stable + 1 if unchanged else 0, time.time())

    def _draw_now(self, n_questions: int) -> Drawn:
        """Return random questions at once, for when none is waiting."""
        seed = self._new_seed()
        nothing: Any = None
        known = Known(self.study.kind, self.study.n_objects, nothing)
        reason = "random: no other question was ready"
        drawn = random_questions(known, n_questions, np.random.default_rng(seed), reason)
        return Drawn("random", seed, 0, 0, tuple(drawn))

    def _new_seed(self) -> int:
        return int(self._rng.integers(2**31))

    def _read_state(self) -> None:
        with self.engine.connect() as connection:
            state = connection.execute(sa.select(schema.study.c.state)).scalar_one()
        self.desk.state = str(state)


def count_main_answers(connection: sa.Connection) -> int:
    """Return how many answers count towards the budget."""
    found = connection.execute(
        sa.select(sa.func.coalesce(sa.func.sum(schema.participant.c.n_main), 0))
    ).scalar_one()
    return int(found)
