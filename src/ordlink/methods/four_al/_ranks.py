"""Pair scores of 4-AL when every comparison is known: s is a function of a pair's rank."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ordlink._threads import in_threads
from ordlink._typing import FloatArray, Int32Array, Int64Array
from ordlink.comparisons import RankedComparisons, n_pairs, pair_members
from ordlink.methods.four_al._scores import Clusters, Contraction, Merges, PairScores

ROUNDING = 1e-9  # this share of the largest s' is above all rounding errors
SHIFT = 3  # sums of u are over 2^3 ranks, or one where pairs share ranks
EDGES_PER_HALF = 64  # of the concave function, for each halving of what is left to the top rank
FEWEST_RANKS = 8  # from the last edge on, each rank has its own
BLOCKS_PER_THREAD = 1024
LARGE_SHARE = 0.5  # where a cluster has so many of the objects, sums are faster made anew


class RankScores:
    """Scores when every comparison is known."""

    def __init__(self, comparisons: RankedComparisons, clusters: Clusters) -> None:
        from ordlink.methods.four_al._kernels_ranks import fill_mean_ranks, fill_ranks

        n, n_clusters = comparisons.n_objects, len(clusters.alive)
        small: Any = np.uint16 if n <= 2**16 else np.int32
        objects = pair_members(np.argsort(comparisons.ranks, kind="stable"), n)
        ends = np.cumsum(np.bincount(comparisons.ranks)).astype(np.int64)
        self._pairs = objects[0].astype(small), objects[1].astype(small), ends
        shift = SHIFT if len(ends) == len(objects[0]) else 0
        sums, below = np.zeros((2, (len(ends) >> shift) + 1))
        self._blocks = shift, sums, below
        self._ranks = np.empty((n, n), dtype=np.int32)
        fill_ranks(comparisons.ranks, self._ranks)
        self._mean_ranks = np.zeros((n_clusters, n_clusters))
        self._row_bounds = np.full(n_clusters, -np.inf)
        given = clusters.labels, clusters.sizes, self._ranks
        fill_mean_ranks(*given, self._mean_ranks, self._row_bounds)
        self._edges = _edges_of(len(ends))
        self._corners = np.empty_like(self._edges), np.empty(len(self._edges))
        self._margin = ROUNDING * max(n_pairs(n_clusters), len(ends))
        room = n_pairs(n_clusters) + 1
        self._computed = np.empty((room, 2), dtype=np.int32), np.empty(room)
        self._head, self._following = _linked_lists(clusters)
        self._exact_until = n_clusters  # sums are made anew once fewer clusters are left

    def merge(self, clusters: Clusters, unit: float, merges: Merges) -> None:
        """Choose and update mean ranks, merge by merge; see PairScores."""
        for t in range(len(merges.pairs)):
            p, q, merges.scores[t], n_candidates = self._best_pair(clusters, unit)
            merges.pairs[t] = p, q
            merges.tied[t] = n_candidates > 1
            self._unite(clusters, p, q)

    def _best_pair(self, clusters: Clusters, unit: float) -> tuple[int, int, float, int]:
        """Compute the pairs that may be best, and choose; see `best_cluster_pair`."""
        from ordlink.methods.four_al._kernels_ranks import best_by_rank, find_corners

        n_clusters = len(clusters.alive)
        if n_clusters <= self._exact_until:
            self._exact_until = n_clusters // 2
            self._add_up(clusters)
        sums = self._pairs, _shares(clusters), self._blocks
        n_corners = find_corners(self._edges, *sums, self._corners)
        total = float(n_pairs(n_clusters))
        limits = total, self._margin, clusters.alive, unit
        bounds = self._mean_ranks, self._row_bounds, self._corners, n_corners
        members = self._members(clusters), self._ranks
        given = *limits, *bounds, *members
        p, q, mean, n_candidates = best_by_rank(*given, *sums, *self._computed)
        return p, q, mean / total, n_candidates

    def _add_up(self, clusters: Clusters) -> None:
        """Make the sums anew: quick where most have changed, and without what rounding left."""
        from ordlink.methods.four_al._kernels_ranks import weigh_all

        sums = self._pairs, _shares(clusters), self._blocks
        n_blocks = len(self._blocks[1])
        in_threads(partial(weigh_all, *sums), n_blocks, smallest=BLOCKS_PER_THREAD)

    def _unite(self, clusters: Clusters, p: int, q: int) -> None:
        """Let cluster p absorb cluster q, and update sums, mean ranks and lists."""
        from ordlink.methods.four_al._kernels import unite
        from ordlink.methods.four_al._kernels_ranks import merge_mean_ranks, weigh_merged

        sizes, labels = clusters.sizes, clusters.labels
        is_large = sizes[p] + sizes[q] > LARGE_SHARE * len(labels)
        if not is_large:
            members = self._members(clusters), self._ranks
            weigh_merged(p, q, *members, _shares(clusters), self._blocks)
        clusters.alive = unite(p, q, labels, sizes, clusters.alive)
        if is_large:
            self._add_up(clusters)
        share = 1.0 - sizes[q] / sizes[p]  # q keeps its last size
        merge_mean_ranks(p, q, share, clusters.alive, self._mean_ranks, self._row_bounds)
        last = self._head[q]  # the list of q goes before that of p
        while self._following[last] >= 0:
            last = self._following[last]
        self._following[last] = self._head[p]
        self._head[p] = self._head[q]

    def _members(self, clusters: Clusters) -> tuple[Int32Array, Int32Array, Int64Array]:
        return self._head, self._following, clusters.sizes

    def contraction_pays(self, clusters: Clusters) -> bool:
        """Return False: every pair keeps its own rank, so there is nothing to contract."""
        return False

    def contract(self, contraction: Contraction, clusters: Clusters) -> PairScores:
        raise NotImplementedError  # never called


def _shares(clusters: Clusters) -> tuple[Int32Array, FloatArray]:
    return clusters.labels, np.asarray(1.0 / clusters.sizes[clusters.labels])


def _edges_of(n_ranks: int) -> Int64Array:
    """Return the ranks at which the concave function may have corners, closer towards the top."""
    n_edges = 1 + EDGES_PER_HALF * max(0, (n_ranks // FEWEST_RANKS).bit_length() - 1)
    above = n_ranks * 2.0 ** (-np.arange(n_edges) / EDGES_PER_HALF)
    last = np.arange(max(0, n_ranks - FEWEST_RANKS), n_ranks)
    return np.unique(np.concatenate([n_ranks - np.ceil(above).astype(np.int64), last]))


def _linked_lists(clusters: Clusters) -> tuple[Int32Array, Int32Array]:
    """Return the first object of each cluster and the object after each object, -1 at the end."""
    head = np.full(len(clusters.sizes), -1, dtype=np.int32)
    following = np.full(len(clusters.labels), -1, dtype=np.int32)
    for item in range(len(clusters.labels) - 1, -1, -1):
        label = clusters.labels[item]
        following[item] = head[label]
        head[label] = item
    return head, following
