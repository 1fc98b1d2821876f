"""Our own method: recursive spectral splits of Bradley-Terry strengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ordlink._threads import one_blas_thread
from ordlink._typing import FloatArray, Int64Array, Progress
from ordlink.comparisons import Comparisons, ListedComparisons, Repeats, find_named, find_parts
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition, order_of_appearance, permute_objects, restore_objects
from ordlink.methods.spectral._pair_strengths import by_pair
from ordlink.methods.spectral._rows import (
    are_often_compared,
    check_net_counts,
    one_row_per_question,
    thin_out,
    thin_out_pairs,
)
from ordlink.methods.spectral._trees import FEW_OBJECTS, MANY_OBJECTS, Kind, grow_trees

N_FOLDS = 5
"""For few objects all of them are used, for more objects one; many objects get splits anyway."""
ROWS_AT_MOST = 200_000
"""More answers than this are not needed to choose, unless all pairs are compared often."""
ERRORS, ERRORS_OF_FEW = 2.0, 1.0
"""So many standard errors better must average linkage be; fewer are enough over five folds."""
FEWEST_COMPARISONS = 20
"""Fewer do not tell which tree is better."""
_SEED = 20190103


def run(
    comparisons: Comparisons,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    repeats: Repeats = "majority",
) -> Hierarchy:
    """Return the tree of recursive spectral splits, refined by a Bradley-Terry fit.

    Every pair of objects has a strength x, and P(e beats f) = q + (1 - 2 q) / (1 + exp(x_f - x_e)),
    where q is the lapse rate, which is estimated too. Strengths of low rank are the first guess.
    Then, in rounds: the strengths of single pairs are shrunk towards their prior means, as much as
    held-out answers suggest; sets of objects are split in two where the pairs across are weakest,
    while the gain in likelihood exceeds the cost of the split; the resulting clusters give each
    pair its next prior mean. In the end, clusters are joined by average linkage, and split further
    down to single objects. Other trees of the same answers are taken instead if they predict
    held-out answers better: average linkage of the strengths and, for few objects that were often
    compared, splits of strengths with prior mean 0 ("plain splits").

    The score of a merge is the mean strength across, NaN where no answer is about it. Marked as
    tied are merges that no answer supports, or another one equally well. Parameter `kinds` says
    which tree was taken, one entry per part: parts never compared have trees of their own.
    """
    with one_blas_thread():
        if not isinstance(comparisons, ListedComparisons):
            tree = grow_trees(comparisons, partition, progress=progress)["splits"]
            kinds = ["splits"]
        else:
            if repeats == "net":
                check_net_counts(comparisons)
            order = order_of_appearance(comparisons)
            tree, kinds = _grow_parts(
                permute_objects(comparisons, order),
                InitialPartition.of_labels(partition.labels[order]),
                repeats,
                progress,
            )
            tree = restore_objects(tree, order, comparisons.names)
    return tree.with_origin("spectral", {"kinds": kinds})


def _grow_parts(
    comparisons: ListedComparisons,
    partition: InitialPartition,
    repeats: Repeats,
    progress: Progress | None,
) -> tuple[Hierarchy, list[str]]:
    """Return the whole tree and the kind of each part; parts were never compared to each other."""
    parts = list_parts(comparisons, partition)
    compared = np.sort(np.concatenate(parts)) if parts else np.arange(comparisons.n_objects)
    if len(parts) <= 1 and len(compared) == comparisons.n_objects:
        tree, kind = _grow(comparisons, partition, repeats, progress)
        return tree, [kind]
    grown = [
        _grow(
            comparisons.subset(part),
            InitialPartition.of_labels(partition.labels[part]),
            repeats,
            progress,
        )
        for part in parts
    ]
    tree = join_trees([np.searchsorted(compared, part) for part in parts], [t for t, _ in grown])
    if len(compared) < comparisons.n_objects:
        tree = attach_uncompared(tree, compared, partition)
    return tree, [kind for _, kind in grown]


def _grow(
    comparisons: ListedComparisons,
    partition: InitialPartition,
    repeats: Repeats,
    progress: Progress | None,
) -> tuple[Hierarchy, Kind]:
    kind = choose_kind(comparisons, partition, repeats)
    rows = thin_out_pairs(one_row_per_question(comparisons, repeats))
    return grow_trees(rows, partition, [kind], progress)[kind], kind


def choose_kind(
    comparisons: ListedComparisons, partition: InitialPartition, repeats: Repeats
) -> Kind:
    """Return which tree to grow: by splits, unless another one predicts held-out answers better.

    Few objects: over five folds; where they were compared often, the best mean counts. More
    objects: one fold, and average linkage must be clearly better. Many objects: splits.
    """
    n_objects = comparisons.n_objects
    if n_objects > MANY_OBJECTS or comparisons.n_comparisons < FEWEST_COMPARISONS:
        return "splits"
    kinds: tuple[Kind, ...] = ("splits", "average")
    n_folds, errors = 1, ERRORS
    if n_objects <= FEW_OBJECTS:
        n_folds, errors = N_FOLDS, ERRORS_OF_FEW
        if are_often_compared(comparisons):
            kinds, errors = ("splits", "plain splits", "average"), 0.0
    agreements, weights = _agreements(comparisons, partition, kinds, repeats, n_folds)
    best = 0
    for other in range(1, len(kinds)):
        gain, error = _mean_and_error(agreements[other] - agreements[best], weights)
        if gain > errors * error:
            best = other
    return kinds[best]


def _mean_and_error(numbers: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return the weighted mean and its standard error; (0, 0) of no numbers."""
    total = max(float(weights.sum()), 1.0)
    mean = float((weights * numbers).sum()) / total
    return mean, float(np.sqrt(((weights * (numbers - mean)) ** 2).sum())) / total


