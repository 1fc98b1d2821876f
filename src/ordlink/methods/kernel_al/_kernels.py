"""The quadruplet kernel of eq:Kendallkernel-passive, from columns of A or from ranks.

From columns: K_ij = sum over f and r of A[ir, f] A[jr, f]. In column f, the entries {r, x} are
grouped by r (each entry belongs to two groups), and every two members x, y of a group add the
product of their signs.
"""

from __future__ import annotations

from ordlink._kernels import kernel
from ordlink._typing import AnyArray, Int32Array, Int64Array


@kernel
def count_products(
    columns: Int64Array,
    starts: Int64Array,
    rows: AnyArray,
    low: Int32Array,
    high: Int32Array,
    count: Int64Array,
    n_products: Int64Array,
) -> None:
    """Add up how many products each given column takes; `count` (all 0) is scratch space."""
    for place in range(columns.shape[0]):
        f = columns[place]
        for t in range(starts[f], starts[f + 1]):
            for r in (low[rows[t]], high[rows[t]]):
                n_products[place] += count[r]
                count[r] += 1
        for t in range(starts[f], starts[f + 1]):
            count[low[rows[t]]] = 0
            count[high[rows[t]]] = 0


@kernel
def add_columns_to_kernel(
    first: int,
    last: int,
    starts: Int64Array,
    splits: Int64Array,
    rows: AnyArray,
    values: Int32Array,
    low: Int32Array,
    high: Int32Array,
    newest: Int64Array,
    older: Int64Array,
    member: Int32Array,
    weight: Int64Array,
    total: Int64Array,
) -> None:
    """Add the part of reference pairs first..last-1 to `total`; the result is total + total^T.

    Groups are lists: `newest[r]` (all -1 before and after) is the last member of group r, and
    `older` leads from a member to the one before. `older`, `member` and `weight` have two places
    per entry of the longest column. Cost: the sum over f and r of the squared group sizes.
    """
    weighted = values.shape[0] > 0
    for f in range(first, last):
        n_members = 0
        for t in range(starts[f], starts[f + 1]):
            value = values[t] if weighted else 1
            if t >= splits[f]:
                value = -value
            a, b = low[rows[t]], high[rows[t]]
            for r, x in ((a, b), (b, a)):
                y = newest[r]
                older[n_members] = y
                member[n_members] = x
                weight[n_members] = value
                newest[r] = n_members
                n_members += 1
                while y >= 0:
                    total[x, member[y]] += value * weight[y]
                    y = older[y]
        for t in range(starts[f], starts[f + 1]):
            newest[low[rows[t]]] = -1
            newest[high[rows[t]]] = -1


@kernel
def kernel_of_ranks(
    first: int,
    last: int,
    balance: Int32Array,
    ranks: Int32Array,
    tied: Int32Array,
    total: Int64Array,
) -> None:
    """Write rows first..last-1 of K, as far as j < i, when every comparison is known.

    For pair e, `balance` is the number of pairs below it minus the number above it, and `tied` the
    number of pairs of its rank; all three are (N, N). Over all reference pairs f, sign(w_ir - w_f)
    sign(w_jr - w_f) adds up to E - |balance_ir - balance_jr|, less the pairs of the same rank where
    w_ir = w_jr. The sums run over all r, to be vectorised; r in {i, j} is then taken out. O(N^3).
    """
    n_objects = ranks.shape[0]
    n_pairs = n_objects * (n_objects - 1) // 2
    for i in range(first, last):
        for j in range(i):
            away = 0
            for r in range(n_objects):
                away += abs(balance[i, r] - balance[j, r])
            away -= abs(balance[i, i] - balance[j, i]) + abs(balance[i, j] - balance[j, j])
            equal = 0
            for r in range(n_objects):
                if ranks[i, r] == ranks[j, r]:
                    equal += tied[i, r]
            for r in (i, j):
                if ranks[i, r] == ranks[j, r]:
                    equal -= tied[i, r]
            total[i, j] = (n_objects - 2) * n_pairs - away - equal
