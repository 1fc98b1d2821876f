"""A running study: the database, its writer, the workers, and what happens in the background."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import numpy as np
import sqlalchemy as sa

from ordlink.collect import schema
from ordlink.collect.database import checkpoint, is_sqlite, open_database, settle_study
from ordlink.collect.desk import Desk
from ordlink.collect.draws import draw_at_once, read_last_draw
from ordlink.collect.media import Media
from ordlink.collect.people import note_event
from ordlink.collect.reading import count_main_answers
from ordlink.collect.samplers import PLANS, Drawn
from ordlink.collect.stability import Stability
from ordlink.collect.steps import Step, View
from ordlink.collect.stimuli import stimulus_keys
from ordlink.collect.study import Study
from ordlink.collect.waiting import (
    LEASE_SIZE,
    WaitingQuestions,
    add_draw,
    release_abandoned,
    release_all,
)
from ordlink.collect.worker import DrawOrder, TreeOrder, Trees, Worker, WorkerError
from ordlink.collect.writer import Writer
from ordlink.errors import InputError

LOG = logging.getLogger("ordlink.collect")
FEW_AT_ONCE = 2
"""So many random questions are drawn at a time while a plan waits for answers."""
FEWEST_WAITING = 24
"""Questions that should always wait; with many people it is what they use in some seconds."""
SECONDS_AHEAD = 2.0
"""For how long questions are drawn ahead, besides the time that two draws take."""
MOST_DRAWN = 1024
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


@dataclass(frozen=True)
class Live:
    """The newest trees, and over how many checks the tree stayed the same."""

    trees: Trees | None = None
    grown_at: float = 0.0
    stability: Stability = field(default_factory=Stability)

    @property
    def n_stable(self) -> int:
        """Checks in a row with the same tree."""
        return self.stability.n_stable


class Hub:
    """Everything behind the pages of one study.

    Parameters
    ----------
    study : Study
    url : str
        Address of the database.
    make_worker : callable, optional
        From the address and the study to a worker: one draws questions, another grows trees, so
        that questions never wait for trees.
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
        self._rng = self._make_rng()
        self.desk = Desk(
            study, WaitingQuestions(self.process, study.people_per_question, self._draw_now)
        )
        self.writer = Writer(self.engine, self.desk)
        if is_sqlite(self.engine):
            self.writer.change(release_all).result()
        self.live = Live()
        self._take_state(self._stored_state())
        self._url, self._make_worker = url, make_worker
        self._drawer: Orders | None = None
        self._grower: Orders | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._growing = asyncio.Lock()
        self._shown: deque[tuple[float, int]] = deque(maxlen=16)
        self._draw_seconds = 0.0

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
        """Open, pause or end the study; opened again, it counts stable trees anew.

        Raises
        ------
        InputError
            If there is no such state, or the budget is spent, so that it would end at once.
        """
        if state not in ("open", "paused", "complete"):
            raise InputError(f"a study is open, paused or complete, got {state!r}")
        if state == "open" and self.is_spent(await self.read(count_main_answers)):
            raise InputError(
                f"the budget of {self.study.budget} answers is spent; to go on, raise budget in "
                "the study file and start the server again"
            )

        def change(connection: sa.Connection) -> None:
            connection.execute(schema.study.update().values(state=state))
            note_event(connection, "state", state=state)

        await self.change(change)
        self._take_state(self._stored_state())

    def is_spent(self, n_answers: int) -> bool:
        """Return whether the budget is spent with so many answers."""
        return self.study.budget is not None and n_answers >= self.study.budget

    async def grow_trees(self) -> None:
        """Have the trees grown, if there is anything new; returns when they are there."""
        if self._drawer is None:
            return
        async with self._growing:  # trees that took longer must not replace newer ones
            if self._grower is None:
                if not await self.read(count_main_answers):
                    return  # a new study starts sooner with one process less
                self._grower = await asyncio.to_thread(self._make_worker, self._url, self.study)
            old = self.live.trees
            order = TreeOrder() if old is None else TreeOrder(old.mark)
            trees: Trees | None = await asyncio.to_thread(self._grower.order, order)
            if trees is None:
                return
            stability = self.live.stability.after(trees, fewest_new=self.study.n_objects)
            self.live = Live(trees, time.time(), stability)

    # --- beginning and end --------------------------------------------------------------------

    def start(self) -> None:
        """Start what happens in the background."""
        self._drawer = self._make_worker(self._url, self.study)
        self._tasks = [
            asyncio.create_task(self._forever(work, seconds), name=work.__name__)
            for work, seconds in (
                (self._fill, TICK_SECONDS),
                (self._keep_up, UPKEEP_SECONDS),
                (self.grow_trees, TREE_SECONDS),
            )
        ]

    async def stop(self) -> None:
        """Stop the background, finish what is being written, close everything."""
        for task in self._tasks:
            task.cancel()
        for worker in (self._drawer, self._grower):
            if worker is not None:
                await asyncio.to_thread(worker.close)
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
        """Have questions drawn ahead, as many as people use until there are others."""
        waiting = self.desk.waiting
        now = time.monotonic()
        self._shown.append((now, waiting.n_shown))
        since, earlier = self._shown[0]
        rate = (waiting.n_shown - earlier) / (now - since) if now > since else 0.0
        seconds = SECONDS_AHEAD + 2 * self._draw_seconds
        wanted = int(np.clip(seconds * rate, FEWEST_WAITING, MOST_DRAWN))
        enough = len(waiting) > wanted // 2 and not waiting.is_short
        if not self.is_open or enough or self._drawer is None:
            return
        waiting.is_short = False
        order = DrawOrder(max(wanted - len(waiting), FEWEST_WAITING // 2), self._new_seed())
        drawn: Drawn = await asyncio.to_thread(self._drawer.order, order)
        self._draw_seconds = time.monotonic() - now
        if not drawn.questions:  # a plan that waits for answers
            return

        def change(connection: sa.Connection) -> None:
            add_draw(connection, drawn, self.study.people_per_question)
            waiting.lease(connection, most=max(order.n_questions, LEASE_SIZE))

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
        self._take_state(await asyncio.to_thread(self._stored_state))
        stable = self.study.stable_trees
        settled = stable is not None and self.live.n_stable >= stable
        if self.is_open and (self.is_spent(n_answers) or settled):
            await self.set_state("complete")

    def _draw_now(self, n_questions: int) -> Drawn:
        """Return random questions at once, for when none is waiting."""
        if self.study.sampler in PLANS:  # what the plan asks next must not wait behind them
            n_questions = min(n_questions, FEW_AT_ONCE)
        seed = self._new_seed()
        return Drawn("random", seed, 0, 0, draw_at_once(self.study, n_questions, seed))

    def _make_rng(self) -> np.random.Generator:
        """Return what draws the seeds of draws: from the study's seed, going on after a restart."""
        with self.engine.connect() as connection:
            origin = [self.study.seed, read_last_draw(connection)]
        if not is_sqlite(self.engine):  # several servers must not draw the same questions
            origin.append(int(self.process, 16))
        return np.random.default_rng(origin)

    def _new_seed(self) -> int:
        return int(self._rng.integers(2**31))

    def _stored_state(self) -> str:
        with self.engine.connect() as connection:
            return str(connection.execute(sa.select(schema.study.c.state)).scalar_one())

    def _take_state(self, state: str) -> None:
        if (self.desk.state, state) == ("complete", "open"):
            self.live = replace(self.live, stability=Stability())
        self.desk.state = state