def _agreements(
    comparisons: ListedComparisons,
    partition: InitialPartition,
    kinds: Sequence[Kind],
    repeats: Repeats,
    n_folds: int,
) -> tuple[FloatArray, FloatArray]:
    """Return for each kind and each row held out whether the tree agrees; how often rows count."""
    found: list[list[FloatArray]] = [[] for _ in kinds]
    weights: list[FloatArray] = []
    for train, test in _folds(comparisons, n_folds):
        trees = grow_trees(one_row_per_question(train, repeats), partition, kinds)
        for kind, agreeing in zip(kinds, found, strict=True):
            agreeing.append(_agreement(trees[kind], test))
        counts = np.ones(test.n_rows) if test.counts is None else test.counts
        weights.append(counts.astype(np.float64))
    return np.array([np.concatenate(agreeing) for agreeing in found]), np.concatenate(weights)


def _folds(
    comparisons: ListedComparisons, n_folds: int
) -> Iterator[tuple[ListedComparisons, ListedComparisons]]:
    """Yield (train, test) of the first folds, whole answers in one or the other."""
    if are_often_compared(comparisons):
        comparisons = thin_out_pairs(comparisons)
    else:
        comparisons = thin_out(comparisons, ROWS_AT_MOST)
    _, answer_of_row = np.unique(comparisons.answer_ids, return_inverse=True)
    n_answers = int(answer_of_row.max(initial=-1)) + 1
    fold_of_answer = np.random.default_rng(_SEED).permutation(n_answers) % N_FOLDS
    in_fold = fold_of_answer[answer_of_row]
    for fold in range(n_folds):
        yield comparisons.take(in_fold != fold), comparisons.take(in_fold == fold)


def _agreement(tree: Hierarchy, comparisons: ListedComparisons) -> FloatArray:
    """Return 1 for each comparison that the tree agrees with, 1/2 where it is undecided, else 0."""
    ranks = by_pair(tree.lca_ranks().astype(np.float64))
    ahead = ranks[comparisons.losers] - ranks[comparisons.winners]
    return np.asarray(0.5 + 0.5 * np.sign(ahead))


def list_parts(comparisons: ListedComparisons, partition: InitialPartition) -> list[Int64Array]:
    """Return the objects of each part, large parts first, equal ones by their first objects.

    Comparisons and initial clusters link their objects. Parts without a comparison are left out.
    """
    part_of = find_parts(comparisons)
    for cluster in partition.clusters():
        if len(cluster) > 1:
            linked = part_of[cluster]
            part_of[np.isin(part_of, linked)] = linked.min()
    of_named = np.unique(part_of[find_named(comparisons)])
    parts = [np.flatnonzero(part_of == part) for part in of_named]
    return sorted(parts, key=lambda part: (-len(part), int(part[0])))


def join_trees(parts: Sequence[Int64Array], trees: Sequence[Hierarchy]) -> Hierarchy:
    """Return the tree of all parts, whose objects are k -> part[k]: they join last, in any order.

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
    left = {which: len(tree.merges) - 1 for which, tree in enumerate(trees)}
    order = []
    while left:
        weakest = min(left, key=lambda which: (*_rank(trees[which], left[which]), which))
        order.append((weakest, left[weakest]))
        left[weakest] -= 1
        if left[weakest] < 0:
            del left[weakest]
    return order


def _rank(tree: Hierarchy, merge: int) -> tuple[int, float]:
    """Return the sort key of a merge: scored, about no answer (tied), inside an initial cluster."""
    score = float(tree.scores[merge])
    if not np.isnan(score):
        return 0, score
    return (1, 0.0) if tree.tied[merge] else (2, 0.0)


def attach_uncompared(tree: Hierarchy, named: Int64Array, partition: InitialPartition) -> Hierarchy:
    """Return the tree of all objects, with those that no answer names attached where it is largest.

    They go where an object is most likely to be: from the root down, always into the larger of two
    clusters. There they are joined first, in merges marked as tied, so that no other split changes.
    Object k of the given tree is ``named[k]``; merges inside initial clusters come first.
    """
    slots = partition.labels[named].tolist()
    at = slots[_most_likely_object(tree, slots)]
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


def _most_likely_object(tree: Hierarchy, slots: list[int]) -> int:
    """Return an object of the cluster that is reached by going to the larger part at each split."""
    node = 2 * tree.n_objects - 2
    while node >= tree.n_objects and len({slots[item] for item in tree.members(node)}) > 1:
        one, other = tree.merges[node - tree.n_objects].tolist()
        node = one if tree.sizes[one] >= tree.sizes[other] else other
    return int(tree.members(node)[0])
