"""4-AL when every comparison is known: the score s of a pair of objects is a function of its rank.

s' = s + the total of u is twice the sum of u over lower ranks, and the u of the rank itself. Sums
of u are kept by block of ranks; a merge changes them only by the pairs of the merged cluster.

s' never falls from one rank to the next, so the mean of s' over two clusters is at most what any
concave function above s' has at their mean rank. Mean ranks of clusters are those of average
linkage, and only cluster pairs whose mean rank is high enough for the best score known are
computed. `row_bounds[p]` is at least the mean rank of p and any cluster q > p.

Clusters are linked lists: `head[p]` is the first object of cluster p, `following[i]` the object
after i, -1 at the end. `members` are `head`, `following` and the sizes of the clusters.
"""

from __future__ import annotations

import numpy as np

from ordlink._kernels import inlined, kernel
from ordlink._typing import AnyArray, FloatArray, Int32Array, Int64Array
from ordlink.linkage._kernels_average import TIE_OF_UNIT, TIE_RELATIVE

PairArrays = tuple[AnyArray, AnyArray, Int64Array]
"""The objects of the pairs in order of similarity, and where those of each rank end."""
MemberArrays = tuple[Int32Array, Int32Array, Int64Array]
ShareArrays = tuple[Int32Array, FloatArray]
"""The cluster of each object, and 1 / |r| of it."""
BlockArrays = tuple[int, FloatArray, FloatArray]
"""Blocks are of 2^shift ranks; their sums of u, and the sum over all blocks below each."""
CornerArrays = tuple[Int64Array, FloatArray]
"""Ranks, and s' there: corners of a concave function that is nowhere below s'."""


@inlined
def weight_of(rank: int, pairs: PairArrays, shares: ShareArrays) -> float:
    """Return the u of all pairs of a rank; u_f = 1 / (|r| |s|) across clusters, 0 inside."""
    first, second, ends = pairs
    labels, share = shares
    total = 0.0
    for t in range(ends[rank - 1] if rank else 0, ends[rank]):
        i, j = first[t], second[t]
        total += share[i] * share[j] if labels[i] != labels[j] else 0.0
    return total


@kernel
def weigh_all(
    pairs: PairArrays, shares: ShareArrays, blocks: BlockArrays, begin: int, end: int
) -> None:
    """Write the sums of u of blocks begin..end-1."""
    shift, sums, _ = blocks
    n_ranks = pairs[2].shape[0]
    for block in range(begin, end):
        sums[block] = 0.0
        for rank in range(block << shift, min((block + 1) << shift, n_ranks)):
            sums[block] += weight_of(rank, pairs, shares)


@kernel
def weigh_merged(
    p: int,
    q: int,
    members: MemberArrays,
    ranks: Int32Array,
    shares: ShareArrays,
    blocks: BlockArrays,
) -> None:
    """Change the sums of u as cluster p absorbs cluster q; all else is as before the merge."""
    head, following, sizes = members
    labels, _ = shares
    shift, sums, _ = blocks
    n = labels.shape[0]
    changes = np.empty(n)
    merged = 1.0 / (sizes[p] + sizes[q])
    for one in (p, q):
        for j in range(n):
            label = labels[j]
            if label not in (p, q):
                changes[j] = (merged - 1.0 / sizes[one]) / sizes[label]
            elif one == p and label == q:  # once for both clusters
                changes[j] = -1.0 / (sizes[p] * sizes[q])
            else:
                changes[j] = 0.0
        i = head[one]
        while i >= 0:
            for j in range(n):
                sums[ranks[i, j] >> shift] += changes[j]
            i = following[i]


@inlined
def score_of(rank: int, pairs: PairArrays, shares: ShareArrays, blocks: BlockArrays) -> float:
    """Return s' of a rank."""
    shift, sums, below = blocks
    block = rank >> shift
    if shift == 0:
        return 2.0 * below[block] + sums[block]
    total = below[block]
    for other in range(block << shift, rank):
        total += weight_of(other, pairs, shares)
    return 2.0 * total + weight_of(rank, pairs, shares)


@kernel
def find_corners(
    edges: Int64Array,
    pairs: PairArrays,
    shares: ShareArrays,
    blocks: BlockArrays,
    corners: CornerArrays,
) -> int:
    """Add up the sums over blocks, write the corners of the concave function, return their number.

    Ranks edges[b]..edges[b + 1]-1 have at most s' of the last of them.
    """
    at, heights = corners
    _, sums, below = blocks
    total = 0.0
    for block in range(sums.shape[0]):
        below[block] = total
        total += sums[block]
    n, last = 0, pairs[2].shape[0] - 1
    for b in range(edges.shape[0]):
        end = edges[b + 1] - 1 if b + 1 < edges.shape[0] else last
        height = score_of(end, pairs, shares, blocks)
        while n >= 2 and (heights[n - 1] - heights[n - 2]) * (edges[b] - at[n - 1]) <= (
            height - heights[n - 1]
        ) * (at[n - 1] - at[n - 2]):
            n -= 1
        at[n], heights[n] = edges[b], height
        n += 1
    return n


@inlined
def lowest_rank(score: float, corners: CornerArrays, n_corners: int) -> float:
    """Return the mean rank below which no two clusters have a mean s' of this score."""
    at, heights = corners
    if score <= heights[0]:
        return -1.0
    b = n_corners - 1
    while b > 0 and heights[b - 1] >= score:
        b -= 1
    rise = heights[b] - heights[b - 1]
    share = (score - heights[b - 1]) / rise if rise > 0.0 else 0.0
    return at[b - 1] + min(share, 1.0) * (at[b] - at[b - 1])


