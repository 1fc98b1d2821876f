"""Load: how many durable answers a second, and after how long, with many people at once."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa

from ordlink.collect.database import make_engine
from ordlink.collect.schema import question
from soak.browser import Browser


@dataclass(frozen=True)
class LoadResult:
    """What was measured."""

    n_people: int
    n_answers: int
    seconds: float
    median_ms: float
    p99_ms: float
    slowest_ms: float
    n_errors: int

    @property
    def per_second(self) -> float:
        """Durable answers a second."""
        return self.n_answers / self.seconds

    def __str__(self) -> str:
        return (
            f"{self.n_people} people, {self.n_answers} answers in {self.seconds:.1f} s: "
            f"{self.per_second:.0f}/s, median {self.median_ms:.0f} ms, p99 {self.p99_ms:.0f} ms, "
            f"slowest {self.slowest_ms:.0f} ms, {self.n_errors} errors"
        )


async def measure_load(ports: list[int], n_people: int, seconds: float) -> LoadResult:
    """Have people answer as fast as they can, and measure what they see."""
    browsers = [Browser(ports[number % len(ports)], number) for number in range(n_people)]
    states = await asyncio.gather(*(browser.join() for browser in browsers))
    stop = asyncio.Event()
    begun = time.perf_counter()
    asyncio.get_running_loop().call_later(seconds, stop.set)
    await asyncio.gather(
        *(one.answer_until(state, stop) for one, state in zip(browsers, states, strict=True))
    )
    took = time.perf_counter() - begun
    for browser in browsers:
        browser.close()
    waits = np.concatenate([browser.seconds for browser in browsers]) * 1000
    return LoadResult(
        n_people,
        sum(len(browser.acknowledged) for browser in browsers),
        took,
        float(np.median(waits)),
        float(np.percentile(waits, 99)),
        float(waits.max()),
        sum(
            browser.n_retries + sum(n for status, n in browser.statuses.items() if status != 200)
            for browser in browsers
        ),
    )


def describe_reasons(database: str) -> str:
    """Return for which reasons questions were shown, as shares of all that were."""
    engine = make_engine(database)
    with engine.connect() as connection:
        rows = connection.execute(
            sa.select(question.c.reason, sa.func.sum(question.c.n_served)).group_by(
                question.c.reason
            )
        ).all()
    engine.dispose()
    shown: Counter[str] = Counter()
    for reason, number in rows:
        kind = "by disagreement of trees" if "uncertain side" in reason else reason.split(",")[0]
        shown[kind] += int(number)
    return ", ".join(
        f"{reason} {number / shown.total():.0%}" for reason, number in shown.most_common() if number
    )
