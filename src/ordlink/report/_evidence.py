"""What a report is based on: methods, tree, support, test, learning curve, annotators."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ordlink._text import either
from ordlink._typing import Progress
from ordlink._validate import Seed, seed_number
from ordlink.comparisons import ComparisonsSummary, ListedComparisons
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import find_method
from ordlink.validation import (
    CANDIDATES,
    FEWEST_TO_COMPARE,
    METHODS_FOR_WEIGHTS,
    BranchSupport,
    Candidate,
    CrowdQuality,
    ExclusionEffect,
    HierarchyTest,
    LearningCurve,
    MethodComparison,
    WeightingEffect,
    annotator_weights,
    branch_support,
    check_listed,
    compare_methods,
    crowd_quality,
    estimate_seconds,
    exclusion_effect,
    hierarchy_test,
    learning_curve,
    weighting_effect,
    without_annotators,
)

Stages: TypeAlias = Callable[[str], Progress | None]
"""Called with the name of each stage; returns a progress callback for it, or None."""
LONGEST_SUPPORT = 180.0
"""Estimated seconds on one core for all bootstrap samples: two to three minutes on two cores.

A bootstrap sample may take twice as long as the answers, on which the estimates are based.
"""
USUAL_BOOTSTRAP, FEWEST_BOOTSTRAP = 200, 50  # bootstrap samples by default, and for a slow method


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a report is based on; None where there are too few answers."""

    comparisons: ListedComparisons
    summary: ComparisonsSummary
    chosen: Candidate  # the method of the tree
    reason: str  # why this method, as a sentence
    support: BranchSupport
    consensus: Hierarchy  # majority rule, of the bootstrap samples
    methods: MethodComparison | None
    test: HierarchyTest | None
    curve: LearningCurve | None
    crowd: CrowdQuality
    exclusion: ExclusionEffect | None  # the tree with and without the excluded annotators
    weighting: WeightingEffect | None  # the tree with and without annotator weights, on request
    n_bootstrap: int
    bootstrap_reason: str  # why so many samples
    seed: int

    @property
    def tree(self) -> Hierarchy:
        """The tree, with support."""
        return self.support.tree


def gather_evidence(
    comparisons: ListedComparisons,
    *,
    method: str = "auto",
    n_bootstrap: int | None = None,
    seed: Seed = 0,
    exclude: Sequence[str] = (),
    weigh_people: bool = False,
    stages: Stages | None = None,
) -> Evidence:
    """Return everything that a report is based on.

    Parameters
    ----------
    comparisons : ListedComparisons
        The answers.
    method : str
        A method for comparisons, or the label of a candidate. "auto" chooses the one that predicts
        held-out answers best, of those whose bootstrap takes about two minutes at most; with too
        few answers to hold some out, spectral.
    n_bootstrap : int, optional
        Number of bootstrap samples; by default 200, or as many as a slow method processes in about
        two minutes, but at least 50.
    seed : int, Generator or None
        Random seed.
    exclude : sequence of str
        Annotators to exclude; the report names them and compares the trees.
    weigh_people : bool
        Whether to compare with the tree that weights annotators, see
        `ordlink.validation.annotator_weights`. The tree of the report does not use weights.
    stages : callable, optional
        Called with the name of each stage; returns a callback for (steps done, steps in all), or
        None.

    Examples
    --------
    >>> import ordlink as ol
    >>> c = ol.Comparisons.from_triplets([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]])
    >>> evidence = gather_evidence(c, method="AddS-AL", n_bootstrap=10)
    >>> evidence.tree.n_objects, evidence.methods is None
    (4, True)
    """
    check_listed(comparisons)
    seed = seed_number(seed)
    begin = stages or (lambda _: None)
    everybody = comparisons
    if exclude:
        comparisons = without_annotators(comparisons, exclude)
    if comparisons.n_objects < 2:
        raise InputError(f"a tree needs at least two objects, got {comparisons.n_objects}")
    named = None if method == "auto" else find_candidate(method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)  # the page says so
        weights = annotator_weights(comparisons, seed=seed) if weigh_people else None
        n_separate = len(np.unique(comparisons.answer_ids))  # answers that can be held out
        progress, methods = begin("methods"), None
        if n_separate >= FEWEST_TO_COMPARE:
            methods = compare_methods(comparisons, seed=seed, progress=progress)
        if named is None:
            at_least = n_bootstrap or FEWEST_BOOTSTRAP
            chosen, reason = choose_method(methods, comparisons, at_least)
        else:
            chosen, reason = named, f"{named.label} was requested."
        bootstrap_reason = "as requested"
        if n_bootstrap is None:
            n_bootstrap, bootstrap_reason = choose_n_bootstrap(chosen, comparisons)
        options = dict(chosen.options)
        support = branch_support(
            comparisons,
            chosen.method,
            n_bootstrap=n_bootstrap,
            seed=seed,
            progress=begin("support"),
            **options,
        )
        begin("hierarchy test")
        test = None
        with contextlib.suppress(InputError):  # a half of the pairs without comparisons
            test = hierarchy_test(comparisons, chosen.method, seed=seed, **options)
        progress, curve = begin("learning curve"), None
        if n_separate >= 4 * FEWEST_TO_COMPARE:
            with contextlib.suppress(InputError):  # too few answers for the sizes
                curve = learning_curve(
                    comparisons,
                    chosen.method,
                    n_repetitions=1,
                    seed=seed,
                    progress=progress,
                    **options,
                )
        crowd = crowd_quality(comparisons, seed=seed, progress=begin("crowd quality"))
        exclusion = None
        if exclude:
            exclusion = exclusion_effect(everybody, exclude, chosen.method, seed=seed, **options)
        weighting = None
        if weights is not None:
            weighting = _weighting(comparisons, weights, chosen, seed)
    consensus = support.consensus()
    return Evidence(
        comparisons=comparisons,
        summary=comparisons.summary(),
        chosen=chosen,
        reason=reason,
        support=support,
        consensus=Hierarchy(consensus.merges, names=comparisons.names, support=consensus.support),
        methods=methods,
        test=test,
        curve=curve,
        crowd=crowd,
        exclusion=exclusion,
        weighting=weighting,
        n_bootstrap=n_bootstrap,
        bootstrap_reason=bootstrap_reason,
        seed=seed,
    )


