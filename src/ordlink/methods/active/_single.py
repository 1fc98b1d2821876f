"""Single linkage (SL) from an oracle: a maximum spanning tree, its edges merged in order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import BoolArray, Int32Array, Int64Array, Progress
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition
from ordlink.methods.active._sort import sort_into_classes
from ordlink.methods.active._spanning_tree import UNKNOWN, SpanningTree, grow_spanning_tree
from ordlink.oracles import AskOnce, Oracle

Merge = tuple[int, int, bool]
"""The slot that stays, the slot that goes, and whether a tie decided it."""


def run_single(
    oracle: Oracle, partition: InitialPartition, *, progress: Progress | None = None
) -> Hierarchy:
    """Return the tree of Algorithm alg:hc with W(G, G') the largest similarity (SL).

    The merges are the edges of a maximum spanning tree, most similar first. The tree is grown
    by Prim's algorithm, then its N - 1 edges are sorted; sorting all pairs
    (th:activecomplexitysclinkage) would take log2 of the number of pairs for each. No question is
    asked twice. At N = 240 that comes to 1.0 to 1.3 questions per pair of objects for objects with
    clusters, in a plane, or with many ties; to 1.6 for objects along a line or a circle; and to 2.1
    if they stand along it in the order of their numbers, so that each one that joins the tree is
    nearer to all others than the one before.

    Ties go to the cluster pair whose smallest objects come first. The tree is exact if the
    oracle's answers agree with some similarities; if not, it is still a tree.

    Parameters
    ----------
    oracle : Oracle
        Answers the questions; 0 counts as a tie.
    partition : InitialPartition
        The clusters to start from.
    progress : callable, optional
        Called with (steps done, steps in all).

    Returns
    -------
    Hierarchy
        Without scores: an oracle tells the order of similarities, not their size.
    """
    asker = AskOnce(oracle)
    spanning_tree = grow_spanning_tree(partition, asker, progress)
    classes = sort_into_classes(asker, spanning_tree.edges)
    merges = _merge_classes(partition, asker, spanning_tree, classes)
    pairs = np.array([(kept, gone) for kept, gone, _ in merges], dtype=np.int32).reshape(-1, 2)
    tied = np.array([is_tied for _, _, is_tied in merges], dtype=np.bool_)
    return partition.finish(pairs, np.full(len(pairs), np.nan), tied, names=asker.names)


def _merge_classes(
    partition: InitialPartition, asker: AskOnce, tree: SpanningTree, classes: list[Int64Array]
) -> list[Merge]:
    """Return the merges of single linkage in order.

    A class of one edge is one merge. In a class of several equally similar edges, the tie rule
    chooses among all cluster pairs with such a similarity, also those that the spanning tree
    does not need; they are among the rivals, and unknown ones are asked for.
    """
    slots = partition.labels.astype(np.int64)
    class_of_edge = np.empty(len(tree.edges), dtype=np.int64)
    for number, members in enumerate(classes):
        class_of_edge[members] = number
    class_of_edge = np.append(class_of_edge, UNKNOWN)  # that of the edge UNKNOWN = -1
    rivals = _Rivals(tree.rivals, class_of_edge[tree.equal_to], class_of_edge[tree.below])
    merges: list[Merge] = []
    for number, members in enumerate(classes):
        edges = tree.edges[members]
        if len(members) == 1:
            first, second = slots[np.array(np.divmod(edges[0], partition.n_objects))].tolist()
            in_order: list[Merge] = [(min(first, second), max(first, second), False)]
        else:
            rivals, equal = rivals.sift(slots, edges, number, asker)
            in_order = _merge_in_order(*_slot_pairs(np.append(edges, equal), slots))
        for kept, gone, _ in in_order:
            slots[slots == gone] = kept
        merges += in_order
    return merges


@dataclass(frozen=True, eq=False)
class _Rivals:
    """Pairs that may be as similar as an edge."""

    pairs: Int64Array  # codes of the pairs
    known_class: Int64Array  # the class that each is known to be in, or UNKNOWN
    # A class that each is known to be strictly less similar than, or UNKNOWN
    class_above: Int64Array

    def sift(
        self, slots: Int64Array, edges: Int64Array, number: int, asker: AskOnce
    ) -> tuple[_Rivals, Int64Array]:
        """Return the rivals of later classes, and the pairs that are as similar as these edges."""
        first, second = _slot_pairs(self.pairs, slots)
        joined = _connect(*_slot_pairs(edges, slots), n_slots=int(slots.max()) + 1)
        later = joined[first] != joined[second]
        here = ~later & (first != second)
        # Who is less similar than this class, or than a later one, is not in it.
        open_question = (self.known_class == UNKNOWN) & (self.class_above < number)
        unknown = self.pairs[here & open_question]
        equal = asker.compare_pairs(unknown, np.full(len(unknown), edges[0])) == 0
        return (
            _Rivals(self.pairs[later], self.known_class[later], self.class_above[later]),
            np.append(self.pairs[here & (self.known_class == number)], unknown[equal]),
        )


def _slot_pairs(pairs: Int64Array, slots: Int64Array) -> tuple[Int64Array, Int64Array]:
    i, j = np.divmod(pairs, len(slots))
    return slots[i], slots[j]


def _connect(first: Int64Array, second: Int64Array, n_slots: int) -> Int32Array:
    """Return the connected component of each slot."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(first)), (first, second)), shape=(n_slots, n_slots))
    components: Int32Array = connected_components(links, directed=False)[1]
    return components


def _merge_in_order(first: Int64Array, second: Int64Array) -> list[Merge]:
    """Return the merges among equally similar cluster pairs: each time the first pair in order.

    Costs O(k^2) time and memory for k clusters.
    """
    slots, index = np.unique(np.append(first, second), return_inverse=True)
    a, b = np.split(index, 2)
    linked = np.zeros((len(slots), len(slots)), dtype=np.bool_)
    linked[a, b] = linked[b, a] = True
    position = np.arange(len(slots))
    n_later = np.triu(linked).sum(axis=1)  # links of each cluster to clusters after it
    merges: list[Merge] = []
    while n_later.any():
        kept = int((n_later > 0).argmax())
        gone = kept + 1 + int(linked[kept, kept + 1 :].argmax())
        merges.append((int(slots[kept]), int(slots[gone]), int(n_later.sum()) > 1))
        either: BoolArray = linked[kept] | linked[gone]
        either[[kept, gone]] = False
        n_later -= linked[kept] & (position < kept)
        n_later -= linked[gone] & (position < gone)
        n_later += either & (position < kept)
        n_later[gone], n_later[kept] = 0, int(either[kept + 1 :].sum())
        linked[gone] = linked[:, gone] = False
        linked[kept] = linked[:, kept] = either
    return merges
