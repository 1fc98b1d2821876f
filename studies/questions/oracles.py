"""The planted model as an oracle that keeps no similarities: for any number of objects."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from ordlink._typing import AnyArray, FloatArray, Int8Array
from ordlink._validate import random_generator
from ordlink.oracles._questions import pair_codes

_ODD = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)


class PlantedOracle:
    """Answers from the balanced planted model; the noise of a pair is a function of the pair.

    Objects are shuffled; `levels` has the true partitions. It counts the questions and does not
    remember them.
    """

    def __init__(
        self, n_objects: int, gap: float, *, depth: int = 3, error_rate: float = 0.0, seed: int = 0
    ) -> None:
        self.n_objects, self.n_questions, self.n_rounds = n_objects, 0, 0
        self._gap, self._depth, self._error_rate = gap, depth, error_rate
        self._random = random_generator(seed)
        self._salt = self._random.integers(1, 2**62, dtype=np.uint64)
        place = self._random.permutation(n_objects)
        self.levels = np.array([place * 2**level // n_objects for level in range(1, depth + 1)])

    def compare(self, quadruplets: AnyArray) -> Int8Array:
        """Return the answers to a batch of questions."""
        self.n_questions += len(quadruplets)
        self.n_rounds += 1
        i, j, k, l = quadruplets.T  # noqa: E741
        answers = np.sign(self._similarities(i, j) - self._similarities(k, l)).astype(np.int8)
        flip = self._random.random(len(answers)) < self._error_rate
        return np.where(flip, -answers, answers)

    def _similarities(self, i: AnyArray, j: AnyArray) -> FloatArray:
        """Return gap times the level where two objects meet, plus standard normal noise."""
        level = (self.levels[:, i] == self.levels[:, j]).sum(axis=0)
        bits = pair_codes(i, j, self.n_objects).astype(np.uint64) + self._salt
        for factor, shift in zip(_ODD, _SHIFTS, strict=False):
            bits = (bits ^ (bits >> shift)) * factor
        bits ^= bits >> _SHIFTS[2]
        uniform = ((bits >> np.uint64(12)).astype(np.float64) + 0.5) / 2.0**52
        return self._gap * level + ndtri(uniform)
