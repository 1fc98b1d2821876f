"""The oracle protocol, the base class, and oracles that remember answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from ordlink._text import counted
from ordlink._typing import AnyArray, BoolArray, Int8Array, Int32Array, Int64Array
from ordlink._validate import check_names, check_whole_number
from ordlink.comparisons import ListedComparisons, pair_ids
from ordlink.comparisons._pairs import check_pair_ids_fit
from ordlink.errors import BudgetExhaustedError, InputError, InputKindError
from ordlink.oracles._questions import (
    QuestionLog,
    Questions,
    codes_to_quadruplets,
    keys_to_codes,
    question_keys,
)


@runtime_checkable
class Oracle(Protocol):
    """Anything that answers "which of these two pairs is more alike?", in batches.

    Any object with these two members can be clustered; it need not inherit from anything. The
    objects are called 0, 1, ..., N-1.
    """

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        ...

    def compare(self, quadruplets: AnyArray, /) -> AnyArray:
        """Return the answers to a batch of questions.

        Parameters
        ----------
        quadruplets : ndarray of shape (m, 4), dtype int32
            Row (i, j, k, l) asks how the similarity of i and j compares with that of k and l.

        Returns
        -------
        ndarray of shape (m,), dtype int8
            +1 where w_ij > w_kl, -1 where w_ij < w_kl, 0 for a tie or "can't tell".
        """
        ...


def check_oracle(oracle: object) -> Oracle:
    """Return the oracle if it has `n_objects` (positive) and `compare`."""
    if not isinstance(oracle, Oracle) or not callable(oracle.compare):
        expected = "expected an oracle (an object with n_objects and compare(quadruplets))"
        remedy = "for known similarities pass oracles.SimilarityOracle(W)"
        raise InputKindError(f"{expected}, got {type(oracle).__name__}", remedy=remedy)
    check_whole_number(oracle.n_objects, "n_objects", lowest=1)
    return oracle


def ask(oracle: Oracle, quadruplets: Int32Array) -> Int8Array:
    """Return an oracle's answers as int8 after checking that they are answers."""
    return check_answers(oracle.compare(quadruplets), len(quadruplets), oracle)


def check_answers(answers: object, n_asked: int, source: object) -> Int8Array:
    """Return the answers of a source as int8, after checking that there is one per question."""
    name = type(source).__name__
    given = np.asarray(answers)
    if given.shape != (n_asked,):
        expected = f"an array of shape ({n_asked},) for {counted(n_asked, 'question')}"
        raise InputError(f"expected {expected}, got shape {given.shape}", where=name)
    if given.dtype.kind not in "iuf":
        raise InputError(f"expected the numbers -1, 0 or 1, got {given.dtype}", where=name)
    wrong = (given != 0) & (given != 1) & (given != -1)
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(f"expected -1, 0 or 1, got {given[row]}", where=f"{name}, answer {row}")
    return given.astype(np.int8, copy=False)


def known_to(oracle: Oracle, quadruplets: Int32Array) -> BoolArray:
    """Return which questions an oracle answers from memory; none if it cannot say."""
    knows = getattr(oracle, "knows", None)
    if not callable(knows):
        return np.zeros(len(quadruplets), dtype=np.bool_)
    return np.asarray(knows(quadruplets), dtype=np.bool_)


