"""Oracles that remember: nothing is asked twice, and a budget limits what is asked."""

from __future__ import annotations

import numpy as np

from ordlink._text import counted
from ordlink._typing import AnyArray, BoolArray, Int8Array, Int32Array, Int64Array
from ordlink._validate import check_whole_number
from ordlink.comparisons import ListedComparisons, pair_ids
from ordlink.errors import BudgetExhaustedError
from ordlink.oracles._base import Oracle, Parts, WrappingOracle, ask_in_parts, known_to
from ordlink.oracles._questions import (
    Questions,
    codes_to_quadruplets,
    keys_to_codes,
    question_keys,
)


class RememberingOracle(WrappingOracle):
    """Asks another oracle each question once; :meth:`_ask` sees new and distinct questions only."""

    def comparisons(self) -> ListedComparisons:
        """Return the answers so far, sorted by question; "can't tell" is left out."""
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
        for rows, given in self._ask_new(keys[new], quadruplets[new]):
            answers[new[rows]] = given
        return answers

    def answers_in_parts(self, quadruplets: Int32Array) -> Parts:
        """Yield the answers to distinct questions in standard form as they arrive."""
        keys = Questions.of(quadruplets, self.n_objects).keys
        answers, known = self._asked.lookup(keys)
        if known.any():
            yield np.flatnonzero(known), answers[known]
        new = np.flatnonzero(~known)
        for rows, given in self._ask_new(keys[new], quadruplets[new]):
            yield new[rows], given

    def _ask_new(self, keys: AnyArray, quadruplets: Int32Array) -> Parts:
        """Yield the answers to new questions and remember each part, whatever comes after it."""
        if not len(keys):
            return
        for rows, answers in self._ask(quadruplets):
            self._asked.add(keys[rows], answers)
            yield rows, answers

    def _ask(self, quadruplets: Int32Array) -> Parts:
        return ask_in_parts(self._oracle, quadruplets)


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
    it has a method ``knows(quadruplets)`` that says so, like :class:`RecordedOracle`). A question
    that a :class:`RepeatedOracle` inside asks five times counts five times. If a batch exceeds the
    budget, the part that fits is still asked; then :class:`~ordlink.errors.BudgetExhaustedError`
    holds all answers so far (:func:`ordlink.cluster` builds a tree of them). With a record, inside
    or outside, each run asks at most `budget` new questions and resumes where the last one stopped.

    Parameters
    ----------
    oracle : Oracle
        Answers the questions.
    budget : int
        Number of answers to pay for: distinct new questions, times the votes on each.

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
        self._n_charged = 0

    @property
    def budget(self) -> int:
        """Maximum number of answers to pay for."""
        return self._budget

    @property
    def n_questions_left(self) -> int:
        """Number of new questions that the remaining budget pays for."""
        return (self.budget - self._n_charged) // self.calls_per_question

    def _ask(self, quadruplets: Int32Array) -> Parts:
        new = ~known_to(self._oracle, quadruplets)
        fits = np.flatnonzero(~new | (np.cumsum(new) <= self.n_questions_left))
        for rows, answers in super()._ask(quadruplets[fits]):
            self._n_charged += self.calls_per_question * int(new[fits[rows]].sum())
            yield fits[rows], answers
        if len(fits) == len(quadruplets):
            return
        raise BudgetExhaustedError(
            f"the budget of {counted(self.budget, 'question')} is used up; raise it, or cluster "
            f"the answers so far (`comparisons` of this error) with a passive method",
            comparisons=self.comparisons(),
            n_questions=self.n_questions,
        )
