"""kill -9 under load: nothing that was acknowledged is lost, nothing is stored twice."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass

import sqlalchemy as sa

from ordlink.collect.database import make_engine
from ordlink.collect.question_queue import counts_as_shown
from ordlink.collect.schema import answer, participant, question, serving
from ordlink.collect.worker import count_main_answers, read_main_answers
from soak.browser import Browser
from soak.servers import Server


@dataclass(frozen=True)
class KillResult:
    """What was found after the last kill.

    Attributes
    ----------
    n_kills : int
    n_acknowledged, n_stored : int
        Answers of which people were told that they are stored, and those that are.
    n_lost : int
        Acknowledged and not stored as they were given.
    n_unknown : int
        Stored and not acknowledged, though everybody waited for the reply to each answer.
    n_miscounted : int
        By how many the counts of the people differ from the main answers that are stored.
    n_over_served : int
        Questions that were shown to more people than wanted.
    n_stuck : int
        People who could not continue after the last kill.
    """

    n_kills: int
    n_acknowledged: int
    n_stored: int
    n_lost: int
    n_unknown: int
    n_miscounted: int
    n_over_served: int
    n_stuck: int

    @property
    def is_good(self) -> bool:
        """Whether all is as it must be."""
        bad = self.n_lost + self.n_unknown + self.n_miscounted + self.n_over_served + self.n_stuck
        return not bad and self.n_acknowledged > 0

    def __str__(self) -> str:
        return (
            f"{self.n_kills} kills: {self.n_acknowledged} acknowledged, {self.n_stored} stored, "
            f"{self.n_lost} lost, {self.n_unknown} never acknowledged, {self.n_miscounted} "
            f"miscounted, {self.n_over_served} questions over-served, "
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
    ):  # the study continues for everybody
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
        n_main = sum(1 for _ in read_main_answers(connection))
        n_miscounted = abs(count_main_answers(connection) - n_main)
        n_over_served = count_over_served(connection)
    engine.dispose()
    stored, acknowledged = _compare(database, browsers)
    return KillResult(
        n_kills,
        len(acknowledged),
        len(stored),
        n_lost=sum(stored.get(one) != choice for one, choice in acknowledged.items()),
        n_unknown=len(stored.keys() - acknowledged.keys()),
        n_miscounted=n_miscounted,
        n_over_served=n_over_served,
        n_stuck=n_stuck,
    )


def find_lost(database: str, browsers: list[Browser]) -> int:
    """Return how many acknowledged answers are not stored as they were given."""
    stored, acknowledged = _compare(database, browsers)
    return sum(stored.get(one) != choice for one, choice in acknowledged.items())


Given = dict[tuple[str, int], str]  # choices by token hash and number


def _compare(database: str, browsers: list[Browser]) -> tuple[Given, Given]:
    """Return the answers that are stored, and those that were acknowledged."""
    engine = make_engine(database)
    with engine.connect() as connection:
        rows = connection.execute(
            sa.select(participant.c.token_hash, answer.c.number, answer.c.choice).join_from(
                answer, participant, answer.c.participant_id == participant.c.id
            )
        ).all()
    engine.dispose()
    acknowledged = {
        (browser.token_hash, number): ",".join(map(str, choice))
        for browser in browsers
        for number, choice in browser.acknowledged
    }
    return {(who, number): choice for who, number, choice in rows}, acknowledged


def count_over_served(connection: sa.Connection) -> int:
    """Return how many questions were shown to more people than wanted, by what was really shown."""
    shown = (
        sa.select(serving.c.question_id, sa.func.count().label("n"))
        .where(counts_as_shown())
        .group_by(serving.c.question_id)
        .subquery()
    )
    found = connection.execute(
        sa.select(sa.func.count())
        .select_from(shown.join(question, question.c.id == shown.c.question_id))
        .where(shown.c.n > question.c.n_wanted)
    ).scalar_one()
    return int(found)
