"""Cross-validation: the weights of the models, and whether the search is worthwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import call
from typing import Any

import numpy as np

from ordlink._parallel import map_tasks
from ordlink._typing import FloatArray, LabelArray, Progress
from ordlink.comparisons import ListedComparisons
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition
from ordlink.methods import spectral
from ordlink.methods.search._models import (
    LABELS,
    SPLIT,
    Models,
    Pool,
    fit_models,
    hits,
    mixture_weights,
)

N_FOLDS = 4
_FEW_FOLDS = 2  # of those, if there is much to compute
_MANY_ROWS = 60_000
_MANY_OBJECTS = 200
_FEWEST_ROWS = 40  # fewer say nothing about the models: all count alike
_SEED = 20190105
BUT_SPECTRAL = tuple(label for label in LABELS if label != SPLIT)
_MOST_TORN = 0.2  # of the rows may be about a question that is in several runs


@dataclass(frozen=True)
class Fold:
    """Models of the training answers, and the held-out answers."""

    train: ListedComparisons
    test: ListedComparisons
    units: LabelArray  # what belongs together of the held-out rows
    models: Models

    def hits_of(self, tree: Hierarchy) -> FloatArray:
        """Return whether the tree agrees (1) with each held-out row, disagrees (0) or is tied."""
        ranks = tree.lca_ranks()
        i, j, k, other = self.test.quadruplets.T
        return hits(ranks[i, j], ranks[k, other])


@dataclass(frozen=True)
class Fits:
    """The models of all answers with their weights, and those of each fold."""

    pool: Pool
    folds: list[Fold]

    def held_out(self, tree_of: Callable[[Fold], Hierarchy]) -> FloatArray:
        """Return for each held-out row whether the fold's tree agrees."""
        return np.concatenate(map_tasks(partial(_held_out_hits, tree_of), self.folds))

    def predictions(self, label: str) -> FloatArray | None:
        """Return for each held-out row whether a model predicts it; None without this model."""
        if label not in self.pool.models.labels:
            return None
        place = self.pool.models.labels.index(label)
        chances = [fold.models.chances(fold.test)[:, place] for fold in self.folds]
        return np.asarray(0.5 + 0.5 * np.sign(np.concatenate(chances) - 0.5))

    def mean_and_error(self, numbers: FloatArray) -> tuple[float, float]:
        """Return the mean over the held-out rows and its standard error by units."""
        counts = np.concatenate([row_counts(fold.test) for fold in self.folds])
        units = np.concatenate(
            [fold.units + (number << 32) for number, fold in enumerate(self.folds)]
        )
        mean = float(np.average(numbers, weights=counts))
        unit = np.unique(units, return_inverse=True)[1].ravel()
        sums = np.bincount(unit, (numbers - mean) * counts)
        return mean, float(np.sqrt((sums**2).sum()) / counts.sum())


def fit_pool(
    comparisons: ListedComparisons,
    partition: InitialPartition,
    seed: int,
    progress: Progress | None = None,
) -> Fits:
    """Return the models of all answers, with weights chosen by cross-validation.

    The kind of spectral's tree is chosen once, from all answers, by a cross-validation of its own.
    """
    parts = _split(comparisons)
    every = [comparisons, *(train for train, _, _ in parts)]
    jobs: list[Callable[[], Any]] = [partial(spectral.run, comparisons, partition)]
    jobs += [partial(fit_models, rows, partition, seed, BUT_SPECTRAL) for rows in every]
    steps = len(jobs) + len(parts)

    def report(done: int, _: int) -> None:
        if progress is not None:
            progress(done, steps)

    whole, *fitted = map_tasks(call, jobs, report)
    same_kind = partial(spectral.run_kind, partition=partition, kind=whole.parameters["kinds"][0])
    split = [whole, *map_tasks(same_kind, every[1:])]
    report(steps, steps)
    fitted = [models.with_tree(SPLIT, tree) for models, tree in zip(fitted, split, strict=True)]
    folds = [Fold(*part, models) for part, models in zip(parts, fitted[1:], strict=True)]
    n_models = len(fitted[0].labels)
    weights = np.full(n_models, 1.0 / n_models)
    if folds:
        chances = np.concatenate([fold.models.chances(fold.test) for fold in folds])
        counts = np.concatenate([row_counts(fold.test) for fold in folds])
        weights = mixture_weights(chances, counts)
    return Fits(Pool(fitted[0], weights), folds)


def _held_out_hits(tree_of: Callable[[Fold], Hierarchy], fold: Fold) -> FloatArray:
    return fold.hits_of(tree_of(fold))


def row_counts(comparisons: ListedComparisons) -> FloatArray:
    """Return how often each row counts."""
    counts = comparisons.counts
    return np.ones(comparisons.n_rows) if counts is None else counts.astype(np.float64)


def n_folds(n_objects: int, n_rows: int) -> int:
    """Return the number of folds that are computed."""
    return _FEW_FOLDS if n_rows > _MANY_ROWS or n_objects > _MANY_OBJECTS else N_FOLDS


def _split(
    comparisons: ListedComparisons,
) -> list[tuple[ListedComparisons, ListedComparisons, LabelArray]]:
    """Return (train, test, units of the test) of each fold; a unit stays on one side."""
    rows = comparisons.n_rows
    if rows < _FEWEST_ROWS:
        return []
    units = question_units(comparisons)
    fold_of_unit = np.random.default_rng(_SEED).permutation(int(units.max()) + 1) % N_FOLDS
    in_fold = fold_of_unit[units]
    held_out = [in_fold == fold for fold in range(n_folds(comparisons.n_objects, rows))]
    return [
        (comparisons.take(~test), comparisons.take(test), units[test])
        for test in held_out
        if 0 < test.sum() < rows
    ]


def question_units(comparisons: ListedComparisons) -> LabelArray:
    """Return what belongs together, as a number for each row.

    These are the answers about the same objects where answers have several rows; rows in succession
    that the same pair wins, as where one was chosen of many; or else the answers to one question.
    """
    rows, winners, losers = comparisons.n_rows, comparisons.winners, comparisons.losers
    answers = np.unique(comparisons.answer_ids, return_inverse=True)[1].ravel()
    n_answers = int(answers.max()) + 1
    if n_answers < rows:
        n = comparisons.n_objects
        named = np.unique(np.repeat(answers, 4) * n + comparisons.quadruplets.ravel())
        codes = np.random.default_rng(_SEED).integers(2**62, size=n, dtype=np.uint64)
        objects = np.zeros(n_answers, dtype=np.uint64)
        np.add.at(objects, named // n, codes[named % n])  # one sum for each set of objects
        return np.asarray(np.unique(objects, return_inverse=True)[1].ravel()[answers])
    pairs = np.sort(np.stack([winners, losers], axis=1), axis=1)
    questions = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
    runs = np.concatenate([[0], np.cumsum(winners[1:] != winners[:-1])])
    n_runs_of = np.bincount(np.unique(np.stack([questions, runs]), axis=1)[0])
    is_torn = float(np.mean(n_runs_of[questions] > 1))
    if runs[-1] + 1 > 0.5 * rows or is_torn > _MOST_TORN:
        return np.asarray(questions, dtype=np.intp)
    return np.asarray(runs, dtype=np.intp)
