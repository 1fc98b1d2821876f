"""Losses of ordinal embeddings and their gradients: comparisons -> pairs -> points.

A loss sees the points through one number per pair. So a comparison costs two look-ups and two
additions in any dimension; pairs are turned into points afterwards, O(n_pairs d).
"""

from __future__ import annotations

import math

import numpy as np

from ordlink._kernels import kernel
from ordlink._typing import FloatArray, Int32Array

_FAR = 40.0  # exp(-40) is lost beside 1, and far smaller numbers would be slow ones (denormal)
_FACTORS = 1000  # a product of so many numbers up to 2 stays below 2^1024, the largest float64


@kernel
def squared_distances(
    points: FloatArray, low: Int32Array, high: Int32Array, squares: FloatArray
) -> None:
    """Write D_e = |x_i - x_j|^2 of each pair e = {i, j}."""
    for e in range(low.shape[0]):
        total = 0.0
        for axis in range(points.shape[1]):
            difference = points[low[e], axis] - points[high[e], axis]
            total += difference * difference
        squares[e] = total


@kernel
def add_pulls(
    points: FloatArray, low: Int32Array, high: Int32Array, slopes: FloatArray, gradient: FloatArray
) -> None:
    """Add the gradient by points to `gradient`, given the slopes dloss/dD_e."""
    for e in range(low.shape[0]):
        i, j = low[e], high[e]
        for axis in range(points.shape[1]):
            pull = 2.0 * slopes[e] * (points[i, axis] - points[j, axis])
            gradient[i, axis] += pull
            gradient[j, axis] -= pull


@kernel
def add_logistic(
    first: int,
    last: int,
    scores: FloatArray,
    winners: Int32Array,
    losers: Int32Array,
    weights: FloatArray,
    slopes: FloatArray,
) -> float:
    """Return sum of w ln(1 + exp(s_f - s_e)) over rows where e beat f; add dloss/ds to `slopes`.

    `weights` is empty if all are 1. Then logarithms are taken of products of many factors, since
    they would cost more than all the rest.
    """
    loss = 0.0
    if weights.shape[0]:
        for row in range(first, last):
            e, f = winners[row], losers[row]
            x = scores[f] - scores[e]
            small = math.exp(-abs(x)) if abs(x) < _FAR else 0.0
            push = weights[row] * (1.0 if x > 0 else small) / (1.0 + small)
            loss += weights[row] * (max(x, 0.0) + math.log1p(small))
            slopes[e] -= push
            slopes[f] += push
        return loss
    for start in range(first, last, _FACTORS):
        product = 1.0
        for row in range(start, min(start + _FACTORS, last)):
            e, f = winners[row], losers[row]
            x = scores[f] - scores[e]
            small = math.exp(-abs(x)) if abs(x) < _FAR else 0.0
            push = (1.0 if x > 0 else small) / (1.0 + small)
            loss += max(x, 0.0)
            product *= 1.0 + small
            slopes[e] -= push
            slopes[f] += push
        loss += math.log(product)
    return loss


@kernel
def add_hinge(
    first: int,
    last: int,
    distances: FloatArray,
    winners: Int32Array,
    losers: Int32Array,
    weights: FloatArray,
    slopes: FloatArray,
) -> float:
    """Return sum of w max(0, d_e + 1 - d_f)^2 over rows where e beat f; add dloss/dd to `slopes`.

    `weights` is empty if all are 1.
    """
    loss = 0.0
    weighted = weights.shape[0] > 0
    for row in range(first, last):
        e, f = winners[row], losers[row]
        short = distances[e] + 1.0 - distances[f]
        if short > 0.0:
            weight = weights[row] if weighted else 1.0
            loss += weight * short * short
            slopes[e] += 2.0 * weight * short
            slopes[f] -= 2.0 * weight * short
    return loss


@kernel
def count_agreeing(
    squares: FloatArray, winners: Int32Array, losers: Int32Array, weights: FloatArray
) -> float:
    """Return the weight of the rows whose winning pair is closer, plus half that of equal ones."""
    total = 0.0
    weighted = weights.shape[0] > 0
    for row in range(winners.shape[0]):
        weight = weights[row] if weighted else 1.0
        total += weight * 0.5 * (1.0 + np.sign(squares[losers[row]] - squares[winners[row]]))
    return total
