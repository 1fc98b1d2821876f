"""Answers about parts of the objects that were never compared: a tree of each, then one of all."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from ordlink._typing import Int64Array
from ordlink.comparisons import ListedComparisons, find_named, find_parts
from ordlink.hierarchy import Hierarchy
from ordlink.linkage._initial_partition import InitialPartition

Note = TypeVar("Note")


def grow_parts(
    comparisons: ListedComparisons,
    partition: InitialPartition,
    grow: Callable[[ListedComparisons, InitialPartition], tuple[Hierarchy, Note]],
) -> tuple[Hierarchy, list[Note]]:
    """Return the whole tree and a note on each part; parts were never compared to each other.

    `grow` returns the tree of one part and the note on it.
    """

    def grow_subset(part: Int64Array, own: InitialPartition) -> tuple[Hierarchy, Note]:
        whole = len(part) == comparisons.n_objects
        return grow(comparisons if whole else comparisons.subset(part), own)

    return grow_each_part(comparisons, partition, grow_subset)


def grow_each_part(
    comparisons: ListedComparisons,
    partition: InitialPartition,
    grow: Callable[[Int64Array, InitialPartition], tuple[Hierarchy, Note]],
) -> tuple[Hierarchy, list[Note]]:
    """Return the same for a function that takes the objects of a part, not their comparisons."""
    parts = list_parts(comparisons, partition)
    compared = np.sort(np.concatenate(parts)) if parts else np.arange(comparisons.n_objects)
    if len(parts) <= 1 and len(compared) == comparisons.n_objects:
        tree, note = grow(compared, partition)
        return tree, [note]
    grown = [grow(part, InitialPartition.of_labels(partition.labels[part])) for part in parts]
    tree = join_trees([np.searchsorted(compared, part) for part in parts], [t for t, _ in grown])
    if len(compared) < comparisons.n_objects:
        tree = attach_uncompared(tree, compared, partition)
    return tree, [note for _, note in grown]


def list_parts(comparisons: ListedComparisons, partition: InitialPartition) -> list[Int64Array]:
    """Return the objects of each part, largest parts first; ties go by the first object.

    Comparisons and initial clusters link their objects. Parts without a comparison are left out.
    """
    part_of = find_parts(comparisons)
    for cluster in partition.clusters():
        if len(cluster) > 1:
            linked = part_of[cluster]
            part_of[np.isin(part_of, linked)] = linked.min()
    has_named = np.zeros(len(part_of), dtype=bool)
    has_named[part_of[find_named(comparisons)]] = True
    inside = np.flatnonzero(has_named[part_of])
    inside = inside[np.argsort(part_of[inside], kind="stable")]
    if not len(inside):
        return []
    parts = np.split(inside, np.flatnonzero(np.diff(part_of[inside])) + 1)
    return sorted(parts, key=lambda part: (-len(part), int(part[0])))


def join_trees(parts: Sequence[Int64Array], trees: Sequence[Hierarchy]) -> Hierarchy:
    """Return the tree of all parts, where part[k] is object k; parts join last, in any order.

    From the root down, the weakest of the merges that are left in any part comes first.
    """
    n_objects = sum(len(part) for part in parts)
    order = _from_the_root_down(trees)[::-1]
    merges = np.zeros((n_objects - 1, 2), dtype=np.int32)
    scores = np.full(n_objects - 1, np.nan)
    tied = np.ones(n_objects - 1, dtype=bool)
    nodes = [
        np.concatenate([part, np.zeros(len(part) - 1, dtype=np.int64)]) for part in parts
    ]  # of each part's own nodes in the whole tree
    for row, (which, own) in enumerate(order):
        tree = trees[which]
        merges[row] = nodes[which][tree.merges[own]]
        scores[row], tied[row] = tree.scores[own], tree.tied[own]
        nodes[which][len(parts[which]) + own] = n_objects + row
    whole = int(nodes[0][-1])
    for row, part in enumerate(nodes[1:], start=len(order)):
        merges[row] = whole, part[-1]
        whole = n_objects + row
    return Hierarchy(merges, scores=scores, tied=tied)


def _from_the_root_down(trees: Sequence[Hierarchy]) -> list[tuple[int, int]]:
    """Return (part, merge) of all merges, those of one part in their order."""
    parts = [[(which, own) for own in range(len(tree.merges))] for which, tree in enumerate(trees)]
    downwards = (reversed(part) for part in parts)
    return list(heapq.merge(*downwards, key=lambda place: _rank(trees[place[0]], place[1])))


def _rank(tree: Hierarchy, merge: int) -> tuple[int, float]:
    """Return the sort key of a merge: scored, about no answer (tied), inside an initial cluster."""
    score = float(tree.scores[merge])
    if not np.isnan(score):
        return 0, score
    return (1, 0.0) if tree.tied[merge] else (2, 0.0)


def attach_uncompared(tree: Hierarchy, named: Int64Array, partition: InitialPartition) -> Hierarchy:
    """Return the tree of all objects; those that no answer names join the largest clusters.

    They are placed where an object is most likely to be: from the root down, always in the larger
    of two clusters. There they join first, in merges marked as tied, so that no other split
    changes. Object k of the given tree is ``named[k]``; merges inside initial clusters come first.
    """
    slots = partition.labels[named].tolist()
    at = _most_likely_slot(tree, slots)
    pairs: list[tuple[int, int]] = []
    joined = at
    for slot in sorted(set(range(partition.n_slots)) - set(slots)):
        pairs.append((min(joined, slot), max(joined, slot)))
        joined = min(joined, slot)
    n_attached = len(pairs)
    nodes = [joined if slot == at else slot for slot in slots]  # the slot that stays of each node
    between = []
    for merge, (one, other) in enumerate(tree.merges.tolist()):
        p, q = sorted((nodes[one], nodes[other]))
        nodes.append(p)
        if p != q:  # else inside an initial cluster
            pairs.append((p, q))
            between.append(merge)
    scores = np.concatenate([np.full(n_attached, np.nan), tree.scores[between]])
    tied = np.concatenate([np.ones(n_attached, dtype=bool), tree.tied[between]])
    return partition.finish(np.array(pairs, dtype=np.int32), scores, tied, names=None)


def _most_likely_slot(tree: Hierarchy, slots: list[int]) -> int:
    """Return the slot that is reached by going to the larger part at each split."""
    slot_of = list(slots)  # of each node, -1 for several
    for one, other in tree.merges.tolist():
        slot_of.append(slot_of[one] if slot_of[one] == slot_of[other] else -1)
    node = 2 * tree.n_objects - 2
    while slot_of[node] < 0:
        one, other = tree.merges[node - tree.n_objects].tolist()
        node = one if tree.sizes[one] >= tree.sizes[other] else other
    return slot_of[node]
