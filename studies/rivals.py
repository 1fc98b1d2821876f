"""Methods of others that the package does not have, in a few lines each: rivals on the bench.

An answer "a is closer to b than to c" is read as the rooted triplet ab|c. Answers about four
objects have none, so methods on rooted triplets are left out there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_array

from ordlink._typing import AnyArray, FloatArray, Int64Array
from ordlink.comparisons import ListedComparisons
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import average_linkage
from ordlink.methods.embedding import (
    Embedding,
    embedding_similarity,
    soe_embedding,
    tste_embedding,
)
from ordlink.metrics import comparison_accuracy
from ordlink.validation import assign_folds

DIMENSIONS = (1, 2, 3, 5, 8)
"""Of which cross-validation chooses."""
N_FOLDS = 3
N_STARTS = 4
"""Random cuts that triplet MaxCut starts from, besides the eigenvector."""


def rooted_triplets(comparisons: ListedComparisons) -> tuple[Int64Array, FloatArray]:
    """Return rows (a, b, c) of ab|c, where a is compared with b and with c, and their counts."""
    rows = comparisons.quadruplets.astype(np.int64)
    counts = comparisons.counts
    weights = np.ones(len(rows)) if counts is None else counts.astype(np.float64)
    found, kept = [], []
    for x in (0, 1):
        for y in (2, 3):
            same = rows[:, x] == rows[:, y]
            found.append(np.stack([rows[same, x], rows[same, 1 - x], rows[same, 5 - y]], axis=1))
            kept.append(weights[same])
    return np.concatenate(found), np.concatenate(kept)


def triplet_maxcut(comparisons: ListedComparisons, seed: int) -> Hierarchy:
    """Return the tree of triplet MaxCut (Snir and Rao 2006; Sevillya, Frenkel and Snir 2016).

    From the root down: of ab|c, a cut between c and the others is good, one between a and b bad.
    The cut with the largest ratio of good to bad ones is sought by moving one object at a time,
    from the leading eigenvector and from random cuts.
    """
    triplets, weights = rooted_triplets(comparisons)
    rng = np.random.default_rng(seed)

    def split(members: Int64Array) -> list[Int64Array]:
        place = np.full(comparisons.n_objects, -1)
        place[members] = np.arange(len(members))
        own = place[triplets]
        inside = (own >= 0).all(axis=1)
        good, bad = np.zeros((2, len(members), len(members)))
        a, b, c = own[inside].T
        for x, y, to in ((a, c, good), (b, c, good), (a, b, bad)):
            np.add.at(to, (x, y), weights[inside])
            np.add.at(to, (y, x), weights[inside])
        side = _best_ratio(good, bad, rng)
        return [members[side], members[~side]]

    return _tree_of_splits(comparisons.n_objects, split)


def _best_ratio(good: FloatArray, bad: FloatArray, rng: np.random.Generator) -> AnyArray:
    n = len(good)
    starts = [np.linalg.eigh(bad - 0.5 * good)[1][:, -1] > 0]
    starts += [rng.random(n) < 0.5 for _ in range(N_STARTS)]
    best, best_ratio = np.arange(n) == 0, -np.inf
    for start in starts:
        side = start.copy()
        ratio = -np.inf
        for _ in range(5 * n):
            away = np.where(side[:, None] == side, 1.0, -1.0)  # what a move cuts, and mends
            tops = _cut(good, side) + (good * away).sum(axis=1)
            bottoms = _cut(bad, side) + (bad * away).sum(axis=1)
            ratios = tops / (bottoms + 1.0)
            sizes = side.sum() + np.where(side, -1, 1)
            ratios[(sizes == 0) | (sizes == n)] = -np.inf
            if ratios.max() <= ratio:
                break
            move = int(ratios.argmax())
            ratio, side[move] = ratios[move], not side[move]
        if 0 < side.sum() < n and ratio > best_ratio:
            best, best_ratio = side, ratio
    return best


def _cut(weights: FloatArray, side: AnyArray) -> float:
    return float(weights[np.ix_(side, ~side)].sum())


def _tree_of_splits(n: int, split: Callable[[Int64Array], list[Int64Array]]) -> Hierarchy:
    """Return the tree of splits from the root down; large sets are merged last."""
    splits, waiting = [], [np.arange(n)]
    while waiting:
        members = waiting.pop()
        if len(members) > 1:
            parts = split(members)
            splits.append(parts)
            waiting += parts
    splits.sort(key=lambda parts: len(parts[0]) + len(parts[1]))
    return _tree_of_groups(n, splits)


def _tree_of_groups(n: int, joined: Sequence[Sequence[AnyArray]]) -> Hierarchy:
    """Return the tree that joins two groups of objects after the other."""
    node_of = np.arange(n)
    merges = np.empty((n - 1, 2), dtype=np.int32)
    for row, (one, other) in enumerate(joined):
        merges[row] = node_of[one[0]], node_of[other[0]]
        node_of[one] = node_of[other] = n + row
    return Hierarchy(np.sort(merges, axis=1))


def greedy_supertree(comparisons: ListedComparisons, _seed: int) -> Hierarchy:
    """Return the rooted-triplet supertree by best pair merge first (Wu 2004).

    Of all pairs of clusters, the one is joined next for which triplets ab|c with a and b in it
    outnumber most, relative to all, those that it contradicts.
    """
    triplets, weights = rooted_triplets(comparisons)
    n = comparisons.n_objects
    label, groups, joined = np.arange(n), {one: np.array([one]) for one in range(n)}, []
    for _ in range(n - 1):
        a, b, c = label[triplets].T
        apart = (a != b) & (a != c) & (b != c)
        a, b, c, w = a[apart], b[apart], c[apart], weights[apart]
        good, bad = np.zeros((2, n, n))
        for x, y, to in ((a, b, good), (a, c, bad), (b, c, bad)):
            np.add.at(to, (np.minimum(x, y), np.maximum(x, y)), w)
        scores = (good - bad) / (good + bad + 1.0)
        left = np.array(sorted(groups))
        scores = np.where(
            np.triu(np.ones((len(left), len(left))), 1), scores[np.ix_(left, left)], -2
        )
        p, q = (int(left[one]) for one in np.unravel_index(int(scores.argmax()), scores.shape))
        joined.append((groups[p], groups[q]))
        groups[p] = np.concatenate([groups[p], groups.pop(q)])
        label[label == q] = p
    return _tree_of_groups(n, joined)


def mulk(comparisons: ListedComparisons, _seed: int) -> Hierarchy:
    """Return average linkage of MulK-3 (Kleindessner and von Luxburg 2017; Perrot et al. 2020).

    Two objects are similar if they agree on which of two others is closer.
    """
    triplets, weights = rooted_triplets(comparisons)
    n = comparisons.n_objects
    a, b, c = triplets.T
    pairs, column = np.unique(np.minimum(b, c) * n + np.maximum(b, c), return_inverse=True)
    votes = csr_array((np.where(b < c, weights, -weights), (a, column)), shape=(n, len(pairs)))
    signs = votes.sign()
    norms = np.sqrt(np.maximum(abs(signs).sum(axis=1), 1.0))
    return average_linkage((signs @ signs.T).toarray() / np.outer(norms, norms))


def ward(comparisons: ListedComparisons, seed: int, *, how: str = "ward") -> Hierarchy:
    """Return Ward's or complete linkage of t-STE in two dimensions."""
    points = tste_embedding(comparisons, n_components=2, n_init=1, seed=seed).points
    return Hierarchy(np.sort(linkage(points, how)[:, :2], axis=1).astype(np.int32))


