"""4-AL when every comparison is known: lazily kept scores of cluster pairs.

The score s of a pair of objects is a function of its rank alone. A merge makes weights u smaller,
never larger. So s' = s + the total of u, which is twice the sum of u over the pairs up to a rank,
falls at every rank, and the more, the higher the rank. Ranks are put into bands, narrower towards
the top, and `falls[b]` is how much s' has fallen at the lowest rank of band b since the start.

The mean of s' over two clusters is kept as it was when last computed, plus the fall of the lowest
band of their pairs: `bounds[p, q]` minus the fall now is an upper bound. Only cluster pairs whose
bound reaches the best score known are computed again. `row_bounds[p, b]` is at least bounds[p, q]
for all q > p of band b.

Clusters are linked lists: `head[p]` is the first object of cluster p, `following[i]` the object
after i, -1 at the end. `members` are `head`, `following` and the sizes of the clusters.
"""

from __future__ import annotations

import numpy as np

from ordlink._kernels import inlined, kernel
from ordlink._typing import AnyArray, FloatArray, Int32Array, Int64Array
from ordlink.linkage._kernels_average import TIE_OF_UNIT, TIE_RELATIVE

MemberArrays = tuple[Int32Array, Int32Array, Int64Array]
BoundArrays = tuple[
    FloatArray, AnyArray, FloatArray, FloatArray
]  # bounds, bands, row bounds, falls


@inlined
def pair_id(i: int, j: int, m: int) -> int:
    """Return the id of the pair {i, j} of m slots."""
    low, high = min(i, j), max(i, j)
    return low * (2 * m - low - 1) // 2 + high - low - 1


@kernel
def scores_by_rank(
    first: AnyArray,
    second: AnyArray,
    group_ends: Int64Array,
    labels: Int32Array,
    weights: FloatArray,
    total: float,
    by_rank: FloatArray,
) -> None:
    """Set s of each rank: the u of all pairs below it minus the u of all above.

    `first` and `second` are the objects of the pairs in order of similarity, and the pairs of rank
    g end at `group_ends[g]`. u_f = 1 / (|r| |s|) across clusters, 0 inside: the product of the
    `weights` 1 / |r| of two objects. All u add up to `total`, the number of cluster pairs.
    """
    below = 0.0
    start = 0
    for g in range(group_ends.shape[0]):
        group = 0.0
        for t in range(start, group_ends[g]):
            i, j = first[t], second[t]
            if labels[i] != labels[j]:
                group += weights[i] * weights[j]
        start = group_ends[g]
        by_rank[g] = 2.0 * below + group - total
        below += group


@kernel
def sum_weights(
    first: AnyArray, second: AnyArray, labels: Int32Array, weights: FloatArray, last: int
) -> float:
    """Return the sum of u over the pairs of rank below `last`, if no two pairs have one rank."""
    below = 0.0
    for t in range(last):
        i, j = first[t], second[t]
        below += weights[i] * weights[j] if labels[i] != labels[j] else 0.0
    return below


@kernel
def scores_of_distinct(
    first: AnyArray,
    second: AnyArray,
    labels: Int32Array,
    weights: FloatArray,
    begin: int,
    end: int,
    below: float,
    total: float,
    by_rank: FloatArray,
) -> None:
    """Do what `scores_by_rank` does for ranks begin..end-1, if no two pairs have one rank.

    All u of lower ranks add up to `below`.
    """
    for t in range(begin, end):
        i, j = first[t], second[t]
        u = weights[i] * weights[j] if labels[i] != labels[j] else 0.0
        by_rank[t] = 2.0 * below + u - total
        below += u


@kernel
def find_bands(
    labels: Int32Array, ranks: Int32Array, band_of_rank: AnyArray, bands: AnyArray
) -> None:
    """Write the lowest band of the pairs of each two clusters; `bands` is as high as can be."""
    e = 0
    for i in range(labels.shape[0]):
        for j in range(i + 1, labels.shape[0]):
            p, q = min(labels[i], labels[j]), max(labels[i], labels[j])
            bands[p, q] = min(bands[p, q], band_of_rank[ranks[e]])
            e += 1


@kernel
def mean_score(
    p: int, q: int, members: MemberArrays, ranks: Int32Array, by_rank: FloatArray
) -> float:
    """Return the mean of s over the objects of clusters p and q."""
    head, following, sizes = members
    n_objects = following.shape[0]
    total = 0.0
    i = head[p]
    while i >= 0:
        j = head[q]
        while j >= 0:
            total += by_rank[ranks[pair_id(i, j, n_objects)]]
            j = following[j]
        i = following[i]
    return total / (sizes[p] * sizes[q])


