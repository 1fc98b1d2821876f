"""4-AL when every comparison is known: lazily kept scores of cluster pairs.

The score s of a pair of objects is a function of its rank alone, and one merge changes it little.
So the mean of s over two clusters is kept as it was when last computed, together with how much s
can have risen since: an upper bound. Only cluster pairs whose bound reaches the best score known
are computed again, about K of K^2 / 2 at a time.

Clusters are linked lists: `head[p]` is the first object of cluster p, `following[i]` the object
after i, -1 at the end. `members` are `head`, `following` and the sizes of the clusters.
"""

from __future__ import annotations

import numpy as np

from ordlink._kernels import kernel
from ordlink._typing import FloatArray, Int32Array, Int64Array
from ordlink.linkage._kernels_average import TIE_OF_UNIT, TIE_RELATIVE
from ordlink.methods.four_al._kernels import pair_id

MemberArrays = tuple[Int32Array, Int32Array, Int64Array]


@kernel
def scores_by_rank(
    first: Int32Array,
    second: Int32Array,
    group_ends: Int64Array,
    labels: Int32Array,
    weights: FloatArray,
    total: float,
    by_rank: FloatArray,
) -> float:
    """Set s of each rank, the u of all pairs below it minus the u of all above; return its rise.

    `first` and `second` are the objects of the pairs in order of similarity, and the pairs of rank
    g end at `group_ends[g]`. u_f = 1 / (|r| |s|) across clusters, 0 inside: the product of the
    `weights` 1 / |r| of two objects. All u add up to `total`, the number of cluster pairs. The rise
    is the largest increase of s at any rank. One sequential sweep through memory.
    """
    rise = 0.0
    below = 0.0
    start = 0
    for g in range(group_ends.shape[0]):
        group = 0.0
        for t in range(start, group_ends[g]):
            i, j = first[t], second[t]
            if labels[i] != labels[j]:
                group += weights[i] * weights[j]
        start = group_ends[g]
        now = 2.0 * below + group - total
        rise = max(rise, now - by_rank[g])
        by_rank[g] = now
        below += group
    return rise


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
def best_of_bounds(
    guess_p: int,
    guess_q: int,
    risen: float,
    bounds: FloatArray,
    alive: Int32Array,
    unit: float,
    members: MemberArrays,
    ranks: Int32Array,
    by_rank: FloatArray,
    computed: Int32Array,
    means: FloatArray,
) -> tuple[int, int, float, int, int]:
    """Return the cluster pair to merge, its mean score, and the numbers of candidates and computed.

    bounds[p, q] + risen, p < q, is an upper bound of the mean score of p and q. The computed pairs
    and their means are written into `computed` and `means`, in the order of the tie rule but for
    the first one, the guess: a pair that is likely to have a high score, which the others must
    reach.
    """
    means[0] = mean_score(guess_p, guess_q, members, ranks, by_rank)
    computed[0, 0], computed[0, 1] = guess_p, guess_q
    bounds[guess_p, guess_q] = -np.inf
    best = means[0]
    n = 1
    for a in range(alive.shape[0]):
        p = alive[a]
        for b in range(a + 1, alive.shape[0]):
            q = alive[b]
            if bounds[p, q] + risen >= best - (TIE_RELATIVE * abs(best) + TIE_OF_UNIT * unit):
                means[n] = mean_score(p, q, members, ranks, by_rank)
                computed[n, 0], computed[n, 1] = p, q
                bounds[p, q] = means[n] - risen
                best = max(best, means[n])
                n += 1
    bounds[guess_p, guess_q] = means[0] - risen
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
    return computed[chosen, 0], computed[chosen, 1], means[chosen], n_candidates, n


@kernel
def next_guess(
    p: int, q: int, computed: Int32Array, means: FloatArray, n: int, alive: Int32Array
) -> tuple[int, int]:
    """Return the best of the computed pairs that the merge of p and q does not affect."""
    chosen = -1
    for t in range(n):
        a, b = computed[t, 0], computed[t, 1]
        touched = a in (p, q) or b in (p, q)
        if not touched and (chosen < 0 or means[t] > means[chosen]):
            chosen = t
    if chosen < 0:
        return alive[0], alive[1]
    return computed[chosen, 0], computed[chosen, 1]


@kernel
def merge_bounds(p: int, q: int, share: float, bounds: FloatArray, alive: Int32Array) -> None:
    """Bound the scores of the merged cluster by the weighted mean of the bounds of p and q.

    The merged cluster is p, p < q; `share` of its objects were in p before.
    """
    for r in alive:
        if r not in (p, q):
            a, b = min(p, r), max(p, r)
            c, d = min(q, r), max(q, r)
            bounds[a, b] = share * bounds[a, b] + (1.0 - share) * bounds[c, d]
