"""The active plans of the paper, asked of many people at once.

A method such as SL asks an oracle in batches. Here it is run on the answers that are known; where
it needs others, it stops, and the batch that it stopped at is what people are asked next. Once
these answers are there, it is run again and gets further. So nothing has to be remembered, and a
restarted server goes on where it was. Answers that do not count any more, because somebody was
excluded or withdrew, are missing like any other and are asked again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ordlink._typing import AnyArray, Int8Array, Int32Array
from ordlink.collect.samplers._drawn import DrawnQuestion
from ordlink.collect.samplers._known import Known, Sampler
from ordlink.errors import OrdlinkError
from ordlink.linkage import initial_partition
from ordlink.methods import METHODS

PLANS = ("SL", "CL", "4K-AL-act")
"""The samplers that are plans."""


def plan_sampler(method: str, **options: Any) -> Sampler:
    """Return the sampler that asks what an active method asks.

    Parameters
    ----------
    method : {"SL", "CL", "4K-AL-act"}
    **options
        Options of the method, e.g. a seed, which must be the same in every draw.
    """

    def sample(known: Known, n_questions: int, _rng: np.random.Generator) -> list[DrawnQuestion]:
        oracle = KnownAnswers(known)
        try:
            METHODS[method].run(oracle, initial_partition(known.n_objects), **options)
        except _NeedsAnswers as stopped:
            missing = [tuple(row) for row in stopped.questions.tolist()]
            new = [row for row in missing if row not in known.waiting]
            reason = f"{method} needs this answer, one of {len(missing)} at this point"
            return [
                DrawnQuestion(row, reason, known.n_people - oracle.n_votes(row))
                for row in new[:n_questions]
            ]
        return []

    return sample


class _NeedsAnswers(OrdlinkError):
    """The method cannot go on without answers to these questions."""

    def __init__(self, questions: Int32Array) -> None:
        super().__init__(f"{len(questions)} answers are needed")
        self.questions = questions


class KnownAnswers:
    """An oracle that answers by the majority of people, once as many as wanted have answered."""

    def __init__(self, known: Known) -> None:
        self.n_objects = known.n_objects
        self._votes: dict[tuple[int, ...], list[int]] = {}
        for shown, choice in known.answers:
            key, sign = _standard(shown)
            said = 0 if not choice else (sign if choice[0] == 0 else -sign)
            self._votes.setdefault(key, []).append(said)
        self._answers = {
            key: int(np.sign(sum(said)))
            for key, said in self._votes.items()
            if len(said) >= known.n_people
        }

    def n_votes(self, question: tuple[int, ...]) -> int:
        """Return how many people answered a question in standard order."""
        return len(self._votes.get(question, ()))

    def compare(self, quadruplets: AnyArray, /) -> Int8Array:
        """Return the known answers, or stop if one is missing."""
        keys = [_standard(tuple(row)) for row in quadruplets.tolist()]
        missing = {key: None for key, _ in keys if key not in self._answers}
        if missing:
            raise _NeedsAnswers(np.array(list(missing), dtype=np.int32))
        return np.array([self._answers[key] * sign for key, sign in keys], dtype=np.int8)


def _standard(row: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Return two pairs in standard order, and -1 if they changed sides."""
    first, second = tuple(sorted(row[:2])), tuple(sorted(row[2:]))
    return (first + second, 1) if first < second else (second + first, -1)
