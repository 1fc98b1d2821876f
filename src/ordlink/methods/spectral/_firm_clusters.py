"""Clusters that the answers speak for clearly, and how strongly they hang together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import FloatArray, LabelArray
from ordlink.methods.spectral._gains_by_others import GainsByOthers
from ordlink.methods.spectral._pair_strengths import PairStrengths
from ordlink.methods.spectral._splits import LIKELY, TINY, best_split, cost_of_split

PATIENCE = 2
"""So many splits in a row may be less than firm."""
_SWEEPS = 20


@dataclass(frozen=True)
class Blocks:
    """Sums over pairs of clusters.

    Attributes
    ----------
    members : ndarray of shape (N, K), dtype float64
        1 where an object is in a cluster.
    totals, precisions : ndarray of shape (K, K), dtype float64
        Sum of h z and of h over the pairs of two clusters; pairs within one count twice.
    """

    members: FloatArray
    totals: FloatArray
    precisions: FloatArray

    @classmethod
    def of(cls, observed: PairStrengths, labels: LabelArray) -> Blocks:
        """Return the sums for a partition with labels 0..K-1."""
        members = np.zeros((len(labels), int(labels.max()) + 1))
        members[np.arange(len(labels)), labels] = 1.0
        weighted = observed.precisions * observed.strengths
        return cls(
            members,
            members.T @ weighted @ members,
            members.T @ observed.precisions @ members,
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
        """Return mean strengths between clusters, little known ones drawn to the mean of all."""
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

    def expected(self) -> FloatArray:
        """Return the mean strength of its block for every pair of objects, shape (N, N)."""
        return np.asarray(self.members @ self.means() @ self.members.T)


def find_firm_clusters(observed: PairStrengths) -> LabelArray:
    """Return the partition that firm splits end in.

    A split of many clusters in two halves may not be firm where the clusters are, so splits that
    are likely are followed a few steps further. And a split may cut through a cluster. So clusters
    that no firm split would tell apart are put together, nor their strengths to third clusters;
    before and after, each object is moved to where it fits best.
    """
    n = len(observed.strengths)
    labels = np.zeros(n, dtype=np.intp)
    waiting = [(np.arange(n), PATIENCE)]
    n_clusters = 0
    while waiting:
        members, patience = waiting.pop()
        split = best_split(observed, members, 1.0) if len(members) > 1 else None
        if split is not None and split.value(1.0) > 0.0:
            patience = PATIENCE
        elif split is not None and patience > 0:
            split, patience = best_split(observed, members, LIKELY), patience - 1
        else:
            split = None
        if split is None:
            labels[members] = n_clusters
            n_clusters += 1
        else:
            waiting += [(members[split.side], patience), (members[~split.side], patience)]
    return _reassign(observed, _put_together(observed, _reassign(observed, labels)))


def _put_together(observed: PairStrengths, labels: LabelArray) -> LabelArray:
    """Unite the two clusters that a split tells apart the least, while none is firm."""
    blocks = Blocks.of(observed, labels)
    others = GainsByOthers(blocks.totals, blocks.precisions)
    while len(blocks.totals) > 1:
        values = blocks.values_of_splits() + others.less_noise(blocks.members.sum(axis=0))
        p, q = (int(place) for place in np.unravel_index(int(values.argmin()), values.shape))
        if values[p, q] > 0.0:
            break
        blocks = blocks.unite(p, q)
        others.unite(p, q, blocks.totals, blocks.precisions)
    return np.asarray(blocks.members.argmax(axis=1), dtype=np.intp)


def _reassign(observed: PairStrengths, labels: LabelArray) -> LabelArray:
    """Move all objects at once to their most likely clusters, until none moves."""
    weighted = observed.precisions * observed.strengths
    for _ in range(_SWEEPS):
        blocks = Blocks.of(observed, labels)
        means = blocks.means()
        fit = (weighted @ blocks.members) @ means
        fit -= 0.5 * (observed.precisions @ blocks.members) @ (means * means)
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
