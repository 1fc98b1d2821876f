"""Splits of objects in two by least squares, and sums over tables of pairs.

For each pair e of objects, `precisions[e]` is the weight h of its strength z, and `pulls[e]` is
h (z - mean), where the mean is that of the set, so that the pulls add up to 0. A split that cuts
pairs of total pull t < 0 and total precision h, out of a total precision of H, explains

    gain = t^2 / 2 (1 / h + 1 / (H - h)):

the log-likelihood that it adds if all pairs across share one strength and all pairs within another.
`costs[k]` is the smallest gain for which splitting off k objects counts. Both matrices are
symmetric with 0 on the diagonal.
"""

from __future__ import annotations

import numpy as np

from ordlink._kernels import inlined, kernel
from ordlink._typing import BoolArray, FloatArray, Int64Array

TINY = 1e-12  # a total precision below this says nothing


@kernel
def fill_symmetric(by_pair: FloatArray, matrix: FloatArray) -> None:
    """Write one number per pair into both halves of a matrix, and 0 on the diagonal."""
    n = matrix.shape[0]
    e = 0
    for i in range(n):
        matrix[i, i] = 0.0
        for j in range(i + 1, n):
            matrix[i, j] = by_pair[e]
            matrix[j, i] = by_pair[e]
            e += 1


@kernel
def take_upper(matrix: FloatArray, by_pair: FloatArray) -> None:
    """Write the numbers above the diagonal, row by row."""
    n = matrix.shape[0]
    e = 0
    for i in range(n):
        for j in range(i + 1, n):
            by_pair[e] = matrix[i, j]
            e += 1


@kernel
def add_by_label(
    strengths: FloatArray,
    precisions: FloatArray,
    labels: Int64Array,
    first: int,
    last: int,
    totals: FloatArray,
    sums: FloatArray,
) -> None:
    """Add up h z and h of objects first..last-1 over the objects of each label."""
    for i in range(first, last):
        for j in range(labels.shape[0]):
            totals[i, labels[j]] += precisions[i, j] * strengths[i, j]
            sums[i, labels[j]] += precisions[i, j]


@inlined
def gain_of_cut(pull: float, precision: float, total: float) -> float:
    """Return the gain of a split from what it cuts, or 0 if it does not cut the weaker pairs."""
    if pull >= 0.0 or precision <= TINY:
        return 0.0
    within = total - precision
    inverse = 1.0 / precision
    if within > TINY:
        inverse += 1.0 / within
    return 0.5 * pull * pull * inverse


@inlined
def sum_of_all(matrix: FloatArray) -> float:
    """Return the sum of a matrix; `sum` takes long to compile."""
    total = 0.0
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            total += matrix[i, j]
    return total


@kernel
def best_threshold(
    order: Int64Array, pulls: FloatArray, precisions: FloatArray, costs: FloatArray
) -> tuple[int, float]:
    """Return how many leading objects of this order split off best, and the gain less the cost."""
    n = order.shape[0]
    inside = np.zeros(n, dtype=np.bool_)
    total = 0.5 * sum_of_all(precisions)
    pull, precision = 0.0, 0.0
    best, best_value = 1, -np.inf
    for k in range(1, n):
        i = order[k - 1]
        for j in range(n):
            if inside[j]:
                pull -= pulls[i, j]
                precision -= precisions[i, j]
            else:
                pull += pulls[i, j]
                precision += precisions[i, j]
        inside[i] = True
        value = gain_of_cut(pull, precision, total) - costs[k]
        if value > best_value:
            best, best_value = k, value
    return best, best_value


@kernel
def improve_split(
    side: BoolArray, pulls: FloatArray, precisions: FloatArray, costs: FloatArray, max_moves: int
) -> float:
    """Move one object at a time, always the best one, while gain less cost rises; return it."""
    n = side.shape[0]
    row_pulls, row_precisions = np.zeros(n), np.zeros(n)
    to_side_pulls, to_side_precisions = np.zeros(n), np.zeros(n)
    size, total = 0, 0.0
    for i in range(n):
        for j in range(n):
            row_pulls[i] += pulls[i, j]
            row_precisions[i] += precisions[i, j]
        total += row_precisions[i]
        if side[i]:
            size += 1
            for j in range(n):
                to_side_pulls[j] += pulls[i, j]
                to_side_precisions[j] += precisions[i, j]
    total *= 0.5
    pull, precision = 0.0, 0.0
    for i in range(n):
        if side[i]:
            pull += row_pulls[i] - to_side_pulls[i]
            precision += row_precisions[i] - to_side_precisions[i]
    value = gain_of_cut(pull, precision, total) - costs[size]
    for _ in range(max_moves):
        best, best_value = -1, value + 1e-9 * (1.0 + abs(value))
        for i in range(n):
            step = -1 if side[i] else 1
            if size + step == 0 or size + step == n:
                continue
            moved = gain_of_cut(
                pull + step * (row_pulls[i] - 2.0 * to_side_pulls[i]),
                precision + step * (row_precisions[i] - 2.0 * to_side_precisions[i]),
                total,
            )
            if moved - costs[size + step] > best_value:
                best, best_value = i, moved - costs[size + step]
        if best < 0:
            break
        step = -1 if side[best] else 1
        pull += step * (row_pulls[best] - 2.0 * to_side_pulls[best])
        precision += step * (row_precisions[best] - 2.0 * to_side_precisions[best])
        size += step
        side[best] = not side[best]
        value = best_value
        for j in range(n):
            to_side_pulls[j] += step * pulls[best, j]
            to_side_precisions[j] += step * precisions[best, j]
    return value


@kernel
def vote_on_sides(
    side: BoolArray, pulls: FloatArray, precisions: FloatArray, limits: FloatArray
) -> Int64Array:
    """Return how often each object is on the side, less how often it is not, in a random walk.

    The walk goes through all splits, each as often as it is likely (Gibbs sampling; one row of
    `limits` per sweep, the log odds of numbers drawn from [0, 1)). The strengths across and within
    are those of the split it starts from; the result is all zeros if these do not differ. The
    overlap of a split with the first one tells which side is which.
    """
    n = side.shape[0]
    votes = np.zeros(n, dtype=np.int64)
    pull, across = 0.0, 0.0
    for i in range(n):
        for j in range(n):
            if side[i] and not side[j]:
                pull += pulls[i, j]
                across += precisions[i, j]
    within = 0.5 * sum_of_all(precisions) - across
    if pull >= 0.0 or across <= TINY or within <= TINY:
        return votes
    difference = -pull / within - pull / across
    middle = 0.5 * (pull / across - pull / within)
    odds = np.zeros(n)  # log odds that an object is on the side, by where the others are
    for i in range(n):
        for j in range(n):
            said = difference * (pulls[i, j] - middle * precisions[i, j])
            odds[i] += said if side[j] else -said
    now = side.copy()
    for sweep in range(limits.shape[0]):
        alike = 0
        for i in range(n):
            chosen = odds[i] > limits[sweep, i]
            if chosen != now[i]:
                change = 2.0 * difference if chosen else -2.0 * difference
                for j in range(n):
                    odds[j] += change * (pulls[i, j] - middle * precisions[i, j])
                now[i] = chosen
            alike += 1 if now[i] == side[i] else -1
        for i in range(n):
            votes[i] += 1 if now[i] == (alike >= 0) else -1
    return votes
