"""Steps of 4-AL (eq:4--AL): the pair scores s = A u, and the cluster scores made of them.

Everything is about m slots (objects, or clusters that were contracted) and their m (m - 1) / 2
pairs, row by row. `labels` gives the present cluster of each slot, `sizes` the number of objects of
each cluster; A between pairs of slots is summed over the objects in them. `sums[p, q]`, p < q, is
the sum of s over the pairs between clusters p and q. Arrays that belong together are one argument.

A is contracted from pairs of slots to pairs of clusters: `new_pair[e]` is the pair of clusters that
pair e of slots belongs to, or -1 inside a cluster: such pairs weigh nothing from now on and are
left out, and so are comparisons within one cluster pair, which cancel. `members` lists the old
pairs by new pair: those of f are members[member_starts[f]:member_starts[f + 1]].
"""

from __future__ import annotations

import numpy as np

from ordlink._kernels import inlined, kernel
from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, Int64Array
from ordlink.linkage._kernels_average import TIE_OF_UNIT, TIE_RELATIVE

Columns = tuple[Int64Array, Int64Array, AnyArray, Int32Array]  # those of `ComparisonColumns`
PairsOfSlots = tuple[Int64Array, Int32Array, Int32Array]
"""(starts, pairs, partners): pairs[starts[i]:starts[i + 1]] are the compared pairs of slot i, and
`partners` the other slot of each."""
ClusterArrays = tuple[Int32Array, Int64Array, Int32Array]  # labels, sizes, clusters that are left
MergeArrays = tuple[Int32Array, FloatArray, BoolArray]  # room for merges: pairs, scores, tie marks
ContractionArrays = tuple[Int64Array, Int32Array, Int32Array]  # member_starts, members, new_pair


@inlined
def weight_of_pair(p: int, q: int, sizes: Int64Array) -> float:
    """Return u of a pair of slots in clusters p and q: 1 / (|p| |q|), or 0 inside a cluster."""
    if p == q:
        return 0.0
    return 1.0 / (sizes[p] * sizes[q])


@inlined
def change_weight(
    f: int, now: float, u: FloatArray, where: AnyArray, columns: Columns, flat_sums: FloatArray
) -> None:
    """Set u of pair f, and add the change times column f of A to the sums.

    `where[e]` is the place of pair e's clusters in the sums, laid out flat.
    """
    starts, splits, rows, values = columns
    change = now - u[f]
    if change == 0.0:
        return
    u[f] = now
    begin, end = starts[f], splits[f]
    for _ in range(2):  # pairs that beat f, then those that it beats
        if values.shape[0] > 0:
            for t in range(begin, end):
                flat_sums[where[rows[t]]] += change * values[t]
        else:
            for t in range(begin, end):
                flat_sums[where[rows[t]]] += change
        begin, end, change = end, starts[f + 1], -change


@kernel
def weigh_all_columns(
    labels: Int32Array,
    sizes: Int64Array,
    u: FloatArray,
    where: AnyArray,
    columns: Columns,
    sums: FloatArray,
) -> None:
    """Update u and the sums to the current clusters."""
    m = labels.shape[0]
    flat_sums = sums.reshape(-1)
    f = 0
    for i in range(m):
        for j in range(i + 1, m):
            now = weight_of_pair(labels[i], labels[j], sizes)
            change_weight(f, now, u, where, columns, flat_sums)
            f += 1


@inlined
def move_places(
    p: int,
    q: int,
    labels: Int32Array,
    alive: Int32Array,
    pairs_of_slots: PairsOfSlots,
    where: AnyArray,
    sums: FloatArray,
) -> None:
    """Before p absorbs q: add the sums of q to those of p, and count the pairs of q there."""
    starts, pairs, partners = pairs_of_slots
    n = sums.shape[0]
    for r in alive:
        if r != p and r != q:
            sums[min(p, r), max(p, r)] += sums[min(q, r), max(q, r)]
    for i in range(labels.shape[0]):
        if labels[i] == q:
            for t in range(starts[i], starts[i + 1]):
                r = labels[partners[t]]  # inside a cluster, a place that is not read again
                where[pairs[t]] = min(p, r) * n + max(p, r)


