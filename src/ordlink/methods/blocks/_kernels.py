"""Passes over the answers for the block model, object by object.

An answer says that i and j are more alike than k and l; if both pairs share an object, it is i = k.
Each object has three lists: answers whose winner or whose loser it belongs to, as (partner, two
objects of the other pair), and answers that compare two of its own pairs, as (nearer, farther, -).
Lists of object o are `others[starts[3 o + m] : starts[3 o + m + 1]]` for m = 0, 1, 2. Results for
one object are written once, so they are the same on any number of threads. `weights` is empty if
each answer counts once.
"""

from __future__ import annotations

import math

import numpy as np

from ordlink._kernels import kernel
from ordlink._typing import AnyArray, BoolArray, Float32Array, FloatArray, Int32Array, Int64Array
from ordlink.comparisons._kernels_parts import members
from ordlink.comparisons._kernels_votes import mix


@kernel
def read_answer(
    winner: int, loser: int, slots: Int32Array
) -> tuple[bool, tuple[int, int, int, int]]:
    """Return whether an answer is about different pairs of slots, and these as (i, j, k, l)."""
    i, j = members(winner, slots.shape[0])
    k, l = members(loser, slots.shape[0])  # noqa: E741 - the paper's letters
    i, j, k, l = slots[i], slots[j], slots[k], slots[l]  # noqa: E741
    if j in (k, l):
        i, j = j, i
    if i == l:
        k, l = l, k  # noqa: E741
    known = i >= 0 and j >= 0 and k >= 0 and l >= 0
    return known and i != j and k != l and not (i == k and j == l), (i, j, k, l)


@kernel
def is_held_out(row: int, answers: Int32Array, below: int) -> bool:
    """Return whether a row is held out; all rows of one answer are, or none."""
    answer = answers[row] if answers.shape[0] else row
    return bool(mix(answer + (1 << 40)) >> np.uint64(1) < np.uint64(below))


@kernel
def count_used(winners: AnyArray, losers: AnyArray, slots: Int32Array) -> int:
    """Return the number of rows about different pairs of slots."""
    n_used = 0
    for row in range(winners.shape[0]):
        used, _ = read_answer(winners[row], losers[row], slots)
        n_used += 1 if used else 0
    return n_used


@kernel
def count_mentions(
    winners: AnyArray,
    losers: AnyArray,
    answers: Int32Array,
    slots: Int32Array,
    below: int,
    mentions: Int64Array,
    marks: AnyArray,
) -> int:
    """Count the entries of each list, and return the number of rows that are held out.

    `marks` receives random bits for each slot that depend on its answers, not on its number.
    """
    n_tested = 0
    for row in range(winners.shape[0]):
        used, (i, j, k, l) = read_answer(winners[row], losers[row], slots)  # noqa: E741
        if not used:
            continue
        won, lost = mix(2 * row + 1), mix(2 * row + 2)
        marks[i] += won
        marks[j] += won
        marks[k] += lost
        marks[l] += lost
        if is_held_out(row, answers, below):
            n_tested += 1
            continue
        mentions[3 * j] += 1
        mentions[3 * l + 1] += 1
        if i == k:
            mentions[3 * i + 2] += 1
        else:
            mentions[3 * i] += 1
            mentions[3 * k + 1] += 1
    return n_tested


@kernel
def fill_lists(
    winners: AnyArray,
    losers: AnyArray,
    counts: Int32Array,
    answers: Int32Array,
    slots: Int32Array,
    below: int,
    place: Int64Array,
    others: Int32Array,
    weights: Int32Array,
    tested: Int32Array,
) -> None:
    """Write the lists; `place`, the position of the next entry of each, is advanced.

    Rows that are held out are written to `tested`, with their count.
    """
    n_tested = 0
    for row in range(winners.shape[0]):
        used, (i, j, k, l) = read_answer(winners[row], losers[row], slots)  # noqa: E741
        if not used:
            continue
        weight = counts[row] if counts.shape[0] else 1
        if is_held_out(row, answers, below):
            to = tested[n_tested]
            to[0], to[1], to[2], to[3], to[4] = i, j, k, l, weight
            n_tested += 1
            continue
        _write(3 * j, i, k, l, weight, place, others, weights)
        _write(3 * l + 1, k, i, j, weight, place, others, weights)
        if i == k:
            _write(3 * i + 2, j, l, -1, weight, place, others, weights)
        else:
            _write(3 * i, j, k, l, weight, place, others, weights)
            _write(3 * k + 1, l, i, j, weight, place, others, weights)


@kernel
def _write(
    number: int,
    first: int,
    second: int,
    third: int,
    weight: int,
    place: Int64Array,
    others: Int32Array,
    weights: Int32Array,
) -> None:
    at = place[number]
    others[at, 0], others[at, 1], others[at, 2] = first, second, third
    if weights.shape[0]:
        weights[at] = weight
    place[number] = at + 1


@kernel
def count_tested(
    tested: Int32Array, labels: AnyArray, pair_of: Int64Array, counts: Int64Array
) -> None:
    """Add up how often each pair of blocks beat each other one in rows that are held out."""
    for row in range(tested.shape[0]):
        e = pair_of[labels[tested[row, 0]], labels[tested[row, 1]]]
        f = pair_of[labels[tested[row, 2]], labels[tested[row, 3]]]
        counts[e, f] += tested[row, 4]


