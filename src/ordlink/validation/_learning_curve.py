"""Held-out accuracy and stability of the trees of growing subsamples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ordlink._parallel import check_n_jobs, run_tasks
from ordlink._typing import BoolArray, Int32Array, Int64Array, LabelArray, Progress
from ordlink._validate import Seed, check_whole_number, seed_number
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, TooFewAnswersError
from ordlink.hierarchy import Hierarchy
from ordlink.methods import DEFAULT_METHOD
from ordlink.metrics import comparison_accuracy, triplet_distance
from ordlink.validation._cross_validation import (
    answer_units,
    assign_folds,
    check_listed,
    grow_in_order,
    random_order,
    rng_of_fold,
    settle_method,
    units_by,
)
from ordlink.validation._extrapolation import LearningCurve

N_SIZES = 5  # by default the largest size, half of it, and so on
FEWEST_ANSWERS = 5  # the smallest default size


def learning_curve(
    comparisons: ListedComparisons,
    method: str = DEFAULT_METHOD,
    *,
    sizes: Sequence[int] | None = None,
    n_repetitions: int = 5,
    n_folds: int = 5,
    seed: Seed = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> LearningCurve:
    """Return how good the trees of growing subsamples are, and what more answers would gain.

    Each fold of `assign_folds` is held out in turn. The first 1/16, 1/8, 1/4, 1/2 of the other
    answers and all of them give a tree each, which is scored on the fold; people come in random
    order where they are known, and the answers of each in random order. Accuracy is extrapolated
    by curves that rise from guessing to a ceiling. Stability is measured on two halves without a
    shared answer. All trees are built with the objects in random order, a different one for each
    half: ties go to the objects that come first, and would make trees of few answers alike.

    Parameters
    ----------
    comparisons, method, n_folds, seed, **options
        As in `cross_validate`.
    sizes : sequence of int, optional
        Numbers of answers of the subsamples, at least three different ones.
    n_repetitions : int
        Number of different splits into folds and orders.
    n_jobs : int, optional
        Number of processes, as in `compare_methods`; the result does not depend on it.
    progress : callable, optional
        Called with (trees built, total trees).

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=5, gap=1.0, noise=0.1, seed=0)
    >>> rows = ol.datasets.simulate_answers(planted.similarities, 2000, seed=0)
    >>> curve = learning_curve(ol.Comparisons.from_triplets(rows), "AddS-AL", n_repetitions=1)
    >>> curve.verdict().advice
    'stop'
    """
    check_listed(comparisons)
    seed, n_jobs = seed_number(seed), check_n_jobs(n_jobs)
    name, options = settle_method(comparisons, method, seed, options, n_jobs)
    n_repetitions = check_whole_number(n_repetitions, "n_repetitions", lowest=1)
    n_folds = check_whole_number(n_folds, "n_folds", lowest=2)
    all_folds = [assign_folds(comparisons, n_folds, seed=seed + r) for r in range(n_repetitions)]
    answers = _Answers(comparisons, n_folds)
    chosen = _check_sizes(sizes, answers, all_folds)
    half = chosen <= answers.n_answers // 2
    n = comparisons.n_objects
    tasks: list[
        tuple[BoolArray, Int32Array]
    ] = []  # rows of each tree, and the order of its objects
    for repetition, folds in enumerate(all_folds):
        rng = np.random.default_rng([seed, repetition, 1])
        for fold in range(n_folds):
            for rows in answers.growing(folds != fold, chosen, rng):
                tasks.append((rows, random_order(n, rng_of_fold(seed + repetition, fold))))
        first, second = answers.halves(rng)
        pairs = zip(
            answers.growing(first, chosen[half], rng),
            answers.growing(second, chosen[half], rng),
            strict=True,
        )
        tasks += [(rows, random_order(n, rng)) for pair in pairs for rows in pair]
    shared = comparisons, name, options
    trees = iter(run_tasks(_grow, tasks, n_jobs=n_jobs, shared=shared, progress=progress))
    accuracies = np.empty((n_repetitions, n_folds, len(chosen)))
    stabilities = np.full((n_repetitions, len(chosen)), np.nan)
    for repetition, folds in enumerate(all_folds):
        for fold in range(n_folds):
            held_out = comparisons.take(folds == fold)
            for place in range(len(chosen)):
                accuracies[repetition, fold, place] = comparison_accuracy(held_out, next(trees))
        for place in range(int(half.sum())):
            stabilities[repetition, place] = 1 - triplet_distance(next(trees), next(trees))
    folds_by = units_by(comparisons, by_annotator=None, fewest=n_folds)
    found = chosen, accuracies, stabilities, seed, folds_by
    return LearningCurve(name, comparisons.n_objects, answers.n_answers, *found)


def _grow(
    shared: tuple[ListedComparisons, str, dict[str, Any]], rows: BoolArray, order: Int32Array
) -> Hierarchy:
    comparisons, method, options = shared
    return grow_in_order(comparisons.take(rows), method, order, **options)


class _Answers:
    """The answers behind comparisons: how often each was given, and its unit."""

    def __init__(self, comparisons: ListedComparisons, n_folds: int) -> None:
        _, first, self.of_row = np.unique(
            comparisons.answer_ids, return_index=True, return_inverse=True
        )
        self.of_row = self.of_row.ravel()
        counts = comparisons.counts
        self.counts = np.ones(len(first), np.int64) if counts is None else counts[first]
        self.units: LabelArray = answer_units(comparisons, by_annotator=None, fewest=n_folds)[first]

    @property
    def n_answers(self) -> int:
        """Number of answers, each counted as often as it was given."""
        return int(self.counts.sum())

    def n_in(self, rows: BoolArray) -> int:
        """Return the number of answers of these rows."""
        return int(self.counts[np.unique(self.of_row[rows])].sum())

    def growing(
        self, rows: BoolArray, sizes: Int64Array, rng: np.random.Generator
    ) -> Iterator[BoolArray]:
        """Yield the rows of the first answers for each size, in an order of `_shuffle`."""
        order = self._shuffle(np.unique(self.of_row[rows]), rng)
        for size in sizes.tolist():
            yield self._first(order, size)[self.of_row]

    def halves(self, rng: np.random.Generator) -> tuple[BoolArray, BoolArray]:
        """Return the rows of two halves of the answers, in an order of `_shuffle`."""
        order = self._shuffle(np.arange(len(self.counts)), rng)
        first = self._first(order, self.n_answers // 2)
        return first[self.of_row], ~first[self.of_row]

    def _first(self, order: LabelArray, size: int) -> BoolArray:
        """Mark the first answers that make up a size, without those that would exceed it."""
        kept = np.zeros(len(self.counts), dtype=np.bool_)
        if (self.counts == 1).all():
            kept[order[:size]] = True
            return kept
        left = size
        for answer, count in zip(order.tolist(), self.counts[order].tolist(), strict=True):
            if count <= left:
                kept[answer] = True
                left -= count
        return kept

    def _shuffle(self, answers: LabelArray, rng: np.random.Generator) -> LabelArray:
        """Return the answers unit by unit, units and the answers of each in random order."""
        turn = rng.permutation(int(self.units.max(initial=0)) + 1)[self.units[answers]]
        return answers[np.lexsort((rng.random(len(answers)), turn))]


def _check_sizes(
    sizes: Sequence[int] | None, answers: _Answers, all_folds: list[LabelArray]
) -> Int64Array:
    """Return the sizes in increasing order, at most what is left when a fold is held out."""
    largest = min(
        answers.n_in(folds != fold) for folds in all_folds for fold in range(int(folds.max()) + 1)
    )
    if sizes is None:
        halved = {largest // 2**k for k in range(N_SIZES)}
        chosen = sorted(size for size in halved if size >= FEWEST_ANSWERS)
    else:
        chosen = sorted({check_whole_number(size, "sizes", lowest=1) for size in sizes})
    if len(chosen) < 3:
        raise TooFewAnswersError(
            f"expected at least three different numbers of answers, got {chosen} (of "
            f"{answers.n_answers} answers)",
            parameter="sizes",
            remedy="a curve needs more answers",
        )
    if chosen[-1] > largest:
        raise InputError(
            f"expected at most {largest}, the answers left when a fold is held out, got "
            f"{chosen[-1]}",
            parameter="sizes",
        )
    return np.array(chosen, dtype=np.int64)
