"""The quadruplet kernel of eq:Kendallkernel-passive, from columns of A or from ranks."""

from __future__ import annotations

import numpy as np

from ordlink.kernels._jit import kernel
from ordlink.typing import Int32Array, Int64Array


@kernel
def add_columns_to_kernel(
    first: int,
    last: int,
    starts: Int64Array,
    splits: Int64Array,
    rows: Int32Array,
    values: Int32Array,
    low: Int32Array,
    high: Int32Array,
    group_start: Int64Array,
    group_next: Int64Array,
    member: Int32Array,
    sign: Int64Array,
    total: Int64Array,
) -> None:
    """Add the part of reference pairs first..last-1 to `total`, of shape (N, N).

    K_ij = sum over f and r of A[ir, f] A[jr, f]: in column f, the entries {r, x} are grouped by r
    (each entry belongs to two groups), and every two members x, y of a group add the product of
    their signs. The result is total + total^T. Cost: sum over f and r of the squared group sizes.
    """
    n_objects = total.shape[0]
    weighted = values.shape[0] > 0
    for f in range(first, last):
        group_start[:] = 0
        for t in range(starts[f], starts[f + 1]):
            e = rows[t]
            group_start[low[e] + 1] += 1
            group_start[high[e] + 1] += 1
        for r in range(n_objects):
            group_start[r + 1] += group_start[r]
            group_next[r] = group_start[r]
        for t in range(starts[f], starts[f + 1]):
            e = rows[t]
            value = values[t] if weighted else 1
            if t >= splits[f]:
                value = -value
            a, b = low[e], high[e]
            place = group_next[a]
            member[place] = b
            sign[place] = value
            group_next[a] = place + 1
            place = group_next[b]
            member[place] = a
            sign[place] = value
            group_next[b] = place + 1
        for r in range(n_objects):
            for x in range(group_start[r], group_start[r + 1]):
                for y in range(group_start[r], x):
                    total[member[x], member[y]] += sign[x] * sign[y]


@kernel
def kernel_of_ranks(ranks: Int32Array, below: Int64Array, above: Int64Array) -> Int64Array:
    """Return K of eq:Kendallkernel-passive when every comparison is known.

    `ranks`, `below` and `above` are (N, N): the rank of w_ir, and how many pairs are strictly
    less and more similar. Over all reference pairs f, sign(w_ir - w_f) sign(w_jr - w_f) adds up to
    (pairs below both) + (pairs above both) - (pairs strictly between). Cost O(N^3).
    """
    n_objects = ranks.shape[0]
    n_pairs = n_objects * (n_objects - 1) // 2
    total = np.zeros((n_objects, n_objects), dtype=np.int64)
    for i in range(n_objects):
        for j in range(i):
            s = 0
            for r in range(n_objects):
                if r in (i, j):
                    continue
                if ranks[i, r] == ranks[j, r]:
                    s += below[i, r] + above[i, r]
                elif ranks[i, r] < ranks[j, r]:
                    s += below[i, r] + above[j, r] - (below[j, r] + above[i, r] - n_pairs)
                else:
                    s += below[j, r] + above[i, r] - (below[i, r] + above[j, r] - n_pairs)
            total[i, j] = s
            total[j, i] = s
    return total
