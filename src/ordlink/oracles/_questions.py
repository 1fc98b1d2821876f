"""Questions in standard form, and a log of those already asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, BoolArray, Int8Array, Int32Array, Int64Array
from ordlink._validate import count_objects
from ordlink.errors import InputError, InputKindError

MAX_INTEGER_KEYS = 55_108
"""Largest N with N^4 < 2^63."""
FREE = -1
"""Stands in a slot of the table that holds no key; keys are not negative."""
SMALLEST_TABLE = 1 << 8
KEYS_AT_ONCE = 1 << 18
"""Keys that move together into a larger table: what is needed besides the table stays small."""
# Odd constants with well mixed bits: 2^64 divided by the golden ratio, and another of the kind.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_IMAGINARY = np.uint64(0xC2B2AE3D27D4EB4F)


@dataclass(frozen=True, eq=False)
class Questions:
    """A batch of questions in standard form: rows (i, j, k, l), i < j, k < l, (i, j) before (k, l).

    `signs` are -1 where the pairs were named in the other order, which flips the answer.
    """

    quadruplets: Int32Array
    keys: AnyArray
    signs: Int8Array

    @classmethod
    def of(cls, quadruplets: AnyArray, n_objects: int) -> Questions:
        """Check a batch and convert it to standard form."""
        rows = _check_batch(quadruplets, n_objects)
        first = pair_codes(rows[:, 0], rows[:, 1], n_objects)
        second = pair_codes(rows[:, 2], rows[:, 3], n_objects)
        same = first == second
        if same.any():
            _refuse(rows, same, "compares a pair with itself", "leave it out")
        signs = np.where(first < second, np.int8(1), np.int8(-1))
        low, high = np.minimum(first, second), np.maximum(first, second)
        keys = question_keys(low, high, n_objects)
        return cls(codes_to_quadruplets(low, high, n_objects), keys, signs)


def pair_codes(i: AnyArray, j: AnyArray, n_objects: int) -> Int64Array:
    """Return i * N + j for each pair, the smaller object first; unlike pair ids, for any N."""
    return np.minimum(i, j).astype(np.int64) * n_objects + np.maximum(i, j)


def codes_to_quadruplets(first: Int64Array, second: Int64Array, n_objects: int) -> Int32Array:
    """Return rows (i, j, k, l) of two arrays of pair codes."""
    quadruplets = np.empty((len(first), 4), dtype=np.int32)
    quadruplets[:, 0], quadruplets[:, 1] = np.divmod(first, n_objects)
    quadruplets[:, 2], quadruplets[:, 3] = np.divmod(second, n_objects)
    return quadruplets


def question_keys(low: Int64Array, high: Int64Array, n_objects: int) -> AnyArray:
    """Return a distinct number for each question, given by two pair codes low < high.

    Up to N = 55,108 it is the int64 whose digits in base N are (i, j, k, l). Beyond, that number
    needs more than 63 bits; then it is the complex number low + high * 1j, which NumPy sorts and
    searches by real, then imaginary part. Both are exact in float64 for N^2 < 2^53.
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
    return np.divmod(keys, n_objects**2)


