"""Clusters that the answers support clearly, and the mean strengths between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import FloatArray, LabelArray
from ordlink.methods.spectral._pair_strengths import PairStrengths
from ordlink.methods.spectral._splits import LIKELY, TINY, best_split, cost_of_split

PATIENCE = 2
"""So many splits in a row may be less than firm."""
_SWEEPS = 20


@dataclass(frozen=True)
class Blocks:
    """Sums over pairs of clusters."""

    members: FloatArray  # (N, K): 1 where an object is in a cluster
    # (K, K): sum of h z and of h over the pairs of two clusters; pairs within one count twice
    totals: FloatArray
    precisions: FloatArray

    @classmethod
    def of(cls, posterior: PairStrengths, labels: LabelArray) -> Blocks:
        """Return the sums for a partition with labels 0..K-1."""
        members = np.zeros((len(labels), int(labels.max()) + 1))
        members[np.arange(len(labels)), labels] = 1.0
        weighted = posterior.precisions * posterior.strengths
        return cls(
            members, members.T @ weighted @ members, members.T @ posterior.precisions @ members
        )

    @property
    def mean(self) -> float:
        """Mean strength of all pairs."""
        return float(self.totals.sum()) / max(float(self.precisions.sum()), TINY)

    def spread(self) -> float:
        """Return the variance of the true strengths of blocks (DerSimonian and Laird's moments)."""
        once = np.triu(np.ones_like(self.totals)) - 0.5 * np.eye(len(self.totals))
        known = once * self.precisions > TINY
        precisions, totals = (once * self.precisions)[known], (once * self.totals)[known]
        if len(precisions) < 2:
            return 0.0
        seen = float((precisions * (totals / precisions - self.mean) ** 2).sum())
        weight = float(precisions.sum() - (precisions**2).sum() / precisions.sum())
        return max(seen - (len(precisions) - 1), 0.0) / weight if weight > 0.0 else 0.0

    def means(self) -> FloatArray:
        """Return mean strengths between clusters, shrunk towards the mean of all."""
        spread = self.spread()
        return np.asarray((spread * self.totals + self.mean) / (spread * self.precisions + 1.0))

    def unite(self, p: int, q: int) -> Blocks:
        """Return the sums after cluster p has taken in cluster q."""
        members, totals, precisions = (
            sums.copy() for sums in (self.members, self.totals, self.precisions)
        )
        members[:, p] += members[:, q]
        for sums in (totals, precisions):
            sums[p] += sums[q]
            sums[:, p] += sums[:, q]
        left = np.arange(len(totals)) != q
        return Blocks(members[:, left], totals[np.ix_(left, left)], precisions[np.ix_(left, left)])

    def values_of_splits(self) -> FloatArray:
        """Return gain less cost of a split of two clusters together, inf on the diagonal."""
        sizes = self.members.sum(axis=0)
        own_precisions, own_totals = 0.5 * self.precisions.diagonal(), 0.5 * self.totals.diagonal()
        within = own_precisions[:, None] + own_precisions
        total = within + self.precisions
        sums = own_totals[:, None] + own_totals + self.totals
        pulls = self.totals - sums / np.maximum(total, TINY) * self.precisions
        inverse = 1.0 / np.maximum(self.precisions, TINY)
        inverse += np.where(within > TINY, 1.0 / np.maximum(within, TINY), 0.0)
        cut = (pulls < 0.0) & (self.precisions > TINY)
        values = np.where(cut, 0.5 * pulls * pulls * inverse, 0.0)
        values -= cost_of_split(sizes[:, None] + sizes, sizes[:, None], 1.0)
        np.fill_diagonal(values, np.inf)
        return np.asarray(values)

    def prior_means(self) -> FloatArray:
        """Return the mean strength of its block for every pair of objects, shape (N, N)."""
        return np.asarray(self.members @ self.means() @ self.members.T)


def find_firm_clusters(posterior: PairStrengths) -> LabelArray:
    """Return the partition that firm splits end in.

    A split of many clusters in two halves may not be firm although the clusters are, so likely
    splits are followed a few steps further. And a split may cut through a cluster. So clusters are
    united again unless a firm split or their strengths to third clusters separate them; before and
    after, each object is moved to the cluster where it fits best.
    """
    n = len(posterior.strengths)
    labels = np.zeros(n, dtype=np.intp)
    waiting = [(np.arange(n), PATIENCE)]
    n_clusters = 0
    while waiting:
        members, patience = waiting.pop()
        split = best_split(posterior, members, 1.0) if len(members) > 1 else None
        if split is not None and split.value(1.0) > 0.0:
            patience = PATIENCE
        elif split is not None and patience > 0:
            split, patience = best_split(posterior, members, LIKELY), patience - 1
        else:
            split = None
        if split is None:
            labels[members] = n_clusters
            n_clusters += 1
        else:
            waiting += [(members[split.side], patience), (members[~split.side], patience)]
    return _reassign(posterior, _unite_similar(posterior, _reassign(posterior, labels)))


def _unite_similar(posterior: PairStrengths, labels: LabelArray) -> LabelArray:
    """Unite the two clusters that are separated least, until all separations are firm."""
    blocks = Blocks.of(posterior, labels)
    others = GainsByOthers(blocks.totals, blocks.precisions)
    while len(blocks.totals) > 1:
        values = blocks.values_of_splits() + others.less_noise(blocks.members.sum(axis=0))
        p, q = (int(place) for place in np.unravel_index(int(values.argmin()), values.shape))
        if values[p, q] > 0.0:
            break
        blocks = blocks.unite(p, q)
        others.unite(p, q, blocks.totals, blocks.precisions)
    return np.asarray(blocks.members.argmax(axis=1), dtype=np.intp)


def _reassign(posterior: PairStrengths, labels: LabelArray) -> LabelArray:
    """Move all objects at once to their most likely clusters, until none moves."""
    weighted = posterior.precisions * posterior.strengths
    for _ in range(_SWEEPS):
        blocks = Blocks.of(posterior, labels)
        means = blocks.means()
        fit = (weighted @ blocks.members) @ means
        fit -= 0.5 * (posterior.precisions @ blocks.members) @ (means * means)
        fit += np.log(blocks.members.mean(axis=0))
        moved = fit.argmax(axis=1)
        if np.array_equal(moved, labels):
            break
        labels = np.unique(moved, return_inverse=True)[1].astype(np.intp)
    return labels


def number_by_first(labels: LabelArray) -> LabelArray:
    """Return the labels numbered by the first object of each cluster."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


class GainsByOthers:
    """Gains in log-likelihood if two clusters differ in their strengths to third ones.

    Separate strengths of clusters p and q to a third cluster r, instead of a common one, gain
    h_pr h_qr / (h_pr + h_qr) (z_pr - z_qr)^2 / 2. Sums over r are kept: all of them take O(K^3),
    and O(K^2) more each time two clusters are united.
    """

    def __init__(self, totals: FloatArray, precisions: FloatArray) -> None:
        self._precisions = precisions
        self._means = totals / np.maximum(precisions, TINY)
        self._gains = np.zeros_like(totals)
        for third in range(len(totals)):
            self._gains += self._by_third(third)

    def unite(self, p: int, q: int, totals: FloatArray, precisions: FloatArray) -> None:
        """Let cluster p take in cluster q; totals and precisions are those after it."""
        left = np.arange(len(self._gains)) != q
        gains = (self._gains - self._by_third(p) - self._by_third(q))[np.ix_(left, left)]
        p -= q < p
        self._precisions, self._means = precisions, totals / np.maximum(precisions, TINY)
        gains += self._by_third(p)
        gains[p] = gains[:, p] = self._of_cluster(p)
        self._gains = gains

    def less_noise(self, sizes: FloatArray) -> FloatArray:
        """Return the gains less what noise gives at most, and never below 0, shape (K, K).

        If n objects are separated by their strengths to K others, noise gives half of
        n + K + 2 sqrt(n K), the edge of a Wishart matrix, of which n / 2 is already part of a
        split's cost.
        """
        n_others = max(len(self._gains) - 2, 0)
        by_noise = 0.5 * n_others + np.sqrt((sizes[:, None] + sizes) * n_others)
        return np.asarray(np.maximum(self._gains - by_noise, 0.0))

    def _by_third(self, third: int) -> FloatArray:
        """Return the gains of all pairs of clusters by one third cluster."""
        gains = _gain(
            self._precisions[third][:, None],
            self._precisions[third],
            self._means[third][:, None] - self._means[third],
        )
        gains[third] = gains[:, third] = 0.0
        return gains

    def _of_cluster(self, p: int) -> FloatArray:
        """Return the gains of one cluster and each other, by all third ones."""
        by_third = _gain(self._precisions, self._precisions[p], self._means - self._means[p])
        by_third[:, p] = 0.0
        np.fill_diagonal(by_third, 0.0)
        return np.asarray(by_third.sum(axis=1))


def _gain(h: FloatArray, other_h: FloatArray, difference: FloatArray) -> FloatArray:
    return np.asarray(0.5 * h * other_h / np.maximum(h + other_h, TINY) * difference**2)
