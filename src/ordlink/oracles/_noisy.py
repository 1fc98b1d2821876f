"""An oracle that is wrong now and then."""

from __future__ import annotations

import numpy as np

from ordlink._typing import Int8Array, Int32Array
from ordlink.errors import InputError
from ordlink.oracles._base import BaseOracle, names_of
from ordlink.oracles._protocol import Oracle, check_answers, check_oracle


class NoisyOracle(BaseOracle):
    """Turns each answer of another oracle round, independently and with the same probability.

    Each ask is a new draw, so a repeated question may get another answer. "Can't tell" stays.

    Parameters
    ----------
    oracle : Oracle
        Gives the answers that are turned round.
    flip_probability : float
        From 0 to 1.
    seed : int or None
        Makes the draws reproducible.

    Examples
    --------
    >>> from ordlink.oracles import NoisyOracle, SimilarityOracle
    >>> truth = SimilarityOracle([[0, 5, 1], [5, 0, 1], [1, 1, 0]])
    >>> NoisyOracle(truth, 1.0).compare([[0, 1, 1, 2]])
    array([-1], dtype=int8)
    """

    def __init__(self, oracle: Oracle, flip_probability: float, seed: int | None = None) -> None:
        check_oracle(oracle)
        super().__init__(oracle.n_objects, names=names_of(oracle))
        if not 0 <= flip_probability <= 1:
            raise InputError(f"flip_probability goes from 0 to 1, got {flip_probability}.")
        self._oracle = oracle
        self._flip_probability = float(flip_probability)
        self._random = np.random.default_rng(seed)

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        answers = check_answers(self._oracle.compare(quadruplets), len(quadruplets), self._oracle)
        flip = self._random.random(len(quadruplets)) < self._flip_probability
        return np.where(flip, -answers, answers)
