"""A running study: its database, its session, the workers, and what happens in the background."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import sqlalchemy as sa

from ordlink._text import listed
from ordlink.collect import schema
from ordlink.collect.database import (
    LOG,
    Database,
    checkpoint,
    describe,
    is_sqlite,
)
from ordlink.collect.question_queue import LEASE_SIZE, QuestionQueue, add_draw, release_abandoned
from ordlink.collect.registration import keep_numbers, register_study
from ordlink.collect.rows import note_event
from ordlink.collect.samplers import AT_ONCE, PLANS, Draw, random_questions, read_last_draw
from ordlink.collect.session import (
    IS_COMPLETED,
    Step,
    StudySession,
    View,
    count_people,
    is_under_way,
)
from ordlink.collect.stimuli import Media, stimulus_keys
from ordlink.collect.study import Study
from ordlink.collect.trees import Trees
from ordlink.collect.worker import StudyTasks, WorkerError, WorkerProcess, count_main_answers
from ordlink.errors import InputError

Worker = StudyTasks | WorkerProcess
FEW_AT_ONCE = 2  # random questions drawn at a time while a plan waits for answers
FEWEST_QUEUED = 24  # questions that should always be queued
SECONDS_AHEAD = 2.0  # questions are drawn ahead for so long and the time of two draws
MOST_DRAWN = 16_384
MOST_ADDED = 512  # in one transaction
FILL_SECONDS = 0.25
UPKEEP_SECONDS = 2.0
TREE_SECONDS = 1.0


@dataclass(frozen=True)
class Stability:
    """For how many checks in a row the tree has been the same.

    A check counts after as many new answers as there are objects, without "can't tell", answers
    given again after undo, and those of participants who were excluded or included again.
    """

    n_stable: int = 0
    newick: str | None = None  # of the tree without excluded participants
    n_told: int = 0  # answers other than "can't tell" at the last check that counted
    n_told_kept: int = 0  # the same without excluded participants

    def after(self, trees: Trees, *, fewest_new: int) -> Stability:
        """Return the stability with newly built trees."""
        newick = None if trees.kept is None else trees.kept["newick"]
        if newick is None or newick != self.newick:
            return Stability(0, newick, trees.n_told, trees.n_told_kept)
        n_new = min(trees.n_told - self.n_told, trees.n_told_kept - self.n_told_kept)
        if n_new >= fewest_new:
            return Stability(self.n_stable + 1, newick, trees.n_told, trees.n_told_kept)
        return replace(self, n_told_kept=min(self.n_told_kept, trees.n_told_kept))


class RunningStudy:
    """Everything behind the pages of one study."""

    def __init__(
        self, study: Study, url: str, *, make_worker: Callable[[str, Study], Worker] = WorkerProcess
    ) -> None:
        self.database = Database(url)
        self.engine = self.database.engine
        self.study = study = keep_numbers(self.engine, study)
        self.secret = register_study(self.engine, study)
        self.keys = stimulus_keys(self.secret, study.n_objects)
        self.aliases = stimulus_keys(self.secret, study.n_objects, " again")
        self.media = Media(study.stimuli, self.keys, self.aliases)
        process = secrets.token_hex(8)
        self._rng = self._make_rng(process)
        self.queues = {
            name: QuestionQueue(
                process, study.people_per_question, partial(self.draw_now, condition=name), name
            )
            for name in study.conditions or ("",)
        }
        self.session = StudySession(study, self.queues)
        self.session.missing = self.media.missing
        self.database.on_rollback = self._forget_queues
        if is_sqlite(self.engine):  # leases of earlier runs are dead
            with self.engine.begin() as connection:
                waits = schema.question.c.n_served < schema.question.c.n_wanted
                connection.execute(schema.question.update().where(waits).values(leased_by=None))
        self.trees: Trees | None = None  # the newest ones
        self.stability = Stability()
        self._set_state(self._read_state())
        self._make_worker = partial(make_worker, url, study)
        # Two workers, so that questions never wait for trees.
        self._drawer: Worker | None = None
        self._builder: Worker | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._building = asyncio.Lock()
        self.wants_truncation = False  # after a withdrawal, SQLite's log goes too
        self._shown: dict[str, deque[tuple[float, int]]] = {
            name: deque(maxlen=16) for name in self.queues
        }
        self._draw_seconds = 0.0

    def _forget_queues(self) -> None:
        for queue in self.queues.values():
            queue.forget()

    async def step(self, step: Step) -> View | None:
        """Carry out a participant's step; return once it is on disk."""
        view: View | None = await self.database.write_together(self.session.take, step)
        return view

    @property
    def state(self) -> str:
        """One of open, paused and complete."""
        return self.session.state

    @property
    def is_open(self) -> bool:
        """Whether people may take part."""
        return self.state == "open"

    async def set_state(self, state: str) -> None:
        """Open, pause or end the study; when reopened, stable trees are counted from 0."""
        if state not in ("open", "paused", "complete"):
            raise InputError(f"expected open, paused or complete, got {state!r}", parameter="state")

        def write(connection: sa.Connection) -> None:
            if state == "open" and (reason := self.why_over(connection)):
                raise InputError(reason)
            connection.execute(schema.study.update().values(state=state))
            note_event(connection, "state", state=state)

        await self.database.write(write)
        self._set_state(self._read_state())

    async def pause_if_missing(self) -> None:
        """Pause the study as long as there are stimuli that cannot be read."""
        if self.is_open and self.media.missing:
            LOG.error("cannot be read: %s; the study is paused", listed(list(self.media.missing)))
            await self.set_state("paused")

    def why_over(self, connection: sa.Connection) -> str:
        """Return why nobody can take part any more, and what to do; empty as long as they can."""
        budget, conditions = self.study.budget, self.study.conditions
        if budget is not None and count_main_answers(connection) >= budget:
            return (
                f"the budget of {budget} answers is spent; to continue, raise budget in the study "
                "file and restart the server"
            )
        c = schema.participant.c
        completed = count_people(connection, IS_COMPLETED, ~c.excluded)
        quotas = [(one.quota, completed[name]) for name, one in conditions.items()]
        if quotas and all(quota is not None and number >= quota for quota, number in quotas):
            # Somebody whom the owner included again while others had the place may finish.
            late = count_people(connection, is_under_way(self.study), ~c.excluded)
            if any(late[name] for name in conditions):
                return ""
            return (
                "all quotas are complete; to continue, exclude whom you want to replace, or raise "
                "a quota in the study file and restart the server"
            )
        return ""

    async def ask_builder(self, task: str, argument: str) -> Any:
        """Return the result of another task than building trees, done beside the server."""
        async with self._building:
            builder = await self._get_builder()
            return await asyncio.to_thread(getattr(builder, task), argument)

    async def _get_builder(self) -> Worker:
        if self._builder is None:
            self._builder = await asyncio.to_thread(self._make_worker)
        return self._builder

    async def build_trees(self) -> None:
        """Build the trees, if there is anything new."""
        if self._drawer is None:
            return
        async with self._building:  # trees that took longer must not replace newer ones
            if self._builder is None and not await self.database.read(count_main_answers):
                return  # a new study starts sooner with one process less
            builder = await self._get_builder()
            is_ready = self.trees is not None and not self.trees.is_first
            version = self.trees.version if self.trees is not None and is_ready else None
            trees = await asyncio.to_thread(builder.build_trees, version)
            if trees is None:
                return
            if not trees.is_first:
                self.stability = self.stability.after(trees, fewest_new=self.study.n_objects)
            self.trees = trees

    def start(self) -> None:
        """Start the background tasks."""
        self._drawer = self._make_worker()
        self._tasks = [
            asyncio.create_task(self._repeat(work, seconds), name=work.__name__)
            for work, seconds in (
                (self._fill_queue, FILL_SECONDS),
                (self._keep_up, UPKEEP_SECONDS),
                (self.build_trees, TREE_SECONDS),
            )
        ]

    async def stop(self) -> None:
        """Stop the background tasks, finish what is being written, close everything."""
        for task in self._tasks:
            task.cancel()
        for worker in (self._drawer, self._builder):
            if worker is not None:
                await asyncio.to_thread(worker.close)
        for task in self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await asyncio.to_thread(self.database.close)

    async def _repeat(self, work: Callable[[], Any], seconds: float) -> None:
        while True:
            try:
                await work()
            except WorkerError as error:
                LOG.warning("%s", error)
            except Exception as error:
                LOG.error("background work failed and is retried later: %s", describe(error))
            await asyncio.sleep(seconds)

    async def _fill_queue(self) -> None:
        """Draw questions ahead for each condition, unless there is a list of trials."""
        for name, queue in self.queues.items():
            if not self.study.in_condition(name).trials:
                await self._fill(name, queue)

    async def _fill(self, condition: str, queue: QuestionQueue) -> None:
        """Draw as many questions as participants use until the next ones are drawn."""
        now = time.monotonic()
        self._shown[condition].append((now, queue.n_shown))
        since, earlier = self._shown[condition][0]
        rate = (queue.n_shown - earlier) / (now - since) if now > since else 0.0
        seconds = SECONDS_AHEAD + 2 * self._draw_seconds
        wanted = int(np.clip(seconds * rate, FEWEST_QUEUED, MOST_DRAWN))
        is_enough = len(queue) > wanted // 2 and not queue.is_short
        if not self.is_open or is_enough or self._drawer is None:
            return
        queue.is_short = False
        n_questions = max(wanted - len(queue), FEWEST_QUEUED // 2)
        drawn = await asyncio.to_thread(self._drawer.draw, n_questions, self._new_seed(), condition)
        self._draw_seconds = time.monotonic() - now
        # None where a plan waits for answers; many in pieces, so that answers get in between.
        for start in range(0, len(drawn.questions), MOST_ADDED):
            some = replace(drawn, questions=drawn.questions[start : start + MOST_ADDED])

            def write(connection: sa.Connection, some: Draw = some) -> None:
                add_draw(connection, some, self.study.people_per_question, condition)
                queue.lease(connection, most=max(len(some.questions), LEASE_SIZE))

            await self.database.write(write)

    async def _keep_up(self) -> None:
        """Return abandoned questions, renew the leases, end the study when it is time."""

        def write(connection: sa.Connection) -> str:
            release_abandoned(connection, self.study.abandon_after)
            for queue in self.queues.values():
                queue.renew(connection)
            return self.why_over(connection)

        await asyncio.to_thread(self.media.look_again)
        await self.pause_if_missing()
        if not self.database.is_in_place():
            LOG.error("the file of the database was moved or deleted; the study is paused")
            self.session.state = "paused"
            return
        is_over = bool(await self.database.write(write))
        mode = "TRUNCATE" if self.wants_truncation else "PASSIVE"
        self.wants_truncation, is_done = False, False
        try:
            is_done = await asyncio.to_thread(checkpoint, self.engine, mode)
        finally:
            if not is_done:  # also if somebody withdrew meanwhile
                self.wants_truncation = True
        self._set_state(await asyncio.to_thread(self._read_state))
        wanted = self.study.stable_trees
        is_stable = wanted is not None and self.stability.n_stable >= wanted
        if self.is_open and (is_over or is_stable):
            await self.set_state("complete")

    def draw_now(self, n_questions: int, condition: str = "") -> Draw:
        """Return random questions at once, for when the queue is empty."""
        if self.study.sampler in PLANS:  # what the plan asks next must not wait behind them
            n_questions = min(n_questions, FEW_AT_ONCE)
        seed, study = self._new_seed(), self.study.in_condition(condition)
        rng, objects = np.random.default_rng(seed), study.objects
        drawn = random_questions(study.kind, len(objects), n_questions, rng, AT_ONCE)
        questions = tuple(
            replace(one, objects=tuple(objects[number] for number in one.objects)) for one in drawn
        )
        return Draw("random", seed, 0, 0, questions)

    def _make_rng(self, process: str) -> np.random.Generator:
        """Return the generator of the draws' seeds, different after a restart."""
        with self.engine.connect() as connection:
            origin = [self.study.seed, read_last_draw(connection)]
        if not is_sqlite(self.engine):  # several servers must not draw the same questions
            origin.append(int(process, 16))
        return np.random.default_rng(origin)

    def _new_seed(self) -> int:
        return int(self._rng.integers(2**31))

    def _read_state(self) -> str:
        with self.engine.connect() as connection:
            return str(connection.execute(sa.select(schema.study.c.state)).scalar_one())

    def _set_state(self, state: str) -> None:
        if (self.session.state, state) == ("complete", "open"):
            self.stability = Stability()
        self.session.state = state
