"""Rows (i, j, k, l) of our own files, checked and turned into pair ids in one pass."""

from __future__ import annotations

import numpy as np

from ordlink._kernels import kernel
from ordlink._typing import AnyArray, Int32Array


@kernel
def pairs_of_rows(
    i: AnyArray,
    j: AnyArray,
    k: AnyArray,
    l: AnyArray,  # noqa: E741 - the paper's letters
    n_objects: int,
    winners: Int32Array,
    losers: Int32Array,
) -> bool:
    """Write the ids of the pairs {i, j} and {k, l}; return whether all rows are comparisons.

    They are if all objects lie in 0..N-1 and no object or pair meets itself. Otherwise the
    output is undefined.
    """
    good = True
    for row in range(winners.shape[0]):
        a, b = np.int64(min(i[row], j[row])), np.int64(max(i[row], j[row]))
        c, d = np.int64(min(k[row], l[row])), np.int64(max(k[row], l[row]))
        # id = low (2 N - low - 1) / 2 + high - low - 1, see comparisons/_pairs.py
        winner = ((a * (2 * n_objects - a - 1)) >> 1) + b - a - 1
        loser = ((c * (2 * n_objects - c - 1)) >> 1) + d - c - 1
        # No early end: one branch less in a loop that meets no bad row in almost every file.
        good &= (
            (a >= 0) & (c >= 0) & (b < n_objects) & (d < n_objects)
            & (a != b) & (c != d) & ((a != c) | (b != d))
        )  # fmt: skip
        winners[row] = winner
        losers[row] = loser
    return good
