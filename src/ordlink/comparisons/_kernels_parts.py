"""Which objects comparisons link with each other."""

from __future__ import annotations

from ordlink._kernels import kernel
from ordlink._typing import Int32Array


@kernel
def link_objects(
    winners: Int32Array, losers: Int32Array, low: Int32Array, high: Int32Array, root: Int32Array
) -> Int32Array:
    """Return the smallest object of each object's part; union-find that stops at one part.

    `low` and `high` are the members of each pair id; `root` starts as 0..N-1 and is overwritten.
    """
    n_parts = root.shape[0]
    for row in range(winners.shape[0]):
        if n_parts == 1:
            break
        e, f = winners[row], losers[row]
        first = low[e]
        while root[first] != first:
            root[first] = root[root[first]]
            first = root[first]
        for other in (high[e], low[f], high[f]):
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
    for item in range(root.shape[0]):
        root[item] = root[root[item]]
    return root
