"""Folds of answers: whole answers, and whole annotators where they are known."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ordlink._typing import AnyArray, FloatArray, LabelArray
from ordlink._validate import Seed, check_whole_number, random_generator
from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.errors import InputError, InputKindError, TooFewAnswersError

FoldsBy = Literal["people", "answers"]
"""What a fold keeps together: all answers of one person, or the comparisons of each answer."""


def check_comparisons(comparisons: object) -> None:
    """Raise InputKindError unless these are comparisons."""
    if not isinstance(comparisons, Comparisons):
        raise InputKindError(
            f"expected Comparisons, got {type(comparisons).__name__}",
            parameter="comparisons",
            remedy="make them with Comparisons.from_triplets, from_quadruplets or "
            "from_similarities",
        )


def check_listed(comparisons: object) -> None:
    """Raise InputKindError unless these are comparisons listed one by one."""
    check_comparisons(comparisons)
    if not isinstance(comparisons, ListedComparisons):
        raise InputKindError(
            f"expected comparisons listed one by one, got {type(comparisons).__name__}",
            parameter="comparisons",
            remedy="sample some of them with comparisons.sample(0.1)",
        )


def assign_folds(
    comparisons: ListedComparisons,
    n_folds: int = 5,
    *,
    by_annotator: bool | None = None,
    seed: Seed = 0,
) -> LabelArray:
    """Return the fold of each comparison; it depends on the comparisons and the seed alone.

    Comparisons of one answer share a fold. Where annotators are known, so do all answers of one
    person, and a held-out fold consists of people whom no tree has seen; an answer without an
    annotator is a unit of its own. The largest units are assigned first, each to the fold with
    the fewest comparisons, so that folds are about equally large.

    Parameters
    ----------
    comparisons : ListedComparisons
        The comparisons to split.
    n_folds : int
        Number of folds, at least 2.
    by_annotator : bool, optional
        Whether people stay together; by default where there are at least `n_folds` of them.
    seed : int, numpy.random.Generator or None
        Random seed.

    Returns
    -------
    ndarray of shape (n_rows,), dtype intp
        From 0 to n_folds - 1.

    Raises
    ------
    InputError, InputKindError
        If there are fewer answers, or people, than folds, or the comparisons are not listed.

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> answers = Comparisons.from_most_central([[0, 1, 2], [3, 1, 2]])
    >>> assign_folds(answers, n_folds=2).tolist()
    [0, 0, 1, 1]
    """
    check_listed(comparisons)
    n_folds = check_whole_number(n_folds, "n_folds", lowest=2)
    units = answer_units(comparisons, by_annotator=by_annotator, fewest=n_folds)
    weights = np.bincount(units, weights=comparisons.counts)
    if len(weights) < n_folds:
        what = "annotators" if by_annotator else "answers"
        raise TooFewAnswersError(
            f"expected at most {len(weights)}, the number of {what}, got {n_folds}",
            parameter="n_folds",
            remedy="ask for fewer folds",
        )
    order = random_generator(seed).permutation(len(weights))
    order = order[np.argsort(-weights[order], kind="stable")]
    fold_of_unit = np.empty(len(weights), dtype=np.intp)
    if weights.min() == weights.max():
        fold_of_unit[order] = np.arange(len(order)) % n_folds
    else:
        filled = np.zeros(n_folds)
        for unit in order.tolist():
            fold = int(filled.argmin())
            fold_of_unit[unit] = fold
            filled[fold] += weights[unit]
    return fold_of_unit[units]


def answer_units(
    comparisons: ListedComparisons, *, by_annotator: bool | None, fewest: int
) -> LabelArray:
    """Return the unit of each comparison: its annotator, or its answer.

    By default annotators are the units where at least `fewest` of them are known.
    """
    answers = np.unique(comparisons.answer_ids, return_inverse=True)[1].ravel()
    if units_by(comparisons, by_annotator=by_annotator, fewest=fewest) == "answers":
        return answers
    names, people = np.unique(_annotators(comparisons).astype(str), return_inverse=True)
    people = people.ravel()
    alone = (names == "")[people]
    units = np.where(alone, len(names) + answers, people)
    return np.unique(units, return_inverse=True)[1].ravel()


def units_by(comparisons: ListedComparisons, *, by_annotator: bool | None, fewest: int) -> FoldsBy:
    """Return whether the units of `answer_units` are people or single answers."""
    if by_annotator is None:
        n_known = count_annotators(comparisons)
        return "people" if 0 < n_known >= fewest else "answers"
    if by_annotator and not len(_annotators(comparisons)):
        raise InputError(
            "expected to know who gave each answer, got no annotators",
            parameter="by_annotator",
            remedy="pass {annotators} when you make the comparisons, or leave out {by_annotator}",
        )
    return "people" if by_annotator else "answers"


def count_annotators(comparisons: ListedComparisons) -> int:
    """Return the number of known annotators."""
    return len(set(_annotators(comparisons).tolist()) - {""})


def rng_of_fold(seed: int, fold: int) -> np.random.Generator:
    """Return what draws the order of the objects without a fold; the same for all methods."""
    return np.random.default_rng([seed, 1 + fold])  # a 0 would repeat the draw of the folds


def standard_error(scores: FloatArray) -> FloatArray:
    """Return the standard error of means over folds, averaged over repetitions.

    Repetitions reduce the variance due to the split, but are no more data.

    Parameters
    ----------
    scores : ndarray of shape (n_repetitions, n_folds, ...), dtype float64
    """
    errors = scores.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
    return np.asarray(errors.mean(axis=0))


def _annotators(comparisons: ListedComparisons) -> AnyArray:
    """Return who answered; empty where nothing is known."""
    details = comparisons.details
    if details is None or details.annotators is None:
        return np.empty(0, dtype=object)
    return details.annotators
