"""An oracle that knows all similarities."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from ordlink._typing import Int8Array, Int32Array
from ordlink.comparisons import check_similarities
from ordlink.oracles._base import BaseOracle, sign_of_difference


class SimilarityOracle(BaseOracle):
    """Answers truthfully from a similarity matrix; equal similarities are a tie.

    Parameters
    ----------
    similarities : array_like of shape (N, N)
        Symmetric and finite; the diagonal is not used.
    names : sequence of str, optional
        One name per object.

    Raises
    ------
    InputError, InputKindError
        If the matrix is not square, finite and symmetric; the first wrong entry is named.

    Examples
    --------
    >>> from ordlink.oracles import SimilarityOracle
    >>> oracle = SimilarityOracle([[0, 5, 1], [5, 0, 1], [1, 1, 0]])
    >>> oracle.compare([[0, 1, 1, 2], [0, 2, 0, 1], [0, 2, 1, 2]])
    array([ 1, -1,  0], dtype=int8)
    >>> oracle.n_questions
    3
    """

    def __init__(self, similarities: ArrayLike, *, names: Sequence[str] | None = None) -> None:
        # A copy: changing the matrix later must not change answers.
        self._similarities = check_similarities(similarities).copy()
        super().__init__(len(self._similarities), names=names)

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        i, j, k, l = quadruplets.T  # noqa: E741 - the paper's letters
        return sign_of_difference(self._similarities[i, j], self._similarities[k, l])