class QuestionLog:
    """The questions asked so far, with their answers.

    A hash table with open addressing, at most half full, that is searched and filled by whole
    batches: each round probes one slot for each key that is not placed yet. It takes 18 to 36
    bytes per question, about twice that for more than 55,108 objects.
    """

    def __init__(self) -> None:
        self._keys: AnyArray = np.full(SMALLEST_TABLE, FREE, dtype=np.int64)
        self._answers = np.zeros(SMALLEST_TABLE, dtype=np.int8)
        self._n_keys = 0

    def __len__(self) -> int:
        return self._n_keys

    def lookup(self, keys: AnyArray) -> tuple[Int8Array, BoolArray]:
        """Return the answers (0 where unknown) and which are known."""
        slots = self._first_slots(keys)
        there = self._keys[slots]
        known = there == keys
        search = np.flatnonzero(~known & (there != FREE))
        while len(search):
            slots[search] = (slots[search] + 1) % len(self._keys)
            there = self._keys[slots[search]]
            known[search] = there == keys[search]
            search = search[~known[search] & (there != FREE)]
        return np.where(known, self._answers[slots], np.int8(0)), known

    def add(self, keys: AnyArray, answers: Int8Array) -> None:
        """Add answers; the first answer to a question stays."""
        if 2 * (self._n_keys + len(keys)) > len(self._keys) or keys.dtype != self._keys.dtype:
            self._make_room(len(keys), keys.dtype)
        slots = self._first_slots(keys)
        search = np.arange(len(keys))
        while len(search):
            there = self._keys[slots[search]]
            # Of several keys that come to the same free slot, the first one gets it: each
            # leaves its number, last to first, and the one whose number stays moves in.
            comers = search[there == FREE]
            self._keys[slots[comers[::-1]]] = FREE - 1 - comers[::-1]
            settled = comers[self._keys[slots[comers]] == FREE - 1 - comers]
            self._keys[slots[settled]] = keys[settled]
            self._answers[slots[settled]] = answers[settled]
            self._n_keys += len(settled)
            there = self._keys[slots[search]]
            search = search[there != keys[search]]
            slots[search] = (slots[search] + 1) % len(self._keys)

    def items(self) -> tuple[AnyArray, Int8Array]:
        """Return all keys in increasing order and their answers."""
        used = np.flatnonzero(self._keys != FREE)
        used = used[np.argsort(self._keys[used])]
        return self._keys[used], self._answers[used]

    def _first_slots(self, keys: AnyArray) -> AnyArray:
        if keys.dtype.kind == "c":
            mixed = keys.real.astype(np.uint64) * _MULTIPLIER
            mixed ^= (keys.imag.astype(np.uint64) * _MULTIPLIER_IMAGINARY) >> np.uint64(1)
            mixed *= _MULTIPLIER
        else:
            mixed = keys.astype(np.uint64) * _MULTIPLIER
        n_bits = len(self._keys).bit_length() - 1
        return (mixed >> np.uint64(64 - n_bits)).astype(np.intp)

    def _make_room(self, n_more: int, dtype: np.dtype) -> None:
        used = self._keys != FREE
        keys, answers = self._keys[used].astype(dtype), self._answers[used]
        size = max(len(used), 1 << (4 * (self._n_keys + n_more) - 1).bit_length())
        del used
        self._keys = np.empty(0, dtype=dtype)  # the old table goes before the new one is made
        self._keys = np.full(size, FREE, dtype=dtype)
        self._answers = np.zeros(size, dtype=np.int8)
        self._n_keys = 0
        for start in range(0, len(keys), KEYS_AT_ONCE):
            some = slice(start, start + KEYS_AT_ONCE)
            self.add(keys[some], answers[some])


def _check_batch(quadruplets: AnyArray, n_objects: int) -> AnyArray:
    rows = np.asarray(quadruplets)
    if rows.ndim != 2 or rows.shape[1] != 4:
        problem = f"expected rows (i, j, k, l), an array of shape (m, 4), got shape {rows.shape}"
        raise InputError(problem, where="questions")
    if rows.dtype.kind not in "iu":
        raise InputKindError(f"expected whole numbers, got dtype {rows.dtype}", where="questions")
    if rows.size and (rows.min() < 0 or rows.max() >= n_objects):
        outside: AnyArray = np.any((rows < 0) | (rows >= n_objects), axis=1)
        _refuse(rows, outside, f"names an unknown object; there {count_objects(n_objects)}")
    alone = (rows[:, 0] == rows[:, 1]) | (rows[:, 2] == rows[:, 3])
    if alone.any():
        _refuse(rows, alone, "pairs an object with itself", "a pair needs two different objects")
    return rows


def _refuse(rows: AnyArray, bad: AnyArray, problem: str, remedy: str | None = None) -> None:
    row = int(bad.argmax())
    raise InputError(
        f"{tuple(rows[row].tolist())} {problem}", where=f"questions, row {row}", remedy=remedy
    )