@kernel
def fill_ranks(by_pair: Int32Array, ranks: Int32Array) -> None:
    """Write the ranks of all pairs into both halves of a matrix; any rank does on the diagonal."""
    e = 0
    for i in range(ranks.shape[0]):
        ranks[i, i] = 0
        for j in range(i + 1, ranks.shape[0]):
            ranks[i, j] = ranks[j, i] = by_pair[e]
            e += 1


@kernel
def fill_mean_ranks(
    labels: Int32Array,
    sizes: Int64Array,
    ranks: Int32Array,
    mean_ranks: FloatArray,
    row_bounds: FloatArray,
) -> None:
    """Write the mean rank of each two clusters p < q."""
    for i in range(labels.shape[0]):
        for j in range(i + 1, labels.shape[0]):
            p, q = min(labels[i], labels[j]), max(labels[i], labels[j])
            mean_ranks[p, q] += ranks[i, j]
    for p in range(mean_ranks.shape[0]):
        for q in range(p + 1, mean_ranks.shape[0]):
            mean_ranks[p, q] /= sizes[p] * sizes[q]
            row_bounds[p] = max(row_bounds[p], mean_ranks[p, q])


@kernel
def highest_mean_rank(
    alive: Int32Array, mean_ranks: FloatArray, row_bounds: FloatArray
) -> tuple[int, int]:
    """Return the cluster pair with the highest mean rank: it is likely to have the best score."""
    highest, at_p, at_q = -np.inf, alive[0], alive[1]
    for a in range(alive.shape[0] - 1):
        p = alive[a]
        if row_bounds[p] > highest:
            row_bounds[p] = -np.inf
            for b in range(a + 1, alive.shape[0]):
                row_bounds[p] = max(row_bounds[p], mean_ranks[p, alive[b]])
                if mean_ranks[p, alive[b]] > highest:
                    highest, at_p, at_q = mean_ranks[p, alive[b]], p, alive[b]
    return at_p, at_q


@kernel
def mean_score(
    p: int,
    q: int,
    total: float,
    members: MemberArrays,
    ranks: Int32Array,
    pairs: PairArrays,
    shares: ShareArrays,
    blocks: BlockArrays,
) -> float:
    """Return the mean of s over the objects of clusters p and q; `total` is that of u.

    It is subtracted from each s', so that none is so large that sums of equal ones differ.
    """
    head, following, sizes = members
    score = 0.0
    i = head[p]
    while i >= 0:
        j = head[q]
        while j >= 0:
            score += score_of(ranks[i, j], pairs, shares, blocks) - total
            j = following[j]
        i = following[i]
    return score / (sizes[p] * sizes[q])


@kernel
def best_by_rank(
    total: float,
    margin: float,
    alive: Int32Array,
    unit: float,
    mean_ranks: FloatArray,
    row_bounds: FloatArray,
    corners: CornerArrays,
    n_corners: int,
    members: MemberArrays,
    ranks: Int32Array,
    pairs: PairArrays,
    shares: ShareArrays,
    blocks: BlockArrays,
    computed: Int32Array,
    means: FloatArray,
) -> tuple[int, int, float, int]:
    """Return the cluster pair to merge, its mean score, and the number of candidates.

    `total` is that of u, and `margin` is above the rounding errors of s' and mean ranks. `computed`
    and `means` are room for the pairs that are computed and their means, the most likely one first.
    """
    guess_p, guess_q = highest_mean_rank(alive, mean_ranks, row_bounds)
    best = mean_score(guess_p, guess_q, total, members, ranks, pairs, shares, blocks)
    computed[0, 0], computed[0, 1], means[0] = guess_p, guess_q, best
    n = 1
    mark = best - (TIE_RELATIVE * abs(best) + TIE_OF_UNIT * unit)
    lowest = lowest_rank(mark + total - margin, corners, n_corners) - margin
    for a in range(alive.shape[0] - 1):
        p = alive[a]
        if row_bounds[p] < lowest:
            continue
        for b in range(a + 1, alive.shape[0]):
            q = alive[b]
            if mean_ranks[p, q] >= lowest and not (p == guess_p and q == guess_q):
                means[n] = mean_score(p, q, total, members, ranks, pairs, shares, blocks)
                computed[n, 0], computed[n, 1] = p, q
                if means[n] > best:
                    best = means[n]
                    mark = best - (TIE_RELATIVE * abs(best) + TIE_OF_UNIT * unit)
                    lowest = lowest_rank(mark + total - margin, corners, n_corners) - margin
                n += 1
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
def merge_mean_ranks(
    p: int,
    q: int,
    share: float,
    alive: Int32Array,
    mean_ranks: FloatArray,
    row_bounds: FloatArray,
) -> None:
    """Write the mean ranks of the merged cluster p < q; `share` of its objects were in p before."""
    for r in alive:
        if r not in (p, q):
            a, b = min(p, r), max(p, r)
            mean = mean_ranks[min(q, r), max(q, r)]
            mean_ranks[a, b] = share * mean_ranks[a, b] + (1.0 - share) * mean
            row_bounds[a] = max(row_bounds[a], mean_ranks[a, b])
