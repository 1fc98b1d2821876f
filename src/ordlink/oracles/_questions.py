"""Questions in a standard form, so that the same question is recognised however it is put.

A question asks which of two pairs is more alike. It does not matter in which order a pair's
objects or the two pairs are named; naming the pairs the other way round turns the answer's sign.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, Int8Array, Int32Array, Int64Array
from ordlink._validate import count_objects
from ordlink.errors import InputError, InputKindError

MAX_INTEGER_KEYS = 55_108
"""Largest N with N^4 < 2^63."""


@dataclass(frozen=True, eq=False)
class Questions:
    """A batch of questions in standard form.

    Attributes
    ----------
    quadruplets : ndarray of shape (m, 4), dtype int32
        Rows (i, j, k, l) with i < j, k < l and (i, j) before (k, l).
    keys : ndarray of shape (m,), dtype int64 or complex128
        One number per question, see :func:`question_keys`.
    signs : ndarray of shape (m,), dtype int8
        -1 where the pairs were named the other way round, so the answer turns its sign.
    """

    quadruplets: Int32Array
    keys: AnyArray
    signs: Int8Array

    @classmethod
    def of(cls, quadruplets: AnyArray, n_objects: int) -> Questions:
        """Check a batch and bring it into standard form.

        Raises
        ------
        InputKindError
            If the objects are not whole numbers.
        InputError
            If the shape is not (m, 4), or a row names an unknown object, a pair of an object
            with itself, or the same pair twice.
        """
        rows = _check_batch(quadruplets, n_objects)
        first = pair_codes(rows[:, 0], rows[:, 1], n_objects)
        second = pair_codes(rows[:, 2], rows[:, 3], n_objects)
        same = first == second
        if same.any():
            _refuse(rows, same, "compares a pair with itself; leave it out.")
        signs = np.where(first < second, np.int8(1), np.int8(-1))
        low, high = np.minimum(first, second), np.maximum(first, second)
        return cls(
            quadruplets=codes_to_quadruplets(low, high, n_objects),
            keys=question_keys(low, high, n_objects),
            signs=signs,
        )


def pair_codes(i: AnyArray, j: AnyArray, n_objects: int) -> Int64Array:
    """Return i * N + j for each pair, the smaller object first.

    Unlike the ids of :func:`ordlink.comparisons.pair_ids`, codes exist for any N and are undone
    by one division.
    """
    return np.minimum(i, j).astype(np.int64) * n_objects + np.maximum(i, j)


def codes_to_quadruplets(first: Int64Array, second: Int64Array, n_objects: int) -> Int32Array:
    """Return rows (i, j, k, l) of two arrays of pair codes."""
    quadruplets = np.empty((len(first), 4), dtype=np.int32)
    quadruplets[:, 0], quadruplets[:, 1] = np.divmod(first, n_objects)
    quadruplets[:, 2], quadruplets[:, 3] = np.divmod(second, n_objects)
    return quadruplets


def question_keys(low: Int64Array, high: Int64Array, n_objects: int) -> AnyArray:
    """Return one number per question, different for different questions.

    Up to N = 55,108 it is the int64 whose digits in base N are (i, j, k, l). Beyond, that number
    needs more than 63 bits; then it is the complex number low + high * 1j, which NumPy sorts and
    searches by real, then imaginary part. Both are exact in float64 for N^2 < 2^53.

    Parameters
    ----------
    low, high : ndarray of int64
        Codes of the two pairs, low < high.
    """
    if n_objects <= MAX_INTEGER_KEYS:
        return low * n_objects**2 + high
    keys = np.empty(len(low), dtype=np.complex128)
    keys.real, keys.imag = low, high
    return keys


def keys_to_codes(keys: AnyArray, n_objects: int) -> tuple[Int64Array, Int64Array]:
    """Undo :func:`question_keys`."""
    if keys.dtype.kind == "c":
        return keys.real.astype(np.int64), keys.imag.astype(np.int64)
    low, high = np.divmod(keys, n_objects**2)
    return low, high


def _check_batch(quadruplets: AnyArray, n_objects: int) -> AnyArray:
    rows = np.asarray(quadruplets)
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise InputError(
            "questions are rows (i, j, k, l), an array of shape (m, 4); "
            f"got an array of shape {rows.shape}."
        )
    if rows.dtype.kind not in "iu":
        raise InputKindError(f"objects in questions are whole numbers, got dtype {rows.dtype}.")
    if rows.size and (rows.min() < 0 or rows.max() >= n_objects):
        outside: AnyArray = np.any((rows < 0) | (rows >= n_objects), axis=1)
        _refuse(
            rows,
            outside,
            f"names an unknown object; there {count_objects(n_objects)}.",
        )
    alone = (rows[:, 0] == rows[:, 1]) | (rows[:, 2] == rows[:, 3])
    if alone.any():
        _refuse(rows, alone, "pairs an object with itself; a pair needs two different objects.")
    return rows


def _refuse(rows: AnyArray, bad: AnyArray, problem: str) -> None:
    row = int(bad.argmax())
    raise InputError(f"questions, row {row}: {tuple(rows[row].tolist())} {problem}")
