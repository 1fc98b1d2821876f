"""An oracle that sees each similarity through fresh noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import Int8Array, Int32Array
from ordlink.comparisons import check_similarities
from ordlink.errors import InputError
from ordlink.oracles._base import BaseOracle, sign_of_difference


class NoisySimilarityOracle(BaseOracle):
    """Compares similarities after adding normal noise, drawn anew at each ask.

    Pairs that are nearly equally alike are confused often, very different ones hardly ever.

    Parameters
    ----------
    similarities : array_like of shape (N, N)
        Symmetric and finite; the diagonal is not used.
    noise : float
        Standard deviation of the noise on each of the two similarities.
    seed : int or None
        Makes the draws reproducible.
    names : sequence of str, optional
        One name per object.

    Examples
    --------
    >>> from ordlink.oracles import NoisySimilarityOracle
    >>> oracle = NoisySimilarityOracle([[0, 5, 1], [5, 0, 1], [1, 1, 0]], noise=0.1, seed=0)
    >>> oracle.compare([[0, 1, 1, 2]])
    array([1], dtype=int8)
    """

    def __init__(
        self,
        similarities: ArrayLike,
        noise: float,
        seed: int | None = None,
        *,
        names: Sequence[str] | None = None,
    ) -> None:
        # A copy: changing the matrix later must not change answers.
        self._similarities = check_similarities(similarities).copy()
        super().__init__(len(self._similarities), names=names)
        if not 0 <= noise < np.inf:
            raise InputError(f"noise is a standard deviation, 0 or more; got {noise}.")
        self._noise = float(noise)
        self._random = np.random.default_rng(seed)

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        i, j, k, l = quadruplets.T  # noqa: E741 - the paper's letters
        noise = self._random.normal(scale=self._noise, size=(2, len(quadruplets)))
        return sign_of_difference(
            self._similarities[i, j] + noise[0], self._similarities[k, l] + noise[1]
        )
