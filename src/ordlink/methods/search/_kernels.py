"""Kernels of the tree search: expected agreement of all triples, and moves of subtrees.

A triple of objects has three topologies. V(xy|z) is the expected agreement, right minus wrong, of a
new comparison about {x, y, z} with a tree that joins x and y before z. `gains[s, j, k]` is
V(sj|k) - V(jk|s): what the tree gains where s joins j instead of staying outside of {j, k}.
"""

from __future__ import annotations

import numpy as np

from ordlink._kernels import inlined, kernel, whole
from ordlink._typing import AnyArray, FloatArray, Int32Array, Int64Array

_THIRD = 1.0 / 3.0
_MODELS_COUNT = 1.0  # what the models expect counts like so many answers
_LARGE = 20.0  # subtrees of more objects, or of a fourth of all, are moved less often
_SURE = 1.001  # above 1 by more than rounding errors


@kernel
def preferences(
    odds: FloatArray, ranks: Int32Array, model: int, a: int, b: int, c: int
) -> tuple[float, float, float]:
    """Return a model's probabilities of ab > ac, ab > bc and ac > bc."""
    n_odds = odds.shape[0]
    if model < n_odds:
        x, y, z = odds[model, a, b], odds[model, a, c], odds[model, b, c]
        return x / (x + y), x / (x + z), y / (y + z)
    tree = model - n_odds
    i, j, k = ranks[tree, a, b], ranks[tree, a, c], ranks[tree, b, c]
    return 0.5 + 0.5 * np.sign(j - i), 0.5 + 0.5 * np.sign(k - i), 0.5 + 0.5 * np.sign(k - j)


@kernel
def closest_pair(p: float, q: float, r: float) -> tuple[float, float, float]:
    """Return the probabilities that ab, ac and bc are the most similar pair (odd one out)."""
    ab, ac, bc = p * q, (1 - p) * r, (1 - q) * (1 - r)
    total = ab + ac + bc
    return ab / total, ac / total, bc / total


@inlined
def objects_of(rows: Int32Array, row: int) -> tuple[int, int, int]:
    """Return the three objects of a row."""
    return whole(rows[row, 0]), whole(rows[row, 1]), whole(rows[row, 2])


@kernel
def put(gains: AnyArray, x: int, y: int, z: int, value: float) -> None:
    """Add a value to V(xy|z)."""
    gains[x, y, z] += value
    gains[y, x, z] += value
    gains[z, x, y] -= value
    gains[z, y, x] -= value


@kernel
def fill_gains(
    odds: FloatArray,
    ranks: Int32Array,
    weights: FloatArray,
    shares: FloatArray,
    rates: FloatArray,
    heads: FloatArray,
    gains: AnyArray,
    first: int,
    step: int,
) -> None:
    """Add what several models, each with its weight, expect of every triple.

    `shares` weight triplets, odd-one-out and most-central comparisons. A triplet counts as much as
    `heads` says, a choice as the product of the rates at which its objects are asked about. Only
    triples whose first object is `first`, first + step, ... are filled: no two threads write to
    the same place.
    """
    n = gains.shape[0]
    for a in range(first, n, step):
        for b in range(a + 1, n):
            for c in range(b + 1, n):
                ab = ac = bc = 0.0
                of_a = shares[0] * _THIRD * heads[a, b] * heads[a, c]
                of_b = shares[0] * _THIRD * heads[b, a] * heads[b, c]
                of_c = shares[0] * _THIRD * heads[c, a] * heads[c, b]
                rate = 1.5 * rates[a] * rates[b] * rates[c]
                for m in range(weights.shape[0]):
                    p, q, r = preferences(odds, ranks, m, a, b, c)
                    if shares[0] > 0.0:
                        at_a = weights[m] * of_a * (2.0 * p - 1.0)
                        at_b = weights[m] * of_b * (2.0 * q - 1.0)
                        at_c = weights[m] * of_c * (2.0 * r - 1.0)
                        ab += at_a + at_b
                        ac += at_c - at_a
                        bc -= at_b + at_c
                    if shares[1] > 0.0:
                        part = rate * weights[m] * shares[1]
                        near_ab, near_ac, near_bc = closest_pair(p, q, r)
                        ab += part * (near_ab - _THIRD)
                        ac += part * (near_ac - _THIRD)
                        bc += part * (near_bc - _THIRD)
                    if shares[2] > 0.0:
                        part = rate * weights[m] * shares[2]
                        far_ab, far_ac, far_bc = closest_pair(1 - p, 1 - q, 1 - r)
                        ab -= part * (far_ab - _THIRD)
                        ac -= part * (far_ac - _THIRD)
                        bc -= part * (far_bc - _THIRD)
                put(gains, a, b, c, ab)
                put(gains, a, c, b, ac)
                put(gains, b, c, a, bc)


