"""Weights of annotators by how reliable they are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ordlink._typing import Progress
from ordlink._validate import Seed, check_number, seed_number
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, InputKindError
from ordlink.validation._annotator_accuracy import held_out_accuracy, mean_and_spread
from ordlink.validation._annotator_flags import CERTAIN
from ordlink.validation._folds import check_listed
from ordlink.validation._repeats import annotators_of

RESOLUTION = 100
"""Count of an answer of weight 1: weights are rounded to hundredths."""
METHODS_FOR_WEIGHTS = ("4-AL", "AddS-AL", "tSTE-AL", "FORTE-AL", "SOE-AL")
"""Methods whose trees do not change when all counts are multiplied."""
FEWEST_PEOPLE = 3
"""With fewer people, whose answers are better is unknown."""


def annotator_weights(
    comparisons: ListedComparisons,
    method: str = "AddS-AL",
    *,
    seed: Seed = 0,
    progress: Progress | None = None,
    **options: Any,
) -> dict[str, float]:
    """Return a weight for each annotator: 1 for usual, 0 for guessing.

    Weights are (2 a - 1) / (2 m - 1), where a is the agreement of the person with the tree of the
    others and m the mean over people; 0 where a is below one half. If somebody is right with
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

    Returns
    -------
    dict of str to float
        One weight for each person, in the order of their names.

    Raises
    ------
    InputError, InputKindError
        If fewer than 3 people are known, or people agree with the tree of the others not
        significantly more often than by guessing; or as in `crowd_quality`.

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
            f"expected at least {FEWEST_PEOPLE} annotators to see whose answers are better, got "
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
            "expected people to agree with the tree of the others in significantly more than half "
            f"of comparisons, got {mean:.0%} on average; weights would be meaningless",
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
    Build trees with ``repeats="net"``, which uses counts, and with one of `METHODS_FOR_WEIGHTS`:
    spectral takes a count of 100 for a hundred people, and the kernel of 4K-AL compares counts
    with each pair's comparison with itself.

    Parameters
    ----------
    comparisons : ListedComparisons
        The answers.
    weights : mapping of str to float
        Weights of annotators, 0 or more; everybody else has 1.

    Raises
    ------
    InputError, InputKindError
        If a weight is not a number of at least 0, somebody is not among the annotators, or
        no answers would be left.

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
