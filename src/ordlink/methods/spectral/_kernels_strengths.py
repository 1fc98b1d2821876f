"""The Bradley-Terry likelihood of comparisons, by the strengths of the pairs.

P(e beats f) = lapse + (1 - 2 lapse) / (1 + exp(x_f - x_e)), where x_e is the strength of pair e.
"""

from __future__ import annotations

import math

from ordlink._kernels import kernel
from ordlink._typing import FloatArray, Int32Array

_FACTORS = 100
_SMALL = 1e-3
"""A product of so many numbers from this one to 1 stays above 2^-1022, the smallest float64."""


@kernel
def take_differences(
    strengths: FloatArray, winners: Int32Array, losers: Int32Array, differences: FloatArray
) -> None:
    """Fill in by how much each winner is stronger than its loser."""
    for row in range(winners.shape[0]):
        differences[row] = strengths[winners[row]] - strengths[losers[row]]


@kernel
def add_likelihood(
    differences: FloatArray,
    decays: FloatArray,
    lapse: float,
    winners: Int32Array,
    losers: Int32Array,
    weights: FloatArray,
    slopes: FloatArray,
    curvatures: FloatArray,
) -> float:
    """Return minus the log-likelihood of the rows, and add its derivatives to the pairs.

    `differences` are those of the strengths, `decays` their exp(-abs(difference)), which NumPy is
    faster at. `slopes` gets the first derivatives of the log-likelihood, `curvatures` the Fisher
    information of each pair alone, unless it is empty; without lapses, these are the sums of y - P
    and of P (1 - P). `weights` is empty if all are 1.
    """
    weighted, curved = weights.shape[0] > 0, curvatures.shape[0] > 0
    attention = 1.0 - 2.0 * lapse
    loss, product, n_factors = 0.0, 1.0, 0
    for row in range(winners.shape[0]):
        e, f = winners[row], losers[row]
        ahead, small = differences[row], decays[row]
        share = 1.0 / (1.0 + small)
        right = share if ahead > 0 else small * share
        steepness = small * share * share  # of the logistic curve
        answered = lapse + attention * right
        weight = 1.0
        if weighted:
            weight = weights[row]
        if weighted or answered < _SMALL:
            # log of the logistic curve itself, where it is too small to be a factor
            exact = math.log1p(small) + max(-ahead, 0.0)
            loss += weight * (exact if lapse == 0.0 else -math.log(answered))
        else:  # one logarithm for many factors
            product *= answered
            n_factors += 1
            if n_factors == _FACTORS:
                loss -= math.log(product)
                product, n_factors = 1.0, 0
        pull = weight * (1.0 - right)
        if lapse > 0.0:
            pull = weight * attention * steepness / answered
        slopes[e] += pull
        slopes[f] -= pull
        if curved:
            curvature = weight * steepness
            if lapse > 0.0:
                curvature *= attention * attention * steepness / (answered * (1.0 - answered))
            curvatures[e] += curvature
            curvatures[f] += curvature
    return loss - math.log(product)


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
