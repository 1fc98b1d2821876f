"""What all oracles of the package share: checks, standard form, counting."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ordlink._typing import AnyArray, Int8Array, Int32Array
from ordlink._validate import check_names
from ordlink.comparisons._pairs import check_n_objects
from ordlink.oracles._protocol import Oracle, check_answers
from ordlink.oracles._question_log import QuestionLog
from ordlink.oracles._questions import Questions


class BaseOracle(ABC):
    """An oracle that checks each batch, brings it into standard form and counts it.

    A subclass writes :meth:`_answer` alone.

    Parameters
    ----------
    n_objects : int
        Number of objects.
    names : sequence of str, optional
        One name per object.

    Attributes
    ----------
    n_objects : int
    names : tuple of str, or None
    n_questions : int
    """

    def __init__(self, n_objects: int, *, names: Sequence[str] | None = None) -> None:
        self._n_objects = check_n_objects(n_objects)
        self._names = check_names(names, self._n_objects)
        self._asked = QuestionLog()

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return self._n_objects

    @property
    def names(self) -> tuple[str, ...] | None:
        """One name per object, or None."""
        return self._names

    @property
    def n_questions(self) -> int:
        """Number of distinct questions so far, whichever way round they were put."""
        return len(self._asked)

    def compare(self, quadruplets: AnyArray) -> Int8Array:
        """Return the answers to a batch of questions.

        Parameters
        ----------
        quadruplets : ndarray of int of shape (m, 4)
            Row (i, j, k, l) asks how the similarity of i and j compares with that of k and l.

        Returns
        -------
        ndarray of shape (m,), dtype int8
            +1 where w_ij > w_kl, -1 where w_ij < w_kl, 0 for a tie or "can't tell".

        Raises
        ------
        InputError, InputKindError
            If a row is not a question about two different pairs of known objects.
        """
        questions = Questions.of(quadruplets, self.n_objects)
        return self._answer_questions(questions) * questions.signs

    def _answer_questions(self, questions: Questions) -> Int8Array:
        answers = check_answers(
            self._answer(questions.quadruplets), len(questions.quadruplets), self
        )
        self._asked.add(questions.keys, answers)
        return answers

    @abstractmethod
    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        """Answer checked questions, rows (i, j, k, l) with i < j, k < l, (i, j) before (k, l)."""

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"{kind}(n_objects={self.n_objects}, n_questions={self.n_questions})"


def names_of(oracle: Oracle) -> tuple[str, ...] | None:
    """Return the names of an oracle's objects, if it has any."""
    return check_names(getattr(oracle, "names", None), int(oracle.n_objects))


def sign_of_difference(first: AnyArray, second: AnyArray) -> Int8Array:
    """Return +1, -1 or 0 as the first number is larger, smaller or equal."""
    return (first > second).astype(np.int8) - (first < second).astype(np.int8)