@kernel
def add_triplets(
    odds: FloatArray,
    ranks: Int32Array,
    weights: FloatArray,
    share: float,
    questions: Int32Array,
    votes: Int64Array,
    rates: FloatArray,
    gains: AnyArray,
) -> None:
    """Update triples that were asked about as triplets by what was answered.

    Row (a, b, c) of `questions` asked whether a is closer to b or to c; `votes` has both counts.
    What the models expect counts like some answers. `rates` has how often each is asked.
    """
    for row in range(questions.shape[0]):
        a, b, c = objects_of(questions, row)
        expected = 0.0
        for m in range(weights.shape[0]):
            expected += weights[m] * (2.0 * preferences(odds, ranks, m, a, b, c)[0] - 1.0)
        n = votes[row, 0] + votes[row, 1]
        net = votes[row, 0] - votes[row, 1]
        change = (net - n * expected) / (_MODELS_COUNT + n)
        put(gains, a, b, c, share * _THIRD * rates[row] * change)
        put(gains, a, c, b, -share * _THIRD * rates[row] * change)


@kernel
def add_choices(
    odds: FloatArray,
    ranks: Int32Array,
    weights: FloatArray,
    sign: float,
    share: float,
    triples: Int32Array,
    votes: Int64Array,
    rates: FloatArray,
    gains: AnyArray,
) -> None:
    """Do the same for choices among three: the odd one out (sign 1) or the most central (-1).

    Row (a, b, c) of `votes` counts how often ab, ac and bc were the closest, or farthest, pair.
    """
    for row in range(triples.shape[0]):
        a, b, c = objects_of(triples, row)
        ab = ac = bc = 0.0
        for m in range(weights.shape[0]):
            p, q, r = preferences(odds, ranks, m, a, b, c)
            if sign < 0.0:
                p, q, r = 1.0 - p, 1.0 - q, 1.0 - r
            one, two, three = closest_pair(p, q, r)
            ab += weights[m] * (one - _THIRD)
            ac += weights[m] * (two - _THIRD)
            bc += weights[m] * (three - _THIRD)
        n = votes[row, 0] + votes[row, 1] + votes[row, 2]
        part = sign * 1.5 * share * rates[row] / (_MODELS_COUNT + n)
        put(gains, a, b, c, part * (votes[row, 0] - n * (_THIRD + ab)))
        put(gains, a, c, b, part * (votes[row, 1] - n * (_THIRD + ac)))
        put(gains, b, c, a, part * (votes[row, 2] - n * (_THIRD + bc)))


@kernel
def list_leaves(
    root: int,
    n: int,
    children: Int32Array,
    leaves: Int32Array,
    first: Int32Array,
    last: Int32Array,
    nodes: Int32Array,
) -> int:
    """List nodes below a root, parents first, and leaves; return the number of nodes.

    The leaves under node v become ``leaves[first[v] : last[v]]``.
    """
    n_leaves = n_nodes = 0
    waiting = np.empty(n + 1, dtype=np.int32)
    waiting[0] = root
    top = 1
    while top > 0:
        top -= 1
        v = waiting[top]
        nodes[n_nodes] = v
        n_nodes += 1
        first[v] = n_leaves
        if v < n:
            leaves[n_leaves] = v
            n_leaves += 1
            last[v] = n_leaves
        else:
            waiting[top] = children[v, 1]
            waiting[top + 1] = children[v, 0]
            top += 2
    for place in range(n_nodes - 1, -1, -1):
        v = nodes[place]
        if v >= n:
            last[v] = last[children[v, 1]]
    return n_nodes


