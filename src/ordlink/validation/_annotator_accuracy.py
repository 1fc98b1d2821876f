"""How well people agree with the tree built without them, and weights based on that."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ordlink._typing import FloatArray, LabelArray, Progress
from ordlink._validate import Seed, check_number, seed_number
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, InputKindError
from ordlink.metrics import agreements
from ordlink.validation._consistency import UNKNOWN, annotators_of
from ordlink.validation._cross_validation import (
    assign_folds,
    check_listed,
    grow_shuffled,
    rng_of_fold,
)

MOST_TREES = 20  # up to so many people are left out one by one; more are left out in as many groups
CERTAIN = 1.645  # standard errors above chance that are significant at the level of 5 %, one-sided
RESOLUTION = 100  # count of an answer of weight 1: weights are rounded to hundredths
METHODS_FOR_WEIGHTS = ("4-AL", "AddS-AL", "tSTE-AL", "FORTE-AL", "SOE-AL")
"""Methods whose trees do not change when all counts are multiplied."""
FEWEST_PEOPLE = 3  # with fewer people, whose answers are better is unknown


@dataclass(frozen=True, eq=False)
class HeldOutAccuracy:
    """Agreement of each annotator with the tree built without them; one entry each."""

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
    scored = _score_people(comparisons, method, options, seed=seed, progress=progress)
    accuracies, errors = scored.accuracies, scored.errors
    cautious = np.maximum(errors, _with_two_more(accuracies, errors, scored.n_answers))
    return HeldOutAccuracy(accuracies, errors, cautious, *compare_with_others(accuracies, cautious))


def agreement_with_others(
    comparisons: ListedComparisons, *, fewest_answers: int = 1, seed: Seed = 0
) -> dict[str, float]:
    """Return each annotator's agreement with the tree built without them, by AddS-AL.

    It is `AnnotatorQuality.accuracy` of `crowd_quality`, in less time: nothing is tested.

    Parameters
    ----------
    comparisons : ListedComparisons
        The answers, with `details.annotators`.
    fewest_answers : int
        People with fewer answers are left out.
    seed : int
        Of the groups that people are left out in, if there are more than 20.

    Examples
    --------
    >>> import ordlink as ol
    >>> rows = [[0, 1, 2], [0, 1, 2], [0, 2, 1], [1, 0, 2]]
    >>> c = ol.Comparisons.from_triplets(rows, annotators=["ann", "bob", "eve", "ann"])
    >>> agreement_with_others(c)["bob"]
    1.0
    """
    check_listed(comparisons)
    scored = _score_people(comparisons, "AddS-AL", {}, seed=seed_number(seed))
    known = np.isfinite(scored.accuracies) & (scored.n_answers >= fewest_answers)
    return {scored.names[one]: float(scored.accuracies[one]) for one in np.flatnonzero(known)}


@dataclass(frozen=True, eq=False)
class _Scored:
    """How well each annotator agrees with the tree built without them; one entry each."""

    names: tuple[str, ...]
    accuracies: FloatArray
    errors: FloatArray
    n_answers: FloatArray


def _score_people(
    comparisons: ListedComparisons,
    method: str,
    options: dict[str, Any],
    *,
    seed: int,
    progress: Progress | None = None,
) -> _Scored:
    people, names = annotators_of(comparisons)
    groups = people if len(names) > 1 else np.full(len(people), UNKNOWN)
    if len(names) > MOST_TREES:
        folds = assign_folds(comparisons, MOST_TREES, by_annotator=True, seed=seed)
        groups = np.where(people == UNKNOWN, UNKNOWN, folds)
    scores = np.full(comparisons.n_rows, np.nan)
    n_groups = int(groups.max(initial=-1)) + 1
    for group in range(n_groups):
        rows = groups == group
        rng = rng_of_fold(seed, group)
        tree = grow_shuffled(comparisons.take(~rows), method, rng, **options)
        scores[rows] = agreements(comparisons.take(rows), tree)
        if progress is not None:
            progress(group + 1, n_groups)
    return _Scored(names, *_means(comparisons, people, scores, len(names)))


def compare_with_others(
    accuracies: FloatArray, errors: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the expected accuracy of each person given the others, and a one-sided p-value.

    Random effects: the others' accuracies are normal with a variance between people.
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


def annotator_weights(
    comparisons: ListedComparisons,
    method: str = "AddS-AL",
    *,
    seed: Seed = 0,
    progress: Progress | None = None,
    **options: Any,
) -> dict[str, float]:
    """Return a weight for each annotator, in the order of their names: 1 typical, 0 guessing.

    Weights are (2 a - 1) / (2 m - 1), where a is the agreement of the person with the tree of the
    others and m the mean over people; 0 where a is below one half. If a person is right with
    probability p and a tree with probability q, then 2 a - 1 = (2 p - 1) (2 q - 1): the errors of
    the trees cancel, and answers are weighted by 2 p - 1. With log-odds of a they would not.
    Accuracies are shrunk towards the mean over people (DerSimonian and Laird's estimate): where
    people are not significantly different, all weights are close to 1.

    Parameters
    ----------
    comparisons : ListedComparisons
        The answers, with `details.annotators`.
    method, seed, progress, **options
        As in `crowd_quality`.

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=4, gap=2.0, seed=0)
    >>> rows = ol.datasets.simulate_answers(planted.similarities, 800, seed=0)
    >>> rows[3::8] = rows[3::8][:, [0, 2, 1]]  # every other answer of eve, reversed
    >>> c = ol.Comparisons.from_triplets(rows, annotators=["ann", "bob", "cat", "eve"] * 200)
    >>> weights = annotator_weights(c)
    >>> weights["eve"] < 0.2 < 1 < weights["ann"]
    True
    """
    check_listed(comparisons)
    _, names = annotators_of(comparisons)
    if len(names) < FEWEST_PEOPLE:
        raise InputError(
            f"expected at least {FEWEST_PEOPLE} annotators to compare with each other, got "
            f"{len(names)}",
            parameter="comparisons",
            remedy="pass {annotators} when you make the comparisons",
        )
    found = held_out_accuracy(
        comparisons, method, options, seed=seed_number(seed), progress=progress
    )
    variances = found.cautious_errors**2
    known = np.isfinite(found.accuracies) & np.isfinite(variances)
    mean, spread = 0.5, 0.0
    if known.any():
        mean, spread = mean_and_spread(found.accuracies[known], variances[known])
    error = 1 / math.sqrt(np.sum(1 / (variances[known] + spread))) if known.any() else math.inf
    if mean - CERTAIN * error <= 0.5:
        raise InputError(
            "expected annotators to agree with the tree of the others on significantly more than "
            f"half of the comparisons, got {mean:.0%} on average; weights would be meaningless",
            parameter="comparisons",
        )
    shrunk = np.full(len(names), mean)
    share = spread / (spread + variances[known])
    shrunk[known] += share * (found.accuracies[known] - mean)
    weights = np.maximum(2 * shrunk - 1, 0) / (2 * mean - 1)
    return dict(zip(names, weights.tolist(), strict=True))


def weighted_comparisons(
    comparisons: ListedComparisons, weights: Mapping[str, float]
) -> ListedComparisons:
    """Return the comparisons with counts by the weight of their annotator, in hundredths.

    An answer of weight 1 has a count of 100; answers whose count is rounded to 0 are left out.
    Annotators without a weight have 1. Build trees with ``repeats="net"``, which uses counts, and
    with one of `METHODS_FOR_WEIGHTS`: spectral treats a count of 100 as a hundred people, and the
    kernel of 4K-AL compares counts with each pair's comparison with itself.

    Examples
    --------
    >>> import ordlink as ol
    >>> c = ol.Comparisons.from_triplets([[0, 1, 2], [0, 2, 1]], annotators=["ann", "eve"])
    >>> weighted_comparisons(c, {"eve": 0.25}).counts.tolist()
    [100, 25]
    """
    check_listed(comparisons)
    people, known = annotators_of(comparisons)
    numbers = {name: number for number, name in enumerate(known)}
    of_person = np.ones(len(known) + 1)  # the last one, -1, for unknown annotators
    for name, weight in _check_weights(weights).items():
        if name not in numbers:
            raise InputError(f"there is no annotator {name!r}", parameter="weights")
        of_person[numbers[name]] = weight
    given = 1 if comparisons.counts is None else comparisons.counts
    counts = np.rint(np.minimum(RESOLUTION * of_person[people] * given, 2**31 - 1))
    if not counts.any():
        raise InputError("no answers are left: every weight is about 0", parameter="weights")
    counted = replace(comparisons, counts=counts.astype(np.int32))
    return counted.take(counts > 0)


def _check_weights(weights: object) -> dict[str, float]:
    if not isinstance(weights, Mapping):
        raise InputKindError(
            f"expected names with weights, such as {{'eve': 0.5}}, got {weights!r}",
            parameter="weights",
        )
    return {
        str(name): check_number(weight, f"weights[{name!r}]", lowest=0)
        for name, weight in weights.items()
    }
