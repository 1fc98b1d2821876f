"""An oracle made of a function that answers one question at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ordlink._typing import Int8Array, Int32Array
from ordlink.errors import InputError, InputKindError
from ordlink.oracles._base import BaseOracle


class FunctionOracle(BaseOracle):
    """Asks a function one question at a time: a model, a person at the keyboard.

    Parameters
    ----------
    function : callable
        ``function(i, j, k, l)`` says whether i and j are more alike than k and l: True or
        False, or a number: 1, -1, or 0 for "can't tell" (None means the same).
    n_objects : int
        Number of objects.
    names : sequence of str, optional
        One name per object.

    Examples
    --------
    >>> from ordlink.oracles import FunctionOracle
    >>> position = [0.0, 0.1, 1.0, 1.3]
    >>> def closer(i, j, k, l):
    ...     return abs(position[i] - position[j]) < abs(position[k] - position[l])
    >>> FunctionOracle(closer, 4).compare([[0, 1, 2, 3], [0, 3, 1, 2]])
    array([ 1, -1], dtype=int8)
    """

    def __init__(
        self,
        function: Callable[[int, int, int, int], object],
        n_objects: int,
        *,
        names: Sequence[str] | None = None,
    ) -> None:
        if not callable(function):
            raise InputKindError(
                f"expected a function of four objects (i, j, k, l), got {function!r}."
            )
        super().__init__(n_objects, names=names)
        self._function = function

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        answers = [self._ask_function(*row) for row in quadruplets.tolist()]
        return np.array(answers, dtype=np.int8)

    def _ask_function(self, i: int, j: int, k: int, l: int) -> int:  # noqa: E741
        answer = self._function(i, j, k, l)
        if isinstance(answer, (bool, np.bool_)):
            return 1 if answer else -1
        if answer is None:
            return 0
        if isinstance(answer, (int, float, np.number)) and answer in (-1, 0, 1):
            return int(answer)
        raise InputError(
            f"the function must answer True, False, 1, -1, 0 or None, got {answer!r} "
            f"for the question ({i}, {j}, {k}, {l})."
        )
