"""Steps of 4-AL (eq:4--AL): the pair scores s = A u, and the cluster scores made of them.

Everything is about m slots (objects, or clusters that were contracted) and their m (m - 1) / 2
pairs, row by row. `labels` gives the present cluster of each slot, `sizes` the number of objects of
each cluster; A between pairs of slots is summed over the objects in them. `sums[p, q]`, p < q, is
the sum of s over the pairs between clusters p and q.
"""

from __future__ import annotations

import numpy as np

from ordlink._kernels import kernel
from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, Int64Array
from ordlink.linkage._kernels_average import TIE_OF_UNIT, TIE_RELATIVE


@kernel
def weight_of_pair(p: int, q: int, sizes: Int64Array) -> float:
    """Return u of a pair of slots in clusters p and q: 1 / (|p| |q|), or 0 inside a cluster."""
    if p == q:
        return 0.0
    return 1.0 / (sizes[p] * sizes[q])


@kernel
def change_weight(
    f: int,
    now: float,
    u: FloatArray,
    where: AnyArray,
    starts: Int64Array,
    splits: Int64Array,
    rows: AnyArray,
    values: Int32Array,
    flat_sums: FloatArray,
) -> None:
    """Set u of pair f, and add the change times column f of A to the sums.

    `where[e]` is the place of pair e's clusters in the sums, laid out flat.
    """
    change = now - u[f]
    if change == 0.0:
        return
    u[f] = now
    if values.shape[0] > 0:
        for t in range(starts[f], splits[f]):
            flat_sums[where[rows[t]]] += change * values[t]
        for t in range(splits[f], starts[f + 1]):
            flat_sums[where[rows[t]]] -= change * values[t]
    else:
        for t in range(starts[f], splits[f]):
            flat_sums[where[rows[t]]] += change
        for t in range(splits[f], starts[f + 1]):
            flat_sums[where[rows[t]]] -= change


@kernel
def weigh_all_columns(
    labels: Int32Array,
    sizes: Int64Array,
    u: FloatArray,
    where: AnyArray,
    starts: Int64Array,
    splits: Int64Array,
    rows: AnyArray,
    values: Int32Array,
    sums: FloatArray,
) -> None:
    """Bring u and the sums to the present clusters."""
    m = labels.shape[0]
    flat_sums = sums.reshape(-1)
    f = 0
    for i in range(m):
        for j in range(i + 1, m):
            now = weight_of_pair(labels[i], labels[j], sizes)
            change_weight(f, now, u, where, starts, splits, rows, values, flat_sums)
            f += 1


@kernel
def move_places(
    p: int,
    q: int,
    labels: Int32Array,
    alive: Int32Array,
    pairs_start: Int64Array,
    pairs_of: Int32Array,
    partner: Int32Array,
    where: AnyArray,
    sums: FloatArray,
) -> None:
    """Add the sums of cluster q to those of p, and let the pairs of q's slots count there.

    This comes before p takes in q. `pairs_of[pairs_start[i]:pairs_start[i + 1]]` are the compared
    pairs of slot i, and `partner` the other slot of each.
    """
    n = sums.shape[0]
    for r in alive:
        if r != p and r != q:
            sums[min(p, r), max(p, r)] += sums[min(q, r), max(q, r)]
    for i in range(labels.shape[0]):
        if labels[i] == q:
            for t in range(pairs_start[i], pairs_start[i + 1]):
                r = labels[partner[t]]  # inside a cluster, a place that is not read again
                where[pairs_of[t]] = min(p, r) * n + max(p, r)


@kernel
def weigh_columns_of(
    p: int,
    labels: Int32Array,
    sizes: Int64Array,
    pairs_start: Int64Array,
    pairs_of: Int32Array,
    partner: Int32Array,
    u: FloatArray,
    where: AnyArray,
    starts: Int64Array,
    splits: Int64Array,
    rows: AnyArray,
    values: Int32Array,
    sums: FloatArray,
) -> None:
    """Bring u and the sums to the clusters after p has grown; only its pairs are touched."""
    flat_sums = sums.reshape(-1)
    for i in range(labels.shape[0]):
        if labels[i] == p:
            for t in range(pairs_start[i], pairs_start[i + 1]):
                now = weight_of_pair(p, labels[partner[t]], sizes)
                change_weight(pairs_of[t], now, u, where, starts, splits, rows, values, flat_sums)


