"""Rows of the matrix A as bits, for products of rows sixty-four entries at a time.

Row e is two rows of words: which comparisons with e are known, and in which of them e is beaten.
"""

from __future__ import annotations

import numpy as np

from ordlink._kernels import count_bits, kernel
from ordlink._typing import AnyArray, Int32Array, Int64Array


@kernel
def set_bits(
    first: int,
    last: int,
    starts: Int64Array,
    splits: Int64Array,
    rows: AnyArray,
    known: AnyArray,
    beaten: AnyArray,
) -> None:
    """Write the bits of rows first..last-1; column f of A is, up to the sign, row f.

    `known` and `beaten` are of shape (n_parts, E, n_words): the words of a row, part by part.
    """
    n_words = known.shape[2]
    for f in range(first, last):
        for t in range(starts[f], starts[f + 1]):
            e = np.int64(rows[t])
            part, word = (e >> 6) // n_words, (e >> 6) % n_words
            bit = np.uint64(1) << np.uint64(e & 63)
            known[part, f, word] |= bit
            if t < splits[f]:
                beaten[part, f, word] |= bit


@kernel
def add_products(
    r: int, ids: Int32Array, known: AnyArray, beaten: AnyArray, total: Int64Array
) -> None:
    """Add the products of rows {i, r} and {j, r} of one part to total[i, j], i > j.

    `ids[i, r]` is the id of pair {i, r}. The product of the signs adds up to (known in both) -
    2 (known in both and different).
    """
    n_objects = ids.shape[0]
    for i in range(n_objects):
        if i == r:
            continue
        known_e, beaten_e = known[ids[i, r]], beaten[ids[i, r]]
        for j in range(i):
            if j == r:
                continue
            known_f, beaten_f = known[ids[j, r]], beaten[ids[j, r]]
            both = np.int64(0)
            different = np.int64(0)
            for w in range(known_e.shape[0]):
                shared = known_e[w] & known_f[w]
                both += np.int64(count_bits(shared))
                different += np.int64(count_bits(shared & (beaten_e[w] ^ beaten_f[w])))
            total[i, j] += both - 2 * different
