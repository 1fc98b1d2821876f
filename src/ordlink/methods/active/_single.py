"""Single linkage (SL) from an oracle: a maximum spanning tree, its edges merged in order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import BoolArray, Int8Array, Int32Array, Int64Array, Progress
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition
from ordlink.methods.active._tournament import EMPTY, Tournament
from ordlink.methods.active._votes import AskUntilLead
from ordlink.oracles import AskOnce, Oracle

Merge = tuple[int, int, bool]
"""The slot that stays, the slot that goes, and whether a tie decided it."""
Group = tuple[Int64Array, bool]
"""Pairs whose place among the others is known, and whether they are a class: equally similar."""
UNKNOWN = -1  # in `equal_to`: no edge is known to be as similar as this pair
SMALLEST_SAMPLED = 10  # groups of at least this many pairs take the median of three as their pivot


def run_single(
    oracle: Oracle,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    votes: int = 1,
) -> Hierarchy:
    """Return the tree of Algorithm alg:hc with W(G, G') the largest similarity (SL).

    The merges are the edges of a maximum spanning tree, most similar first. The tree is grown
    by Prim's algorithm, then its N - 1 edges are sorted; sorting all pairs
    (th:activecomplexitysclinkage) would take log2 of the number of pairs for each. No question is
    asked twice. At N = 240 that comes to 1.0 to 1.3 questions per pair of objects, and up to 2.1
    for objects along a line.

    Ties go to the cluster pair whose smallest objects come first. The tree is exact if the
    oracle's answers agree with some similarities; wrong answers ruin it, unless each question is
    repeated until one answer leads by `votes` (3 for 5 % wrong answers, at 3.3 times the cost).
    It has no scores.
    """
    asker = AskUntilLead(oracle, votes)
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
    return np.asarray(connected_components(links, directed=False)[1])


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
    with the best pair of u and an object of the tree: N (N - 1) / 2 questions in all. A tournament
    among these best pairs decides which object joins next; few of its matches change. The objects
    of an initial cluster join together.
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
    Prim's algorithm connects v and u by edges at least as similar as that best pair. All others
    are kept as rivals, with the period of u in which its best pair was as similar: if u joins in
    that period, the rival is as similar as this edge; if later, it is below this edge.
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


def sort_into_classes(asker: AskOnce, pairs: Int64Array) -> list[Int64Array]:
    """Return the pairs in classes of equal similarity, most similar first.

    A class is an increasing list of positions in `pairs`. A quicksort that splits all groups at
    once: n pairs take O(log n) batches and about 1.2 n log2 n questions.
    """
    groups = _make_groups((np.arange(len(pairs)), len(pairs) == 1))
    while mixed := [members for members, is_class in groups if not is_class]:
        split = iter(_split(asker, pairs, mixed, _choose_pivots(asker, pairs, mixed)))
        groups = [part for group in groups for part in ([group] if group[1] else next(split))]
    return [members for members, _ in groups]


def _make_groups(*parts: Group) -> list[Group]:
    """Return the parts that are not empty; a single pair is a class anyway."""
    return [(np.sort(some), is_class or len(some) == 1) for some, is_class in parts if len(some)]


def _split(
    asker: AskOnce, pairs: Int64Array, mixed: list[Int64Array], pivots: Int64Array
) -> list[list[Group]]:
    """Return each group as what is above, equal to and below its pivot."""
    others = [members[members != pivot] for members, pivot in zip(mixed, pivots, strict=True)]
    sizes = [len(members) for members in others]
    answers = _compare(asker, pairs, np.concatenate(others), np.repeat(pivots, sizes))
    return [
        _make_groups(
            (members[answer > 0], False),
            (np.append(members[answer == 0], pivot), True),
            (members[answer < 0], False),
        )
        for members, pivot, answer in zip(
            others, pivots, np.split(answers, np.cumsum(sizes)[:-1]), strict=True
        )
    ]


def _choose_pivots(asker: AskOnce, pairs: Int64Array, mixed: list[Int64Array]) -> Int64Array:
    """Return the middle one of each small group, the median of three of each large one."""
    a, pivots, c = np.array([(some[0], some[len(some) // 2], some[-1]) for some in mixed]).T
    large = np.flatnonzero([len(some) >= SMALLEST_SAMPLED for some in mixed])
    a, b, c = a[large], pivots[large], c[large]
    ab, bc = np.split(_compare(asker, pairs, np.append(a, b), np.append(b, c)), 2)
    # Where a and c are on the same side of b, the median is the one of them nearer to b.
    aside = np.flatnonzero(ab * bc < 0)
    ac = _compare(asker, pairs, a[aside], c[aside])
    pivots[large[aside]] = np.where(ac == ab[aside], c[aside], a[aside])
    return np.asarray(pivots)


def _compare(asker: AskOnce, pairs: Int64Array, first: Int64Array, second: Int64Array) -> Int8Array:
    return asker.compare_pairs(pairs[first], pairs[second])
