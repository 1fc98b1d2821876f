"""AddS: how often a pair won minus how often it lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ordlink._typing import FloatArray, Progress
from ordlink.comparisons import (
    Comparisons,
    ListedComparisons,
    Repeats,
    check_chunks,
    n_pairs,
    square,
    wins_minus_losses,
)
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition, initial_partition, link_by_average


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
    from ordlink.comparisons._kernels_columns import add_wins

    totals, n_objects = np.zeros(0, dtype=np.int64), 0
    for number, chunk in enumerate(check_chunks(chunks)):
        if not number:
            n_objects = chunk.n_objects
            totals = np.zeros(n_pairs(n_objects), dtype=np.int64)
        counts = np.empty(0, dtype=np.int32) if chunk.counts is None else chunk.counts
        add_wins(chunk.winners, chunk.losers, counts, totals)
    return square(totals.astype(np.float64), n_objects)


def cluster_chunks(
    chunks: Iterable[ListedComparisons], *, progress: Progress | None = None
) -> Hierarchy:
    """Return the tree of AddS-AL from comparisons that come in chunks, without `heights`.

    Only the totals of all pairs are kept, so that the answers may be larger than memory. The tree
    is that of ``ordlink.cluster(comparisons, "AddS-AL", repeats="net")``.

    Parameters
    ----------
    chunks : iterable of ListedComparisons
        As for `adds_similarity_of_chunks`, e.g. ``ordlink.read_in_chunks("answers/")``.
    progress : callable, optional
        Called from time to time with (merges done, total merges).

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> chunks = [Comparisons.from_triplets([row], n_objects=3) for row in ([0, 1, 2], [1, 0, 2])]
    >>> cluster_chunks(chunks).merges.tolist()
    [[0, 1], [3, 2]]
    """
    names: list[tuple[str, ...] | None] = []

    def noting_names() -> Iterator[ListedComparisons]:
        for chunk in check_chunks(chunks):
            names.append(chunk.names) if not names else None
            yield chunk

    similarities = adds_similarity_of_chunks(noting_names())
    partition = initial_partition(len(similarities), None)
    tree = link_by_average(similarities, partition, names=names[0], progress=progress)
    return tree.with_origin("AddS-AL", {"repeats": "net"})
