"""Quadruplets-based average linkage (4-AL): cluster scores directly from the comparisons."""

from __future__ import annotations

import numpy as np

from ordlink._typing import Progress
from ordlink.comparisons import (
    Comparisons,
    ListedComparisons,
    RankedComparisons,
    Repeats,
    compress,
    net_comparisons,
)
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition
from ordlink.methods.four_al._ranks import RankScores
from ordlink.methods.four_al._scores import (
    Clusters,
    ColumnScores,
    Contraction,
    Merges,
    PairScores,
)
from ordlink.methods.four_al._slots import SlotScores, are_short

AT_ONCE = 100_000  # about this / K^2 merges of K clusters are done together: a moment's work


def run(
    comparisons: Comparisons,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    repeats: Repeats = "majority",
) -> Hierarchy:
    """Return the tree of 4-AL (eq:4--AL-pre, eq:4--AL).

    With ``u_f = 1 / (|r| |s|)`` for a pair f across clusters r != s (0 inside a cluster) and
    s = A u, the score of two clusters is W(p, q) = 2 / (K (K - 1)) x the mean of s over p x q,
    where K is the number of clusters. Scores are not monotone and the last one is 0.
    """
    slots = np.arange(partition.n_slots, dtype=np.int32)
    clusters = Clusters(partition.labels.copy(), partition.sizes.copy(), slots)
    pair_scores, unit = _choose_scores(comparisons, repeats, clusters)
    merges = _merge_all(pair_scores, clusters, unit, progress)
    return partition.finish(*merges.arrays, names=comparisons.names)


def _choose_scores(
    comparisons: Comparisons, repeats: Repeats, clusters: Clusters
) -> tuple[PairScores, float]:
    """Return how to compute s, and the unit of the tie rule.

    The unit is the weight of one comparison, or a hundredth of the most comparisons of any pair,
    so that the rounding errors of long sums stay below the tolerance.
    """
    if isinstance(comparisons, RankedComparisons):
        return RankScores(comparisons, clusters), max(1.0, len(comparisons.ranks) / 100)
    assert isinstance(comparisons, ListedComparisons)
    net = net_comparisons(comparisons, repeats)
    columns = compress(net)
    longest = int(np.diff(columns.starts).max(initial=0)) * net.largest_weight
    unit = max(float(net.largest_weight), longest / 100)
    if are_short(columns, clusters):
        return SlotScores(columns, clusters), unit
    return ColumnScores(columns, clusters), unit


def _merge_all(
    pair_scores: PairScores, clusters: Clusters, unit: float, progress: Progress | None
) -> Merges:
    """Return the pairs of clusters that merge, their scores and tie marks.

    As soon as it pays, clusters become the slots (checked at the latest when their number has
    halved): later steps cost less and rounding errors do not accumulate.
    """
    n_merges = len(clusters.alive) - 1
    merges = Merges.room_for(n_merges)
    called = clusters.alive  # what each cluster was called at the start
    done = 0
    while done < n_merges:
        n_clusters = n_merges + 1 - done
        if pair_scores.contraction_pays(clusters):
            called = called[clusters.alive]
            pair_scores, clusters = _contract(pair_scores, clusters)
        halved = len(clusters.labels) // 2
        at_once = 1 + AT_ONCE // n_clusters**2
        until_halved = n_clusters - halved if n_clusters > halved else n_merges
        upto = min(n_merges, done + min(at_once, until_halved))
        part = merges.part(done, upto)
        pair_scores.merge(clusters, unit, part)
        part.pairs[:] = called[part.pairs]
        done = upto
        if progress is not None:
            progress(done, n_merges)
    return merges


def _contract(pair_scores: PairScores, clusters: Clusters) -> tuple[PairScores, Clusters]:
    """Return the scores and the clusters with the present clusters as slots."""
    renumbered = clusters.renumbered()
    contraction = Contraction.of_labels(renumbered.labels, len(renumbered.alive))
    contracted = Clusters(renumbered.alive.copy(), renumbered.sizes, renumbered.alive)
    return pair_scores.contract(contraction, contracted), contracted
