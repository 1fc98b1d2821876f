"""The Bradley-Terry likelihood of comparisons, by the strengths of the pairs.

P(e beats f) = 1 / (1 + exp(x_f - x_e)), where x_e is the strength of pair e.
"""

from __future__ import annotations

import math

from ordlink.kernels._jit import kernel
from ordlink.typing import FloatArray, Int32Array

_FACTORS = 1000
"""A product of so many numbers up to 2 stays below 2^1024, the largest float64."""


@kernel
def add_likelihood(
    strengths: FloatArray,
    winners: Int32Array,
    losers: Int32Array,
    weights: FloatArray,
    slopes: FloatArray,
    curvatures: FloatArray,
) -> float:
    """Return minus the log-likelihood of the rows, and add its derivatives to the pairs.

    `slopes` gets the first derivatives of the log-likelihood, sum of y - P; `curvatures` minus the
    second ones of each pair alone, sum of P (1 - P), unless it is empty. `weights` is empty if all
    are 1.
    """
    weighted, curved = weights.shape[0] > 0, curvatures.shape[0] > 0
    loss, product, n_factors = 0.0, 1.0, 0
    for row in range(winners.shape[0]):
        e, f = winners[row], losers[row]
        ahead = strengths[e] - strengths[f]
        small = math.exp(-abs(ahead))
        share = 1.0 / (1.0 + small)
        surprise = small * share if ahead > 0 else share  # 1 - P of what was answered
        weight = 1.0
        if weighted:
            weight = weights[row]
            loss += weight * math.log1p(small)
        else:  # one logarithm for many factors
            product *= 1.0 + small
            n_factors += 1
            if n_factors == _FACTORS:
                loss += math.log(product)
                product, n_factors = 1.0, 0
        if ahead < 0.0:
            loss -= weight * ahead
        pull = weight * surprise
        slopes[e] += pull
        slopes[f] -= pull
        if curved:
            curvature = pull * (1.0 - surprise)
            curvatures[e] += curvature
            curvatures[f] += curvature
    return loss + math.log(product)


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
