"""Our own method: recursive spectral splits of Bradley-Terry strengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import get_args

import numpy as np

from ordlink._threads import map_threads, one_blas_thread
from ordlink._typing import FloatArray, Progress
from ordlink._validate import check_choice
from ordlink.comparisons import Comparisons, ListedComparisons, Repeats
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import (
    InitialPartition,
    grow_parts,
    initial_partition,
    order_of_appearance,
    permute_objects,
    restore_objects,
)
from ordlink.methods.spectral._pair_strengths import by_pair
from ordlink.methods.spectral._rows import (
    are_often_compared,
    check_net_counts,
    number_answers,
    one_row_per_question,
    thin_out,
    thin_out_pairs,
)
from ordlink.methods.spectral._trees import FEW_OBJECTS, MANY_OBJECTS, Kind, grow_trees

N_FOLDS = 5  # for few objects all of them are used, for more objects one
ROWS_AT_MOST = 200_000  # more answers are not needed to choose, unless pairs are often compared
ERRORS, ERRORS_OF_FEW = 2.0, 1.0  # standard errors by which average linkage must be better
FEWEST_COMPARISONS = 20  # fewer do not tell which tree is better
_SEED = 20190103


def run(
    comparisons: Comparisons,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    repeats: Repeats = "majority",
    kind: Kind | None = None,
) -> Hierarchy:
    """Return the tree of recursive spectral splits, refined by a Bradley-Terry fit.

    Every pair of objects has a strength x, and P(e beats f) = q + (1 - 2 q) / (1 + exp(x_f - x_e)),
    where q is the lapse rate, which is estimated too. Strengths of low rank are the first guess.
    Then, in rounds: the strengths of single pairs are shrunk towards their prior means, as much as
    held-out answers suggest; sets of objects are split in two where the pairs across are weakest,
    while the gain in likelihood exceeds the cost of the split; the resulting clusters give each
    pair its next prior mean. In the end, clusters are joined by average linkage, and split further
    down to single objects. Other trees of the same answers are used instead if they predict
    held-out answers better: average linkage of the strengths and, for few objects that were often
    compared, splits of strengths with prior mean 0 ("plain splits"). `kind` ("splits", "average" or
    "plain splits") is chosen by cross-validation unless it is given, as for trees of bootstrap
    samples.

    The score of a merge is the mean strength across, NaN where no answer is about it. A merge is
    marked as tied if no answer supports it, or if another is supported equally well. Parameter
    `kinds` says which tree was used for each part: parts that were never compared have separate
    trees.
    """
    if kind is not None:
        check_choice(kind, "kind", get_args(Kind))
    return _run(comparisons, partition, repeats, progress, kind)


def run_kind(comparisons: Comparisons, partition: InitialPartition, *, kind: Kind) -> Hierarchy:
    """Return the tree of a given kind, which saves the cross-validation that chooses it."""
    return _run(comparisons, partition, "majority", None, kind)


def _run(
    comparisons: Comparisons,
    partition: InitialPartition,
    repeats: Repeats,
    progress: Progress | None,
    kind: Kind | None = None,
) -> Hierarchy:
    with one_blas_thread():
        if not isinstance(comparisons, ListedComparisons):
            tree = grow_trees(comparisons, partition, progress=progress)["splits"]
            kinds: list[Kind] = ["splits"]
        else:
            if repeats == "net":
                check_net_counts(comparisons)
            order = order_of_appearance(comparisons)
            tree, kinds = grow_parts(
                permute_objects(comparisons, order),
                InitialPartition.of_labels(partition.labels[order]),
                partial(_grow, repeats=repeats, progress=progress, kind=kind),
            )
            tree = restore_objects(tree, order, comparisons.names)
    return tree.with_origin("spectral", {"kinds": kinds})


def _grow(
    comparisons: ListedComparisons,
    partition: InitialPartition,
    *,
    repeats: Repeats,
    progress: Progress | None,
    kind: Kind | None,
) -> tuple[Hierarchy, Kind]:
    kind = kind or choose_kind(comparisons, partition, repeats)
    rows = thin_out_pairs(one_row_per_question(comparisons, repeats))
    return grow_trees(rows, partition, [kind], progress)[kind], kind


def choose_kind(
    comparisons: ListedComparisons, partition: InitialPartition, repeats: Repeats
) -> Kind:
    """Return the kind of tree: by splits, unless another kind predicts held-out answers better.

    Few objects: over five folds; where they were compared often, the best mean decides. More
    objects: one fold, and average linkage must be clearly better. Many objects: always splits.
    """
    kinds, n_folds, errors = _kinds_to_try(comparisons)
    if len(kinds) == 1:
        return kinds[0]
    return _best_kind(
        kinds, *_agreements(comparisons, partition, kinds, repeats, n_folds), errors=errors
    )


def run_by_new_answers(comparisons: ListedComparisons, new: ListedComparisons) -> Hierarchy:
    """Return the tree of the kind that predicts new answers best.

    This saves the cross-validation where new answers are simulated. The rule is that of
    `choose_kind`.
    """
    partition = initial_partition(comparisons.n_objects, None)
    kinds, _, errors = _kinds_to_try(comparisons)
    trees = [run_kind(comparisons, partition, kind=kind) for kind in kinds]
    agreements = np.array([_agreement(tree, new) for tree in trees])
    best = _best_kind(kinds, agreements, np.ones(new.n_rows), errors=errors)
    return trees[kinds.index(best)]


def _kinds_to_try(comparisons: ListedComparisons) -> tuple[tuple[Kind, ...], int, float]:
    """Return the kinds of trees, the number of folds, and the errors by which one must be ahead."""
    n_objects = comparisons.n_objects
    if n_objects > MANY_OBJECTS or comparisons.n_comparisons < FEWEST_COMPARISONS:
        return ("splits",), 0, 0.0
    if n_objects > FEW_OBJECTS:
        return ("splits", "average"), 1, ERRORS
    if are_often_compared(comparisons):
        return ("splits", "plain splits", "average"), N_FOLDS, 0.0
    return ("splits", "average"), N_FOLDS, ERRORS_OF_FEW


def _best_kind(
    kinds: Sequence[Kind], agreements: FloatArray, weights: FloatArray, *, errors: float
) -> Kind:
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

    def grow(fold: tuple[ListedComparisons, ListedComparisons]) -> FloatArray:
        train, test = fold
        trees = grow_trees(one_row_per_question(train, repeats), partition, kinds)
        return np.array([_agreement(trees[kind], test) for kind in kinds])

    folds = list(_folds(comparisons, n_folds))
    counts = [np.ones(test.n_rows) if test.counts is None else test.counts for _, test in folds]
    found = np.concatenate(map_threads(grow, folds), axis=1)
    return found, np.concatenate(counts).astype(np.float64)


def _folds(
    comparisons: ListedComparisons, n_folds: int
) -> Iterator[tuple[ListedComparisons, ListedComparisons]]:
    """Yield (train, test) of the first folds, whole answers in one or the other."""
    often = are_often_compared(comparisons)
    comparisons = thin_out_pairs(comparisons) if often else thin_out(comparisons, ROWS_AT_MOST)
    answer_of_row, n_answers = number_answers(comparisons)
    fold_of_answer = np.random.default_rng(_SEED).permutation(n_answers) % N_FOLDS
    in_fold = fold_of_answer[answer_of_row]
    for fold in range(n_folds):
        yield comparisons.take(in_fold != fold), comparisons.take(in_fold == fold)


def _agreement(tree: Hierarchy, comparisons: ListedComparisons) -> FloatArray:
    """Return 1 for each comparison that the tree agrees with, 1/2 where it is undecided, else 0."""
    ranks = by_pair(tree.lca_ranks().astype(np.float64))
    ahead = ranks[comparisons.losers] - ranks[comparisons.winners]
    return np.asarray(0.5 + 0.5 * np.sign(ahead))
