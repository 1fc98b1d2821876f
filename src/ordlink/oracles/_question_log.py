"""A memory of questions and their answers that grows batch by batch."""

from __future__ import annotations

import numpy as np

from ordlink._typing import AnyArray, BoolArray, Int8Array

FREE = -1
"""Stands in a slot of the table that holds no key; keys are not negative."""
SMALLEST_TABLE = 1 << 8
KEYS_AT_ONCE = 1 << 18
"""Keys that move together into a larger table: what is needed besides the table stays small."""
# Odd constants with well mixed bits: 2^64 divided by the golden ratio, and another of the kind.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_IMAGINARY = np.uint64(0xC2B2AE3D27D4EB4F)


class QuestionLog:
    """Which questions were asked, and what was answered.

    A hash table with open addressing, at most half full, that is searched and filled by whole
    batches: each round looks at one slot per key that is not settled yet. Whole keys are kept
    and compared, so a question is never mistaken for another. It takes 18 to 36 bytes per
    question, about twice that for more than 55,108 objects.

    Examples
    --------
    >>> log = QuestionLog()
    >>> log.add(np.array([7, 3]), np.array([1, -1], dtype=np.int8))
    >>> log.lookup(np.array([3, 4]))
    (array([-1,  0], dtype=int8), array([ True, False]))
    >>> len(log)
    2
    """

    def __init__(self) -> None:
        self._keys: AnyArray = np.full(SMALLEST_TABLE, FREE, dtype=np.int64)
        self._answers = np.zeros(SMALLEST_TABLE, dtype=np.int8)
        self._n_keys = 0

    def __len__(self) -> int:
        return self._n_keys

    def lookup(self, keys: AnyArray) -> tuple[Int8Array, BoolArray]:
        """Return the answers, 0 where there is none, and whether there is one.

        Parameters
        ----------
        keys : ndarray of shape (m,), dtype int64 or complex128
            See :func:`question_keys`.
        """
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
        size = len(self._keys)
        while size < 4 * (self._n_keys + n_more):
            size *= 2
        del used
        self._keys = np.empty(0, dtype=dtype)  # the old table goes before the new one is made
        self._keys = np.full(size, FREE, dtype=dtype)
        self._answers = np.zeros(size, dtype=np.int8)
        self._n_keys = 0
        for start in range(0, len(keys), KEYS_AT_ONCE):
            some = slice(start, start + KEYS_AT_ONCE)
            self.add(keys[some], answers[some])
