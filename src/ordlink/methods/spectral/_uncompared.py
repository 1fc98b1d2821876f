"""Objects that no answer names, hung into the tree of the others."""

from __future__ import annotations

import numpy as np

from ordlink._typing import Int64Array
from ordlink.hierarchy import Hierarchy
from ordlink.linkage._initial_partition import InitialPartition


def attach_uncompared(tree: Hierarchy, named: Int64Array, partition: InitialPartition) -> Hierarchy:
    """Return the tree of all objects: those that no answer names go with the larger part at splits.

    Nothing is known of them, so they are put where an object is most likely to be: from the root
    down, always into the larger of two clusters. There they are joined first, in merges that are
    marked as tied, so that they take up no split of the others.

    Parameters
    ----------
    tree : Hierarchy
        Tree of the other objects; merges inside initial clusters come first.
    named : ndarray of shape (n_named,), dtype int64
        The others, in increasing order: object k of the tree is ``named[k]``.
    partition : InitialPartition
        The initial clusters of all objects.
    """
    slots = partition.labels[named].tolist()
    at = slots[_most_likely_object(tree, slots)]
    pairs: list[tuple[int, int]] = []
    joined = at
    for slot in sorted(set(range(partition.n_slots)) - set(slots)):
        pairs.append((min(joined, slot), max(joined, slot)))
        joined = min(joined, slot)
    n_hung = len(pairs)
    nodes = [joined if slot == at else slot for slot in slots]  # the slot that stays of each node
    between = []
    for merge, (one, other) in enumerate(tree.merges.tolist()):
        p, q = sorted((nodes[one], nodes[other]))
        nodes.append(p)
        if p != q:  # else inside an initial cluster
            pairs.append((p, q))
            between.append(merge)
    scores = np.concatenate([np.full(n_hung, np.nan), tree.scores[between]])
    tied = np.concatenate([np.ones(n_hung, dtype=bool), tree.tied[between]])
    return partition.finish(np.array(pairs, dtype=np.int32), scores, tied, names=None)


def _most_likely_object(tree: Hierarchy, slots: list[int]) -> int:
    """Return an object of the cluster that is reached by going to the larger part at each split."""
    node = 2 * tree.n_objects - 2
    while node >= tree.n_objects and len({slots[item] for item in tree.members(node)}) > 1:
        one, other = tree.merges[node - tree.n_objects].tolist()
        node = one if tree.sizes[one] >= tree.sizes[other] else other
    return int(tree.members(node)[0])
