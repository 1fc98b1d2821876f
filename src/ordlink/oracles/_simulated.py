"""Oracles that answer from similarities or a function, and oracles that err or vote."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import Int8Array, Int32Array
from ordlink._validate import Seed, check_number, check_whole_number, random_generator
from ordlink.comparisons import check_similarities
from ordlink.errors import InputError, InputKindError
from ordlink.oracles._base import BaseOracle, Oracle, WrappingOracle, ask, sign_of_difference


class SimilarityOracle(BaseOracle):
    """Answers truthfully from a similarity matrix; equal similarities are a tie.

    Parameters
    ----------
    similarities : array_like of shape (N, N)
        Symmetric and finite; the diagonal is not used.
    names : sequence of str, optional
        One name per object.

    Examples
    --------
    >>> oracle = SimilarityOracle([[0, 5, 1], [5, 0, 1], [1, 1, 0]])
    >>> oracle.compare([[0, 1, 1, 2], [0, 2, 0, 1], [0, 2, 1, 2]])
    array([ 1, -1,  0], dtype=int8)
    """

    def __init__(self, similarities: ArrayLike, *, names: Sequence[str] | None = None) -> None:
        # A copy: changing the matrix later must not change answers.
        self._similarities = check_similarities(similarities).copy()
        super().__init__(len(self._similarities), names=names)

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        i, j, k, l = quadruplets.T  # noqa: E741 - the paper's letters
        return sign_of_difference(self._similarities[i, j], self._similarities[k, l])


class NoisySimilarityOracle(SimilarityOracle):
    """Compares similarities after adding normal noise, drawn independently for every question.

    Pairs of nearly equal similarity are often confused, pairs of very different similarity rarely.

    Parameters
    ----------
    noise : float
        Standard deviation of the noise on each of the two similarities.
    similarities, names, seed
        As for :class:`SimilarityOracle`, and a random seed.
    """

    def __init__(
        self,
        similarities: ArrayLike,
        noise: float,
        seed: Seed = 0,
        *,
        names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(similarities, names=names)
        self._noise = check_number(noise, "noise", lowest=0)
        self._random = random_generator(seed)

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        i, j, k, l = quadruplets.T  # noqa: E741 - the paper's letters
        first, second = self._random.normal(scale=self._noise, size=(2, len(quadruplets)))
        known = self._similarities
        return sign_of_difference(known[i, j] + first, known[k, l] + second)


class FunctionOracle(BaseOracle):
    """Asks a function one question at a time: a model, or a person at the keyboard.

    Parameters
    ----------
    function : callable
        ``function(i, j, k, l)`` says whether i and j are more alike than k and l: True or
        False, or a number: 1, -1, or 0 for "can't tell" (None means the same). It may be a
        coroutine function; :class:`ConcurrentOracle` asks several questions at a time.
    n_objects : int
        Number of objects.
    names : sequence of str, optional
        One name per object.

    Examples
    --------
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
                f"expected a function of four objects (i, j, k, l), got {function!r}",
                parameter="function",
            )
        super().__init__(n_objects, names=names)
        self._function = function

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        answers = [self._ask_function(*row) for row in quadruplets.tolist()]
        return np.array(answers, dtype=np.int8)

    def _ask_function(self, i: int, j: int, k: int, l: int) -> int:  # noqa: E741
        answer = self._function(i, j, k, l)
        if inspect.isawaitable(answer):
            from ordlink.oracles._awaiting import wait_for

            answer = wait_for(answer)
        if isinstance(answer, (bool, np.bool_)):
            return 1 if answer else -1
        if answer is None:
            return 0
        if isinstance(answer, (int, float, np.number)) and answer in (-1, 0, 1):
            return int(answer)
        got = f"{answer!r} for the question ({i}, {j}, {k}, {l})"
        raise InputError(f"the function must answer True, False, 1, -1, 0 or None, got {got}")


class NoisyOracle(WrappingOracle):
    """Flips each answer of another oracle independently with probability `flip_probability`.

    A repeated question is drawn again and may get a different answer. "Can't tell" is kept.

    Examples
    --------
    >>> truth = SimilarityOracle([[0, 5, 1], [5, 0, 1], [1, 1, 0]])
    >>> NoisyOracle(truth, 1.0).compare([[0, 1, 1, 2]])
    array([-1], dtype=int8)
    """

    def __init__(self, oracle: Oracle, flip_probability: float, seed: Seed = 0) -> None:
        super().__init__(oracle)
        self._rate = check_number(flip_probability, "flip_probability", lowest=0, highest=1)
        self._random = random_generator(seed)

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        answers = ask(self._oracle, quadruplets)
        flip = self._random.random(len(quadruplets)) < self._rate
        return np.where(flip, -answers, answers)


class RepeatedOracle(WrappingOracle):
    """Asks another oracle each question `times` times and answers with the majority.

    If both answers are equally frequent (an odd `times` avoids that), it answers 0; "can't tell"
    is not a vote. `n_questions` counts a question once; a :class:`BudgetedOracle` around this one
    pays for each vote. An oracle that remembers, such as a :class:`RecordedOracle`, would give one
    answer `times` times: it belongs outside, and inside it is refused.

    Examples
    --------
    >>> truth = SimilarityOracle([[0, 5, 1], [5, 0, 1], [1, 1, 0]])
    >>> voting = RepeatedOracle(NoisyOracle(truth, 0.2), 25)
    >>> voting.compare([[0, 1, 1, 2]]), voting.n_questions
    (array([1], dtype=int8), 1)
    """

    def __init__(self, oracle: Oracle, times: int) -> None:
        super().__init__(oracle)
        self._times = check_whole_number(times, "times", lowest=1)
        if callable(getattr(oracle, "knows", None)) and self._times > 1:
            kind = type(oracle).__name__
            raise InputKindError(
                f"{kind} caches its answers, so all {times} votes would be the same",
                remedy=f"wrap the other way round: {kind}(RepeatedOracle(oracle, {times}), ...)",
            )

    @property
    def calls_per_question(self) -> int:
        """Number of calls of the innermost oracle per question."""
        return self._times * super().calls_per_question

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        votes = np.zeros(len(quadruplets), dtype=np.int64)
        for _ in range(self._times):
            votes += ask(self._oracle, quadruplets)
        return np.sign(votes).astype(np.int8)
