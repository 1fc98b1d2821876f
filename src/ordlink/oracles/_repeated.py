"""An oracle that asks several times and takes the majority."""

from __future__ import annotations

import numpy as np

from ordlink._typing import Int8Array, Int32Array
from ordlink.errors import InputError
from ordlink.oracles._base import BaseOracle, names_of
from ordlink.oracles._protocol import Oracle, check_answers, check_oracle


class RepeatedOracle(BaseOracle):
    """Asks another oracle each question several times and answers with the majority.

    Where both answers were given equally often, it answers 0; "can't tell" is no vote. However
    often it is asked, a question counts once.

    Parameters
    ----------
    oracle : Oracle
        Is asked `times` times, usually a noisy one.
    times : int
        How often; odd numbers avoid draws.

    Examples
    --------
    >>> from ordlink.oracles import NoisyOracle, RepeatedOracle, SimilarityOracle
    >>> truth = SimilarityOracle([[0, 5, 1], [5, 0, 1], [1, 1, 0]])
    >>> voting = RepeatedOracle(NoisyOracle(truth, 0.2, seed=0), 25)
    >>> voting.compare([[0, 1, 1, 2]]), voting.n_questions
    (array([1], dtype=int8), 1)
    """

    def __init__(self, oracle: Oracle, times: int) -> None:
        check_oracle(oracle)
        super().__init__(oracle.n_objects, names=names_of(oracle))
        if isinstance(times, bool) or not isinstance(times, (int, np.integer)) or times < 1:
            raise InputError(f"times is a whole number from 1 up, got {times!r}.")
        self._oracle = oracle
        self._times = int(times)

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        votes = np.zeros(len(quadruplets), dtype=np.int64)
        for _ in range(self._times):
            votes += check_answers(self._oracle.compare(quadruplets), len(votes), self._oracle)
        return np.sign(votes).astype(np.int8)
