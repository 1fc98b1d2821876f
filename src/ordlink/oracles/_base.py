"""What an oracle is, and what all oracles of the package share: checks, standard form, counting."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from ordlink._text import counted
from ordlink._typing import AnyArray, BoolArray, Int8Array, Int32Array
from ordlink._validate import check_names, check_whole_number
from ordlink.errors import InputError, InputKindError
from ordlink.oracles._questions import QuestionLog, Questions


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
        raise InputKindError(
            "expected an oracle (an object with n_objects and compare(quadruplets)), got "
            f"{type(oracle).__name__}",
            remedy="for known similarities pass oracles.SimilarityOracle(W)",
        )
    check_whole_number(oracle.n_objects, "n_objects", lowest=1)
    return oracle


def ask(oracle: Oracle, quadruplets: Int32Array) -> Int8Array:
    """Return an oracle's answers as int8 after checking that they are answers."""
    return check_answers(oracle.compare(quadruplets), len(quadruplets), oracle)


def check_answers(answers: object, n_asked: int, source: object) -> Int8Array:
    """Return the answers that `source` gave to so many questions as int8, after checking them."""
    name = type(source).__name__
    given = np.asarray(answers)
    if given.shape != (n_asked,):
        raise InputError(
            f"expected an array of shape ({n_asked},) for {counted(n_asked, 'question')}, got "
            f"shape {given.shape}",
            where=name,
        )
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
    """An oracle that checks each batch, brings it into standard form and counts it.

    A subclass defines :meth:`_answer` alone.

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
        """One name per object, or None."""
        return self._names

    @property
    def n_questions(self) -> int:
        """Number of distinct questions so far, whichever way round they were put."""
        return len(self._asked)

    def compare(self, quadruplets: AnyArray) -> Int8Array:
        """Return the answers to a batch of questions, as :meth:`Oracle.compare` describes them."""
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


class WrappingOracle(BaseOracle):
    """An oracle that asks another one about the same objects."""

    def __init__(self, oracle: Oracle) -> None:
        check_oracle(oracle)
        super().__init__(oracle.n_objects, names=getattr(oracle, "names", None))
        self._oracle = oracle

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        return ask(self._oracle, quadruplets)


def sign_of_difference(first: AnyArray, second: AnyArray) -> Int8Array:
    """Return +1, -1 or 0 as the first number is larger, smaller or equal."""
    return (first > second).astype(np.int8) - (first < second).astype(np.int8)