def best_dimension(
    comparisons: ListedComparisons, seed: int, *, embed: Callable[..., Embedding]
) -> Hierarchy:
    """Return average linkage of an embedding whose dimension predicts held-out answers best."""

    def tree(rows: ListedComparisons, dimension: int) -> Hierarchy:
        points = embed(rows, n_components=dimension, n_init=1, seed=seed).points
        return average_linkage(embedding_similarity(points, metric="euclidean"))

    folds = assign_folds(comparisons, N_FOLDS, by_annotator=False, seed=seed)
    means = {
        dimension: np.mean(
            [
                comparison_accuracy(
                    comparisons.take(folds == fold),
                    tree(comparisons.take(folds != fold), dimension),
                )
                for fold in range(N_FOLDS)
            ]
        )
        for dimension in DIMENSIONS
        if dimension < comparisons.n_objects
    }
    return tree(comparisons, max(means, key=means.__getitem__))


RIVALS: dict[str, Callable[[ListedComparisons, int], Hierarchy]] = {
    "triplet MaxCut": triplet_maxcut,
    "greedy supertree": greedy_supertree,
    "MulK-AL": mulk,
    "t-STE 2-D, Ward": ward,
    "t-STE 2-D, complete": partial(ward, how="complete"),
    "t-STE, dimension by CV": partial(best_dimension, embed=tste_embedding),
    "SOE, dimension by CV": partial(best_dimension, embed=soe_embedding),
}
"""Name -> how its tree is made from answers and a seed."""
ON_TRIPLETS = ("triplet MaxCut", "greedy supertree", "MulK-AL")
"""Those that need answers about three objects."""
