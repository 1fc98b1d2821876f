"""Steps of 4-AL (eq:4--AL): the pair scores s = A u, and the cluster scores made of them."""

from __future__ import annotations

import numpy as np

from ordlink.kernels._jit import kernel
from ordlink.kernels.average import TIE_OF_UNIT, TIE_RELATIVE
from ordlink.typing import FloatArray, Int32Array, Int64Array


@kernel
def add_column(
    f: int,
    change: float,
    starts: Int64Array,
    splits: Int64Array,
    rows: Int32Array,
    values: Int32Array,
    s: FloatArray,
) -> None:
    """Add change * A[:, f] to s."""
    if values.shape[0] > 0:
        for t in range(starts[f], splits[f]):
            s[rows[t]] += change * values[t]
        for t in range(splits[f], starts[f + 1]):
            s[rows[t]] -= change * values[t]
    else:
        for t in range(starts[f], splits[f]):
            s[rows[t]] += change
        for t in range(splits[f], starts[f + 1]):
            s[rows[t]] -= change


@kernel
def scores_from_columns(
    labels: Int32Array,
    sizes: Int64Array,
    u: FloatArray,
    starts: Int64Array,
    splits: Int64Array,
    rows: Int32Array,
    values: Int32Array,
    s: FloatArray,
) -> None:
    """Bring u and s to the present clusters: u_f = 1 / (|r| |s|) across clusters, 0 inside.

    Only columns whose u has changed are touched.
    """
    n_objects = labels.shape[0]
    f = 0
    for i in range(n_objects):
        for j in range(i + 1, n_objects):
            p, q = labels[i], labels[j]
            now = 0.0 if p == q else 1.0 / (sizes[p] * sizes[q])
            if now != u[f]:
                add_column(f, now - u[f], starts, splits, rows, values, s)
                u[f] = now
            f += 1


@kernel
def scores_from_ranks(
    labels: Int32Array,
    sizes: Int64Array,
    order: Int32Array,
    ranks: Int32Array,
    low: Int32Array,
    high: Int32Array,
    u: FloatArray,
    s: FloatArray,
) -> None:
    """Set s when every comparison is known: the u of the pairs below minus the u of those above.

    `order` sorts the pairs by rank. One cumulative sum over all pairs, O(N^2).
    """
    n_pairs = order.shape[0]
    total = 0.0
    for f in range(n_pairs):
        p, q = labels[low[f]], labels[high[f]]
        u[f] = 0.0 if p == q else 1.0 / (sizes[p] * sizes[q])
        total += u[f]
    below = 0.0
    start = 0
    while start < n_pairs:
        end = start
        group = 0.0
        while end < n_pairs and ranks[order[end]] == ranks[order[start]]:
            group += u[order[end]]
            end += 1
        for t in range(start, end):
            s[order[t]] = below - (total - below - group)
        below += group
        start = end


@kernel
def best_cluster_pair(
    s: FloatArray, labels: Int32Array, sizes: Int64Array, unit: float, sums: FloatArray
) -> tuple[int, int, float, int]:
    """Return the cluster pair to merge, its score and the number of candidates within the tie rule.

    W(p, q) = 2 / (K (K - 1)) * mean of s over p x q. `sums` is scratch space of shape (n, n).
    """
    n_objects = labels.shape[0]
    n = sizes.shape[0]
    n_clusters = 0
    for p in range(n):
        if sizes[p] > 0:
            n_clusters += 1
            for q in range(n):
                sums[p, q] = 0.0
    e = 0
    for i in range(n_objects):
        for j in range(i + 1, n_objects):
            sums[labels[i], labels[j]] += s[e]
            e += 1
    share = 2.0 / (n_clusters * (n_clusters - 1.0))
    best = -np.inf
    for p in range(n):
        if sizes[p] > 0:
            for q in range(p + 1, n):
                if sizes[q] > 0:
                    sums[p, q] = share * (sums[p, q] + sums[q, p]) / (sizes[p] * sizes[q])
                    best = max(best, sums[p, q])
    bound = best - (TIE_RELATIVE * abs(best) + TIE_OF_UNIT * unit * share)
    at_p, at_q, score, n_candidates = -1, -1, 0.0, 0
    for p in range(n):
        if sizes[p] > 0:
            for q in range(p + 1, n):
                if sizes[q] > 0 and sums[p, q] >= bound:
                    n_candidates += 1
                    if at_p < 0:
                        at_p, at_q, score = p, q, sums[p, q]
    return at_p, at_q, score, n_candidates
