"""What an oracle is, and checks of what one gives."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from ordlink._typing import AnyArray, Int8Array
from ordlink.comparisons._pairs import check_n_objects
from ordlink.errors import InputError, InputKindError


@runtime_checkable
class Oracle(Protocol):
    """Anything that answers "which of these two pairs is more alike?", in batches.

    Any object with these two members can be clustered; it need not inherit from anything.

    Attributes
    ----------
    n_objects : int
        Number of objects N; they are called 0, 1, ..., N-1.
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
    """Return the oracle if it is one.

    Raises
    ------
    InputKindError
        If `n_objects` or `compare` is missing or of the wrong kind.
    InputError
        If the number of objects is not positive.
    """
    if not isinstance(oracle, Oracle) or not callable(oracle.compare):
        raise InputKindError(
            "expected an oracle (an object with n_objects and compare(quadruplets)), got "
            f"{type(oracle).__name__}; for known similarities pass oracles.SimilarityOracle(W)."
        )
    check_n_objects(oracle.n_objects)
    return oracle


def check_answers(answers: object, n_asked: int, source: object) -> Int8Array:
    """Return the answers of an oracle as int8 after checking that they are answers.

    Parameters
    ----------
    answers : object
        What the oracle returned.
    n_asked : int
        Number of questions in the batch.
    source : object
        The oracle, for the message.

    Raises
    ------
    InputError
        If there are more or fewer answers than questions, or one is not -1, 0 or 1.
    """
    name = type(source).__name__
    given = np.asarray(answers)
    if given.shape != (n_asked,):
        raise InputError(
            f"{name} was asked {n_asked} questions and must return an array of shape "
            f"({n_asked},), got shape {given.shape}."
        )
    if given.dtype.kind not in "iuf":
        raise InputError(f"{name} must answer with the numbers -1, 0 or 1, got {given.dtype}.")
    wrong = (given != 0) & (given != 1) & (given != -1)
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(f"{name}, answer {row}: expected -1, 0 or 1, got {given[row]}.")
    return given.astype(np.int8, copy=False)
