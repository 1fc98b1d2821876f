"""The order of the splits, by the similarity of the objects that each split separates."""

from __future__ import annotations

import heapq

import numpy as np
from scipy.special import expit

from ordlink._typing import AnyArray, FloatArray, Int32Array, Int64Array
from ordlink.methods.adaptive._interview import Interview
from ordlink.methods.adaptive._levels import NOWHERE, SplitTree

N_ROUNDS = 2
N_NEIGHBOURS, N_EACH = 3, 6  # questions about each split and those next to it in the order
PER_SPLIT = N_ROUNDS * N_NEIGHBOURS * N_EACH
_RIDGE, _RIDGE_BETWEEN = 0.05, 0.5  # penalties: of heights, and of clusters that differ from them
_HIGHEST_ERROR_RATE = 0.45


def fit_strengths(
    wins: Int64Array, prior_mean: FloatArray, ridge: float
) -> tuple[FloatArray, float]:
    """Return the strengths h of n contestants, and the error rate q.

    P(u beats v) = q + (1 - 2 q) / (1 + exp(h_v - h_u)); a win of u over v is the number u n + v.
    The penalty is `ridge` times the squared distance to the prior mean.
    """
    from scipy.optimize import minimize  # takes long to load, and is rarely needed

    keys, counts = np.unique(wins, return_counts=True)
    u, v = np.divmod(keys, len(prior_mean))

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        q, h = parameters[0], parameters[1:]
        better = expit(h[u] - h[v])
        right = q + (1 - 2 * q) * better
        slope = -counts / right
        by_pair = slope * (1 - 2 * q) * better * (1 - better)
        gradient = np.bincount(u, by_pair, len(h)) - np.bincount(v, by_pair, len(h))
        away = h - prior_mean
        by_rate = (slope * (1 - 2 * better)).sum()
        gradients: FloatArray = np.append(by_rate, gradient + 2 * ridge * away)
        return float(-(counts * np.log(right)).sum() + ridge * (away**2).sum()), gradients

    bounds = [(1e-4, _HIGHEST_ERROR_RATE)] + [(None, None)] * len(prior_mean)
    start = np.append(0.02, prior_mean)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return found[1:], float(found[0])


class Heights:
    """The similarity of the pairs that meet in each node, on one scale, and the error rate.

    Every answer compares two nodes: those where its two pairs meet (lowest common ancestors).
    """

    def __init__(self, tree: SplitTree, interview: Interview) -> None:
        self._tree, self._interview = tree, interview
        n_nodes = len(tree.nodes)
        self.values, self.error_rate = np.zeros(n_nodes), 0.0
        i, a, b = interview.triplets.T
        self._rows: Int32Array = np.stack([i, a, i, b], axis=1)  # {i, a} is more alike than {i, b}
        self._fit()

    def _meeting(self, i: AnyArray, j: AnyArray) -> Int64Array:
        """Return the node where each pair of slots meets."""
        nodes = np.zeros(len(i), dtype=np.int64)
        for level in self._tree.levels[1:]:
            here = level.node[i]
            nodes = np.where((here == level.node[j]) & (here != NOWHERE), here, nodes)
        return nodes

    def _fit(self) -> None:
        i, a, k, b = self._rows.T
        wins = _wins(self._meeting(i, a), self._meeting(k, b), len(self.values))
        self.values, self.error_rate = fit_strengths(wins, np.zeros(len(self.values)), _RIDGE)

    def between(self, clusters: Int64Array) -> FloatArray:
        """Return the strength between any two clusters (labels 0 to K - 1), shrunk to the heights.

        The two sides of a split need not be the last two clusters to merge: a side may consist of
        several clusters of a chain. The answers about each pair of clusters decide.
        """
        n = int(clusters.max()) + 1
        first = np.unique(clusters, return_index=True)[1]
        c, d = (x.ravel() for x in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
        prior_mean = self.values[self._meeting(first[c], first[d])]
        one, other = (
            np.sort(clusters[self._rows[:, pair]], axis=1) @ np.array([n, 1])
            for pair in ([0, 1], [2, 3])
        )
        strengths = fit_strengths(_wins(one, other, n * n), prior_mean, _RIDGE_BETWEEN)[0]
        upper = np.triu(strengths.reshape(n, n), 1)
        return upper + upper.T

    def ask_for_order(self, splits: list[int], rng: np.random.Generator) -> None:
        """Compare pairs across splits that are next to each other in the order so far."""
        members = [level.members(np.arange(len(self.values))) for level in self._tree.levels]
        for _ in range(N_ROUNDS):
            order = np.array(splits)[np.argsort(self.values[splits], kind="stable")]
            pairs = [
                (u, v)
                for distance in range(1, N_NEIGHBOURS + 1)
                for u, v in zip(order.tolist(), order[distance:].tolist(), strict=False)
                if not self._is_below(u, v, members) and not self._is_below(v, u, members)
            ]
            u, v = np.repeat(np.array(pairs, dtype=np.int64).reshape(-1, 2), N_EACH, axis=0).T
            wanted = np.array(
                [
                    [int(rng.choice(side)) for node in two for side in self._sides(node, members)]
                    for two in zip(u.tolist(), v.tolist(), strict=True)
                ],
                dtype=np.int64,
            ).reshape(-1, 4)
            rows, answers = self._interview.ask(wanted)
            rows[answers < 0] = rows[answers < 0][:, [2, 3, 0, 1]]
            self._rows = np.concatenate([self._rows, rows[answers != 0]])
            self._fit()

    def _sides(self, node: int, members: list[dict[int, Int64Array]]) -> list[Int64Array]:
        children = self._tree.nodes[node].children or ()
        return [members[self._tree.nodes[child].level][child] for child in children]

    def _is_below(self, u: int, v: int, members: list[dict[int, Int64Array]]) -> bool:
        """Return whether node u is v or below it."""
        one = members[self._tree.nodes[u].level][u][0]
        return bool(self._tree.levels[self._tree.nodes[v].level].node[one] == v)


def _wins(winners: Int64Array, losers: Int64Array, n: int) -> Int64Array:
    return np.asarray((winners * n + losers)[winners != losers])


def order_of_splits(tree: SplitTree, splits: set[int], heights: FloatArray) -> list[int]:
    """Return the splits from the root down; among those available, the least similar is next."""
    order: list[int] = []
    waiting = [(float(heights[v]), v) for v in _below(tree, 0, splits)]
    heapq.heapify(waiting)
    while waiting:
        _, v = heapq.heappop(waiting)
        order.append(v)
        for child in tree.nodes[v].children or ():
            for below in _below(tree, child, splits):
                heapq.heappush(waiting, (float(heights[below]), below))
    return order


def _below(tree: SplitTree, node: int, splits: set[int]) -> list[int]:
    """Return the nearest real split at or below a node; one-sided ones are passed over."""
    if node in splits:
        return [node]
    return [v for child in tree.nodes[node].children or () for v in _below(tree, child, splits)]