@kernel
def row_reaches(p: int, limit: float, row_bounds: FloatArray, falls: FloatArray) -> bool:
    """Tell whether the bound of any cluster pair in row p may be as high as the limit."""
    reached = False
    for b in range(falls.shape[0]):
        reached = reached or row_bounds[p, b] - falls[b] >= limit
    return reached


@kernel
def highest_bound(alive: Int32Array, arrays: BoundArrays) -> tuple[int, int]:
    """Return the cluster pair with the highest bound: it is likely to have a high score."""
    bounds, bands, row_bounds, falls = arrays
    highest, at_p, at_q = -np.inf, alive[0], alive[1]
    for a in range(alive.shape[0] - 1):
        p = alive[a]
        if row_reaches(p, highest, row_bounds, falls):
            for b in range(a + 1, alive.shape[0]):
                q = alive[b]
                bound = bounds[p, q] - falls[bands[p, q]]
                if bound > highest:
                    highest, at_p, at_q = bound, p, q
    return at_p, at_q


@kernel
def best_of_bounds(
    total: float,
    margin: float,
    arrays: BoundArrays,
    alive: Int32Array,
    unit: float,
    members: MemberArrays,
    ranks: Int32Array,
    by_rank: FloatArray,
    computed: Int32Array,
    means: FloatArray,
) -> tuple[int, int, float, int]:
    """Return the cluster pair to merge, its mean score, and the number of candidates.

    `total` is that of u, and `margin` is above the rounding errors of bounds. `computed` and
    `means` are room for the pairs that are computed and their means, the most likely one first.
    """
    bounds, bands, row_bounds, falls = arrays
    guess_p, guess_q = highest_bound(alive, arrays)
    means[0] = mean_score(guess_p, guess_q, members, ranks, by_rank)
    computed[0, 0], computed[0, 1] = guess_p, guess_q
    bounds[guess_p, guess_q] = -np.inf
    best = means[0]
    n = 1
    shift = total - margin
    limit = best - (TIE_RELATIVE * abs(best) + TIE_OF_UNIT * unit) + shift
    for a in range(alive.shape[0]):
        p = alive[a]
        if not row_reaches(p, limit, row_bounds, falls):
            continue
        row_bounds[p] = -np.inf
        for b in range(a + 1, alive.shape[0]):
            q = alive[b]
            band = bands[p, q]
            if bounds[p, q] - falls[band] >= limit:
                means[n] = mean_score(p, q, members, ranks, by_rank)
                computed[n, 0], computed[n, 1] = p, q
                bounds[p, q] = means[n] + total + falls[band]
                if means[n] > best:
                    best = means[n]
                    limit = best - (TIE_RELATIVE * abs(best) + TIE_OF_UNIT * unit) + shift
                n += 1
            row_bounds[p, band] = max(row_bounds[p, band], bounds[p, q])
    set_bound(guess_p, guess_q, means[0] + total, int(bands[guess_p, guess_q]), arrays)
    mark = best - (TIE_RELATIVE * abs(best) + TIE_OF_UNIT * unit)
    chosen, n_candidates = -1, 0
    for t in range(n):
        if means[t] >= mark:
            n_candidates += 1
            if (
                chosen < 0
                or computed[t, 0] < computed[chosen, 0]
                or (computed[t, 0] == computed[chosen, 0] and computed[t, 1] < computed[chosen, 1])
            ):
                chosen = t
    return computed[chosen, 0], computed[chosen, 1], means[chosen], n_candidates


@kernel
def set_bound(p: int, q: int, bound: float, band: int, arrays: BoundArrays) -> None:
    """Set the bound of clusters p < q, whose lowest band is `band`, for now."""
    bounds, bands, row_bounds, falls = arrays
    bands[p, q] = band
    bounds[p, q] = bound + falls[band]
    row_bounds[p, band] = max(row_bounds[p, band], bounds[p, q])


@kernel
def merge_bounds(p: int, q: int, share: float, alive: Int32Array, arrays: BoundArrays) -> None:
    """Bound the scores of the merged cluster by the weighted mean of the bounds of p and q.

    The merged cluster is p, p < q; `share` of its objects were in p before.
    """
    bounds, bands, row_bounds, falls = arrays
    row_bounds[p] = -np.inf
    for r in alive:
        if r not in (p, q):
            a, b = min(p, r), max(p, r)
            c, d = min(q, r), max(q, r)
            first = bounds[a, b] - falls[bands[a, b]]
            second = bounds[c, d] - falls[bands[c, d]]
            bound = share * first + (1.0 - share) * second
            set_bound(a, b, bound, min(bands[a, b], bands[c, d]), arrays)
