"""A maximum spanning tree of the objects, grown by questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import BoolArray, Int64Array, Progress
from ordlink.linkage import InitialPartition
from ordlink.methods.active._tournament import EMPTY, Tournament
from ordlink.oracles import AskOnce

UNKNOWN = -1
"""In `equal_to`: no edge is known to be as similar as this pair."""


@dataclass(frozen=True, eq=False)
class SpanningTree:
    """A maximum spanning tree of clusters, and the pairs that might replace its edges."""

    edges: Int64Array  # (n_slots - 1,): codes of the pairs of objects that join the clusters
    # (m,): codes of other pairs. Any pair that is neither an edge nor a rival is strictly less
    # similar than all edges on the path between its objects
    rivals: Int64Array
    equal_to: Int64Array  # (m,): an edge (its index) that is as similar as the rival, or UNKNOWN
    # (m,): an edge (its index) that is strictly more similar than the rival, or UNKNOWN
    below: Int64Array


def grow_spanning_tree(
    partition: InitialPartition, asker: AskOnce, progress: Progress | None = None
) -> SpanningTree:
    """Return a maximum spanning tree by Prim's algorithm.

    When object v joins the tree, one batch compares, for each object u outside, the pair {u, v}
    with the best pair of u and an object of the tree: N (N - 1) / 2 questions in all. A
    tournament among these best pairs tells who joins next; few of its matches change. The
    objects of an initial cluster join together.
    """
    growth = _Growth(partition.n_objects, asker)
    clusters = partition.clusters()
    growth.join(clusters[0])
    if partition.n_slots == 1:
        return growth.finish()
    tournament = Tournament(asker, np.where(growth.outside, growth.best, EMPTY))
    for step in range(partition.n_slots - 1):
        nearest = tournament.champion
        growth.pick(nearest)
        cluster = np.array(clusters[partition.labels[nearest]])
        nearer = np.flatnonzero(growth.join(cluster.tolist()))
        tournament.exchange(
            np.append(cluster, nearer),
            np.append(np.full(len(cluster), EMPTY), growth.best[nearer]),
            np.append(np.full(len(cluster), -1), np.full(len(nearer), 1)),
        )
        if progress is not None:
            progress(step + 1, partition.n_slots - 1)
    return growth.finish()


class _Growth:
    """The tree while it grows.

    A pair {u, v} that is strictly less similar than the best pair of u when v joins is no rival:
    Prim's algorithm completes a cluster of pairs as similar as that best pair before it leaves
    it, so v and u are connected by edges at least as similar. All others are kept as rivals,
    together with the period of u in which its best pair was as similar: if u joins the tree in
    that period, through its best pair, the rival is as similar as this edge. If u joins in a later
    period, through a pair that is strictly more similar, the rival is below this edge.
    """

    def __init__(self, n_objects: int, asker: AskOnce) -> None:
        self._asker = asker
        self.outside: BoolArray = np.ones(n_objects, dtype=np.bool_)
        self.best: Int64Array = np.full(n_objects, EMPTY, dtype=np.int64)
        self._period = np.zeros(n_objects, dtype=np.int64)
        self._edge_of = np.full(n_objects, UNKNOWN, dtype=np.int64)
        self._edges: list[int] = []
        self._rivals: list[tuple[Int64Array, Int64Array, Int64Array]] = []

    def pick(self, nearest: int) -> None:
        """Make the best pair of an object an edge."""
        self._edge_of[nearest] = len(self._edges)
        self._edges.append(int(self.best[nearest]))

    def join(self, cluster: list[int]) -> BoolArray:
        """Move objects into the tree; return which outside objects came nearer to it."""
        self.outside[cluster] = False
        nearer = np.zeros(len(self.outside), dtype=np.bool_)
        others = np.flatnonzero(self.outside)
        for v in cluster if len(others) else []:
            pairs = np.minimum(v, others) * len(self.outside) + np.maximum(v, others)
            if self.best[others[0]] == EMPTY:  # v is the first object in the tree
                self.best[others] = pairs
                continue
            answers = self._asker.compare_pairs(pairs, self.best[others])
            equal, better = answers == 0, answers > 0
            improved = others[better]
            self._keep_rivals(others[equal], pairs[equal])
            self._keep_rivals(improved, self.best[improved])
            self.best[improved] = pairs[better]
            self._period[improved] += 1
            nearer[improved] = True
        return nearer

    def finish(self) -> SpanningTree:
        """Return the tree after all objects have joined."""
        # The best pair of an object that joined with its cluster is no edge, but may equal one.
        unpicked = np.flatnonzero((self._edge_of == UNKNOWN) & (self.best != EMPTY))
        self._keep_rivals(unpicked, self.best[unpicked])
        objects, pairs, periods = (np.concatenate(part) for part in zip(*self._rivals, strict=True))
        last_period = periods == self._period[objects]
        return SpanningTree(
            edges=np.array(self._edges, dtype=np.int64),
            rivals=pairs,
            equal_to=np.where(last_period, self._edge_of[objects], UNKNOWN),
            below=np.where(last_period, UNKNOWN, self._edge_of[objects]),
        )

    def _keep_rivals(self, objects: Int64Array, pairs: Int64Array) -> None:
        self._rivals.append((objects, pairs, self._period[objects]))
