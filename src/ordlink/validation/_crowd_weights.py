"""Answers that count by how far the person can be relied on, as a choice that is made and shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ordlink._typing import Progress
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, InputKindError
from ordlink.methods import find_method
from ordlink.validation._checks import check_listed
from ordlink.validation._crowd_accuracy import held_out_accuracy, mean_and_spread
from ordlink.validation._crowd_effect import TwoTrees, grow_two
from ordlink.validation._crowd_flags import CERTAIN
from ordlink.validation._crowd_questions import annotators_of

RESOLUTION = 100
"""An answer of weight 1 counts so many times: weights are rounded to hundredths."""
METHODS_FOR_WEIGHTS = ("4-AL", "AddS-AL", "tSTE-AL", "FORTE-AL", "SOE-AL")
"""Methods whose trees stay the same if all counts are multiplied."""
FEWEST_PEOPLE = 3
"""Among fewer people it cannot be told whose answers are the better ones."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightingEffect(TwoTrees):
    """The tree with and without weights.

    Attributes
    ----------
    method : str
        Of the trees.
    weights : dict of str to float
        How much the answers of each person count.
    tree_with, tree_without : Hierarchy
        The trees of weighted answers, and of answers that all count alike.
    agreement : float
        Share of the triples of objects that both trees resolve alike (1 minus the triplet
        distance); 1/3 for unrelated trees. Where ties decide merges, the mean over several trees
        of each kind whose ties are decided by chance.
    agreement_of_ties : float
        What the agreement would be if the trees differed by their ties alone; 1 without ties.
    accuracy_with, accuracy_without : float
        Share of the comparisons, by weight, that each tree agrees with.
    """

    method: str
    weights: dict[str, float]


