"""Folds of answers: whole answers, and whole annotators where they are known."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ordlink._typing import AnyArray, FloatArray, LabelArray
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, TooFewAnswersError
from ordlink.validation._checks import check_listed, check_whole_number

FoldsBy = Literal["people", "answers"]
"""What a fold keeps together: all answers of one person, or of each answer its comparisons."""


def assign_folds(
    comparisons: ListedComparisons,
    n_folds: int = 5,
    *,
    by_annotator: bool | None = None,
    seed: int = 0,
) -> LabelArray:
    """Return the fold of each comparison; it depends on the comparisons and the seed alone.

    Comparisons of one answer share a fold. Where annotators are known all answers of one person
    do, so that a held-out fold holds people whom no tree has seen; an answer by nobody in
    particular goes by itself. The largest units are dealt out first, each to the fold that has
    fewest comparisons, so that folds are about equally large; which of them is chance.

    Parameters
    ----------
    comparisons : ListedComparisons
        The comparisons to deal out.
    n_folds : int
        Number of folds, at least 2.
    by_annotator : bool, optional
        Whether people stay together; by default where there are at least `n_folds` of them.
    seed : int
        Makes the draw reproducible.

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
            f"n_folds: expected at most {len(weights)}, the number of {what}, got {n_folds}; "
            "ask for fewer folds."
        )
    order = np.random.default_rng(seed).permutation(len(weights))
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
    """Return the number of the unit of each comparison: its annotator, or its answer.

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
    annotators = _annotators(comparisons)
    if by_annotator is None:
        n_known = len(set(annotators.tolist()) - {""})
        return "people" if 0 < n_known >= fewest else "answers"
    if by_annotator and not len(annotators):
        raise InputError(
            "by_annotator: expected to know who gave each answer, got no annotators; pass "
            "annotators when you make the comparisons, or leave by_annotator out."
        )
    return "people" if by_annotator else "answers"


def rng_of_fold(seed: int, fold: int) -> np.random.Generator:
    """Return what draws the order of the objects without a fold; the same for all methods."""
    return np.random.default_rng([seed, 1 + fold])  # a 0 would repeat the draw of the folds


def standard_error(scores: FloatArray) -> FloatArray:
    """Return the standard error of means over folds, averaged over repetitions.

    Repetitions make a mean steadier against the luck of the draw, but are no more data.

    Parameters
    ----------
    scores : ndarray of shape (n_repetitions, n_folds, ...), dtype float64

    Returns
    -------
    ndarray of shape (...), dtype float64
    """
    errors = scores.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
    return np.asarray(errors.mean(axis=0))


def _annotators(comparisons: ListedComparisons) -> AnyArray:
    """Return who answered; empty where nothing is known."""
    details = comparisons.details
    if details is None or details.annotators is None:
        return np.empty(0, dtype=object)
    return details.annotators
