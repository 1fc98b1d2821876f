"""What the oracles share that ask another oracle and remember its answers."""

from __future__ import annotations

import numpy as np

from ordlink._typing import AnyArray, BoolArray, Int8Array, Int32Array
from ordlink.comparisons import ListedComparisons, pair_ids
from ordlink.comparisons._pairs import check_pair_ids_fit
from ordlink.oracles._base import BaseOracle, names_of
from ordlink.oracles._protocol import Oracle, check_answers, check_oracle
from ordlink.oracles._questions import Questions, keys_to_codes


class RememberingOracle(BaseOracle):
    """An oracle that asks another one each question once and answers the rest from memory.

    A subclass may overwrite :meth:`_ask`, which sees new and distinct questions only.
    """

    def __init__(self, oracle: Oracle) -> None:
        check_oracle(oracle)
        super().__init__(oracle.n_objects, names=names_of(oracle))
        self._oracle = oracle

    def comparisons(self) -> ListedComparisons:
        """Return what was learnt so far, sorted by question; "can't tell" is left out.

        Raises
        ------
        InputError
            If there are more than 65,535 objects.
        """
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
        """Return which questions are answered from memory, without asking anybody anew.

        Parameters
        ----------
        quadruplets : ndarray of int of shape (m, 4)
            As for :meth:`compare`.

        Returns
        -------
        ndarray of shape (m,), dtype bool
        """
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

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        answers = self._oracle.compare(quadruplets)
        return check_answers(answers, len(quadruplets), self._oracle)


def known_to(oracle: Oracle, quadruplets: Int32Array) -> BoolArray:
    """Return which questions an oracle answers from memory; none if it cannot say."""
    knows = getattr(oracle, "knows", None)
    if not callable(knows):
        return np.zeros(len(quadruplets), dtype=np.bool_)
    return np.asarray(knows(quadruplets), dtype=np.bool_)
