"""Where in a tree an object belongs: the probability of every place, given answers.

A place is the edge above a node v: the object becomes the sibling of v. Every pair of objects meets
at a height of the tree; an answer is expected to favour the pair that meets lower.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import expit, logsumexp

from ordlink._typing import AnyArray, FloatArray, Int32Array, Int64Array
from ordlink.hierarchy import Hierarchy

SLOPES = (1.0, 2.0, 4.0, np.inf)
ERROR_RATES = {0.001: -4.0, 0.02: -1.0, 0.1: 0.0, 0.2: -1.0}
"""Shares of wrong answers, and their log-probability a priori: a few answers do not show that none
is wrong."""
_SMALL = 1e-6


@dataclass(frozen=True)
class Noise:
    """P(answer) = q + (1 - 2 q) / (1 + exp(-slope x difference of heights))."""

    slope: float = 2.0
    error_rate: float = 0.02

    def log_likelihood(self, difference: FloatArray) -> FloatArray:
        """Return the log-probability of answers whose losing pair meets so much higher."""
        right = (
            expit(self.slope * difference)
            if np.isfinite(self.slope)
            else 0.5 + 0.5 * np.sign(difference)
        )
        return np.asarray(np.log(self.error_rate + (1 - 2 * self.error_rate) * right))


class Places:
    """The places of a tree in preorder, so that those below a node are a slice.

    The height of a merge is the logarithm of the largest cluster so far (plus its rank, in very
    small units): heights rise with the order of merges, and levels of a balanced tree are equally
    far apart.
    """

    def __init__(self, tree: Hierarchy) -> None:
        n = tree.n_objects
        self.tree, self.n_nodes = tree, 2 * n - 1
        largest = np.maximum.accumulate(tree.sizes[n:]) if n > 1 else np.empty(0)
        ranks = np.arange(1, n)
        self.heights: FloatArray = np.append(np.zeros(n), np.log2(largest) + _SMALL * ranks)
        above = np.where(tree.parents < 0, -1, self.heights[tree.parents])
        self._edges = np.where(tree.parents < 0, self.heights + 1, (self.heights + above) / 2)
        first = np.empty(n, dtype=np.int64)
        first[tree.leaf_order] = np.arange(n)
        starts = np.append(first, np.empty(n - 1, dtype=np.int64))
        for t, (left, right) in enumerate(tree.merges.tolist()):
            starts[n + t] = min(starts[left], starts[right])
        self.nodes: Int64Array = np.lexsort((-np.arange(self.n_nodes), starts))
        self.position: Int64Array = np.empty(self.n_nodes, dtype=np.int64)
        self.position[self.nodes] = np.arange(self.n_nodes)
        self.ends: Int64Array = self.position + 2 * tree.sizes - 1
        self._meeting: dict[int, FloatArray] = {}

    def meeting(self, a: int) -> FloatArray:
        """Return the height at which an object at each place meets object a."""
        if a not in self._meeting:
            path = [a]
            while self.tree.parents[path[-1]] >= 0:
                path.append(int(self.tree.parents[path[-1]]))
            heights = np.empty(self.n_nodes)
            for v in reversed(path):
                heights[self.position[v] : self.ends[v]] = self.heights[v]
            heights[self.position[path]] = self._edges[path]
            self._meeting[a] = heights
        return self._meeting[a]

    def height_of(self, a: int, b: int) -> float:
        """Return the height at which two objects of the tree meet."""
        return float(self.meeting(a)[self.position[b]])

    def differences(self, rows: Int32Array, i: int) -> FloatArray:
        """Return for each answer and place how much higher the losing pair meets.

        Each row has object i, which is not in the tree, and otherwise objects of the tree.
        """
        found = np.empty((len(rows), self.n_nodes))
        for row, (a, b, c, d) in enumerate(rows.tolist()):
            won, lost = (self._pair(x, y, i) for x, y in ((a, b), (c, d)))
            found[row] = lost - won
        return found

    def _pair(self, a: int, b: int, i: int) -> FloatArray | float:
        if a == i:
            return self.meeting(b)
        return self.meeting(a) if b == i else self.height_of(a, b)

    def probabilities(self, differences: FloatArray, noise: Noise) -> FloatArray:
        """Return the probability of each place; a priori all are equally likely."""
        total = noise.log_likelihood(differences).sum(axis=0)
        return np.asarray(np.exp(total - logsumexp(total)))

    def below(self, probabilities: FloatArray) -> FloatArray:
        """Return for each node the probability that the place is it or below it."""
        sums = np.append(0.0, np.cumsum(probabilities))
        return np.asarray(sums[self.ends] - sums[self.position])

    def descend(self, probabilities: FloatArray) -> int:
        """Return the node whose edge is chosen by going down to the likelier branch."""
        below, n = self.below(probabilities), self.tree.n_objects
        node = self.n_nodes - 1
        while node >= n:
            left, right = self.tree.merges[node - n].tolist()
            likelier = left if below[left] >= below[right] else right
            if probabilities[self.position[node]] >= below[likelier]:
                break
            node = likelier
        return int(node)


def fit_noise(places: Places, differences: list[FloatArray]) -> Noise:
    """Return the noise that makes the answers about some objects likeliest, whatever the places."""

    def evidence(noise: Noise) -> float:
        by_object = [noise.log_likelihood(each).sum(axis=0) for each in differences]
        prior = ERROR_RATES[noise.error_rate]
        return float(sum(logsumexp(each) for each in by_object)) + prior

    candidates = [Noise(*pair) for pair in product(SLOPES, ERROR_RATES)]
    return max(candidates, key=evidence) if differences else Noise()


def attach(tree: Hierarchy, node: int) -> Hierarchy:
    """Return the tree with one more object, its last one, as the sibling of a node; no names.

    The new merge comes right after that of the node, so that the object joins its cluster at once.
    """
    n = tree.n_objects
    row = max(node - n + 1, 0)

    def renumbered(nodes: AnyArray) -> AnyArray:
        return np.where(nodes < n, nodes, nodes + 1 + (nodes - n >= row))

    merges = renumbered(tree.merges)
    new = n + 1 + row
    merges[tree.merges == node] = new
    merged = np.insert(merges, row, [int(renumbered(np.array(node))), n], axis=0)
    scores = np.insert(tree.scores, row, np.nan)
    support = np.insert(tree.support, row, np.nan)
    tied = np.insert(tree.tied, row, False)
    return Hierarchy(merged, scores=scores, tied=tied, support=support)
