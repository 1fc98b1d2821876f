"""Quadruplets-based average linkage (4-AL): cluster scores straight from the comparisons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordlink.comparisons import (
    Comparisons,
    ListedComparisons,
    RankedComparisons,
    Repeats,
    net_comparisons,
)
from ordlink.comparisons._columns import compress
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.linkage._four_al_ranks import RankScores
from ordlink.linkage._four_al_scores import (
    Clusters,
    ColumnScores,
    Contraction,
    PairScores,
)
from ordlink.linkage._start import start_from
from ordlink.typing import AnyArray, BoolArray, FloatArray, Int32Array, Progress


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
    start = start_from(n_objects, initial_clusters)
    clusters = Clusters(
        start.labels.copy(), start.sizes.copy(), np.arange(start.n_slots, dtype=np.int32)
    )
    pair_scores, unit = _choose_scores(comparisons, repeats, clusters)
    pairs, scores, tied = _merge_all(pair_scores, clusters, unit, progress)
    return start.finish(pairs, scores, tied, names=comparisons.names)


def _choose_scores(
    comparisons: Comparisons, repeats: Repeats, clusters: Clusters
) -> tuple[PairScores, float]:
    """Return how to compute s, and the unit of the tie rule.

    The unit is the weight of one comparison, or a hundredth of the most comparisons of any pair,
    so that the rounding errors of long sums stay below the tolerance.
    """
    if isinstance(comparisons, RankedComparisons):
        return RankScores(comparisons, clusters), max(1.0, len(comparisons.ranks) / 100)
    if not isinstance(comparisons, ListedComparisons):
        raise InputKindError(f"expected Comparisons, got {type(comparisons).__name__}")
    net = net_comparisons(comparisons, repeats)
    columns = compress(net)
    longest = int(np.diff(columns.starts).max(initial=0)) * net.largest_weight
    return ColumnScores(columns, clusters), max(float(net.largest_weight), longest / 100)


def _merge_all(
    pair_scores: PairScores, clusters: Clusters, unit: float, progress: Progress | None
) -> tuple[Int32Array, FloatArray, BoolArray]:
    """Return the pairs of clusters that merge, their scores and tie marks.

    Whenever the number of clusters has halved, the scores are contracted, if that pays: clusters
    become the slots, so that later steps cost less and rounding errors do not pile up.
    """
    n_merges = len(clusters.alive) - 1
    pairs = np.empty((n_merges, 2), dtype=np.int32)
    scores = np.empty(n_merges)
    tied = np.empty(n_merges, dtype=bool)
    called = clusters.alive  # what each cluster was called at the start
    for t in range(n_merges):
        n_clusters = n_merges + 1 - t
        if n_clusters <= len(clusters.labels) // 2 and pair_scores.contraction_pays(n_clusters):
            called = called[clusters.alive]
            pair_scores, clusters = _contract(pair_scores, clusters)
        best = pair_scores.best_pair(clusters, unit)
        pairs[t] = called[best.p], called[best.q]
        scores[t] = best.score
        tied[t] = best.n_candidates > 1
        clusters.merge(best.p, best.q)
        pair_scores.merged(clusters, best.p, best.q)
        if progress is not None:
            progress(t + 1, n_merges)
    return pairs, scores, tied


def _contract(pair_scores: PairScores, clusters: Clusters) -> tuple[PairScores, Clusters]:
    """Return the scores and the clusters with the present clusters as slots."""
    n_clusters = len(clusters.alive)
    slots = np.arange(n_clusters, dtype=np.int32)
    renumbered = np.empty(len(clusters.sizes), dtype=np.int32)
    renumbered[clusters.alive] = slots
    contraction = Contraction.of_labels(renumbered[clusters.labels], n_clusters)
    return (
        pair_scores.contract(contraction),
        Clusters(slots.copy(), clusters.sizes[clusters.alive], slots.copy()),
    )
