"""Which question next: adaptive, random, or an active method of the paper as a plan.

An active method such as SL asks an oracle in batches. Here it runs on the answers that are known;
where it needs others it stops, and participants are asked the batch at which it stopped. With
these answers it runs again and gets further. So nothing has to be remembered between runs.
Answers that do not count any more, because a participant was excluded or withdrew, are missing
like any other and are asked again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ordlink._typing import AnyArray, Int8Array, Int32Array
from ordlink.collect.adaptive import is_tree_due, sample_adaptively
from ordlink.collect.draws import (
    PASSIVE,
    SHARE,
    TOO_FEW,
    DrawnQuestion,
    SamplerInput,
    random_questions,
)
from ordlink.errors import OrdlinkError
from ordlink.linkage import initial_partition
from ordlink.methods import METHODS

PLANS = ("SL", "CL", "4K-AL-act")  # the samplers that are plans


def draw_questions(
    sampler: str,
    known: SamplerInput,
    n_questions: int,
    *,
    seed: int,
    random_share: float,
    plan_seed: int = 0,
) -> tuple[DrawnQuestion, ...]:
    """Return questions; the same arguments give the same questions."""
    rng = np.random.default_rng(seed)
    kind, n_objects = known.kind, known.n_objects
    if sampler == "random":
        return random_questions(kind, n_objects, n_questions, rng, PASSIVE)
    if sampler == "adaptive" and not is_tree_due(known):
        return random_questions(kind, n_objects, n_questions, rng, TOO_FEW)
    if sampler in PLANS:
        options = {"seed": plan_seed} if sampler == "4K-AL-act" else {}
        return _draw_plan(sampler, options, known, n_questions, seed, random_share)
    is_random = rng.random(n_questions) < random_share
    own = sample_adaptively(known, int((~is_random).sum()), rng)
    mixed = [*own, *random_questions(kind, n_objects, n_questions - len(own), rng, SHARE)]
    return tuple(mixed[place] for place in rng.permutation(len(mixed)))


def _draw_plan(
    method: str,
    options: dict[str, Any],
    known: SamplerInput,
    n_questions: int,
    seed: int,
    random_share: float,
) -> tuple[DrawnQuestion, ...]:
    """Return what a plan asks, mixed with random questions, until the plan has to wait."""
    places, rng = (np.random.default_rng([seed, part]) for part in range(2))
    is_random = places.random(n_questions) < random_share
    own = _plan_questions(method, options, known, int((~is_random).sum()))
    if not own:
        return ()
    too_many = np.cumsum(~is_random) > len(own)
    is_random = is_random[: int(too_many.argmax())] if too_many.any() else is_random
    n_shared = int(is_random.sum())
    shared = iter(random_questions(known.kind, known.n_objects, n_shared, rng, SHARE))
    asked = iter(own)
    return tuple(next(shared) if one else next(asked) for one in is_random)


def _plan_questions(
    method: str, options: dict[str, Any], known: SamplerInput, n_questions: int
) -> list[DrawnQuestion]:
    """Return what an active method asks next; nothing once it is done."""
    oracle = KnownAnswers(known)
    try:
        METHODS[method].run(oracle, initial_partition(known.n_objects), **options)
    except _AnswersNeeded as stopped:
        missing = [tuple(row) for row in stopped.questions.tolist()]
        new = [row for row in missing if row not in known.waiting]
        reason = f"{method} needs this answer, one of {len(missing)} at this point"
        return [
            DrawnQuestion(row, reason, known.n_people - oracle.n_votes(row))
            for row in new[:n_questions]
        ]
    return []


class _AnswersNeeded(OrdlinkError):
    """The method cannot continue without answers to these questions."""

    def __init__(self, questions: Int32Array) -> None:
        super().__init__(f"{len(questions)} answers are needed")
        self.questions = questions


class KnownAnswers:
    """An oracle that answers by majority vote, once enough participants have answered."""

    def __init__(self, known: SamplerInput) -> None:
        self.n_objects = known.n_objects
        self._votes: dict[tuple[int, ...], list[int]] = {}
        for shown, choice in known.answers:
            key, sign = standard_order(shown)
            vote = 0 if not choice else (sign if choice[0] == 0 else -sign)
            self._votes.setdefault(key, []).append(vote)
        self._answers = {
            key: int(np.sign(sum(votes)))
            for key, votes in self._votes.items()
            if len(votes) >= known.n_people
        }

    def n_votes(self, question: tuple[int, ...]) -> int:
        """Return how many participants answered a question in standard order."""
        return len(self._votes.get(question, ()))

    def compare(self, quadruplets: AnyArray, /) -> Int8Array:
        """Return the known answers, or stop if one is missing."""
        keys = [standard_order(tuple(row)) for row in quadruplets.tolist()]
        missing = {key: None for key, _ in keys if key not in self._answers}
        if missing:
            raise _AnswersNeeded(np.array(list(missing), dtype=np.int32))
        return np.array([self._answers[key] * sign for key, sign in keys], dtype=np.int8)


def standard_order(row: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Return two pairs in standard order, and -1 if they changed sides."""
    first, second = tuple(sorted(row[:2])), tuple(sorted(row[2:]))
    return (first + second, 1) if first < second else (second + first, -1)
