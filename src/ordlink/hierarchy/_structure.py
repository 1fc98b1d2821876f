"""The shape of a tree: what follows from its merges alone.

The leaves under a node are always a slice of `leaf_order`, which begins at the node's start and is
as long as its size; most questions about clusters are questions about slices. Loops run over
the merges, never down the tree: so chains of thousands of merges need no recursion.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeVar

import numpy as np

from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, LabelArray
from ordlink._validate import check_whole_number

Array = TypeVar("Array", bound=AnyArray)


class MergeTree:
    """Nodes, cuts and least common ancestors of the tree that `merges` describe."""

    merges: Int32Array

    @property
    def n_objects(self) -> int:
        """Number of objects, N."""
        return len(self.merges) + 1

    @cached_property
    def parents(self) -> Int32Array:
        """Parent of each node, -1 for the root; shape (2N-1,), dtype int32."""
        n = self.n_objects
        parents = np.full(2 * n - 1, -1, dtype=np.int32)
        parents[self.merges] = np.arange(n, 2 * n - 1, dtype=np.int32)[:, None]
        return read_only(parents)

    @cached_property
    def sizes(self) -> Int32Array:
        """Number of objects under each node (1 for a leaf); shape (2N-1,), dtype int32."""
        sizes = [1] * self.n_objects
        for left, right in self.merges.tolist():
            sizes.append(sizes[left] + sizes[right])
        return read_only(np.array(sizes, dtype=np.int32))

    @cached_property
    def leaf_order(self) -> Int32Array:
        """Objects in the order in which a drawing shows them; shape (N,), dtype int32."""
        return read_only(np.argsort(self._starts[: self.n_objects]).astype(np.int32))

    @cached_property
    def _starts(self) -> Int32Array:
        """Position in `leaf_order` of the first leaf under each node; left subtrees come first."""
        starts = [0] * len(self.sizes)
        node = len(starts)
        for left, right in reversed(self.merges.tolist()):
            node -= 1
            starts[left] = starts[node]
            starts[right] = starts[node] + int(self.sizes[left])
        return np.array(starts, dtype=np.int32)

    @property
    def linkage(self) -> FloatArray:
        """The tree for `scipy.cluster.hierarchy`: children, height, size; shape (N-1, 4), float64.

        The height of merge t is its rank t + 1, not a distance; for dissimilarities see
        `to_linkage`. Each access gives a new array, since some functions of SciPy refuse read-only
        ones.
        """
        heights = np.arange(1, self.n_objects)
        columns = (self.merges, heights, self.sizes[self.n_objects :])
        return np.column_stack(columns).astype(np.float64)

    def label_clusters(self, tops: AnyArray) -> LabelArray:
        """Return the cluster of each object, for nodes that together have all objects once.

        Clusters are numbered by their smallest object; shape (N,), dtype intp.
        """
        tops = tops[np.argsort(self._starts[tops])]
        # Left subtrees hold the smallest object and come first, so each slice begins with it.
        smallest = self.leaf_order[self._starts[tops]]
        labels = np.empty(self.n_objects, dtype=np.intp)
        labels[self.leaf_order] = np.repeat(np.argsort(np.argsort(smallest)), self.sizes[tops])
        return labels

    def cut_nodes(self, n_clusters: int) -> AnyArray:
        """Return the nodes that are the clusters of a cut, in increasing order."""
        existing = 2 * self.n_objects - n_clusters  # nodes after N - n_clusters merges
        parents = self.parents[:existing]
        return np.flatnonzero((parents >= existing) | (parents < 0))

    def members(self, node: int) -> Int32Array:
        """Return the objects under `node` in increasing order, dtype int32."""
        last = 2 * self.n_objects - 2
        remedy = f"leaves are 0 to {self.n_objects - 1} and the root is {last}"
        node = check_whole_number(node, "node", lowest=0, highest=last, remedy=remedy)
        start = int(self._starts[node])
        return np.sort(self.leaf_order[start : start + int(self.sizes[node])])

    def clusters(self) -> Iterator[tuple[int, Int32Array]]:
        """Iterate over (node, members) of the N-1 merged nodes, in the order of the merges."""
        for node in range(self.n_objects, 2 * self.n_objects - 1):
            yield node, self.members(node)

    def lca_ranks(self) -> Int32Array:
        """Return the merge t that first joins each two objects; O(N^2) time and memory.

        Shape (N, N), dtype int32, symmetric, with -1 on the diagonal.
        """
        order, starts = self.leaf_order, self._starts
        ranks = np.full((self.n_objects, self.n_objects), -1, dtype=np.int32)
        for t, (left, right) in enumerate(self.merges.tolist()):
            first, middle = starts[left], starts[right]
            ours, theirs = order[first:middle], order[middle : middle + self.sizes[right]]
            ranks[ours[:, None], theirs] = t
            ranks[theirs[:, None], ours] = t
        return ranks

    def lca_of(self, i: AnyArray, j: AnyArray) -> Int32Array:
        """Return the merge t that first joins each object i with the other object j; dtype int32.

        O(N log N + n_pairs) time and memory, where `lca_ranks` takes O(N^2).
        """
        place = self._starts[: self.n_objects]
        low, high = np.minimum(place[i], place[j]), np.maximum(place[i], place[j])
        level = np.frexp(high - low)[1] - 1  # the largest power of two that is not longer
        tables = self._latest_between
        found = np.empty(len(low), dtype=np.int32)
        for power in np.unique(level).tolist():
            chosen, table = level == power, tables[power]
            ends = table[low[chosen]], table[high[chosen] - (1 << power)]
            found[chosen] = np.maximum(*ends)
        return found

    @cached_property
    def _latest_between(self) -> list[Int32Array]:
        """The latest merge among 1, 2, 4, ... gaps of `leaf_order` from each gap on.

        A merge joins two neighbouring slices, so the gap between them is its own; the latest merge
        between two leaves joins them.
        """
        starts, between = self._starts, np.empty(max(self.n_objects - 1, 0), dtype=np.int32)
        between[starts[self.merges[:, 1]] - 1] = np.arange(self.n_objects - 1)
        tables, width = [between], 1
        while 2 * width < self.n_objects:
            tables.append(np.maximum(tables[-1][:-width], tables[-1][width:]))
            width *= 2
        return tables

    def lca_sizes(self) -> Int32Array:
        """Return the size of the smallest cluster that contains each two objects.

        Shape (N, N), dtype int32, symmetric, with 1 on the diagonal.
        """
        # Rank -1 (the diagonal) finds the 1 that is put last.
        sizes = np.append(self.sizes[self.n_objects :], np.int32(1))
        return sizes[self.lca_ranks()]


def read_only(array: Array) -> Array:
    """Return the array itself, protected against writing."""
    array.setflags(write=False)
    return array


def smaller_objects_left(merges: Int32Array) -> Int32Array:
    """Order the two children of each merge by the smallest object they contain."""
    smallest = list(range(len(merges) + 1))
    rows = merges.tolist()
    for row in rows:
        if smallest[row[0]] > smallest[row[1]]:
            row.reverse()
        smallest.append(smallest[row[0]])
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


def kept_parents(parents: Int32Array, collapsed: BoolArray) -> Int32Array:
    """Return the lowest node above each node whose merge is not collapsed, -1 for the root."""
    n = len(collapsed) + 1
    above = parents.copy()
    for node in range(2 * n - 3, -1, -1):  # parents come after their children
        parent = above[node]
        if collapsed[parent - n]:
            above[node] = above[parent]
    return above


def restrict_merges(merges: Int32Array, kept: Int32Array) -> tuple[Int32Array, Int32Array]:
    """Return the merges of `kept`, renumbered by their position there, and their rows."""
    new_node = [-1] * (len(merges) + 1)  # -1: nothing under this node is kept
    for k, i in enumerate(kept.tolist()):
        new_node[i] = k
    joined: list[tuple[int, int]] = []
    rows: list[int] = []
    for t, (left, right) in enumerate(merges.tolist()):
        a, b = new_node[left], new_node[right]
        if a >= 0 and b >= 0:
            new_node.append(len(kept) + len(joined))
            joined.append((a, b))
            rows.append(t)
        else:
            new_node.append(max(a, b))
    return np.array(joined, dtype=np.int32).reshape(-1, 2), np.array(rows, dtype=np.int32)