class BaseOracle(ABC):
    """An oracle that checks each batch, converts it to standard form and counts it.

    A subclass only defines :meth:`_answer`.

    Parameters
    ----------
    n_objects : int
        Number of objects.
    names : sequence of str, optional
        One name per object.
    """

    def __init__(self, n_objects: int, *, names: Sequence[str] | None = None) -> None:
        self._n_objects = check_whole_number(n_objects, "n_objects", lowest=1)
        self._names = check_names(names, self._n_objects)
        self._asked = QuestionLog()

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return self._n_objects

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the objects."""
        return self._names

    @property
    def n_questions(self) -> int:
        """Number of distinct questions so far; the order of the two pairs does not matter."""
        return len(self._asked)

    def compare(self, quadruplets: AnyArray) -> Int8Array:
        """Return the answers to a batch of questions, as :meth:`Oracle.compare` does."""
        questions = Questions.of(quadruplets, self.n_objects)
        return self._answer_questions(questions) * questions.signs

    def _answer_questions(self, questions: Questions) -> Int8Array:
        given = self._answer(questions.quadruplets)
        answers = check_answers(given, len(questions.quadruplets), self)
        self._asked.add(questions.keys, answers)
        return answers

    @abstractmethod
    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        """Answer checked questions, rows (i, j, k, l) with i < j, k < l, (i, j) before (k, l)."""

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"{kind}(n_objects={self.n_objects}, n_questions={self.n_questions})"


class WrappingOracle(BaseOracle):
    """An oracle that asks another one about the same objects."""

    def __init__(self, oracle: Oracle) -> None:
        check_oracle(oracle)
        super().__init__(oracle.n_objects, names=getattr(oracle, "names", None))
        self._oracle = oracle

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        return ask(self._oracle, quadruplets)


def sign_of_difference(first: AnyArray, second: AnyArray) -> Int8Array:
    """Return +1, -1 or 0 if the first number is larger, smaller or equal."""
    return (first > second).astype(np.int8) - (first < second).astype(np.int8)


class RememberingOracle(WrappingOracle):
    """Asks another oracle each question once; :meth:`_ask` sees new and distinct questions only."""

    def comparisons(self) -> ListedComparisons:
        """Return the answers so far, sorted by question; "can't tell" is left out."""
        check_pair_ids_fit(self.n_objects)
        keys, answers = self._asked.items()
        told = answers != 0
        codes = keys_to_codes(keys[told], self.n_objects)
        low, high = (pair_ids(*np.divmod(code, self.n_objects), self.n_objects) for code in codes)
        first_won = answers[told] > 0
        return ListedComparisons(
            n_objects=self.n_objects,
            winners=np.where(first_won, low, high),
            losers=np.where(first_won, high, low),
            names=self.names,
            distinct=True,
        )

    def knows(self, quadruplets: AnyArray) -> BoolArray:
        """Return which questions, rows as for :meth:`compare`, can be answered from memory."""
        questions = Questions.of(quadruplets, self.n_objects)
        known = self._asked.lookup(questions.keys)[1]
        return known | known_to(self._oracle, questions.quadruplets)

    def _answer_questions(self, questions: Questions) -> Int8Array:
        distinct, first, place = np.unique(questions.keys, return_index=True, return_inverse=True)
        # Questions are asked in the order of the batch, each at its first mention.
        order = np.argsort(first)
        answers = np.empty(len(distinct), dtype=np.int8)
        answers[order] = self._recall_or_ask(distinct[order], questions.quadruplets[first[order]])
        return answers[place]

    def _recall_or_ask(self, keys: AnyArray, quadruplets: Int32Array) -> Int8Array:
        """Answer questions that are in standard form and distinct."""
        answers, known = self._asked.lookup(keys)
        new = np.flatnonzero(~known)
        if len(new):
            answers[new] = self._ask(keys[new], quadruplets[new])
            self._asked.add(keys[new], answers[new])
        return answers

    def _ask(self, keys: AnyArray, quadruplets: Int32Array) -> Int8Array:
        """Get the answers to new questions; `keys` are for those that keep part of a batch."""
        return self._answer(quadruplets)


class AskOnce(RememberingOracle):
    """Asks another oracle each question once; a repeated question is answered from memory.

    Every active method puts this between itself and the oracle it is given.

    Examples
    --------
    >>> from ordlink.oracles import NoisyOracle, SimilarityOracle
    >>> coin = NoisyOracle(SimilarityOracle([[0, 1, 2], [1, 0, 3], [2, 3, 0]]), 0.5)
    >>> sure = AskOnce(coin)
    >>> bool(sure.compare([[0, 1, 0, 2]])[0] == -sure.compare([[2, 0, 0, 1]])[0])
    True
    >>> sure.n_questions
    1
    """

    def compare_pairs(self, first: Int64Array, second: Int64Array) -> Int8Array:
        """Return +1, -1 or 0 if pair `first` is more, less or equally alike compared with `second`.

        For algorithms: pairs are int64 codes i * N + j, i < j; distinct questions, not checked.
        """
        low, high = np.minimum(first, second), np.maximum(first, second)
        keys = question_keys(low, high, self.n_objects)
        answers = self._recall_or_ask(keys, codes_to_quadruplets(low, high, self.n_objects))
        return np.where(first == low, answers, -answers)


class BudgetedOracle(RememberingOracle):
    """Passes questions on until the budget is used up.

    A question that was answered before is free, as is one that the inner oracle already knows (if
    it has a method ``knows(quadruplets)`` that says so, like :class:`RecordedOracle`). If a batch
    exceeds the budget, the part that fits is still asked; then
    :class:`~ordlink.errors.BudgetExhaustedError` holds all answers so far. With a record, inside or
    outside, each run asks at most `budget` new questions and resumes where the last one stopped.

    Parameters
    ----------
    oracle : Oracle
        Answers the questions.
    budget : int
        Number of distinct new questions.

    Examples
    --------
    >>> from ordlink.oracles import SimilarityOracle
    >>> oracle = BudgetedOracle(SimilarityOracle([[0, 5, 1], [5, 0, 2], [1, 2, 0]]), budget=1)
    >>> try:
    ...     oracle.compare([[0, 2, 0, 1], [0, 1, 1, 2]])
    ... except BudgetExhaustedError as error:
    ...     print(error.n_questions, error.comparisons.quadruplets.tolist())
    1 [[0, 1, 0, 2]]
    """

    def __init__(self, oracle: Oracle, budget: int) -> None:
        super().__init__(oracle)
        self._budget = check_whole_number(budget, "budget", lowest=0)
        check_pair_ids_fit(self.n_objects)  # or what was learnt could not be given back
        self._n_charged = 0

    @property
    def budget(self) -> int:
        """Most questions that are asked."""
        return self._budget

    @property
    def n_questions_left(self) -> int:
        """Number of new questions left in the budget."""
        return self.budget - self._n_charged

    def _ask(self, keys: AnyArray, quadruplets: Int32Array) -> Int8Array:
        new = ~known_to(self._oracle, quadruplets)
        fits = ~new | (np.cumsum(new) <= self.n_questions_left)
        if fits.all():
            answers = super()._ask(keys, quadruplets)
            self._n_charged += int(new.sum())
            return answers
        if fits.any():
            self._asked.add(keys[fits], super()._ask(keys[fits], quadruplets[fits]))
            self._n_charged += int((new & fits).sum())
        raise BudgetExhaustedError(
            f"the budget of {counted(self.budget, 'question')} is used up; raise it, or cluster "
            f"the answers so far (`comparisons` of this error) with a passive method",
            comparisons=self.comparisons(),
            n_questions=self.n_questions,
        )
