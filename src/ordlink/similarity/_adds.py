"""AddS: how often a pair won minus how often it lost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ordlink.comparisons import (
    Comparisons,
    ListedComparisons,
    NetComparisons,
    RankedComparisons,
    Repeats,
    check_chunks,
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


def adds_similarity_of_chunks(chunks: Iterable[ListedComparisons]) -> FloatArray:
    """Return the additive similarity of every pair from comparisons that come in chunks.

    Every answer counts, as with ``adds_similarity(comparisons, repeats="net")``: net counts add up
    over chunks. The majority of the votes on a comparison cannot be known without all of them, so
    there is no ``repeats="majority"``; without repeated answers both are the same.

    Parameters
    ----------
    chunks : iterable of ListedComparisons
        All about the same objects, e.g. from :func:`ordlink.read_in_chunks`.

    Returns
    -------
    ndarray of shape (N, N), dtype float64
        Whole numbers, symmetric, 0 on the diagonal.

    Raises
    ------
    InputError
        If there is no chunk, or one is about other objects.

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> chunks = [Comparisons.from_triplets([row], n_objects=3) for row in ([0, 1, 2], [1, 0, 2])]
    >>> adds_similarity_of_chunks(chunks)
    array([[ 0.,  2., -1.],
           [ 2.,  0., -1.],
           [-1., -1.,  0.]])
    """
    total = np.zeros(0)
    n_objects = 0
    for number, chunk in enumerate(check_chunks(chunks)):
        # Not summed up within the chunk first: only the totals of each pair are needed.
        net = NetComparisons(chunk.n_objects, chunk.winners, chunk.losers, chunk.counts)
        total = total + wins_minus_losses(net) if number else wins_minus_losses(net)
        n_objects = chunk.n_objects
    return square(total, n_objects)


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
