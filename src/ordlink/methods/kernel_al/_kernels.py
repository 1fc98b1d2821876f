"""The quadruplet kernel of eq:Kendallkernel-passive, from columns of A or from ranks.

From columns: K_ij = sum over f and r of A[ir, f] A[jr, f]. In column f, the entries {r, x} are
grouped by r (each entry belongs to two groups), and every two members x, y of a group add the
product of their signs. Or from rows as bits, sixty-four entries at a time: row e is two rows of
words, which comparisons with e are known, and in which of them e is beaten.
"""

from __future__ import annotations

import numpy as np

from ordlink._kernels import count_bits, kernel
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
    columns: tuple[Int64Array, Int64Array, AnyArray, Int32Array],
    low: Int32Array,
    high: Int32Array,
    groups: tuple[Int64Array, Int64Array, Int32Array, Int64Array],
    total: Int64Array,
) -> None:
    """Add the part of reference pairs first..last-1 to `total`; the result is total + total^T.

    Groups are lists: `newest[r]` (all -1 before and after) is the last member of group r, and
    `older` leads from a member to the one before. `older`, `member` and `weight` have two places
    per entry of the longest column. Cost: the sum over f and r of the squared group sizes.
    """
    starts, splits, rows, values = columns
    newest, older, member, weight = groups
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
    """Write rows first..last-1 of K, for j < i only, when every comparison is known.

    For pair e, `balance` is the number of pairs below it minus the number above it, and `tied` the
    number of pairs of its rank; all three are (N, N). Over all reference pairs f, sign(w_ir - w_f)
    sign(w_jr - w_f) adds up to E - |balance_ir - balance_jr|, less the pairs of the same rank where
    w_ir = w_jr. The sums run over all r, for vectorisation; r in {i, j} is then subtracted. O(N^3).
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
