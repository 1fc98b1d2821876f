"""What a sampler takes and gives, and random questions."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import sqlalchemy as sa

from ordlink._typing import Int32Array
from ordlink.collect.question_types import QuestionType
from ordlink.collect.schema import draw, question, read_objects, serving
from ordlink.comparisons import ListedComparisons, n_pairs, pair_members

SHARE = "share of random questions"
AT_ONCE = "random: no other question was ready"
TOO_FEW = "few answers yet: at random"
PASSIVE = "random passive sampling"
RANDOM_REASONS = (SHARE, AT_ONCE, TOO_FEW, PASSIVE)  # reasons of random questions


@dataclass(frozen=True)
class DrawnQuestion:
    """Objects to ask about, and why."""

    objects: tuple[int, ...]  # in the order of the type; sides are drawn when it is shown
    reason: str
    n_people: int | None = None  # answers that a plan still needs; None: as the study says


@dataclass(frozen=True)
class Draw:
    """Questions that were drawn together, and the last answer and draw the sampler knew."""

    sampler: str
    seed: int
    last_answer: int
    last_draw: int
    questions: tuple[DrawnQuestion, ...]


@dataclass(frozen=True)
class SamplerInput:
    """The state of a study, as a sampler sees it."""

    kind: QuestionType
    n_objects: int
    comparisons: ListedComparisons
    answers: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()  # shown, choice
    n_people: int = 1  # to whom each question is shown
    waiting: set[tuple[int, ...]] = field(default_factory=set)  # drawn and not answered
    method: str = "tSTE-AL"


def random_questions(
    kind: QuestionType, n_objects: int, n_questions: int, rng: np.random.Generator, reason: str
) -> tuple[DrawnQuestion, ...]:
    """Return random questions, all for the same reason."""
    rows = random_objects(kind, n_objects, n_questions, rng).tolist()
    return tuple(DrawnQuestion(tuple(row), reason) for row in rows)


def random_objects(
    kind: QuestionType, n_objects: int, n_questions: int, rng: np.random.Generator
) -> Int32Array:
    """Return the objects of random questions, one question per row, all equally likely.

    Quadruplets are two different pairs, which may share an object; in all other types the objects
    are different.
    """
    if kind.form == "quadruplet":
        first = rng.integers(0, n_pairs(n_objects), n_questions)
        second = rng.integers(0, n_pairs(n_objects) - 1, n_questions)
        second += second >= first
        pairs = [*pair_members(first, n_objects), *pair_members(second, n_objects)]
        return np.stack(pairs, axis=1).astype(np.int32)
    order = rng.random((n_questions, n_objects)).argpartition(kind.n_objects - 1, axis=1)
    rows = order[:, : kind.n_objects]
    return rng.permuted(rows, axis=1).astype(np.int32)


def read_waiting(connection: sa.Connection) -> set[tuple[int, ...]]:
    """Return the objects of questions that wait for participants or for an answer."""
    is_open = sa.select(serving.c.question_id).where(
        serving.c.status == "open", serving.c.question_id.is_not(None)
    )
    rows = connection.scalars(
        sa.select(question.c.objects).where(
            sa.or_(question.c.n_served < question.c.n_wanted, question.c.id.in_(is_open))
        )
    )
    return set(map(read_objects, rows))


def read_last_draw(connection: sa.Connection, sampler: str | None = None) -> int:
    """Return the id of the last draw, of one sampler or of any; 0 if there is none."""
    query = sa.select(sa.func.max(draw.c.id))
    if sampler is not None:
        query = query.where(draw.c.sampler == sampler)
    return int(connection.scalar(query) or 0)
