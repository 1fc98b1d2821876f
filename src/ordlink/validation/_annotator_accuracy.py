"""How well each person agrees with the tree that was learnt without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._typing import FloatArray, LabelArray, Progress
from ordlink.comparisons import ListedComparisons
from ordlink.metrics import agreements
from ordlink.validation._folds import assign_folds, rng_of_fold
from ordlink.validation._repeats import UNKNOWN, annotators_of
from ordlink.validation._shuffled import grow_shuffled

MOST_TREES = 20
"""Up to so many people are left out one by one; more are left out in as many groups."""


@dataclass(frozen=True, eq=False)
class HeldOutAccuracy:
    """Agreement of each annotator with the tree learnt without them; one entry each."""

    accuracies: FloatArray  # share of their comparisons that the tree agrees with
    errors: FloatArray  # standard errors over answers; NaN for a single answer
    cautious_errors: FloatArray  # at least those with one more right and one more wrong answer
    others: FloatArray  # expected accuracy of somebody else: precision-weighted mean of the others
    p_values: FloatArray  # that somebody like the others scores as low; NaN for fewer than 3 others


def held_out_accuracy(
    comparisons: ListedComparisons,
    method: str,
    options: dict[str, Any],
    *,
    seed: int,
    progress: Progress | None = None,
) -> HeldOutAccuracy:
    """Return how well each annotator agrees with the tree of the others."""
    people, names = annotators_of(comparisons)
    groups = _groups(comparisons, people, len(names), seed)
    scores = np.full(comparisons.n_rows, np.nan)
    n_groups = int(groups.max(initial=-1)) + 1
    for group in range(n_groups):
        rows = groups == group
        rng = rng_of_fold(seed, group)
        tree = grow_shuffled(comparisons.take(~rows), method, rng, **options)
        scores[rows] = agreements(comparisons.take(rows), tree)
        if progress is not None:
            progress(group + 1, n_groups)
    accuracies, errors, n_answers = _means(comparisons, people, scores, len(names))
    cautious = np.maximum(errors, _with_two_more(accuracies, errors, n_answers))
    return HeldOutAccuracy(accuracies, errors, cautious, *compare_with_others(accuracies, cautious))


def compare_with_others(
    accuracies: FloatArray, errors: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the expected accuracy of each person given the others, and a one-sided p-value.

    A random-effects model: the others' accuracies are normal around a mean, with a variance between
    people (DerSimonian and Laird's estimate) besides their errors.
    """
    from scipy.stats import norm

    expected = np.full(len(accuracies), np.nan)
    p_values = np.full(len(accuracies), np.nan)
    usable = np.isfinite(accuracies) & np.isfinite(errors)
    variances = np.maximum(errors, 1e-3) ** 2  # no accuracy is known more precisely
    for person in range(len(accuracies)):
        others = np.flatnonzero(usable & (np.arange(len(accuracies)) != person))
        if not len(others):
            continue
        mean, spread = mean_and_spread(accuracies[others], variances[others])
        weights = 1 / (variances[others] + spread)
        expected[person] = mean
        if usable[person] and len(others) >= 3:
            error = np.sqrt(variances[person] + spread + 1 / weights.sum())
            p_values[person] = norm.cdf((accuracies[person] - mean) / error)
    return expected, p_values


def mean_and_spread(values: FloatArray, variances: FloatArray) -> tuple[float, float]:
    """Return the random-effects mean and the variance between people (DerSimonian, Laird)."""
    weights = 1 / variances
    fixed = float(np.average(values, weights=weights))
    excess = float((weights * (values - fixed) ** 2).sum()) - (len(values) - 1)
    scale = float(weights.sum() - (weights**2).sum() / weights.sum())
    spread = max(excess / scale, 0.0) if scale > 0 else 0.0
    return float(np.average(values, weights=1 / (variances + spread))), spread


def _groups(
    comparisons: ListedComparisons, people: LabelArray, n_people: int, seed: int
) -> LabelArray:
    """Return the group in which each comparison is left out; -1 for unknown annotators."""
    if n_people <= MOST_TREES:
        return people if n_people > 1 else np.full(len(people), UNKNOWN)
    folds = assign_folds(comparisons, MOST_TREES, by_annotator=True, seed=seed)
    return np.where(people == UNKNOWN, UNKNOWN, folds)


def _means(
    comparisons: ListedComparisons, people: LabelArray, scores: FloatArray, n_people: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return each person's mean score, its standard error over answers, and their number."""
    rows = np.flatnonzero(np.isfinite(scores))
    people, scores = people[rows], scores[rows]
    counts = np.ones(len(rows)) if comparisons.counts is None else comparisons.counts[rows]
    in_all = np.bincount(people, weights=counts, minlength=n_people)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(people, weights=counts * scores, minlength=n_people) / in_all
        _, first, answer = np.unique(
            comparisons.answer_ids[rows], return_index=True, return_inverse=True
        )
        rests = np.bincount(answer.ravel(), weights=scores - means[people])
        n_answers = np.bincount(people[first], weights=counts[first], minlength=n_people)
        squares = np.bincount(people[first], weights=counts[first] * rests**2, minlength=n_people)
        errors = np.sqrt(squares * n_answers / (n_answers - 1)) / in_all
    return means, np.where(n_answers > 1, errors, np.nan), n_answers.astype(np.float64)


def _with_two_more(means: FloatArray, errors: FloatArray, n_answers: FloatArray) -> FloatArray:
    """Return the errors with one more right and one more wrong answer."""
    squares = errors**2 * n_answers * (n_answers - 1)
    moved = (n_answers * means + 1) / (n_answers + 2)
    squares += n_answers * (means - moved) ** 2 + (1 - moved) ** 2 + moved**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt(squares / (n_answers + 1) / n_answers))
