"""What follows from the merges of a valid tree: arrays in, arrays out, no validation.

The leaves under a node are always a slice of `leaf_order`, which begins at the node's start and is
as long as its size; most questions about clusters become questions about slices. Loops run over
the merges, never down the tree: a chain of thousands of merges needs no recursion.
"""

from __future__ import annotations

import numpy as np

from ordlink._typing import BoolArray, Int32Array, LabelArray


def smaller_objects_left(merges: Int32Array) -> Int32Array:
    """Order the two children of each merge by the smallest object they hold."""
    smallest = list(range(len(merges) + 1))
    rows = merges.tolist()
    for row in rows:
        if smallest[row[0]] > smallest[row[1]]:
            row.reverse()
        smallest.append(smallest[row[0]])
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


def node_parents(merges: Int32Array) -> Int32Array:
    """Return the parent of each node, -1 for the root."""
    n = len(merges) + 1
    parents = np.full(2 * n - 1, -1, dtype=np.int32)
    parents[merges] = np.arange(n, 2 * n - 1, dtype=np.int32)[:, None]
    return parents


def kept_parents(parents: Int32Array, collapsed: BoolArray) -> Int32Array:
    """Return the lowest node above each node whose merge is not collapsed, -1 for the root."""
    n = len(collapsed) + 1
    above = parents.copy()
    for node in range(2 * n - 3, -1, -1):  # parents come after their children
        parent = above[node]
        if collapsed[parent - n]:
            above[node] = above[parent]
    return above


def node_sizes(merges: Int32Array) -> Int32Array:
    """Return the number of objects under each node."""
    sizes = [1] * (len(merges) + 1)
    for left, right in merges.tolist():
        sizes.append(sizes[left] + sizes[right])
    return np.array(sizes, dtype=np.int32)


def node_starts(merges: Int32Array, sizes: Int32Array) -> Int32Array:
    """Return the place of the first leaf of each node when left subtrees are listed first."""
    starts = [0] * len(sizes)
    node = len(sizes)
    for left, right in reversed(merges.tolist()):
        node -= 1
        starts[left] = starts[node]
        starts[right] = starts[node] + int(sizes[left])
    return np.array(starts, dtype=np.int32)


def label_clusters(leaf_order: Int32Array, starts: Int32Array, sizes: Int32Array) -> LabelArray:
    """Give numbers to clusters, which are slices of `leaf_order`, by their smallest object."""
    along = np.argsort(starts)
    smallest = leaf_order[starts[along]]  # left subtrees come first, so a slice begins with it
    labels = np.empty(len(leaf_order), dtype=np.intp)
    labels[leaf_order] = np.repeat(np.argsort(np.argsort(smallest)), sizes[along])
    return labels


def lca_ranks(
    merges: Int32Array, leaf_order: Int32Array, starts: Int32Array, sizes: Int32Array
) -> Int32Array:
    """Return the merge that first joins each two objects; every entry is written once."""
    n = len(leaf_order)
    ranks = np.full((n, n), -1, dtype=np.int32)
    for t, (left, right) in enumerate(merges.tolist()):
        first, middle = starts[left], starts[right]
        ours, theirs = leaf_order[first:middle], leaf_order[middle : middle + sizes[right]]
        ranks[ours[:, None], theirs] = t
        ranks[theirs[:, None], ours] = t
    return ranks


def restrict_merges(merges: Int32Array, kept: Int32Array) -> tuple[Int32Array, Int32Array]:
    """Leave out all objects but `kept`, which are renumbered by their place in it.

    Returns the merges that still join something, and which merges of the whole tree they are.
    """
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
