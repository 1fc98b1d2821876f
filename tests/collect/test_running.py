"""What happens in the background: the stop rule, two workers, seeds."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa

from ordlink.collect import worker
from ordlink.collect.people import Origin, hash_token, join
from ordlink.collect.running import RunningStudy, Stability
from ordlink.collect.samplers import Draw
from ordlink.collect.schema import draw
from ordlink.collect.session import Answer, Continue, Step
from ordlink.collect.study import Study
from ordlink.collect.trees import RecordVersion, Trees
from ordlink.collect.worker import StudyTasks
from ordlink.errors import InputError
from tests.collect.conftest import LocalWorker, Place, post, text_study
from tests.waiting import PATIENCE

"""How long to wait for what must come, in seconds."""


def trees(newick: str, n_told: int, n_told_kept: int | None = None) -> Trees:
    kept = n_told if n_told_kept is None else n_told_kept
    return Trees((0, 0, 0), {"newick": newick}, {"newick": newick}, {}, n_told, kept)


def stable_after(*grown: Trees) -> list[int]:
    """Return how many checks were stable after each growth, with 10 objects."""
    found, stability = [], Stability()
    for one in grown:
        stability = stability.after(one, fewest_new=10)
        found.append(stability.n_stable)
    return found


def test_checks_count_only_with_as_many_new_answers_as_objects() -> None:
    assert stable_after(*(trees("a", n) for n in (5, 10, 14, 15, 20, 25, 90))) == [
        0, 0, 0, 1, 1, 2, 3,
    ]  # fmt: skip


def test_another_tree_starts_the_count_anew() -> None:
    grown = [trees("a", 10), trees("a", 20), trees("b", 21), trees("a", 22), trees("a", 32)]

    assert stable_after(*grown) == [0, 1, 0, 0, 1]


def test_answers_taken_back_and_people_taken_in_again_are_nothing_new() -> None:
    undone_and_given_again = [trees("a", n) for n in (30, 15, 30, 39, 40)]
    excluded_and_included = [
        trees("a", 30, 30), trees("a", 30, 12), trees("a", 30, 30), trees("a", 39, 39),
        trees("a", 40, 40),
    ]  # fmt: skip
    by_excluded_people = [trees("a", 30, 20), trees("a", 50, 20), trees("a", 60, 30)]

    assert stable_after(*undone_and_given_again) == [0, 0, 0, 0, 1]
    assert stable_after(*excluded_and_included) == [0, 0, 0, 0, 1]
    assert stable_after(*by_excluded_people) == [0, 0, 1]


def grow(place: Place) -> int:
    """Have the trees grown and return over how many checks they stayed the same."""
    place.browser.portal.call(place.running.build_trees)  # type: ignore[union-attr]
    return place.running.stability.n_stable


def test_pressing_cant_tell_does_not_end_a_study(open_place: Callable, monkeypatch) -> None:
    monkeypatch.setattr("ordlink.collect.running.TREE_SECONDS", 60.0)
    with open_place(text_study(questions_per_person=100, method="AddS-AL")) as place:
        state = place.join()
        for _ in range(3):
            state = place.answer(state, [0])
        counts = [grow(place)]
        for _ in range(3):
            state = place.answer(state, [])
            counts.append(grow(place))
        state = post(place.browser, "/api/undo", number=state["undoable"])
        counts.append(grow(place))

    assert counts == [0] * 5


def test_a_study_whose_budget_is_spent_cannot_be_opened_again(
    open_place: Callable, monkeypatch
) -> None:
    monkeypatch.setattr("ordlink.collect.running.UPKEEP_SECONDS", 0.02)
    with open_place(text_study(questions_per_person=100, budget=5)) as place:
        csrf = place.log_in()
        state = place.join()
        while state["phase"] != "done":
            state = place.answer(state, [0])
        page = place.browser.get("/owner").text
        reply = place.browser.post("/owner/state", data={"csrf": csrf, "state": "open"})

        assert 'value="open" disabled aria-describedby="spent"' in page
        assert "is spent" in page.split('id="spent"')[1][:200]
        assert reply.status_code == 409
        assert "the budget of 5 answers is spent; to continue, raise budget" in reply.text
        assert not place.running.is_open
    with open_place(text_study(questions_per_person=100, budget=50)) as place:
        place.browser.portal.call(place.running.set_state, "open")

        assert place.running.is_open


def test_a_study_with_a_stable_tree_that_is_opened_again_counts_anew(
    open_place: Callable, monkeypatch
) -> None:
    monkeypatch.setattr("ordlink.collect.running.UPKEEP_SECONDS", 0.02)
    with open_place(text_study(stable_trees=2)) as place:
        running = place.running
        place.join()

        async def settle() -> None:
            running.stability = Stability(2, "a", 90, 90)
            while running.is_open:
                await asyncio.sleep(0.01)

        async def reopen() -> bool:
            await running.set_state("open")
            await running._keep_up()  # what ended it before
            return running.is_open

        place.browser.portal.call(settle)

        assert place.browser.portal.call(reopen)
        assert running.stability.n_stable == 0


class SlowTrees(LocalWorker):
    """A worker whose trees take until they are let go."""

    builds = threading.Event()
    let_go = threading.Event()
    n_made = 0

    def __init__(self, url: str, study: Study) -> None:
        super().__init__(url, study)
        type(self).n_made += 1

    def build_trees(self, unless: RecordVersion | None = None) -> Trees | None:
        with self._lock:
            self.builds.set()
            self.let_go.wait(2 * PATIENCE)
            return StudyTasks.build_trees(self, unless)

    def close(self) -> None:
        self.let_go.set()


def test_questions_are_drawn_while_trees_grow(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("ordlink.collect.running.FILL_SECONDS", 0.01)
    monkeypatch.setattr("ordlink.collect.running.TREE_SECONDS", 0.01)
    study = text_study(questions_per_person=1000, sampler="SL", question="quadruplet")

    async def ask(running: RunningStudy) -> tuple[int, int, int]:
        token = hash_token("x")
        await running.database.write(lambda connection: join(connection, Origin(), token))
        await running.build_trees()  # as in the background: without an answer it starts no worker
        n_before_answers = SlowTrees.n_made
        view = await running.step(Step(token, Continue("instructions")))
        assert view is not None
        view = await running.step(Step(token, Answer(view.number, (0,))))
        await asyncio.to_thread(SlowTrees.builds.wait, PATIENCE)
        n_before = await running.database.read(count_own_draws)
        for _ in range(500):
            assert view is not None
            view = await running.step(Step(token, Answer(view.number, (0,))))
            await running._fill_queue()  # as in the background: it returns with what was drawn
            n_after = await running.database.read(count_own_draws)
            if n_after > n_before + 1:
                break
        assert running.trees is None  # still growing
        return n_before_answers, n_before, n_after

    async def run() -> tuple[int, int, int]:
        running = RunningStudy(study, f"sqlite:///{tmp_path / 'study.db'}", make_worker=SlowTrees)
        running.start()
        try:
            async with asyncio.timeout(PATIENCE):
                return await ask(running)
        finally:
            await running.stop()

    n_before_answers, n_before, n_after = asyncio.run(run())

    assert n_before_answers == 1  # the second starts with the first answer
    assert SlowTrees.n_made == 2
    assert n_after > n_before + 1


def test_more_is_drawn_ahead_where_draws_take_long(tmp_path: Path, monkeypatch) -> None:
    stopped = SimpleNamespace(**vars(time) | {"monotonic": lambda: 1000.0})
    monkeypatch.setattr("ordlink.collect.running.time", stopped)
    orders: list[int] = []

    class Noting(LocalWorker):
        def draw(self, n_questions: int, seed: int, condition: str = "") -> Draw:
            orders.append(n_questions)
            return super().draw(n_questions, seed, condition)

    async def run() -> int:
        study = text_study(sampler="random")
        running = RunningStudy(study, f"sqlite:///{tmp_path / 'study.db'}", make_worker=Noting)
        running._drawer = Noting(str(running.engine.url), study)
        for seconds in (0.0, 3.0):
            running._draw_seconds = seconds
            running._shown[""].clear()
            running._shown[""].append((stopped.monotonic() - 1.0, -100))  # 100 a second
            running.queues[""].n_shown = 0
            await running._fill_queue()
        await running.stop()
        return len(running.queues[""])

    n_waiting = asyncio.run(run())

    assert orders == [200, 800 - 200]
    assert n_waiting == sum(orders)  # all of them are at hand


def count_own_draws(connection: sa.Connection) -> int:
    counted = sa.select(sa.func.count(draw.c.id)).where(draw.c.sampler == "SL")
    return int(connection.execute(counted).scalar_one())


def test_the_seeds_of_draws_come_from_the_seed_of_the_study(tmp_path: Path) -> None:
    def seeds(name: str, seed: int) -> list[int]:
        url = f"sqlite:///{tmp_path / name}"
        running = RunningStudy(text_study(seed=seed), url, make_worker=LocalWorker)
        found = [running.draw_now(2) for _ in range(3)]
        asyncio.run(
            running.database.write(lambda connection: running.queues[""].take(connection, 1))
        )
        running.database.close()
        return [one.seed for one in found]

    first = seeds("a.db", 7)

    assert seeds("b.db", 7) == first
    assert seeds("c.db", 8) != first
    assert not set(seeds("a.db", 7)) & set(first)  # after a restart it goes on with others


@pytest.mark.parametrize("state", ["", "closed"])
def test_there_are_three_states(open_place: Callable, state: str) -> None:
    with (
        open_place(text_study()) as place,
        pytest.raises(InputError, match="expected open, paused or complete"),
    ):
        place.browser.portal.call(place.running.set_state, state)


@pytest.mark.parametrize("error", [EOFError, ConnectionResetError])
def test_a_worker_whose_server_is_gone_ends_without_a_traceback(
    error: type[Exception], monkeypatch
) -> None:
    class Pipe:
        def recv(self) -> None:
            raise error

    monkeypatch.setattr(worker, "die_with_parent", lambda: None)
    monkeypatch.setattr(worker.signal, "signal", lambda *_: None)
    monkeypatch.setattr(worker.os, "nice", lambda _: None)
    monkeypatch.setenv("ORDLINK_THREADS", "2")

    assert worker._work(Pipe(), "sqlite://", text_study()) is None  # type: ignore[arg-type]
