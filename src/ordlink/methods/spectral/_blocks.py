"""Sums over pairs of clusters: their mean strengths, and what speaks for separating two of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._threads import in_threads
from ordlink._typing import AnyArray, FloatArray, LabelArray
from ordlink.methods.spectral._pair_strengths import PairStrengths

TINY = 1e-12  # a total precision below this counts as none
_FEW_OBJECTS = 500  # of more, products of matrices take longer than sums by label


def cost_of_split(n: AnyArray, k: AnyArray, caution: float) -> FloatArray:
    """Return the cost of splitting off k of n objects."""
    from scipy.special import gammaln

    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.asarray(caution * ways + 0.5 * np.log(np.maximum(2, n * (n - 1) / 2)))


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
        return cls.of_sums(labels, *sums_by_cluster(posterior, labels))

    @classmethod
    def of_sums(cls, labels: LabelArray, totals: FloatArray, precisions: FloatArray) -> Blocks:
        """Return the sums for a partition, from those of each object with each cluster."""
        members = _members(labels, totals.shape[1])
        return cls(members, totals.T @ members, precisions.T @ members)

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
        """Return mean strengths between clusters, shrunk towards the overall mean."""
        spread = self.spread()
        return np.asarray((spread * self.totals + self.mean) / (spread * self.precisions + 1.0))

    def unite(self, p: int, q: int) -> Blocks:
        """Return the sums after cluster p has absorbed cluster q."""
        members, totals, precisions = (
            self.members.copy(),
            self.totals.copy(),
            self.precisions.copy(),
        )
        for sums in (totals, precisions):
            sums[p] += sums[q]
        for sums in (members, totals, precisions):
            sums[:, p] += sums[:, q]
        left = np.arange(len(totals)) != q
        return Blocks(members[:, left], totals[np.ix_(left, left)], precisions[np.ix_(left, left)])

    def values_of_splits(self) -> FloatArray:
        """Return gain less cost of separating each two clusters, inf on the diagonal."""
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


def _members(labels: LabelArray, n_clusters: int) -> FloatArray:
    members = np.zeros((len(labels), n_clusters))
    members[np.arange(len(labels)), labels] = 1.0
    return members


def sums_by_cluster(posterior: PairStrengths, labels: LabelArray) -> tuple[FloatArray, FloatArray]:
    """Return the sums of h z and of h over the pairs of each object with each cluster, (N, K)."""
    from ordlink.methods.spectral._kernels import add_by_label

    n, n_clusters = len(labels), int(labels.max()) + 1
    if n <= _FEW_OBJECTS:
        members = _members(labels, n_clusters)
        return posterior.totals @ members, posterior.precisions @ members
    totals, precisions = np.zeros((2, n, n_clusters))
    given = posterior.strengths, posterior.precisions, labels
    in_threads(
        lambda first, last: add_by_label(*given, first, last, totals, precisions), n, smallest=256
    )
    return totals, precisions


def fit_to_clusters(posterior: PairStrengths, labels: LabelArray) -> FloatArray:
    """Return the log-likelihood of each object in each cluster, (N, K), up to a constant."""
    sums = sums_by_cluster(posterior, labels)
    return fit_of_sums(Blocks.of_sums(labels, *sums), *sums)


def fit_of_sums(blocks: Blocks, totals: FloatArray, precisions: FloatArray) -> FloatArray:
    means = blocks.means()
    fit = totals @ means - 0.5 * precisions @ (means * means)
    return np.asarray(fit + np.log(blocks.members.mean(axis=0)))


class GainsByOthers:
    """Gains in log-likelihood if two clusters differ in their strengths to other clusters.

    Separate strengths of clusters p and q to a third cluster r, instead of a common one, gain
    h_pr h_qr / (h_pr + h_qr) (z_pr - z_qr)^2 / 2. Sums over r are kept: computing all takes O(K^3),
    and each merge of two clusters O(K^2).
    """

    def __init__(self, totals: FloatArray, precisions: FloatArray) -> None:
        self._precisions = precisions
        self._means = totals / np.maximum(precisions, TINY)
        self._gains = np.zeros_like(totals)
        for third in range(len(totals)):
            self._gains += self._by_third(third)

    def unite(self, p: int, q: int, totals: FloatArray, precisions: FloatArray) -> None:
        """Let cluster p absorb cluster q; totals and precisions are those after the merge."""
        left = np.arange(len(self._gains)) != q
        gains = (self._gains - self._by_third(p) - self._by_third(q))[np.ix_(left, left)]
        p -= q < p
        self._precisions, self._means = precisions, totals / np.maximum(precisions, TINY)
        gains += self._by_third(p)
        gains[p] = gains[:, p] = self._of_cluster(p)
        self._gains = gains

    def less_noise(self, sizes: FloatArray) -> FloatArray:
        """Return the gains less the largest gain from noise, but at least 0, shape (K, K).

        If n objects are separated by their strengths to K others, noise gives half of
        n + K + 2 sqrt(n K), the edge of a Wishart matrix, of which n / 2 is already part of a
        split's cost.
        """
        n_others = max(len(self._gains) - 2, 0)
        by_noise = 0.5 * n_others + np.sqrt((sizes[:, None] + sizes) * n_others)
        return np.asarray(np.maximum(self._gains - by_noise, 0.0))

    def _by_third(self, third: int) -> FloatArray:
        """Return the gains of all pairs of clusters by one third cluster."""
        precisions, means = self._precisions[third], self._means[third]
        gains = _gain(precisions[:, None], precisions, means[:, None] - means)
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
