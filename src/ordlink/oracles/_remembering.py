"""Oracles that ask another oracle and remember its answers: AskOnce, BudgetedOracle."""

from __future__ import annotations

import numpy as np

from ordlink._text import counted
from ordlink._typing import AnyArray, BoolArray, Int8Array, Int32Array, Int64Array
from ordlink._validate import check_whole_number
from ordlink.comparisons import ListedComparisons, pair_ids
from ordlink.comparisons._pairs import check_pair_ids_fit
from ordlink.errors import BudgetExhaustedError
from ordlink.oracles._base import Oracle, WrappingOracle, known_to
from ordlink.oracles._questions import Questions, codes_to_quadruplets, keys_to_codes, question_keys


class RememberingOracle(WrappingOracle):
    """Asks another oracle each question once; :meth:`_ask` sees new and distinct questions only."""

    def comparisons(self) -> ListedComparisons:
        """Return what was learnt so far, sorted by question; "can't tell" is left out."""
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
    """Asks another oracle each question once; when it comes again, the answer is remembered.

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
        """Return +1, -1 or 0 as pair `first` is more alike than, less alike than, or like `second`.

        For algorithms: int64 codes i * N + j of pairs, i < j, and distinct questions, not checked.
        """
        low, high = np.minimum(first, second), np.maximum(first, second)
        keys = question_keys(low, high, self.n_objects)
        answers = self._recall_or_ask(keys, codes_to_quadruplets(low, high, self.n_objects))
        return np.where(first == low, answers, -answers)


class BudgetedOracle(RememberingOracle):
    """Passes questions on until the budget is used up.

    A question that was answered before is free, also one that the inner oracle knows already
    (its ``knows(quadruplets)`` says so, as that of :class:`RecordedOracle`). Of a batch that does
    not fit, as much as fits is still asked; then :class:`~ordlink.errors.BudgetExhaustedError`
    gives all that was learnt. With a record, inside or outside, each run asks at most `budget` new
    questions and resumes where the last one stopped.

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
        """Number of distinct new questions that are answered in all."""
        return self._budget

    @property
    def n_questions_left(self) -> int:
        """Number of new questions that will still be answered."""
        return self._budget - self._n_charged

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
            f"the budget of {counted(self._budget, 'question')} is used up; the answers so far "
            "are in this error's `comparisons`: raise the budget, or cluster them with a passive "
            "method",
            comparisons=self.comparisons(),
            n_questions=self.n_questions,
        )
