"""Drawing from what is stored: what the sampler is told, and the questions that it gives."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count, groupby
from typing import Any

import numpy as np
import sqlalchemy as sa

from ordlink.collect.reading import Record
from ordlink.collect.samplers import (
    AT_ONCE,
    DrawnQuestion,
    Known,
    draw_questions,
    random_questions,
)
from ordlink.collect.schema import draw, question, serving
from ordlink.collect.study import Study
from ordlink.collect.waiting import read_objects


def draw_known(
    study: Study, record: Record, waiting: set[tuple[int, ...]], n_questions: int, seed: int
) -> tuple[DrawnQuestion, ...]:
    """Return the questions that the study's sampler draws from a record.

    Parameters
    ----------
    study : Study
    record : Record
        The answers of people who are not excluded.
    waiting : set of tuple of int
        Objects of the questions that wait for answers; only plans look at them.
    n_questions, seed : int
    """
    known = Known(
        kind=study.kind,
        n_objects=study.n_objects,
        comparisons=record.comparisons,
        answers=tuple((one.shown, one.choice) for one in record.answers),
        n_people=study.people_per_question,
        waiting=waiting,
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


def draw_at_once(study: Study, n_questions: int, seed: int) -> tuple[DrawnQuestion, ...]:
    """Return random questions, whatever was answered."""
    nothing: Any = None
    known = Known(study.kind, study.n_objects, nothing)
    return tuple(random_questions(known, n_questions, np.random.default_rng(seed), AT_ONCE))


def read_waiting(connection: sa.Connection) -> dict[int, tuple[int, ...]]:
    """Return the questions that wait for people or for an answer of somebody: their objects."""
    before_somebody = sa.select(serving.c.question_id).where(
        serving.c.status == "open", serving.c.question_id.is_not(None)
    )
    rows = connection.execute(
        sa.select(question.c.id, question.c.objects).where(
            sa.or_(question.c.n_served < question.c.n_wanted, question.c.id.in_(before_somebody))
        )
    )
    return {number: read_objects(objects) for number, objects in rows}


def read_last_draw(connection: sa.Connection, sampler: str | None = None) -> int:
    """Return the number of the last draw, of a sampler or of any; 0 if there is none."""
    query = sa.select(sa.func.max(draw.c.id))
    if sampler is not None:
        query = query.where(draw.c.sampler == sampler)
    return int(connection.execute(query).scalar() or 0)


def write_numbers(numbers: Iterable[int]) -> str:
    """Return a set of numbers as text.

    Examples
    --------
    >>> write_numbers([9, 4, 5, 6])
    '4-6,9'
    """
    counter = count()
    runs = [list(run) for _, run in groupby(sorted(numbers), lambda one: one - next(counter))]
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def read_numbers(text: str) -> set[int]:
    """Return what `write_numbers` wrote.

    Examples
    --------
    >>> sorted(read_numbers("4-6,9"))
    [4, 5, 6, 9]
    """
    ends = [run.split("-") for run in text.split(",") if run]
    return {number for run in ends for number in range(int(run[0]), int(run[-1]) + 1)}
