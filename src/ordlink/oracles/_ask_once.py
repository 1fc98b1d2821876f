"""A memory between an algorithm and an oracle: no question is asked twice."""

from __future__ import annotations

import numpy as np

from ordlink._typing import Int8Array, Int64Array
from ordlink.oracles._questions import codes_to_quadruplets, question_keys
from ordlink.oracles._remembering import RememberingOracle


class AskOnce(RememberingOracle):
    """Asks another oracle each question once; when it comes again, the answer is remembered.

    Every active method puts this between itself and the oracle it is given.

    Parameters
    ----------
    oracle : Oracle
        Answers each question the first time.

    Examples
    --------
    >>> from ordlink.oracles import AskOnce, NoisyOracle, SimilarityOracle
    >>> coin = NoisyOracle(SimilarityOracle([[0, 1, 2], [1, 0, 3], [2, 3, 0]]), 0.5, seed=0)
    >>> sure = AskOnce(coin)
    >>> bool(sure.compare([[0, 1, 0, 2]])[0] == -sure.compare([[2, 0, 0, 1]])[0])
    True
    >>> sure.n_questions
    1
    """

    def compare_pairs(self, first: Int64Array, second: Int64Array) -> Int8Array:
        """Return +1, -1 or 0 as pair `first` is more alike than, less alike than, or like `second`.

        For algorithms: pairs come as codes i * N + j with i < j, and are not checked.

        Parameters
        ----------
        first, second : ndarray of shape (m,), dtype int64
            Codes of the two pairs of each question; they differ, and so do the questions.
        """
        low, high = np.minimum(first, second), np.maximum(first, second)
        keys = question_keys(low, high, self.n_objects)
        answers = self._recall_or_ask(keys, codes_to_quadruplets(low, high, self.n_objects))
        return np.where(first == low, answers, -answers)
