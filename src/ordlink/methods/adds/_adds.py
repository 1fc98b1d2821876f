"""AddS: how often a pair won minus how often it lost."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ordlink._typing import FloatArray, Progress
from ordlink.comparisons import (
    Comparisons,
    ListedComparisons,
    NetComparisons,
    Repeats,
    check_chunks,
    net_wins,
    square,
    wins_minus_losses,
)
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition, link_by_average


def run(
    comparisons: Comparisons,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    repeats: Repeats = "majority",
) -> Hierarchy:
    """Return the tree of AddS-AL: average linkage of S = A 1."""
    similarities = adds_similarity(comparisons, repeats=repeats)
    return link_by_average(similarities, partition, names=comparisons.names, progress=progress)


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
    return square(wins_minus_losses(comparisons, repeats), comparisons.n_objects)


def adds_similarity_of_chunks(chunks: Iterable[ListedComparisons]) -> FloatArray:
    """Return the additive similarity of every pair from comparisons that come in chunks.

    Answers count as with ``repeats="net"``: net counts add up over chunks, unlike majorities.

    Parameters
    ----------
    chunks : iterable of ListedComparisons
        As for :func:`ordlink.comparisons.summarise_chunks`.

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
        total = total + net_wins(net) if number else net_wins(net)
        n_objects = chunk.n_objects
    return square(total, n_objects)
