"""The order of the splits: how alike the objects are that each split separates."""

from __future__ import annotations

import heapq

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from ordlink._typing import AnyArray, FloatArray, Int64Array
from ordlink.methods.adaptive._interview import Interview
from ordlink.methods.adaptive._levels import NOWHERE, SplitTree

N_ROUNDS = 2
N_NEIGHBOURS, N_EACH = 3, 6  # questions about each split and those next to it in the order
PER_SPLIT = N_ROUNDS * N_NEIGHBOURS * N_EACH
_RIDGE = 0.05
_HIGHEST_ERROR_RATE = 0.45


class Heights:
    """The similarity of the pairs that meet in each node, on one scale, and the error rate.

    Every answer compares two nodes: those where the two pairs meet (their lowest common
    ancestors). P(u beats v) = q + (1 - 2 q) / (1 + exp(h_v - h_u)), with the error rate q.
    """

    def __init__(self, tree: SplitTree, interview: Interview) -> None:
        self._tree, self._interview = tree, interview
        n_nodes = len(tree.nodes)
        self._wins: Int64Array = np.empty(0, dtype=np.int64)  # winner * n_nodes + loser
        self.values, self.error_rate = np.zeros(n_nodes), 0.0
        i, a, b = interview.triplets.T
        self._add(self._meeting(i, a), self._meeting(i, b))
        self._fit()

    def _meeting(self, i: AnyArray, j: AnyArray) -> Int64Array:
        """Return the node where each pair of slots meets."""
        nodes = np.zeros(len(i), dtype=np.int64)
        for level in self._tree.levels[1:]:
            here = level.node[i]
            nodes = np.where((here == level.node[j]) & (here != NOWHERE), here, nodes)
        return nodes

    def _add(self, winners: Int64Array, losers: Int64Array) -> None:
        wins = winners * len(self.values) + losers
        self._wins = np.append(self._wins, wins[winners != losers])

    def _fit(self) -> None:
        """Fit heights and error rate to all answers, with a small penalty on large heights."""
        keys, counts = np.unique(self._wins, return_counts=True)
        u, v = np.divmod(keys, len(self.values))

        def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
            q, h = parameters[0], parameters[1:]
            better = expit(h[u] - h[v])
            right = q + (1 - 2 * q) * better
            slope = -counts / right
            by_pair = slope * (1 - 2 * q) * better * (1 - better)
            gradient = np.bincount(u, by_pair, len(h)) - np.bincount(v, by_pair, len(h))
            gradient = np.append((slope * (1 - 2 * better)).sum(), gradient + 2 * _RIDGE * h)
            return float(-(counts * np.log(right)).sum() + _RIDGE * (h**2).sum()), gradient

        bounds = [(1e-4, _HIGHEST_ERROR_RATE)] + [(None, None)] * len(self.values)
        start = np.append(0.02, self.values)
        found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
        self.error_rate, self.values = float(found[0]), found[1:]

    def ask_for_order(self, splits: list[int], n_left: int, rng: np.random.Generator) -> None:
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
            rows = np.array(
                [
                    [int(rng.choice(side)) for node in two for side in self._sides(node, members)]
                    for two in zip(u.tolist(), v.tolist(), strict=True)
                ],
                dtype=np.int64,
            ).reshape(-1, 4)
            rows, answers = self._interview.ask(rows)
            first = self._meeting(rows[:, 0], rows[:, 1])
            second = self._meeting(rows[:, 2], rows[:, 3])
            self._add(first[answers > 0], second[answers > 0])
            self._add(second[answers < 0], first[answers < 0])
            self._fit()

    def _sides(self, node: int, members: list[dict[int, Int64Array]]) -> list[Int64Array]:
        children = self._tree.nodes[node].children or ()
        return [members[self._tree.nodes[child].level][child] for child in children]

    def _is_below(self, u: int, v: int, members: list[dict[int, Int64Array]]) -> bool:
        """Return whether node u is v or below it."""
        one = members[self._tree.nodes[u].level][u][0]
        return bool(self._tree.levels[self._tree.nodes[v].level].node[one] == v)


def order_of_splits(tree: SplitTree, splits: set[int], heights: FloatArray) -> list[int]:
    """Return the splits from the root down: of those that can come next, the least alike first."""
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
