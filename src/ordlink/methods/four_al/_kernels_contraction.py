"""Contract the matrix A from pairs of slots to pairs of clusters, column by column.

`new_pair[e]` is the pair of clusters that pair e of slots belongs to, or -1 inside a cluster: such
pairs weigh nothing from now on and are left out, and so are comparisons within one cluster pair,
which cancel. `members` lists the old pairs by new pair: those of f are
members[member_starts[f]:member_starts[f + 1]].
"""

from __future__ import annotations

from ordlink._kernels import kernel
from ordlink._typing import AnyArray, Int32Array, Int64Array
from ordlink.methods.four_al._kernels import pair_id


@kernel
def list_members(
    labels: Int32Array,
    n_clusters: int,
    new_pair: Int32Array,
    member_starts: Int64Array,
    members: Int32Array,
) -> None:
    """Write the contraction of slots with these clusters; `member_starts` is all 0 at first.

    `members` has room for all pairs of slots; member_starts[-1] of them are written.
    """
    m = labels.shape[0]
    e = 0
    for i in range(m):
        for j in range(i + 1, m):
            new_pair[e] = -1
            if labels[i] != labels[j]:
                new_pair[e] = pair_id(labels[i], labels[j], n_clusters)
                member_starts[new_pair[e] + 1] += 1
            e += 1
    for f in range(1, member_starts.shape[0]):
        member_starts[f] += member_starts[f - 1]
    place = member_starts.copy()
    for e in range(new_pair.shape[0]):
        if new_pair[e] >= 0:
            members[place[new_pair[e]]] = e
            place[new_pair[e]] += 1


@kernel
def columns_to_matrix(
    first: int,
    last: int,
    member_starts: Int64Array,
    members: Int32Array,
    new_pair: Int32Array,
    starts: Int64Array,
    splits: Int64Array,
    rows: AnyArray,
    values: Int32Array,
    matrix: Int32Array,
) -> None:
    """Write rows first..last-1 of `matrix`: row f is column f of the contracted A."""
    weighted = values.shape[0] > 0
    for f in range(first, last):
        for place in range(member_starts[f], member_starts[f + 1]):
            old = members[place]
            for t in range(starts[old], starts[old + 1]):
                e = new_pair[rows[t]]
                if e >= 0:
                    value = values[t] if weighted else 1
                    matrix[f, e] += value if t < splits[old] else -value
        matrix[f, f] = 0


@kernel
def columns_to_columns(
    member_starts: Int64Array,
    members: Int32Array,
    new_pair: Int32Array,
    starts: Int64Array,
    splits: Int64Array,
    rows: AnyArray,
    values: Int32Array,
    net: Int64Array,
    touched: Int32Array,
    new_starts: Int64Array,
    new_splits: Int64Array,
    new_rows: AnyArray,
    new_values: Int32Array,
) -> None:
    """Write the contracted columns, one entry for each two cluster pairs that do not cancel.

    `net` (all 0, one place per cluster pair) and `touched` (one per entry of the members of any
    one cluster pair) are scratch space.
    """
    weighted = values.shape[0] > 0
    end = 0
    for f in range(new_splits.shape[0]):
        new_starts[f] = end
        n_touched = 0
        for place in range(member_starts[f], member_starts[f + 1]):
            old = members[place]
            for t in range(starts[old], starts[old + 1]):
                e = new_pair[rows[t]]
                if e >= 0:
                    value = values[t] if weighted else 1
                    net[e] += value if t < splits[old] else -value
                    touched[n_touched] = e
                    n_touched += 1
        for sign in (1, -1):
            for e in touched[:n_touched]:
                if sign * net[e] > 0:
                    new_rows[end] = e
                    new_values[end] = sign * net[e]
                    end += 1
                    net[e] = 0  # the same pair may come again
            if sign > 0:
                new_splits[f] = end
    new_starts[new_splits.shape[0]] = end


@kernel
def matrix_to_matrix(
    member_starts: Int64Array,
    members: Int32Array,
    new_pair: Int32Array,
    old_matrix: Int32Array,
    matrix: Int32Array,
) -> None:
    """Contract a matrix whose row f is column f of A."""
    for f in range(matrix.shape[0]):
        for place in range(member_starts[f], member_starts[f + 1]):
            old = members[place]
            for t in range(old_matrix.shape[1]):
                e = new_pair[t]
                if e >= 0:
                    matrix[f, e] += old_matrix[old, t]
        matrix[f, f] = 0