@inlined
def weigh_columns_of(
    p: int,
    labels: Int32Array,
    sizes: Int64Array,
    pairs_of_slots: PairsOfSlots,
    u: FloatArray,
    where: AnyArray,
    columns: Columns,
    sums: FloatArray,
) -> None:
    """Update u and the sums after p has grown; only its pairs are touched."""
    starts, pairs, partners = pairs_of_slots
    flat_sums = sums.reshape(-1)
    for i in range(labels.shape[0]):
        if labels[i] == p:
            for t in range(starts[i], starts[i + 1]):
                now = weight_of_pair(p, labels[partners[t]], sizes)
                change_weight(pairs[t], now, u, where, columns, flat_sums)


@inlined
def update_from_matrix(
    labels: Int32Array, sizes: Int64Array, u: FloatArray, matrix: Int32Array, s: FloatArray
) -> None:
    """Update u and s to the current clusters; row f of the matrix is column f of A."""
    m = labels.shape[0]
    f = 0
    for i in range(m):
        for j in range(i + 1, m):
            now = weight_of_pair(labels[i], labels[j], sizes)
            if now != u[f]:
                change = now - u[f]
                u[f] = now
                for e in range(s.shape[0]):
                    s[e] += change * matrix[f, e]
            f += 1


@inlined
def sum_over_clusters(
    s: FloatArray, labels: Int32Array, alive: Int32Array, sums: FloatArray
) -> None:
    """Sum s over each pair of clusters."""
    m = labels.shape[0]
    for p in alive:
        for q in alive:
            sums[p, q] = 0.0
    e = 0
    for i in range(m):
        for j in range(i + 1, m):
            p, q = labels[i], labels[j]
            sums[min(p, q), max(p, q)] += s[e]
            e += 1


@inlined
def best_cluster_pair(
    sums: FloatArray, sizes: Int64Array, alive: Int32Array, unit: float
) -> tuple[int, int, float, int]:
    """Return the cluster pair to merge, its score and the number of candidates of the tie rule.

    W(p, q) = 2 / (K (K - 1)) * mean of s over p x q; `alive` lists the K clusters in order.
    """
    n_clusters = alive.shape[0]
    inverse = np.empty(n_clusters)
    for a in range(n_clusters):
        inverse[a] = 1.0 / sizes[alive[a]]
    best = -np.inf
    for a in range(n_clusters):
        row = sums[alive[a]]
        in_row = -np.inf
        for b in range(a + 1, n_clusters):
            in_row = max(in_row, row[alive[b]] * inverse[b])
        best = max(best, in_row * inverse[a])
    bound = best - (TIE_RELATIVE * abs(best) + TIE_OF_UNIT * unit)
    at_p, at_q, n_candidates = -1, -1, 0
    for a in range(n_clusters):
        row = sums[alive[a]]
        in_row = bound * sizes[alive[a]]
        for b in range(a + 1, n_clusters):
            if row[alive[b]] * inverse[b] >= in_row:
                n_candidates += 1
                if at_p < 0:
                    at_p, at_q = alive[a], alive[b]
    share = 2.0 / (n_clusters * (n_clusters - 1.0))
    score = share * sums[at_p, at_q] / (sizes[at_p] * sizes[at_q])
    return at_p, at_q, score, n_candidates


@inlined
def unite(p: int, q: int, labels: Int32Array, sizes: Int64Array, alive: Int32Array) -> Int32Array:
    """Let cluster p absorb cluster q, and return the remaining clusters."""
    for i in range(labels.shape[0]):
        if labels[i] == q:
            labels[i] = p
    sizes[p] += sizes[q]
    left = np.empty(alive.shape[0] - 1, dtype=np.int32)
    place = 0
    for r in alive:
        if r != q:
            left[place] = r
            place += 1
    return left


@kernel
def choose_merge(
    t: int,
    sums: FloatArray,
    sizes: Int64Array,
    alive: Int32Array,
    unit: float,
    merges: MergeArrays,
) -> tuple[int, int]:
    """Choose and note merge t; return its two clusters."""
    pairs, scores, tied = merges
    p, q, scores[t], n_candidates = best_cluster_pair(sums, sizes, alive, unit)
    pairs[t, 0], pairs[t, 1], tied[t] = p, q, n_candidates > 1
    return p, q