@kernel
def pair_id(i: int, j: int, m: int) -> int:
    """Return the id of the pair {i, j} of m slots."""
    low, high = min(i, j), max(i, j)
    return low * (2 * m - low - 1) // 2 + high - low - 1


@kernel
def update_from_matrix(
    labels: Int32Array, sizes: Int64Array, u: FloatArray, columns: Int32Array, s: FloatArray
) -> None:
    """Bring u and s to the present clusters; row f of `columns` is column f of A."""
    m = labels.shape[0]
    f = 0
    for i in range(m):
        for j in range(i + 1, m):
            now = weight_of_pair(labels[i], labels[j], sizes)
            if now != u[f]:
                change = now - u[f]
                u[f] = now
                for e in range(s.shape[0]):
                    s[e] += change * columns[f, e]
            f += 1


@kernel
def sum_over_clusters(
    s: FloatArray, labels: Int32Array, alive: Int32Array, sums: FloatArray
) -> None:
    """Add s up over each pair of clusters."""
    m = labels.shape[0]
    for p in alive:
        sums[p] = 0.0
    e = 0
    for i in range(m):
        for j in range(i + 1, m):
            p, q = labels[i], labels[j]
            sums[min(p, q), max(p, q)] += s[e]
            e += 1


@kernel
def best_cluster_pair(
    sums: FloatArray, sizes: Int64Array, alive: Int32Array, unit: float
) -> tuple[int, int, float, int]:
    """Return the cluster pair to merge, its score and the number of candidates of the tie rule.

    W(p, q) = 2 / (K (K - 1)) * mean of s over p x q; `alive` lists the K clusters in order.
    """
    n_clusters = alive.shape[0]
    inverse = 1.0 / sizes[alive]
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


@kernel
def unite(p: int, q: int, labels: Int32Array, sizes: Int64Array, alive: Int32Array) -> Int32Array:
    """Let cluster p take in cluster q, and return the clusters that are left."""
    for i in range(labels.shape[0]):
        if labels[i] == q:
            labels[i] = p
    sizes[p] += sizes[q]
    return alive[alive != q]


@kernel
def merge_by_columns(
    unit: float,
    labels: Int32Array,
    sizes: Int64Array,
    alive: Int32Array,
    pairs_start: Int64Array,
    pairs_of: Int32Array,
    partner: Int32Array,
    u: FloatArray,
    where: AnyArray,
    starts: Int64Array,
    splits: Int64Array,
    rows: AnyArray,
    values: Int32Array,
    sums: FloatArray,
    pairs: Int32Array,
    scores: FloatArray,
    tied: BoolArray,
) -> Int32Array:
    """Do as many merges as there is room for in `pairs`, and return the clusters that are left."""
    for t in range(pairs.shape[0]):
        p, q, scores[t], n_candidates = best_cluster_pair(sums, sizes, alive, unit)
        pairs[t, 0], pairs[t, 1], tied[t] = p, q, n_candidates > 1
        move_places(p, q, labels, alive, pairs_start, pairs_of, partner, where, sums)
        alive = unite(p, q, labels, sizes, alive)
        weigh_columns_of(
            p,
            labels,
            sizes,
            pairs_start,
            pairs_of,
            partner,
            u,
            where,
            starts,
            splits,
            rows,
            values,
            sums,
        )
    return alive


@kernel
def merge_by_matrix(
    unit: float,
    labels: Int32Array,
    sizes: Int64Array,
    alive: Int32Array,
    u: FloatArray,
    columns: Int32Array,
    s: FloatArray,
    sums: FloatArray,
    pairs: Int32Array,
    scores: FloatArray,
    tied: BoolArray,
) -> Int32Array:
    """Do as many merges as there is room for in `pairs`, and return the clusters that are left."""
    for t in range(pairs.shape[0]):
        update_from_matrix(labels, sizes, u, columns, s)
        sum_over_clusters(s, labels, alive, sums)
        p, q, scores[t], n_candidates = best_cluster_pair(sums, sizes, alive, unit)
        pairs[t, 0], pairs[t, 1], tied[t] = p, q, n_candidates > 1
        alive = unite(p, q, labels, sizes, alive)
    return alive
