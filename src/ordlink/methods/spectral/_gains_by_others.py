"""What telling two clusters apart gains by their strengths to all third ones."""

from __future__ import annotations

import numpy as np

from ordlink._typing import FloatArray
from ordlink.methods.spectral._splits import TINY


class GainsByOthers:
    """Gains in log-likelihood, kept while clusters are united.

    If two clusters p and q have strengths of their own to a third cluster r, instead of a common
    one, this gains h_pr h_qr / (h_pr + h_qr) (z_pr - z_qr)^2 / 2. Sums over r are kept: all of them
    take O(K^3), and O(K^2) more for each two clusters that are united.

    Parameters
    ----------
    totals, precisions : ndarray of shape (K, K), dtype float64
        Sums of h z and of h over the pairs of two clusters.
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

        If n objects are told apart by their strengths to K others, noise gives half of
        n + K + 2 sqrt(n K), the edge of a Wishart matrix, of which n / 2 is part of a split's cost
        already.
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
