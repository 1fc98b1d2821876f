"""Repeated questions: the noise-robust form of SL and CL."""

from __future__ import annotations

import numpy as np

from ordlink._typing import Int8Array, Int32Array, Int64Array
from ordlink._validate import check_whole_number
from ordlink.errors import InputKindError
from ordlink.oracles import AskOnce, Oracle
from ordlink.oracles._base import Parts, ask

MOST_REPEATS = 25  # times `votes`, after which the answer that leads is taken


class AskUntilLead(AskOnce):
    """Repeats each question until one answer leads by `votes` (a sequential test).

    With a share q of wrong answers, q < 1/2, a decision is wrong with probability
    1 / (1 + ((1 - q) / q) ** votes) and takes less than votes / (1 - 2 q) answers on average: at
    q = 0.05, three votes are wrong once in 6,900 decisions, for 3.3 answers each. "Can't tell" is
    not a vote; after 0 `votes` times in a row the answer is 0. An oracle that caches its answers
    is refused.
    """

    def __init__(self, oracle: Oracle, votes: int) -> None:
        super().__init__(oracle)
        self._votes = check_whole_number(votes, "votes", lowest=1)
        if self._votes > 1 and callable(getattr(oracle, "knows", None)):
            raise InputKindError(
                f"{type(oracle).__name__} caches its answers, so all votes would be equal",
                parameter="votes",
                remedy="pass an oracle without a cache",
            )

    def _ask(self, quadruplets: Int32Array) -> Parts:
        yield np.arange(len(quadruplets)), self._vote(quadruplets)

    def _vote(self, quadruplets: Int32Array) -> Int8Array:
        lead = np.zeros(len(quadruplets), dtype=np.int64)
        silent = np.ones(len(quadruplets), dtype=np.bool_)  # only 0 so far
        n_asked = 0
        waiting: Int64Array = np.arange(len(quadruplets))
        while len(waiting) and n_asked < MOST_REPEATS * self._votes:
            answers = ask(self._oracle, quadruplets[waiting])
            lead[waiting] += answers
            silent[waiting] &= answers == 0
            n_asked += 1
            decided = np.abs(lead[waiting]) >= self._votes
            waiting = waiting[~(decided | (silent[waiting] & (n_asked >= self._votes)))]
        return np.sign(lead).astype(np.int8)
