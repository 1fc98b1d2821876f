"""Pair scores of 4-AL when every comparison is known: s is a function of a pair's rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordlink._threads import n_threads, run_parts
from ordlink._typing import AnyArray, Int32Array, Int64Array
from ordlink.comparisons import RankedComparisons, n_pairs, pair_members
from ordlink.methods.four_al._scores import Clusters, Contraction, Merges, PairScores

ROUNDING = 1e-9  # upper bounds of scores are raised by this share of the largest
BANDS_PER_HALF = 2  # so many bands of ranks for each halving of what is left to the top
FEWEST_RANKS = 8  # in the highest band
PAIRS_FOR_THREADS = 200_000
FIRST_SHARE = 0.6  # of the ranks: while one thread writes their scores, one only adds up weights


class RankScores:
    """Scores when every comparison is known."""

    def __init__(self, comparisons: RankedComparisons, clusters: Clusters) -> None:
        from ordlink.methods.four_al._kernels_ranks import find_bands

        ranks, n_clusters = comparisons.ranks, len(clusters.alive)
        order = np.argsort(ranks, kind="stable")
        small: Any = np.uint16 if comparisons.n_objects <= 2**16 else np.int32
        members = pair_members(order, comparisons.n_objects)
        self._first, self._second = (objects.astype(small) for objects in members)
        self._ranks = ranks
        self._group_ends = np.cumsum(np.bincount(ranks)).astype(np.int64)
        self._by_rank = np.zeros(len(self._group_ends))
        self._edges = _edges_of_bands(len(self._group_ends))
        self._start: AnyArray | None = None  # s' at the edges before the first merge
        bands = np.full((n_clusters, n_clusters), len(self._edges) - 1, dtype=np.uint8)
        sizes = np.diff(self._edges, append=len(self._group_ends))
        band_of_rank = np.repeat(np.arange(len(sizes)), sizes).astype(np.uint8)
        find_bands(clusters.labels, ranks, band_of_rank, bands)
        # Nothing is computed yet: any finite score is below these bounds.
        bounds = np.full((n_clusters, n_clusters), np.inf)
        row_bounds = np.full((n_clusters, len(self._edges)), np.inf)
        self._bounds = bounds, bands, row_bounds, np.zeros(len(self._edges))
        self._margin = ROUNDING * n_pairs(n_clusters)
        room = n_pairs(n_clusters) + 1
        self._computed = np.empty((room, 2), dtype=np.int32), np.empty(room)
        self._head, self._following = _linked_lists(clusters)

    def merge(self, clusters: Clusters, unit: float, merges: Merges) -> None:
        """Choose and update the bounds, merge by merge; see PairScores."""
        from ordlink.methods.four_al._kernels import unite

        for t in range(len(merges.pairs)):
            p, q, merges.scores[t], n_candidates = self._best_pair(clusters, unit)
            merges.pairs[t] = p, q
            merges.tied[t] = n_candidates > 1
            clusters.alive = unite(p, q, clusters.labels, clusters.sizes, clusters.alive)
            self._note_merge(clusters, p, q)

    def _best_pair(self, clusters: Clusters, unit: float) -> tuple[int, int, float, int]:
        """Update s, compute the pairs that may be best, and choose; see `best_cluster_pair`."""
        from ordlink.methods.four_al._kernels_ranks import best_of_bounds

        total = float(n_pairs(len(clusters.alive)))
        self._update_scores(clusters, total)
        at_edges = self._by_rank[self._edges] + total
        self._start = at_edges if self._start is None else self._start
        self._bounds[-1][:] = self._start - at_edges
        members = self._head, self._following, clusters.sizes
        scores = self._ranks, self._by_rank
        given = total, self._margin, self._bounds, clusters.alive, unit, members
        p, q, mean, n_candidates = best_of_bounds(*given, *scores, *self._computed)
        return p, q, mean / total, n_candidates

    def _update_scores(self, clusters: Clusters, total: float) -> None:
        """Write s of each rank, on two threads if these pay and no pairs have equal ranks.

        The sum of u over lower ranks is needed to start in the middle: adding it up, in the same
        order, takes less time than writing scores.
        """
        from ordlink.methods.four_al._kernels_ranks import (
            scores_by_rank,
            scores_of_distinct,
            sum_weights,
        )

        weights = 1.0 / clusters.sizes[clusters.labels]
        objects = self._first, self._second
        n_ranks = len(self._by_rank)
        if n_ranks < len(self._first):
            ends, labels = self._group_ends, clusters.labels
            scores_by_rank(*objects, ends, labels, weights, total, self._by_rank)
            return
        lists = *objects, clusters.labels, weights
        if n_ranks < PAIRS_FOR_THREADS or n_threads() == 1:
            scores_of_distinct(*lists, 0, n_ranks, 0.0, total, self._by_rank)
            return
        middle = int(FIRST_SHARE * n_ranks)

        def write(part: int) -> None:
            below = sum_weights(*lists, middle) if part else 0.0
            begin, end = (middle, n_ranks) if part else (0, middle)
            scores_of_distinct(*lists, begin, end, below, total, self._by_rank)

        run_parts(write, 2)

    def _note_merge(self, clusters: Clusters, p: int, q: int) -> None:
        """Bound the scores of the merged cluster, and join the lists of its objects."""
        from ordlink.methods.four_al._kernels_ranks import merge_bounds

        share = 1.0 - clusters.sizes[q] / clusters.sizes[p]  # q keeps its last size
        merge_bounds(p, q, share, clusters.alive, self._bounds)
        last = self._head[q]  # the list of q goes before that of p
        while self._following[last] >= 0:
            last = self._following[last]
        self._following[last] = self._head[p]
        self._head[p] = self._head[q]

    def contraction_pays(self, clusters: Clusters) -> bool:
        """Return False: every pair keeps its own rank, so there is nothing to contract."""
        return False

    def contract(self, contraction: Contraction, clusters: Clusters) -> PairScores:
        raise NotImplementedError  # never called


def _edges_of_bands(n_ranks: int) -> Int64Array:
    """Return the lowest rank of each band."""
    n_bands = 1 + BANDS_PER_HALF * max(0, (n_ranks // FEWEST_RANKS).bit_length() - 1)
    above = n_ranks * 2.0 ** (-np.arange(n_bands) / BANDS_PER_HALF)
    return np.unique(n_ranks - np.ceil(above).astype(np.int64))


def _linked_lists(clusters: Clusters) -> tuple[Int32Array, Int32Array]:
    """Return the first object of each cluster and the object after each object, -1 at the end."""
    head = np.full(len(clusters.sizes), -1, dtype=np.int32)
    following = np.full(len(clusters.labels), -1, dtype=np.int32)
    for item in range(len(clusters.labels) - 1, -1, -1):
        label = clusters.labels[item]
        following[item] = head[label]
        head[label] = item
    return head, following
