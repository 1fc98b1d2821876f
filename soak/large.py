"""A study of 5,000 people and 200,000 answers: the start, the dashboard, the tree, participants."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from argon2 import PasswordHasher

from ordlink.collect import schema
from ordlink.collect.database import open_database
from ordlink.collect.people import NEW_PARTICIPANT, set_password
from ordlink.collect.registration import register_study
from ordlink.collect.study import load_study
from ordlink.datasets import planted_tree
from soak.browser import Browser
from soak.dashboards import PASSWORD, Owner
from soak.servers import Server, free_port, write_study

N_PEOPLE = 5000
N_ANSWERS_EACH = 40
N_VISITORS = 50
THINKING_SECONDS = 0.2  # before an answer, on average
LAB = "127.0.0.2"


@dataclass(frozen=True)
class LargeResult:
    """Seconds and milliseconds that were measured."""

    start: float
    first_page: float
    tree: float
    p99_ms: float
    p99_beside_dashboards_ms: float

    @property
    def is_good(self) -> bool:
        """Whether all bars were met."""
        is_quick = self.start < 3 and self.first_page < 1 and self.tree < 5
        return is_quick and self.p99_beside_dashboards_ms < self.p99_ms + 100

    def __str__(self) -> str:
        return (
            f"start {self.start:.1f} s, first page {self.first_page:.2f} s, tree after new answers "
            f"{self.tree:.1f} s, p99 {self.p99_ms:.0f} ms, with three dashboards reloading "
            f"{self.p99_beside_dashboards_ms:.0f} ms"
        )


def measure_large(folder: Path, *, n_people: int = N_PEOPLE, seconds: float = 20) -> LargeResult:
    """Fill a study and measure it."""
    study = fill_study(folder, n_people)
    server = Server(study, free_port(), "--data", str(folder / "data"))
    start = server.start()
    try:
        owner = Owner(server.port)
        begun = time.perf_counter()
        owner.get("/owner")
        first_page = time.perf_counter() - begun
        _wait_for_tree(owner, 0)
        n_answers = owner.tree()["n_answers"]
        asyncio.run(_visit(server.port, 1.0))
        tree = _wait_for_tree(owner, n_answers)
        quiet = asyncio.run(_visit(server.port, seconds))
        context = multiprocessing.get_context("spawn")
        owners = [
            context.Process(target=reload_dashboard, args=(server.port, seconds + 2))
            for _ in range(3)
        ]
        for one in owners:
            one.start()
        time.sleep(2)
        beside = asyncio.run(_visit(server.port, seconds))
        for one in owners:
            one.join()
    finally:
        server.stop()
    p99, p99_beside = (float(np.percentile(waits, 99)) * 1000 for waits in (quiet, beside))
    return LargeResult(start, first_page, tree, p99, p99_beside)


def fill_study(folder: Path, n_people: int, n_objects: int = 60) -> Path:
    """Write a study file, and answers that follow a planted tree into its database."""
    path = write_study(folder, n_objects, questions_per_person=10_000, practice=0, break_every=0)
    (folder / "data").mkdir()
    engine = open_database(f"sqlite:///{folder / 'data' / 'study.db'}")
    register_study(engine, load_study(path))
    rng = np.random.default_rng(0)
    planted = planted_tree([[15, 15], [15, 15]], mean=0.8, gap=0.2, noise=0.1, seed=0)
    similarities = planted.similarities
    n_answers = n_people * N_ANSWERS_EACH
    objects = rng.random((n_answers, n_objects)).argsort(axis=1)[:, :3]
    i, j, k = objects.T
    is_second = (similarities[i, j] < similarities[i, k]) ^ (rng.random(n_answers) < 0.1)
    shown = [",".join(map(str, row)) for row in objects.tolist()]
    at = time.time() - n_answers
    nobody: dict[str, Any] = NEW_PARTICIPANT | {"source": "id", "phase": "questions"}
    nobody |= {"n_main": N_ANSWERS_EACH, "last_number": N_ANSWERS_EACH, "created_at": at}
    people = [
        nobody | {"token_hash": f"hash {n}", "external_id": f"person {n}"} for n in range(n_people)
    ]
    draw = {"sampler": "random", "seed": 0, "n_questions": n_answers}
    whose = [
        {"participant_id": n % n_people + 1, "number": n // n_people + 1} for n in range(n_answers)
    ]
    with engine.begin() as connection:
        set_password(connection, PasswordHasher().hash(PASSWORD))
        connection.execute(schema.participant.insert(), people)
        connection.execute(
            schema.draw.insert(), draw | {"last_answer": 0, "last_draw": 0, "created_at": at}
        )
        for table, added in (
            (
                schema.question,
                {"draw_id": 1, "reason": "x", "n_wanted": 1, "n_served": 1, "condition": ""},
            ),
            (schema.serving, {"role": "main", "status": "answered"}),
            (schema.answer, {"seconds": 2.0, "n_blurs": 0, "device": "mouse", "undone": False}),
        ):
            own = [
                {"id": n + 1, "objects": shown[n]}
                if table is schema.question
                else whose[n] | {"question_id": n + 1, "shown": shown[n], "served_at": at + n}
                if table is schema.serving
                else whose[n] | {"choice": str(int(is_second[n])), "received_at": at + n + 2}
                for n in range(n_answers)
            ]
            connection.execute(table.insert(), [row | added for row in own])
    engine.dispose()
    return path


def reload_dashboard(port: int, seconds: float) -> None:
    """Ask for the dashboard again and again."""
    end = time.monotonic() + seconds
    with contextlib.suppress(OSError):
        owner = Owner(port)
        while time.monotonic() < end:
            owner.get("/owner")


def _wait_for_tree(owner: Owner, n_answers: int) -> float:
    """Return after how many seconds a tree of more answers is shown."""
    begun = time.perf_counter()
    while owner.tree().get("n_answers", 0) <= n_answers:
        time.sleep(0.05)
    return time.perf_counter() - begun


async def _visit(port: int, seconds: float) -> np.ndarray:
    browsers = await answer_thoughtfully(port, seconds, N_VISITORS)
    return np.concatenate([browser.seconds for browser in browsers])


async def answer_thoughtfully(port: int, seconds: float, n_people: int) -> list[Browser]:
    """Have people answer with pauses, as people do; return their browsers.

    All share an address that is not the machine's own, which has no limits.
    """
    browsers = [Browser(port, n, thinking=THINKING_SECONDS, source=LAB) for n in range(n_people)]
    states = await asyncio.gather(*(browser.join() for browser in browsers))
    stop = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, stop.set)
    people = zip(browsers, states, strict=True)
    await asyncio.gather(*(one.answer_until(state, stop) for one, state in people))
    for browser in browsers:
        browser.close()
    return browsers
