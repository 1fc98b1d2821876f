"""Quadruplets-based average linkage (4-AL): cluster scores straight from the comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ordlink.comparisons import (
    Comparisons,
    ListedComparisons,
    RankedComparisons,
    Repeats,
    n_pairs,
    net_comparisons,
    pair_members,
)
from ordlink.comparisons._columns import compress
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.linkage._start import start_from
from ordlink.typing import AnyArray, FloatArray, Int32Array, Int64Array, Progress

PairScores = Callable[[Int32Array, Int64Array], FloatArray]
"""From the clusters (label of each object, sizes) to s = A u, by pair id."""


def quadruplets_average_linkage(
    comparisons: Comparisons,
    *,
    initial_clusters: Sequence[Sequence[int] | AnyArray] | None = None,
    repeats: Repeats = "majority",
    progress: Progress | None = None,
) -> Hierarchy:
    """Return the tree of 4-AL (eq:4--AL-pre, eq:4--AL).

    With u_f = 1 / (|r| |s|) for a pair f across clusters r != s (0 inside a cluster) and
    s = A u, the score of two clusters is W(p, q) = 2 / (K (K - 1)) x the mean of s over p x q,
    where K is the number of clusters. Scores are not monotone and the last one is 0.

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked.
    initial_clusters : sequence of sequences of int, optional
        Clusters to start from (4-AL-I3 and 4-AL-I5 in the paper).
    repeats : {"majority", "net"}
        How repeated answers count.
    progress : callable, optional
        Called with (merges done, merges in all).

    Returns
    -------
    Hierarchy

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> comparisons = Comparisons.from_triplets([[1, 2, 0], [2, 1, 0]])
    >>> quadruplets_average_linkage(comparisons).merges.tolist()
    [[1, 2], [0, 3]]
    """
    n_objects = comparisons.n_objects
    if n_objects < 2:
        raise InputError(f"a tree needs at least two objects, got {n_objects}")
    from ordlink.kernels.four_al import best_cluster_pair

    pair_scores, unit = _choose_scores(comparisons, repeats)
    start = start_from(n_objects, initial_clusters)
    labels, sizes = start.labels.copy(), start.sizes.copy()
    n_merges = start.n_slots - 1
    pairs = np.empty((n_merges, 2), dtype=np.int32)
    scores = np.empty(n_merges)
    tied = np.empty(n_merges, dtype=bool)
    sums = np.empty((start.n_slots, start.n_slots))
    for t in range(n_merges):
        s = pair_scores(labels, sizes)
        p, q, scores[t], n_candidates = best_cluster_pair(s, labels, sizes, unit, sums)
        pairs[t] = p, q
        tied[t] = n_candidates > 1
        labels[labels == q] = p
        sizes[p] += sizes[q]
        sizes[q] = 0
        if progress is not None:
            progress(t + 1, n_merges)
    return start.finish(pairs, scores, tied, names=comparisons.names)


def _choose_scores(comparisons: Comparisons, repeats: Repeats) -> tuple[PairScores, float]:
    """Return how to compute s, and the unit of the tie rule.

    The unit is the weight of one comparison, or a hundredth of the most comparisons of any pair,
    so that the rounding errors of long sums stay below the tolerance.
    """
    if isinstance(comparisons, RankedComparisons):
        return _scores_of_all(comparisons), max(1.0, len(comparisons.ranks) / 100)
    if not isinstance(comparisons, ListedComparisons):
        raise InputKindError(f"expected Comparisons, got {type(comparisons).__name__}")
    net = net_comparisons(comparisons, repeats)
    columns = compress(net)
    longest = int(np.diff(columns.starts).max(initial=0)) * net.largest_weight

    from ordlink.kernels.four_al import scores_from_columns

    u = np.zeros(n_pairs(net.n_objects))
    s = np.zeros(n_pairs(net.n_objects))

    def update(labels: Int32Array, sizes: Int64Array) -> FloatArray:
        scores_from_columns(
            labels, sizes, u, columns.starts, columns.splits, columns.rows, columns.values, s
        )
        return s

    return update, max(float(net.largest_weight), longest / 100)


def _scores_of_all(comparisons: RankedComparisons) -> PairScores:
    from ordlink.kernels.four_al import scores_from_ranks

    ranks = comparisons.ranks
    order = np.argsort(ranks, kind="stable").astype(np.int32)
    low, high = pair_members(np.arange(len(ranks)), comparisons.n_objects)
    u, s = np.empty(len(ranks)), np.empty(len(ranks))

    def update(labels: Int32Array, sizes: Int64Array) -> FloatArray:
        scores_from_ranks(labels, sizes, order, ranks, low, high, u, s)
        return s

    return update
