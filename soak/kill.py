"""kill -9 under load: nothing that was acknowledged is lost, nothing is stored twice."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass

import sqlalchemy as sa

from ordlink.collect.database import make_engine
from ordlink.collect.schema import answer, participant, question, serving
from soak.browser import Browser
from soak.servers import Server


@dataclass(frozen=True)
class KillResult:
    """What was found after the last kill."""

    n_kills: int
    n_acknowledged: int
    n_stored: int
    n_lost: int
    n_over_served: int
    n_stuck: int

    @property
    def is_good(self) -> bool:
        """Whether all is as it must be."""
        return not (self.n_lost or self.n_over_served or self.n_stuck) and self.n_acknowledged > 0

    def __str__(self) -> str:
        return (
            f"{self.n_kills} kills: {self.n_acknowledged} acknowledged, {self.n_stored} stored, "
            f"{self.n_lost} lost, {self.n_over_served} questions over-served, "
            f"{self.n_stuck} people stuck"
        )


async def kill_under_load(
    servers: list[Server], database: str, *, n_kills: int, n_people: int, seconds: float = 1.0
) -> KillResult:
    """Kill a server again and again while people answer; then look at what is stored.

    Parameters
    ----------
    servers : list of Server
        Started; they are killed in turn.
    database : str
        Address of their database.
    n_kills, n_people : int
    seconds : float
        Longest time between a start and the next kill.
    """
    rng = random.Random(0)
    browsers = [Browser(servers[number % len(servers)].port, number) for number in range(n_people)]
    states = await asyncio.gather(*(browser.join() for browser in browsers))
    stop = asyncio.Event()
    people = [
        asyncio.create_task(browser.answer_until(state, stop))
        for browser, state in zip(browsers, states, strict=True)
    ]
    for kill in range(n_kills):
        await asyncio.sleep(rng.uniform(0.05, seconds))
        server = servers[kill % len(servers)]
        server.kill()
        await asyncio.to_thread(server.start)
    before = [len(browser.acknowledged) for browser in browsers]
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and any(
        len(browser.acknowledged) < n + 3 for browser, n in zip(browsers, before, strict=True)
    ):  # the study goes on for everybody
        await asyncio.sleep(0.1)
    stop.set()
    await asyncio.gather(*people)
    n_stuck = sum(
        len(browser.acknowledged) < n + 3 for browser, n in zip(browsers, before, strict=True)
    )
    for browser in browsers:
        browser.close()
    return _look(database, browsers, n_kills, n_stuck)


def _look(database: str, browsers: list[Browser], n_kills: int, n_stuck: int) -> KillResult:
    engine = make_engine(database)
    with engine.connect() as connection:
        rows = connection.execute(
            sa.select(participant.c.token_hash, answer.c.number, answer.c.choice).join_from(
                answer, participant, answer.c.participant_id == participant.c.id
            )
        ).all()
        n_over_served = count_over_served(connection)
    engine.dispose()
    stored = {(token_hash, number): choice for token_hash, number, choice in rows}
    assert len(stored) == len(rows)
    acknowledged = [
        (browser.token_hash, number, ",".join(map(str, choice)))
        for browser in browsers
        for number, choice in browser.acknowledged
    ]
    n_lost = sum(stored.get((who, number)) != choice for who, number, choice in acknowledged)
    return KillResult(n_kills, len(acknowledged), len(rows), n_lost, n_over_served, n_stuck)


def count_over_served(connection: sa.Connection) -> int:
    """Return how many questions were shown to more people than wanted, by what was really shown."""
    shown = (
        sa.select(serving.c.question_id, sa.func.count().label("n"))
        .where(
            serving.c.question_id.is_not(None),
            serving.c.status.in_(("open", "answered")),
            ~sa.exists().where(
                answer.c.participant_id == serving.c.participant_id,
                answer.c.number == serving.c.number,
                answer.c.undone,
            ),
        )
        .group_by(serving.c.question_id)
        .subquery()
    )
    found = connection.execute(
        sa.select(sa.func.count())
        .select_from(shown.join(question, question.c.id == shown.c.question_id))
        .where(shown.c.n > question.c.n_wanted)
    ).scalar_one()
    return int(found)