def _weighting(
    comparisons: ListedComparisons, weights: Mapping[str, float], chosen: Candidate, seed: int
) -> WeightingEffect:
    """Return the effect of weights on this method, or on the default one if it takes no weights."""
    if chosen.method in METHODS_FOR_WEIGHTS:
        return weighting_effect(comparisons, weights, chosen.method, seed=seed, **chosen.options)
    return weighting_effect(comparisons, weights, seed=seed)


def find_candidate(method: str) -> Candidate:
    """Return the candidate with this label, or the method of this name with its defaults."""
    if method in CANDIDATES:
        return CANDIDATES[method]
    found = find_method(method)
    if found.needs != "comparisons":
        raise InputError(
            f"{found.name} needs {found.needs}",
            parameter="method",
            remedy=f"for a report on answers use {either(CANDIDATES)}",
        )
    return Candidate(found.name, found.name)


def choose_method(
    methods: MethodComparison | None, comparisons: ListedComparisons, n_bootstrap: int
) -> tuple[Candidate, str]:
    """Return the method and the reason: as "auto", without those slower than `LONGEST_SUPPORT`."""
    if methods is None:
        return CANDIDATES["spectral"], (
            f"there are fewer than {FEWEST_TO_COMPARE} separate answers, too few to hold some out; "
            "spectral needs the fewest."
        )
    seconds = {
        one.label: n_bootstrap * _seconds_per_sample(one.method, comparisons)
        for one in methods.scores
    }
    fast = [label for label in seconds if seconds[label] <= LONGEST_SUPPORT]
    if methods.recommended in fast:
        return CANDIDATES[methods.recommended], methods.reason
    label = fast[0] if fast else min(seconds, key=seconds.__getitem__)
    return CANDIDATES[label], _why_not_the_recommended(label, methods, n_bootstrap, fast)


def choose_n_bootstrap(candidate: Candidate, comparisons: ListedComparisons) -> tuple[int, str]:
    """Return the default number of bootstrap samples, and the reason."""
    seconds = _seconds_per_sample(candidate.method, comparisons)
    if USUAL_BOOTSTRAP * seconds <= LONGEST_SUPPORT:
        return USUAL_BOOTSTRAP, "the default"
    if FEWEST_BOOTSTRAP * seconds > LONGEST_SUPPORT:
        return FEWEST_BOOTSTRAP, f"few, because {candidate.label} is slow on this many answers"
    fitting = int(LONGEST_SUPPORT / seconds)
    return fitting, f"about as many as {candidate.label} processes in two minutes"


def _seconds_per_sample(method: str, comparisons: ListedComparisons) -> float:
    """Return an estimate rather than a measurement: the page is the same on every machine."""
    return estimate_seconds(method, comparisons.n_objects, comparisons.n_rows)


def _why_not_the_recommended(
    label: str, methods: MethodComparison, n_bootstrap: int, fast: Sequence[str]
) -> str:
    """Return why the best of the fast methods is used, or the fastest if none is fast."""
    best, samples = methods.best, f"{n_bootstrap:,} bootstrap samples"
    gap = best.held_out.accuracy - methods[label].held_out.accuracy
    if not fast:
        reason = f"no method processes {samples} in two minutes, and {label} is the fastest"
    elif gap > 0:
        reason = (
            f"of the methods that process {samples} in two minutes, {label} predicts held-out "
            "answers best"
        )
    else:
        reason = (
            f"{label} predicts held-out answers best; {methods.recommended}, which is preferred "
            f"where the two do not differ significantly, is too slow for {samples}"
        )
    if gap > 0:
        points = f"{100 * gap:.1f}" if gap >= 0.001 else "less than 0.1"
        reason += (
            f"; {best.label} is {points} percentage points more accurate, so request it by name if "
            "its support is worth the wait"
        )
    return reason + "."