def annotator_weights(
    comparisons: ListedComparisons,
    method: str = "AddS-AL",
    *,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> dict[str, float]:
    """Return how much the answers of each person should count; 1 is usual, 0 is guessing.

    Weights are (2 a - 1) / (2 m - 1), where a is the person's accuracy against the tree of the
    others and m the mean over people; 0 where a is below one half. If somebody is right with
    probability p and a tree with probability q, then 2 a - 1 = (2 p - 1) (2 q - 1): what the trees
    lack in accuracy cancels, and answers count by 2 p - 1, the surplus of right over wrong ones.
    Log-odds of a would not do so.

    Accuracies from few answers are drawn to the mean, by the share that chance has in how people
    differ (DerSimonian and Laird's estimate): where people cannot be told apart all weights are 1.

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
        If fewer than 3 people are known, or people agree with the tree of the others not clearly
        better than by guessing; or as in `crowd_quality`.

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=4, gap=2.0, seed=0)
    >>> rows = ol.datasets.simulate_answers(planted.similarities, 800, seed=0)
    >>> rows[3::8] = rows[3::8][:, [0, 2, 1]]  # every other answer of eve, turned around
    >>> c = ol.Comparisons.from_triplets(rows, annotators=["ann", "bob", "cat", "eve"] * 200)
    >>> weights = annotator_weights(c)
    >>> weights["eve"] < 0.2 < 1 < weights["ann"]
    True
    """
    check_listed(comparisons)
    _, names = annotators_of(comparisons)
    if len(names) < FEWEST_PEOPLE:
        raise InputError(
            f"comparisons: expected at least {FEWEST_PEOPLE} annotators to tell whose answers are "
            f"better, got {len(names)}; pass annotators when you make the comparisons."
        )
    found = held_out_accuracy(comparisons, method, options, seed=seed, progress=progress)
    variances = found.cautious_errors**2
    known = np.isfinite(found.accuracies) & np.isfinite(variances)
    mean, spread = 0.5, 0.0
    if known.any():
        mean, spread = mean_and_spread(found.accuracies[known], variances[known])
    error = 1 / math.sqrt(np.sum(1 / (variances[known] + spread))) if known.any() else math.inf
    if mean - CERTAIN * error <= 0.5:
        raise InputError(
            "comparisons: expected people to agree with the tree of the others in clearly more "
            f"than half of comparisons, got {mean:.0%} on average; weights would mean nothing."
        )
    drawn_in = np.full(len(names), mean)
    share = spread / (spread + variances[known])
    drawn_in[known] += share * (found.accuracies[known] - mean)
    weights = np.maximum(2 * drawn_in - 1, 0) / (2 * mean - 1)
    return dict(zip(names, weights.tolist(), strict=True))


def weighted_comparisons(
    comparisons: ListedComparisons, weights: Mapping[str, float]
) -> ListedComparisons:
    """Return the comparisons counted by the weight of whoever made them, in hundredths.

    An answer of weight 1 has a count of 100; answers whose count is rounded to 0 are left out.
    Build trees with ``repeats="net"``, where counts count, and with one of
    `METHODS_FOR_WEIGHTS`: spectral takes a count of 100 for a hundred people, and the kernel of
    4K-AL sets counts against each pair's comparison with itself.

    Parameters
    ----------
    comparisons : ListedComparisons
        The answers.
    weights : mapping of str to float
        Weights of annotators, 0 or more; whoever is not named, or not known, has 1.

    Raises
    ------
    InputError, InputKindError
        If a weight is not a number of at least 0, somebody is not among the annotators, or
        nothing would be left.

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
    of_person = np.ones(len(known) + 1)  # the last one, -1, for those not known
    for name, weight in _check_weights(weights).items():
        if name not in numbers:
            raise InputError(f"weights: there is no annotator {name!r}; leave them out.")
        of_person[numbers[name]] = weight
    given = 1 if comparisons.counts is None else comparisons.counts
    counts = np.rint(np.minimum(RESOLUTION * of_person[people] * given, 2**31 - 1))
    if not counts.any():
        raise InputError("weights: nothing is left; give somebody a weight above 0.")
    counted = replace(comparisons, counts=counts.astype(np.int32))
    return counted.take(counts > 0)


def weighting_effect(
    comparisons: ListedComparisons,
    weights: Mapping[str, float] | None = None,
    method: str = "4-AL",
    *,
    seed: int = 0,
    **options: Any,
) -> WeightingEffect:
    """Return the tree with and without weights of people, and how far the two agree.

    Both trees count repeated answers as often as they were given (``repeats="net"``), so that
    they differ by the weights alone.

    Parameters
    ----------
    comparisons : ListedComparisons
        All answers.
    weights : mapping of str to float, optional
        As in `weighted_comparisons`; those of `annotator_weights` by default.
    method : str
        4-AL, AddS-AL, tSTE-AL, FORTE-AL or SOE-AL.
    seed : int
        Makes the draws reproducible, by which ties are decided.
    **options
        Options of the method.

    Raises
    ------
    InputError, InputKindError
        As in `annotator_weights`, `weighted_comparisons` and `ordlink.cluster`, or if the method
        cannot count by weights.

    Examples
    --------
    >>> import ordlink as ol
    >>> c = ol.Comparisons.from_triplets([[0, 1, 2], [0, 2, 1]], annotators=["ann", "eve"])
    >>> effect = weighting_effect(c, {"eve": 2.0})
    >>> effect.tree_with.merges.tolist()
    [[0, 2], [3, 1]]
    """
    name = find_method(method).name
    if name not in METHODS_FOR_WEIGHTS:
        raise InputError(
            f"method: {name} cannot count answers by weights; use {', '.join(METHODS_FOR_WEIGHTS)}."
        )
    chosen = annotator_weights(comparisons, seed=seed) if weights is None else dict(weights)
    weighted = weighted_comparisons(comparisons, chosen)
    trees = grow_two(
        weighted, comparisons, name, {"repeats": "net", **options}, judge=weighted, seed=seed
    )
    return WeightingEffect(method=name, weights=chosen, **vars(trees))


def _check_weights(weights: object) -> dict[str, float]:
    if not isinstance(weights, Mapping):
        raise InputKindError(
            f"weights: expected names with weights, such as {{'eve': 0.5}}, got {weights!r}."
        )
    for name, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(
            weight, int | float | np.integer | np.floating
        ):
            raise InputKindError(f"weights: expected a number for {name!r}, got {weight!r}.")
        if not 0 <= weight < math.inf:
            raise InputError(f"weights: expected 0 or more for {name!r}, got {weight}.")
    return {str(name): float(weight) for name, weight in weights.items()}
