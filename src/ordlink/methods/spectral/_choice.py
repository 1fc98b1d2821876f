"""Which of several trees to grow: the one that predicts answers held out best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ordlink._typing import FloatArray
from ordlink.comparisons import ListedComparisons, Repeats
from ordlink.hierarchy import Hierarchy
from ordlink.linkage._initial_partition import InitialPartition
from ordlink.methods.spectral._bradley_terry import by_pair
from ordlink.methods.spectral._known_strengths import are_often_compared
from ordlink.methods.spectral._questions import one_row_per_question
from ordlink.methods.spectral._thinning import thin_out, thin_out_pairs
from ordlink.methods.spectral._trees import FEW_OBJECTS, MANY_OBJECTS, Kind, grow_trees

N_FOLDS = 5
"""For few objects all of them are used, for more objects one, for many none: splits it is."""
ROWS_AT_MOST = 200_000
"""More answers than this are not needed to choose, unless all pairs are compared often."""
ERRORS, ERRORS_OF_FEW = 2.0, 1.0
"""So many standard errors better must average linkage be; fewer are enough over five folds."""
FEWEST_COMPARISONS = 20
"""Fewer do not tell which tree is better."""
_SEED = 20190103


def choose_kind(
    comparisons: ListedComparisons, partition: InitialPartition, repeats: Repeats
) -> Kind:
    """Return which tree to grow: by splits, unless answers held out speak for another one.

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
        trees = grow_trees(one_row_per_question(train, repeats), partition)
        for kind, agreeing in zip(kinds, found, strict=True):
            agreeing.append(_agreement(trees.of_kind(kind), test))
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
    """Return 1 for each comparison that the tree agrees with, 1/2 where it says nothing, else 0."""
    ranks = by_pair(tree.lca_ranks().astype(np.float64))
    ahead = ranks[comparisons.losers] - ranks[comparisons.winners]
    return np.asarray(0.5 + 0.5 * np.sign(ahead))
