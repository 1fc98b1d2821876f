"""Which objects comparisons link with each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ordlink._kernels import kernel
from ordlink._typing import BoolArray, Int32Array, PairIdArray


@kernel
def members(pair: int, n_objects: int) -> tuple[Any, Any]:
    """Return the objects (i, j), i < j, of a pair id."""
    e, b = np.int64(pair), 2 * np.int64(n_objects) - 1
    # Exact up to one unit, which the next lines correct.
    i = np.int64((b - math.sqrt(float(b) * b - 8.0 * e)) / 2)
    if i * (b - i) // 2 > e:
        i -= 1
    if (i + 1) * (b - i - 1) // 2 <= e:
        i += 1
    return i, e - i * (b - i) // 2 + i + 1


@kernel
def link_objects(winners: PairIdArray, losers: PairIdArray, root: Int32Array) -> Int32Array:
    """Return the smallest object of each object's part; union-find that stops at one part.

    `root` starts as 0..N-1 and is overwritten.
    """
    n, n_parts = root.shape[0], 0
    for item in range(n):
        n_parts += root[item] == item
    for row in range(winners.shape[0]):
        if n_parts == 1:
            break
        e, f = winners[row], losers[row]
        first, second = members(e, n)
        while root[first] != first:
            root[first] = root[root[first]]
            first = root[first]
        third, fourth = members(f, n)
        for other in (second, third, fourth):
            while root[other] != other:
                root[other] = root[root[other]]
                other = root[other]
            if first != other:
                n_parts -= 1
                if first < other:
                    root[other] = first
                else:
                    root[first] = other
                    first = other
    for item in range(n):
        root[item] = root[root[item]]
    return root


@kernel
def mark_named(winners: PairIdArray, losers: PairIdArray, named: BoolArray) -> None:
    """Mark the objects that some row names."""
    for row in range(winners.shape[0]):
        i, j = members(winners[row], named.shape[0])
        k, l = members(losers[row], named.shape[0])  # noqa: E741 - the paper's letters
        named[i], named[j], named[k], named[l] = True, True, True, True