@inlined
def uniform(state: Int64Array) -> float:
    """Return the next number between 0 and 1 of a generator (xorshift64*) with this state."""
    x = np.uint64(state[0])
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = np.int64(x)
    return (np.float64((x * np.uint64(2685821657736338717)) >> np.uint64(11)) + 0.5) / 2.0**53


@inlined
def sum_across(
    table: AnyArray, leaves: Int32Array, first: Int32Array, last: Int32Array, one: int, other: int
) -> float:
    """Return the sum of the table over the leaves under two nodes, in four sums that do not wait.

    `leaves` are those of `list_leaves`: slices of them would take longer to compile.
    """
    total = 0.0
    begin, end = whole(first[other]), whole(last[other])
    in_fours = end - (end - begin) % 4
    for at in range(first[one], last[one]):
        row = leaves[at]
        p = q = r = s = table.dtype.type(0.0)
        for place in range(begin, in_fours, 4):
            p += table[row, leaves[place]]
            q += table[row, leaves[place + 1]]
            r += table[row, leaves[place + 2]]
            s += table[row, leaves[place + 3]]
        for place in range(in_fours, end):
            p += table[row, leaves[place]]
        total += (p + q) + (r + s)
    return total


@kernel
def sweep(
    gains: AnyArray,
    root: int,
    children: Int32Array,
    parents: Int32Array,
    picks: Int32Array,
    temperatures: FloatArray,
    state: Int64Array,
) -> tuple[int, float]:
    """Prune each picked subtree and graft it where the tree agrees best; return root and gain.

    At a temperature T above 0, each place is taken with a probability in proportion to
    exp(agreement / T). With S outside of a node p with children v and w, moving S down to v changes
    the topology of the triples with one object each in S, v and w, and of no others.
    """
    n = gains.shape[0]
    leaves = np.empty(n, dtype=np.int32)
    first, last = np.empty(2 * n, dtype=np.int32), np.empty(2 * n, dtype=np.int32)
    nodes = np.empty(2 * n, dtype=np.int32)
    values = np.empty(2 * n)
    joined = np.empty((n, n), dtype=gains.dtype)
    gain = 0.0
    for step in range(picks.shape[0]):
        s, temperature = whole(picks[step]), temperatures[step]
        p = parents[s]
        if p < 0:
            continue
        list_leaves(s, n, children, leaves, first, last, nodes)
        if last[s] > n - 2 or uniform(state) * last[s] > min(_LARGE, 0.25 * n):
            continue  # large subtrees cost most and gain least: others can move around them
        for place in range(last[s] if last[s] > 1 else 0):
            leaf = leaves[place]
            for i in range(n):
                for j in range(n):
                    if place == 0:
                        joined[i, j] = gains[leaf, i, j]
                    else:
                        joined[i, j] += gains[leaf, i, j]
        sibling = whole(children[p, 1] if children[p, 0] == s else children[p, 0])
        above = parents[p]
        parents[sibling] = above
        top = sibling
        if above >= 0:
            children[above, 0 if children[above, 0] == p else 1] = sibling
            top = root
        n_nodes = list_leaves(top, n, children, leaves, first, last, nodes)
        table = gains[s] if s < n else joined
        values[top] = 0.0
        best, best_value = top, -np.inf
        for place in range(n_nodes):
            v = nodes[place]
            value = values[v]
            if temperature > 0.0:
                value /= temperature
                drawn = uniform(state)
                behind = best_value - value
                # -log(-log(u)) is at most -log(1 - u): often too little, without a logarithm
                least = 1.0 + behind * (1.0 + behind * (0.5 + behind / 6.0))  # below exp(behind)
                if behind <= 0.0 or (1.0 - drawn) * least <= _SURE:
                    value -= np.log(-np.log(drawn))
            elif v == sibling:
                value += 1e-9 * abs(value)
            if value > best_value:
                best, best_value = v, value
            if v >= n:
                a, b = children[v, 0], children[v, 1]
                for one, other in ((a, b), (b, a)):
                    values[one] = values[v] + sum_across(table, leaves, first, last, one, other)
        gain += values[best] - values[sibling]
        above = parents[best]
        children[p, 0], children[p, 1] = best, s
        parents[best], parents[s], parents[p] = p, p, above
        root = p
        if above >= 0:
            children[above, 0 if children[above, 0] == best else 1] = p
            root = top
    return root, gain
