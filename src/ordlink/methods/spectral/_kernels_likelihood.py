"""The Bradley-Terry likelihood of strengths.

P(e beats f) = lapse + (1 - 2 lapse) / (1 + exp(x_f - x_e)), where x_e is the strength of pair e.
"""

from __future__ import annotations

import math

import numpy as np

from ordlink._kernels import inlined, kernel
from ordlink._typing import FloatArray, Int32Array

_FACTORS, _SMALL = 100, 1e-3  # a product of so many such numbers is above 2^-1022, the smallest
_LANES = 16  # products at a time, of 1024 / 16 numbers each
_FEW_PAIRS = 125_000  # of so many, the order of factors is that of the rows
_AT_ONCE = 1024  # rows whose numbers stay in the fastest memory


@kernel
def take_differences(
    strengths: FloatArray, winners: Int32Array, losers: Int32Array, differences: FloatArray
) -> None:
    """Write the difference in strength between each winner and loser."""
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
) -> float:
    """Return minus the log-likelihood of the rows, and add its slopes times -1 to the pairs.

    `differences` are those of the strengths, `decays` is exp(-abs(difference)), which NumPy
    computes faster. `weights` is empty if all are 1.
    """
    weighted = weights.shape[0] > 0
    ones, answered, pulls = np.ones(_AT_ONCE), np.empty(_AT_ONCE), np.empty(_AT_ONCE)
    products = np.empty(_LANES)
    many = slopes.shape[0] > _FEW_PAIRS
    loss, product, n_factors = 0.0, 1.0, 0
    for begin in range(0, winners.shape[0], _AT_ONCE):
        rows = slice(begin, min(begin + _AT_ONCE, winners.shape[0]))
        ahead, small = differences[rows], decays[rows]
        weight = weights[rows] if weighted else ones
        derive(ahead, small, weight, lapse, answered, pulls)
        least = 1.0
        for row in range(ahead.shape[0]):
            least = min(least, answered[row])
        if many and not weighted and least >= _SMALL:
            loss += sum_of_logs(answered, ahead.shape[0], products)
        else:
            for row in range(ahead.shape[0]):
                if weighted or answered[row] < _SMALL:
                    # log of the logistic curve itself, where it is too small to be a factor
                    exact = math.log1p(small[row]) + max(-ahead[row], 0.0)
                    loss += weight[row] * (exact if lapse == 0.0 else -math.log(answered[row]))
                else:  # one logarithm for many factors
                    product *= answered[row]
                    n_factors += 1
                    if n_factors == _FACTORS:
                        loss -= math.log(product)
                        product, n_factors = 1.0, 0
        e, f = winners[rows], losers[rows]
        for row in range(e.shape[0]):
            slopes[e[row]] += pulls[row]
            slopes[f[row]] -= pulls[row]
    return loss - math.log(product)


@kernel
def add_curvatures(
    differences: FloatArray,
    decays: FloatArray,
    lapse: float,
    winners: Int32Array,
    losers: Int32Array,
    weights: FloatArray,
    curvatures: FloatArray,
) -> float:
    """Add the Fisher information of the rows to the pairs; see `add_likelihood`. Returns 0."""
    ones, bends = np.ones(_AT_ONCE), np.empty(_AT_ONCE)
    for begin in range(0, winners.shape[0], _AT_ONCE):
        rows = slice(begin, min(begin + _AT_ONCE, winners.shape[0]))
        weight = weights[rows] if weights.shape[0] else ones
        derive_twice(differences[rows], decays[rows], weight, lapse, bends)
        e, f = winners[rows], losers[rows]
        for row in range(e.shape[0]):
            curvatures[e[row]] += bends[row]
            curvatures[f[row]] += bends[row]
    return 0.0


@inlined
def sum_of_logs(numbers: FloatArray, n: int, products: FloatArray) -> float:
    """Return minus the sum of the logarithms of the first n numbers, at least `_SMALL` each.

    One logarithm for many factors, and several products at a time.
    """
    for lane in range(_LANES):
        products[lane] = 1.0
    whole_rows = n // _LANES
    for row in range(whole_rows):
        for lane in range(_LANES):
            products[lane] *= numbers[row * _LANES + lane]
    for row in range(whole_rows * _LANES, n):
        products[row - whole_rows * _LANES] *= numbers[row]
    total = 0.0
    for lane in range(_LANES):
        total -= math.log(products[lane])
    return total


@inlined
def derive(
    differences: FloatArray,
    decays: FloatArray,
    weights: FloatArray,
    lapse: float,
    answered: FloatArray,
    pulls: FloatArray,
) -> None:
    """Write the probability of each row's answer and the derivative of its logarithm.

    No row depends on another, so that several are computed at a time.
    """
    attention = 1.0 - 2.0 * lapse
    if lapse == 0.0:
        for row in range(differences.shape[0]):
            small = decays[row]
            share = 1.0 / (1.0 + small)
            answered[row] = share if differences[row] > 0 else small * share
            pulls[row] = weights[row] * (1.0 - answered[row])
        return
    for row in range(differences.shape[0]):
        small = decays[row]
        share = 1.0 / (1.0 + small)
        steepness = small * share * share  # of the logistic curve
        chance = lapse + attention * (share if differences[row] > 0 else small * share)
        answered[row] = chance
        pulls[row] = weights[row] * attention * steepness / chance


@inlined
def derive_twice(
    differences: FloatArray,
    decays: FloatArray,
    weights: FloatArray,
    lapse: float,
    bends: FloatArray,
) -> None:
    """Write the Fisher information of each row."""
    attention = 1.0 - 2.0 * lapse
    for row in range(decays.shape[0]):
        small = decays[row]
        share = 1.0 / (1.0 + small)
        steepness = small * share * share
        if lapse == 0.0:
            bends[row] = weights[row] * steepness
        else:
            chance = lapse + attention * (share if differences[row] > 0 else small * share)
            bend = attention * attention * steepness / (chance * (1.0 - chance))
            bends[row] = weights[row] * steepness * bend
