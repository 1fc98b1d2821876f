"""Excluding or weighting annotators, and how much the tree changes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np

from ordlink._text import listed
from ordlink._validate import Seed, random_generator, seed_number
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, InputKindError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import DEFAULT_METHOD, cluster, find_method
from ordlink.metrics import comparison_accuracy, triplet_distance
from ordlink.validation._annotator_accuracy import (
    METHODS_FOR_WEIGHTS,
    annotator_weights,
    weighted_comparisons,
)
from ordlink.validation._consistency import annotators_of
from ordlink.validation._cross_validation import check_listed, grow_shuffled

N_ORDERS = 4  # where ties decide merges, number of trees of each kind with ties decided by chance


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoTrees:
    """Two trees of `ordlink.cluster`, how far they agree, and how well each fits the answers."""

    tree_with: Hierarchy
    tree_without: Hierarchy
    agreement: float
    """Share of the triples of objects that both trees resolve alike (1 minus the triplet distance);
    1/3 for unrelated trees. Where ties decide merges, the mean over several trees of each kind
    whose ties are decided by chance: trees with the same ties would look alike."""
    agreement_of_ties: float  # of two trees of one kind; 1 where no tie decides a merge
    accuracy_with: float  # share of the kept or weighted comparisons that a tree agrees with
    accuracy_without: float


@dataclass(frozen=True, eq=False, kw_only=True)
class ExclusionEffect(TwoTrees):
    """The trees with and without the answers of some people; see `TwoTrees`."""

    excluded: tuple[str, ...]
    n_kept: int  # comparisons
    n_left_out: int


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightingEffect(TwoTrees):
    """The trees of weighted and of unweighted answers; see `TwoTrees`."""

    method: str
    weights: dict[str, float]


def without_annotators(comparisons: ListedComparisons, names: Iterable[str]) -> ListedComparisons:
    """Return the comparisons of everybody else; answers without an annotator are kept.

    Examples
    --------
    >>> import ordlink as ol
    >>> c = ol.Comparisons.from_triplets([[0, 1, 2], [0, 2, 1]], annotators=["ann", "eve"])
    >>> without_annotators(c, ["eve"]).quadruplets.tolist()
    [[0, 1, 0, 2]]
    """
    check_listed(comparisons)
    if isinstance(names, str):
        raise InputKindError(
            f"expected a list of names, such as [{names!r}], got a string", parameter="names"
        )
    excluded = {str(name) for name in names}
    people, known = annotators_of(comparisons)
    strangers = sorted(excluded - set(known))
    if strangers:
        some = f"annotators are {listed(known)}" if known else "the answers name no annotators"
        raise InputError(f"there is no annotator {strangers[0]!r}; {some}", parameter="names")
    numbers = [number for number, name in enumerate(known) if name in excluded]
    kept = comparisons.take(~np.isin(people, numbers))
    if not kept.n_rows:
        raise InputError("no answers are left", parameter="names", remedy="keep some annotators")
    return kept


def exclusion_effect(
    comparisons: ListedComparisons,
    names: Iterable[str],
    method: str = DEFAULT_METHOD,
    *,
    seed: Seed = 0,
    **options: Any,
) -> ExclusionEffect:
    """Return the tree with and without some people, and how far the two agree.

    Parameters
    ----------
    names : iterable of str
        Who is left out; `CrowdQuality.flagged`, for instance.
    comparisons, method, seed, **options
        As in `cross_validate`; the seed decides ties.
    """
    excluded = names if isinstance(names, str) else sorted({str(name) for name in names})
    kept = without_annotators(comparisons, excluded)
    trees = _grow_two(comparisons, kept, method, options, scored_on=kept, seed=seed)
    return ExclusionEffect(
        excluded=tuple(excluded),
        n_kept=kept.n_comparisons,
        n_left_out=comparisons.n_comparisons - kept.n_comparisons,
        **vars(trees),
    )


def weighting_effect(
    comparisons: ListedComparisons,
    weights: Mapping[str, float] | None = None,
    method: str = "4-AL",
    *,
    seed: Seed = 0,
    **options: Any,
) -> WeightingEffect:
    """Return the tree with and without annotator weights, and how far the two agree.

    Both trees count repeated answers as often as they were given (``repeats="net"``), so that
    they differ by the weights alone.

    Parameters
    ----------
    comparisons, seed, **options
        As in `exclusion_effect`.
    weights : mapping of str to float, optional
        As in `weighted_comparisons`; those of `annotator_weights` by default.
    method : str
        One of `METHODS_FOR_WEIGHTS`.

    Examples
    --------
    >>> import ordlink as ol
    >>> c = ol.Comparisons.from_triplets([[0, 1, 2], [0, 2, 1]], annotators=["ann", "eve"])
    >>> weighting_effect(c, {"eve": 2.0}).tree_with.merges.tolist()
    [[0, 2], [3, 1]]
    """
    name = find_method(method).name
    if name not in METHODS_FOR_WEIGHTS:
        raise InputError(
            f"{name} cannot weight answers",
            parameter="method",
            remedy=f"use {', '.join(METHODS_FOR_WEIGHTS)}",
        )
    seed = seed_number(seed)
    chosen = annotator_weights(comparisons, seed=seed) if weights is None else dict(weights)
    weighted = weighted_comparisons(comparisons, chosen)
    trees = _grow_two(
        weighted, comparisons, name, {"repeats": "net", **options}, scored_on=weighted, seed=seed
    )
    return WeightingEffect(method=name, weights=chosen, **vars(trees))


def _grow_two(
    comparisons_with: ListedComparisons,
    comparisons_without: ListedComparisons,
    method: str,
    options: dict[str, Any],
    *,
    scored_on: ListedComparisons,
    seed: Seed,
) -> TwoTrees:
    """Build the trees of two sets of comparisons, and score both on a third."""
    both = comparisons_with, comparisons_without
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        tree_with, tree_without = (cluster(one, method, **options) for one in both)
    agreement, of_ties = _mean_agreement([(tree_with, tree_without)]), 1.0
    if tree_with.n_tied_merges or tree_without.n_tied_merges:
        rng = random_generator(seed)
        first, second = (
            [grow_shuffled(one, method, rng, **options) for _ in range(N_ORDERS)] for one in both
        )
        agreement = _mean_agreement(product(first, second))
        of_ties = _mean_agreement([*combinations(first, 2), *combinations(second, 2)])
    return TwoTrees(
        tree_with=tree_with,
        tree_without=tree_without,
        agreement=agreement,
        agreement_of_ties=of_ties,
        accuracy_with=comparison_accuracy(scored_on, tree_with),
        accuracy_without=comparison_accuracy(scored_on, tree_without),
    )


def _mean_agreement(pairs: Iterable[tuple[Hierarchy, Hierarchy]]) -> float:
    return float(np.mean([1 - triplet_distance(one, other) for one, other in pairs]))