@kernel
def count_answers(
    first: int,
    last: int,
    starts: Int64Array,
    others: Int32Array,
    weights: Int32Array,
    labels: AnyArray,
    pair_of: Int64Array,
    counts: Int64Array,
) -> None:
    """Add up, twice, how often each pair of blocks beat each other one."""
    for item in range(first, last):
        own = pair_of[labels[item]]
        for at in range(starts[3 * item + 2], starts[3 * item + 3]):
            weight = weights[at] if weights.shape[0] else 1
            counts[own[labels[others[at, 0]]], own[labels[others[at, 1]]]] += 2 * weight
        for at in range(starts[3 * item], starts[3 * item + 1]):
            if others[at, 0] != others[at, 1]:  # else in the list of the shared object
                weight = weights[at] if weights.shape[0] else 1
                f = pair_of[labels[others[at, 1]], labels[others[at, 2]]]
                counts[own[labels[others[at, 0]]], f] += weight  # once for each of the winners


@kernel
def draw_labels(
    first: int,
    last: int,
    starts: Int64Array,
    others: Int32Array,
    weights: Int32Array,
    labels: AnyArray,
    pair_of: Int64Array,
    won: Float32Array,
    lost: Float32Array,
    both: Float32Array,
    prior: FloatArray,
    marks: AnyArray,
    sweep: int,
    drawn: AnyArray,
    shares: Float32Array,
) -> int:
    """Draw the block of each object from its posterior; return for how many it is not clear.

    The other objects stay in their blocks. won[b, e, t] is the log-likelihood of an answer in which
    the pair of blocks b and t beats the pair of blocks e, lost[b, e, t] of the opposite, and
    both[b, c, t] that of blocks b and t beating c and t. `shares` adds up the posteriors, unless
    it is empty.
    """
    n_blocks = prior.shape[0]
    scores = np.empty(n_blocks, dtype=np.float32)
    chances = np.empty(n_blocks)
    unclear = 0
    for item in range(first, last):
        scores[:] = 0.0
        for kind in range(2):
            table = won if kind == 0 else lost
            for at in range(starts[3 * item + kind], starts[3 * item + kind + 1]):
                weight = np.float32(weights[at] if weights.shape[0] else 1)
                e = pair_of[labels[others[at, 1]], labels[others[at, 2]]]
                said = table[labels[others[at, 0]], e]
                for t in range(n_blocks):
                    scores[t] += weight * said[t]
        for at in range(starts[3 * item + 2], starts[3 * item + 3]):
            weight = np.float32(weights[at] if weights.shape[0] else 1)
            said = both[labels[others[at, 0]], labels[others[at, 1]]]
            for t in range(n_blocks):
                scores[t] += weight * said[t]
        best = -np.inf
        for t in range(n_blocks):
            chances[t] = scores[t] + prior[t]
            best = max(best, chances[t])
        total = 0.0
        for t in range(n_blocks):
            chances[t] = math.exp(chances[t] - best)
            total += chances[t]
        unclear += total > 1.01
        if shares.shape[0]:
            for t in range(n_blocks):
                shares[item, t] += chances[t] / total
        bits = mix(marks[item] + np.uint64(sweep) * np.uint64(0x9E3779B97F4A7C15))
        left = total * (float(bits >> np.uint64(11)) / 2.0**53)
        t = 0
        while t < n_blocks - 1 and left >= chances[t]:
            left -= chances[t]
            t += 1
        drawn[item] = t
    return unclear


@kernel
def multiply(
    first: int,
    last: int,
    starts: Int64Array,
    others: Int32Array,
    weights: Int32Array,
    labels: AnyArray,
    pair_of: Int64Array,
    slopes: FloatArray,
    blocks: BoolArray,
    vector: Float32Array,
    product: FloatArray,
) -> None:
    """Write the product of a vector and the matrix of slopes of all pairs that share a block.

    Objects of other blocks than `blocks` are left out.

    slopes[e, f] is the derivative of the log-likelihood of an answer by the difference in strength,
    where block pair e beat f; the slope of a pair adds it up over its wins less its losses.
    """
    for item in range(first, last):
        block = labels[item]
        if not blocks[block]:
            continue
        own = pair_of[block]
        total = 0.0
        for kind in range(2):
            for at in range(starts[3 * item + kind], starts[3 * item + kind + 1]):
                partner = others[at, 0]
                if labels[partner] != block:
                    continue
                weight = float(weights[at]) if weights.shape[0] else 1.0
                f = pair_of[labels[others[at, 1]], labels[others[at, 2]]]
                slope = slopes[own[block], f] if kind == 0 else -slopes[f, own[block]]
                total += weight * slope * vector[partner]
        for at in range(starts[3 * item + 2], starts[3 * item + 3]):
            nearer, farther = others[at, 0], others[at, 1]
            b, c = labels[nearer], labels[farther]
            if b != block and c != block:
                continue
            weight = float(weights[at]) if weights.shape[0] else 1.0
            slope = weight * slopes[own[b], own[c]]
            if b == block:
                total += slope * vector[nearer]
            if c == block:
                total -= slope * vector[farther]
        product[item] = total
