"""The progress of a study: answers over time, participants, cost, the stop rule."""

from __future__ import annotations

import time
from typing import Any

import sqlalchemy as sa

from ordlink.collect.draws import RANDOM_REASONS
from ordlink.collect.reading import count_main_answers
from ordlink.collect.schema import answer, draw, participant, question, serving
from ordlink.collect.site import Site

N_BARS = 60  # bars of the chart of answers over time


async def overview_of(site: Site) -> dict[str, Any]:
    """Return the state of the study and its counts, as JSON."""
    study = site.running.study
    counts = await site.database.read(count_all)
    n_completed = counts["participants"].get("completed", 0)
    return {
        "state": site.running.state,
        "n_objects": study.n_objects,
        "question": study.question,
        "sampler": study.sampler,
        "method": study.method,
        "budget": study.budget,
        "is_spent": site.running.is_spent(counts["n_answers"]),
        "stable_trees": study.stable_trees,
        "n_stable": site.running.latest.stability.n_stable,
        "cost": round(n_completed * study.pay_per_person, 2),
        "currency": study.currency,
        **counts,
    }


def count_all(connection: sa.Connection) -> dict[str, Any]:
    """Return the numbers of answers, of participants by outcome, and of questions by sampler."""
    outcomes = connection.execute(
        sa.select(participant.c.outcome, sa.func.count()).group_by(participant.c.outcome)
    ).all()
    sampler = sa.case((question.c.reason.in_(RANDOM_REASONS), "random"), else_=draw.c.sampler)
    samplers = connection.execute(
        sa.select(sampler.label("drawn_by"), sa.func.count())
        .select_from(question.join(draw))
        .group_by(sa.literal_column("drawn_by"))
    ).all()
    return {
        "n_answers": count_main_answers(connection),
        "participants": {outcome or "taking part": int(number) for outcome, number in outcomes},
        "questions_by_sampler": {str(name): int(number) for name, number in samplers},
        "over_time": _over_time(connection),
    }


def _over_time(connection: sa.Connection) -> dict[str, Any]:
    """Return the numbers of main answers in equal intervals since the first one."""
    counted = (
        sa.select(answer.c.received_at)
        .select_from(answer.join(serving))
        .where(serving.c.role == "main", ~answer.c.undone)
        .subquery()
    )
    first = connection.scalar(sa.select(sa.func.min(counted.c.received_at)))
    if first is None:
        return {"start": None, "seconds": None, "counts": []}
    width = max((time.time() - first) / N_BARS, 1.0)
    place_of = sa.cast(sa.func.floor((counted.c.received_at - first) / width), sa.Integer)
    # PostgreSQL groups by columns: an expression with parameters is another one each time.
    bars = sa.select(place_of.label("place")).subquery()
    rows = connection.execute(sa.select(bars.c.place, sa.func.count()).group_by(bars.c.place)).all()
    counts = [0] * N_BARS
    for place, number in rows:
        counts[min(max(int(place), 0), N_BARS - 1)] += int(number)
    return {"start": first, "seconds": width, "counts": counts}
