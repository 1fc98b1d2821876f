"""Average linkage of sign features: reciprocal nearest clusters, found along chains of lists."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ordlink._kernels import kernel
from ordlink._typing import BoolArray, Int8Array, Int32Array, Int64Array
from ordlink.linkage._kernels_lists import Clusters, Lists, compare_scores, dot, insert, move

ROUNDING = 4 * 2.0**-52
"""More than the relative rounding error of a weighted mean of two numbers in float64."""


class Merges(NamedTuple):
    """The merges in the order in which they are found."""

    pairs: Int32Array  # (n_slots - 1, 2): slots, the smaller one first
    numbers: Int64Array  # (n_slots - 1,): the score is `numbers / weights`
    weights: Int64Array
    # (n_slots - 1,): false where neither cluster can have had another partner with this score
    unsure: BoolArray


@kernel
def root_of(slot: int, parents: Int32Array) -> int:
    """Return the slot of the cluster that a slot was merged into."""
    while parents[slot] != slot:
        parents[slot] = parents[parents[slot]]
        slot = parents[slot]
    return slot


@kernel
def nearest(r: int, clusters: Clusters, lists: Lists) -> int:
    """Return the nearest cluster of r, or -1 if its list is used up and a search is needed.

    The score of r and a merged cluster is a mean of the scores of r and its two parts. So what
    is not in the list stays behind the bound, and an outdated entry is an upper bound: it must be
    updated only when it leads the list. Nothing moves forward in the order of ties either: a mean
    equals the larger of the two scores only if both are equal, and the slot of the merged cluster
    is the smaller one of the two.
    """
    while lists.counts[r] > 0:
        slot = int(lists.slots[r, 0])
        q = root_of(slot, clusters.parents)
        weight = clusters.sizes[r] * clusters.sizes[q]
        if q == slot and lists.weights[r, 0] == weight:
            return q
        lists.counts[r] -= 1
        known = False
        for place in range(lists.counts[r]):
            move(r, place + 1, place, lists)
            known = known or (lists.slots[r, place] == q and lists.weights[r, place] == weight)
        if not known:
            insert(dot(r, q, clusters.sums), weight, q, r, lists)
    return -1


@kernel
def may_tie(r: int, score: float, clusters: Clusters, lists: Lists) -> bool:
    """Tell whether r may have a second partner with the score of its nearest one."""
    if lists.scores[r, lists.slots.shape[1] - 1] >= score:
        return True
    nearest_slot = lists.slots[r, 0]
    for place in range(1, lists.counts[r]):
        if lists.scores[r, place] < score:
            return False
        if root_of(int(lists.slots[r, place]), clusters.parents) != nearest_slot:
            return True
    return False


@kernel
def merge_bounds(p: int, q: int, clusters: Clusters, lists: Lists) -> None:
    """Give p the bound of the cluster that p and q form.

    What is in neither list is at most the mean of the two bounds. If these are equal entries, a
    score equal to both needs an equal score with both parts, behind both bounds.
    """
    last = lists.slots.shape[1] - 1
    first, second = lists.scores[p, last], lists.scores[q, last]
    if (
        lists.weights[p, last] > 0
        and lists.weights[q, last] > 0
        and compare_scores(
            lists.numbers[p, last],
            lists.weights[p, last],
            lists.numbers[q, last],
            lists.weights[q, last],
        )
        == 0
    ):
        lists.slots[p, last] = max(lists.slots[p, last], lists.slots[q, last])
        return
    m, n = clusters.sizes[p], clusters.sizes[q]
    bound = (m * first + n * second) / (m + n)
    if np.isfinite(bound):
        bound += ROUNDING * max(abs(first), abs(second))
    lists.scores[p, last] = bound
    lists.weights[p, last] = 0


@kernel
def merge(p: int, q: int, clusters: Clusters, lists: Lists, spare: Int32Array) -> None:
    """Merge q into p (p < q); the list of the new cluster comes from the lists of the two."""
    merge_bounds(p, q, clusters, lists)
    sums, sizes, parents = clusters.sums, clusters.sizes, clusters.parents
    for k in range(sums.shape[1]):
        sums[p, k] += sums[q, k]
    sizes[p] += sizes[q]
    parents[q] = p
    n_spare = 0
    for part in (p, q):
        for place in range(lists.counts[part]):
            x = root_of(int(lists.slots[part, place]), parents)
            known = x == p
            for other in range(n_spare):
                known = known or spare[other] == x
            if not known:
                spare[n_spare] = x
                n_spare += 1
    lists.counts[p] = 0
    for place in range(n_spare):
        x = int(spare[place])
        insert(dot(p, x, sums), sizes[p] * sizes[x], x, p, lists)


@kernel
def merge_along_chains(
    done: int, clusters: Clusters, lists: Lists, merges: Merges, seen: Int8Array, spare: Int32Array
) -> int:
    """Merge reciprocal nearest clusters while the lists suffice; return the merges done.

    From every cluster, the chain of nearest clusters is followed. Each step leads to a better pair,
    so the chain ends in a reciprocal pair or at a list that is used up. `seen` becomes 1 where a
    chain has passed and 2 where the list is used up. `spare` has room for two lists.
    """
    seen[:] = 0
    for start in range(len(seen)):
        if clusters.parents[start] != start:
            continue
        r = start
        while seen[r] == 0:
            if lists.counts[r] > 0:
                # Until the cluster that leads the list is searched, r need not be looked at:
                # where many objects are alike, all lists are led by the same cluster.
                x = root_of(int(lists.slots[r, 0]), clusters.parents)
                if seen[x] == 2:
                    seen[r] = 1
                    break
            x = nearest(r, clusters, lists)
            if x < 0:
                seen[r] = 2
                break
            if nearest(x, clusters, lists) != r:
                seen[r] = 1
                r = x
                continue
            p, q = min(r, x), max(r, x)
            score = lists.scores[r, 0]
            merges.pairs[done, 0], merges.pairs[done, 1] = p, q
            merges.numbers[done] = lists.numbers[r, 0]
            merges.weights[done] = lists.weights[r, 0]
            merges.unsure[done] = may_tie(p, score, clusters, lists) or may_tie(
                q, score, clusters, lists
            )
            done += 1
            merge(p, q, clusters, lists, spare)
            r = p
            seen[r] = 0
    return done


@kernel
def find_ties(
    pairs: Int32Array,
    numbers: Int64Array,
    weights: Int64Array,
    unsure: BoolArray,
    clusters: Clusters,
    tied: BoolArray,
) -> None:
    """Do all merges in order; mark the uncertain ones where a third cluster has the same score."""
    sums, sizes = clusters.sums, clusters.sizes
    for t in range(len(pairs)):
        p, q = int(pairs[t, 0]), int(pairs[t, 1])
        if unsure[t]:
            score = numbers[t] / weights[t]
            for u in range(len(sizes)):
                if sizes[u] == 0 or u in (p, q):
                    continue
                for r in (p, q):
                    number, weight = dot(r, u, sums), sizes[r] * sizes[u]
                    if (
                        number / weight == score
                        and compare_scores(number, weight, numbers[t], weights[t]) == 0
                    ):
                        tied[t] = True
                if tied[t]:
                    break
        for k in range(sums.shape[1]):
            sums[p, k] += sums[q, k]
        sizes[p] += sizes[q]
        sizes[q] = 0
