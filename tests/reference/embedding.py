"""Losses of ordinal embeddings: each comparison (i, j, k, l), read as "i, j closer than k, l", and
its weight in turn; the mean over all.
"""

from collections.abc import Sequence
from math import dist, exp, log

import numpy as np

Rows = Sequence[tuple[int, int, int, int]]


def tste(points: np.ndarray, rows: Rows, weights: Sequence[float], alpha: float) -> float:
    """Van der Maaten and Weinberger 2012: -ln of q_ij / (q_ij + q_kl)."""

    def q(i: int, j: int) -> float:
        return (1 + dist(points[i], points[j]) ** 2 / alpha) ** (-(alpha + 1) / 2)

    total = 0.0
    for (i, j, k, l), weight in zip(rows, weights, strict=True):  # noqa: E741
        total -= weight * log(q(i, j) / (q(i, j) + q(k, l)))
    return total / sum(weights)


def forte(gram: np.ndarray, rows: Rows, weights: Sequence[float]) -> float:
    """Jain, Jamieson and Nowak 2016: ln(1 + exp(D_ij - D_kl)), D from the Gram matrix."""

    def squared(i: int, j: int) -> float:
        return float(gram[i, i] + gram[j, j] - gram[i, j] - gram[j, i])

    total = 0.0
    for (i, j, k, l), weight in zip(rows, weights, strict=True):  # noqa: E741
        total += weight * log(1 + exp(squared(i, j) - squared(k, l)))
    return total / sum(weights)


def soe(points: np.ndarray, rows: Rows, weights: Sequence[float]) -> float:
    """Terada and von Luxburg 2014: max(0, d_ij + 1 - d_kl)^2."""
    total = 0.0
    for (i, j, k, l), weight in zip(rows, weights, strict=True):  # noqa: E741
        short = dist(points[i], points[j]) + 1 - dist(points[k], points[l])
        total += weight * max(0.0, short) ** 2
    return total / sum(weights)


def accuracy(points: np.ndarray, rows: Rows, weights: Sequence[float]) -> float:
    """Share of the comparisons whose first pair is closer; equal distances count one half."""
    total = 0.0
    for (i, j, k, l), weight in zip(rows, weights, strict=True):  # noqa: E741
        first, second = dist(points[i], points[j]), dist(points[k], points[l])
        total += weight * (1 if first < second else 0.5 if first == second else 0)
    return total / sum(weights)


def nearest_of_low_rank(matrix: np.ndarray, rank: int) -> np.ndarray:
    """The nearest centred PSD matrix of rank at most `rank`: large eigenvalues, none below 0."""
    n = len(matrix)
    centring = np.eye(n) - np.full((n, n), 1 / n)
    values, vectors = np.linalg.eigh(centring @ matrix @ centring)
    kept = np.zeros((n, n))
    for place in np.argsort(-values)[:rank]:
        kept += max(values[place], 0.0) * np.outer(vectors[:, place], vectors[:, place])
    return kept
