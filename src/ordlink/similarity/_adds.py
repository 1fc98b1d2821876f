"""AddS: how often a pair won minus how often it lost."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ordlink.comparisons import (
    Comparisons,
    ListedComparisons,
    NetComparisons,
    RankedComparisons,
    Repeats,
    n_pairs,
    net_comparisons,
)
from ordlink.errors import InputKindError
from ordlink.typing import FloatArray

Number = TypeVar("Number", bound=np.generic)


def adds_similarity(comparisons: Comparisons, *, repeats: Repeats = "majority") -> FloatArray:
    """Return S = A 1, the additive similarity of every pair.

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked.
    repeats : {"majority", "net"}
        How repeated answers count.

    Returns
    -------
    ndarray of shape (N, N), dtype float64
        Whole numbers, symmetric, 0 on the diagonal.

    References
    ----------
    Perrot, Esser, Ghoshdastidar: Near-optimal comparison based clustering, 2020 (AddS-4).

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> adds_similarity(Comparisons.from_triplets([[0, 1, 2], [1, 0, 2]]))
    array([[ 0.,  2., -1.],
           [ 2.,  0., -1.],
           [-1., -1.,  0.]])
    """
    if isinstance(comparisons, RankedComparisons):
        below, above = comparisons.counts_below_and_above
        return square((below - above).astype(np.float64), comparisons.n_objects)
    if isinstance(comparisons, ListedComparisons):
        net = net_comparisons(comparisons, repeats)
        return square(wins_minus_losses(net), comparisons.n_objects)
    raise InputKindError(f"expected Comparisons, got {type(comparisons).__name__}")


def wins_minus_losses(net: NetComparisons) -> FloatArray:
    """Return A 1 by pair id: one pass over the comparisons."""
    n = n_pairs(net.n_objects)
    wins = np.bincount(net.winners, weights=net.weights, minlength=n)
    losses = np.bincount(net.losers, weights=net.weights, minlength=n)
    return np.asarray(wins - losses, dtype=np.float64)


def square(by_pair: NDArray[Number], n_objects: int) -> NDArray[Number]:
    """Return the symmetric matrix with these entries by pair id, and 0 on the diagonal."""
    matrix = np.zeros((n_objects, n_objects), dtype=by_pair.dtype)
    upper = np.triu_indices(n_objects, 1)
    matrix[upper] = by_pair
    matrix[upper[1], upper[0]] = by_pair
    return matrix
