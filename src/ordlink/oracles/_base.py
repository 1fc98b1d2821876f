"""The oracle protocol, the base class, and how oracles pass answers on."""

from __future__ import annotations

import inspect
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from ordlink._text import counted
from ordlink._typing import AnyArray, BoolArray, Int8Array, Int32Array, Int64Array
from ordlink._validate import check_names, check_whole_number
from ordlink.errors import InputError, InputKindError
from ordlink.oracles._questions import QuestionLog, Questions

Parts: TypeAlias = Iterator[tuple[Int64Array | slice, Int8Array]]
"""Answers as they arrive: rows of the batch, and the answers to them."""
COUNTING = threading.Lock()  # of all oracles: one of each would keep them from being pickled


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
        """Return the answers to a batch of questions; may be a coroutine (``async def``).

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


def ask_in_parts(oracle: Oracle, quadruplets: Int32Array) -> Parts:
    """Yield an oracle's answers to distinct questions in standard form as soon as they arrive.

    An oracle that does not have them before the whole batch is answered gives a single part.
    """
    in_parts = getattr(oracle, "answers_in_parts", None)
    if callable(in_parts):
        yield from in_parts(quadruplets)
    elif len(quadruplets):
        yield slice(None), ask(oracle, quadruplets)


def check_answers(answers: object, n_asked: int, source: object) -> Int8Array:
    """Return the answers of a source as int8, after checking that there is one per question."""
    name = type(source).__name__
    if inspect.isawaitable(answers):
        from ordlink.oracles._awaiting import wait_for

        answers = wait_for(answers)
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
        with COUNTING:  # several threads may ask
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

    @property
    def calls_per_question(self) -> int:
        """Number of calls of the innermost oracle per question; more than 1 for votes."""
        return int(getattr(self._oracle, "calls_per_question", 1))

    @property
    def source(self) -> str | None:
        """What the answers come from, such as a model; None if the oracle does not say."""
        source = getattr(self._oracle, "source", None)
        return source if isinstance(source, str) else None

    def _answer(self, quadruplets: Int32Array) -> Int8Array:
        return ask(self._oracle, quadruplets)


def sign_of_difference(first: AnyArray, second: AnyArray) -> Int8Array:
    """Return +1, -1 or 0 if the first number is larger, smaller or equal."""
    return (first > second).astype(np.int8) - (first < second).astype(np.int8)
