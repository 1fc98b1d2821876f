"""How 4-AL gets its scores when every comparison is known: from the ranks of the pairs."""

from __future__ import annotations

import numpy as np

from ordlink._typing import Int32Array
from ordlink.comparisons import RankedComparisons, n_pairs, pair_members
from ordlink.methods.four_al._scores import Clusters, Contraction, Merges, PairScores

ROUNDING = 1e-12
"""Upper bounds of scores are raised by this share of the largest, to be safe from rounding."""


class RankScores:
    """Scores when every comparison is known: s is a function of a pair's rank."""

    def __init__(self, comparisons: RankedComparisons, clusters: Clusters) -> None:
        ranks = comparisons.ranks
        n_clusters = len(clusters.alive)
        order = np.argsort(ranks, kind="stable")
        self._first, self._second = pair_members(order, comparisons.n_objects)
        self._ranks = ranks
        self._group_ends = np.cumsum(np.bincount(ranks)).astype(np.int64)
        self._by_rank = np.zeros(len(self._group_ends))
        # Nothing is computed yet: any finite score is below these bounds.
        self._bounds = np.full((n_clusters, n_clusters), np.inf)
        self._margin = ROUNDING * n_pairs(n_clusters)
        self._risen = 0.0
        self._computed = np.empty((n_pairs(n_clusters) + 1, 2), dtype=np.int32)
        self._means = np.empty(n_pairs(n_clusters) + 1)
        self._n_computed = 0
        self._guess = (0, 1)
        self._head, self._following = _linked_lists(clusters)

    def merge(self, clusters: Clusters, unit: float, merges: Merges) -> None:
        """Choose and bring the bounds up to date, merge by merge; see PairScores."""
        from ordlink.methods.four_al._kernels import unite

        for t in range(len(merges)):
            p, q, merges.scores[t], n_candidates = self._best_pair(clusters, unit)
            merges.pairs[t] = p, q
            merges.tied[t] = n_candidates > 1
            clusters.alive = unite(p, q, clusters.labels, clusters.sizes, clusters.alive)
            self._note_merge(clusters, p, q)

    def _best_pair(self, clusters: Clusters, unit: float) -> tuple[int, int, float, int]:
        """Bring s up to date, compute what may be best, and choose; see `best_cluster_pair`."""
        from ordlink.methods.four_al._kernels_ranks import best_of_bounds, scores_by_rank

        alive, sizes = clusters.alive, clusters.sizes
        weights = 1.0 / sizes[clusters.labels]
        total = float(n_pairs(len(alive)))
        rise = scores_by_rank(
            self._first,
            self._second,
            self._group_ends,
            clusters.labels,
            weights,
            total,
            self._by_rank,
        )
        self._risen += rise + self._margin
        p, q, mean, n_candidates, n_computed = best_of_bounds(
            *self._guess,
            self._risen,
            self._bounds,
            alive,
            unit,
            self._head,
            self._following,
            sizes,
            self._ranks,
            self._by_rank,
            self._computed,
            self._means,
        )
        self._n_computed = n_computed
        return p, q, mean / total, n_candidates

    def _note_merge(self, clusters: Clusters, p: int, q: int) -> None:
        """Bound the scores of the merged cluster, and guess the next best."""
        from ordlink.methods.four_al._kernels_ranks import merge_bounds, next_guess

        share = 1.0 - clusters.sizes[q] / clusters.sizes[p]  # q keeps its last size
        merge_bounds(p, q, share, self._bounds, clusters.alive)
        self._link(p, q)
        if len(clusters.alive) > 1:
            self._guess = next_guess(
                p, q, self._computed, self._means, self._n_computed, clusters.alive
            )

    def contraction_pays(self, clusters: Clusters) -> bool:
        """Return False: every pair keeps its own rank, so there is nothing to contract."""
        return False

    def contract(self, contraction: Contraction, clusters: Clusters) -> PairScores:
        """Never called."""
        raise NotImplementedError

    def _link(self, p: int, q: int) -> None:
        """Append the list of q to that of p."""
        last = self._head[q]
        while self._following[last] >= 0:
            last = self._following[last]
        self._following[last] = self._head[p]
        self._head[p] = self._head[q]


def _linked_lists(clusters: Clusters) -> tuple[Int32Array, Int32Array]:
    """Return the first object of each cluster and the object after each object, -1 at the end."""
    head = np.full(len(clusters.sizes), -1, dtype=np.int32)
    following = np.full(len(clusters.labels), -1, dtype=np.int32)
    for item in range(len(clusters.labels) - 1, -1, -1):
        label = clusters.labels[item]
        following[item] = head[label]
        head[label] = item
    return head, following