@kernel
def merge_by_columns(
    unit: float,
    clusters: ClusterArrays,
    pairs_of_slots: PairsOfSlots,
    u: FloatArray,
    where: AnyArray,
    columns: Columns,
    sums: FloatArray,
    merges: MergeArrays,
) -> Int32Array:
    """Do as many merges as there is room for, and return the remaining clusters."""
    labels, sizes, alive = clusters
    for t in range(merges[0].shape[0]):
        p, q = choose_merge(t, sums, sizes, alive, unit, merges)
        move_places(p, q, labels, alive, pairs_of_slots, where, sums)
        alive = unite(p, q, labels, sizes, alive)
        weigh_columns_of(p, labels, sizes, pairs_of_slots, u, where, columns, sums)
    return alive


@kernel
def merge_by_matrix(
    unit: float,
    clusters: ClusterArrays,
    u: FloatArray,
    matrix: Int32Array,
    s: FloatArray,
    sums: FloatArray,
    merges: MergeArrays,
) -> Int32Array:
    """Merge as `merge_by_columns` does, with A as a matrix whose row f is column f."""
    labels, sizes, alive = clusters
    for t in range(merges[0].shape[0]):
        update_from_matrix(labels, sizes, u, matrix, s)
        sum_over_clusters(s, labels, alive, sums)
        p, q = choose_merge(t, sums, sizes, alive, unit, merges)
        alive = unite(p, q, labels, sizes, alive)
    return alive


@inlined
def add_column(
    f: int, contraction: ContractionArrays, columns: Columns, net: AnyArray, touched: Int32Array
) -> int:
    """Add column f of the contracted A to `net`.

    `touched` gets the place of each entry, unless it is empty; return their number.
    """
    member_starts, members, new_pair = contraction
    starts, splits, rows, values = columns
    weighted = values.shape[0] > 0
    listed = touched.shape[0] > 0
    n_touched = 0
    for place in range(member_starts[f], member_starts[f + 1]):
        old = members[place]
        for t in range(starts[old], starts[old + 1]):
            e = new_pair[rows[t]]
            if e >= 0:
                value = values[t] if weighted else 1
                net[e] += value if t < splits[old] else -value
                if listed:
                    touched[n_touched] = e
                    n_touched += 1
    return n_touched


@kernel
def columns_to_matrix(
    first: int,
    last: int,
    contraction: ContractionArrays,
    columns: Columns,
    matrix: Int32Array,
    nowhere: Int32Array,
) -> None:
    """Write rows first..last-1 of `matrix`: row f is column f of the contracted A.

    `nowhere` is empty.
    """
    for f in range(first, last):
        add_column(f, contraction, columns, matrix[f], nowhere)
        matrix[f, f] = 0


@kernel
def columns_to_columns(
    contraction: ContractionArrays,
    columns: Columns,
    net: Int64Array,
    touched: Int32Array,
    new_columns: Columns,
) -> None:
    """Write the contracted columns, one entry for each two cluster pairs that do not cancel.

    `net` (all 0, one place per cluster pair) and `touched` (one per entry of the members of any
    one cluster pair) are scratch space.
    """
    new_starts, new_splits, new_rows, new_values = new_columns
    end = 0
    for f in range(new_splits.shape[0]):
        new_starts[f] = end
        n_touched = add_column(f, contraction, columns, net, touched)
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
    contraction: ContractionArrays, old_matrix: Int32Array, matrix: Int32Array
) -> None:
    """Contract a matrix whose row f is column f of A."""
    member_starts, members, new_pair = contraction
    for f in range(matrix.shape[0]):
        for place in range(member_starts[f], member_starts[f + 1]):
            old = members[place]
            for t in range(old_matrix.shape[1]):
                e = new_pair[t]
                if e >= 0:
                    matrix[f, e] += old_matrix[old, t]
        matrix[f, f] = 0
