"""What a report is based on: methods, tree, support, test, learning curve, annotators."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ordlink import validation
from ordlink._text import either
from ordlink._threads import n_cores
from ordlink._typing import AnyArray, Progress
from ordlink._validate import Seed, seed_number
from ordlink.comparisons import ComparisonsSummary, ListedComparisons
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import DEFAULT_METHOD, cluster, find_method, repeatable

Stages: TypeAlias = Callable[[str], Progress | None]
"""Called with the name of each stage; returns a progress callback for it, or None."""
LONGEST_SUPPORT = 180.0
"""Estimated seconds on one core for all bootstrap samples: two to three minutes on two cores."""
USUAL_BOOTSTRAP, FEWEST_BOOTSTRAP = 200, 50  # bootstrap samples by default, and for a slow method
QUICK_BOOTSTRAP = 30  # of a quick report, if `FEWEST_BOOTSTRAP` would take long
USUAL_SPLITS, QUICK_SPLITS = 10, 5  # of the hierarchy test
N_FOLDS = 5
QUICK_REASON = "few, for a first look"
LONGEST_QUICK = 3.0  # estimated seconds of all trees of a method that a quick report compares
TREES_OF_TESTS = 50  # of the hierarchy test and the learning curve, about
WORTH_PROCESSES = 10.0  # estimated seconds of one core; starting processes takes about two


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a report is based on; None where there are too few answers."""

    comparisons: ListedComparisons
    summary: ComparisonsSummary
    chosen: validation.Candidate  # the method of the tree
    reason: str  # why this method, as a sentence
    support: validation.BranchSupport
    consensus: Hierarchy  # majority rule, of the bootstrap samples
    methods: validation.MethodComparison | None
    test: validation.HierarchyTest | None
    curve: validation.LearningCurve | None
    crowd: validation.CrowdQuality
    exclusion: validation.ExclusionEffect | None  # with and without the excluded annotators
    weighting: validation.WeightingEffect | None  # with and without annotator weights, on request
    groups: validation.GroupComparison | None  # the trees of groups of annotators, on request
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
    method: str = DEFAULT_METHOD,
    n_bootstrap: int | None = None,
    seed: Seed = 0,
    exclude: Sequence[str] = (),
    weigh_people: bool = False,
    groups: Sequence[str] | AnyArray | None = None,
    quick: bool = False,
    n_jobs: int | None = None,
    stages: Stages | None = None,
) -> Evidence:
    """Return everything that a report is based on.

    Parameters
    ----------
    comparisons : ListedComparisons
        The answers.
    method : str
        A method for comparisons, or the label of a candidate. By default that of
        `ordlink.cluster`, or the best one whose bootstrap takes at most about two minutes.
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
    groups : sequence of str, optional
        The group of each comparison, to compare groups of annotators; "" leaves it out. See
        `ordlink.validation.compare_groups`.
    quick : bool
        For a first look: only methods that take seconds, and by default 50 bootstrap samples, or
        30 where 50 would take more than about ten seconds on one core.
    n_jobs : int, optional
        Number of processes for long work; by default one per core. Nothing else depends on it.
    stages : callable, optional
        Called with the name of each stage; returns a callback for (steps done, total steps), or
        None.

    Examples
    --------
    >>> import ordlink as ol
    >>> c = ol.Comparisons.from_triplets([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]])
    >>> evidence = gather_evidence(c, method="AddS-AL", n_bootstrap=10)
    >>> evidence.tree.n_objects, evidence.methods is None
    (4, True)
    """
    validation.check_listed(comparisons)
    seed = seed_number(seed)
    begin = stages or (lambda _: None)
    everybody = comparisons
    if exclude:
        comparisons = validation.without_annotators(comparisons, exclude)
    if comparisons.n_objects < 2:
        raise InputError(f"a tree needs at least two objects, got {comparisons.n_objects}")
    named = None if method == DEFAULT_METHOD else find_candidate(method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)  # the page says so
        weights = None
        if weigh_people:
            progress = begin("annotator weights")
            weights = validation.annotator_weights(comparisons, seed=seed, progress=progress)
        n_separate = len(np.unique(comparisons.answer_ids))  # answers that can be held out
        n_trees = (n_bootstrap or FEWEST_BOOTSTRAP) + TREES_OF_TESTS
        method_name = "auto" if named is None else named.method
        seconds = n_trees * _seconds_per_sample(method_name, comparisons)
        n_jobs = choose_n_jobs(n_jobs, seconds)  # processes start once, for all that follows
        bootstrap_reason = "as requested"
        progress, methods = begin("methods"), None
        if n_separate >= validation.FEWEST_TO_COMPARE:
            methods = compare_candidates(
                comparisons, quick=quick, seed=seed, n_jobs=n_jobs, progress=progress
            )
        if named is None:
            at_least = n_bootstrap or FEWEST_BOOTSTRAP
            chosen, reason = choose_method(methods, comparisons, at_least)
        else:
            chosen, reason = named, f"{named.label} was requested."
        if n_bootstrap is None:
            n_bootstrap, bootstrap_reason = choose_n_bootstrap(chosen, comparisons, quick=quick)
        if methods is not None and chosen.label in [one.label for one in methods.scores]:
            tree = methods[chosen.label].tree
        else:
            tree = cluster(comparisons, chosen.method, **chosen.options)
        if not reason:
            reason = f"{tree.parameters['reason']}."
        used, settled = repeatable(tree, chosen.method)
        how = {"method": used, **chosen.options, **settled, "seed": seed}
        in_processes = n_jobs if used in ("search", "spectral") else None
        support = validation.branch_support(
            comparisons,
            tree=tree,
            n_bootstrap=n_bootstrap,
            n_jobs=in_processes,
            progress=begin("support"),
            **how,
        )
        progress, test = begin("hierarchy test"), None
        with contextlib.suppress(InputError):  # a half of the pairs without comparisons
            test = validation.hierarchy_test(
                comparisons,
                n_splits=QUICK_SPLITS if quick else USUAL_SPLITS,
                n_jobs=in_processes,
                progress=progress,
                **how,
            )
        progress, curve = begin("learning curve"), None
        if n_separate >= 4 * validation.FEWEST_TO_COMPARE:
            with contextlib.suppress(InputError):  # too few answers for the sizes
                curve = validation.learning_curve(
                    comparisons, n_repetitions=1, n_jobs=in_processes, progress=progress, **how
                )
        crowd = validation.crowd_quality(comparisons, seed=seed, progress=begin("crowd quality"))
        exclusion = validation.exclusion_effect(everybody, exclude, **how) if exclude else None
        weighting = None
        if weights is not None:
            # A method that takes no weights is replaced by the default one.
            takes_weights = chosen.method in validation.METHODS_FOR_WEIGHTS
            settings = how if takes_weights else {"seed": seed}
            weighting = validation.weighting_effect(comparisons, weights, **settings)
        compared = None
        if groups is not None:
            begin("groups")
            labels = np.asarray(groups, dtype=str)
            if (
                exclude
                and everybody.details is not None
                and everybody.details.annotators is not None
            ):
                labels = np.where(np.isin(everybody.details.annotators, list(exclude)), "", labels)
            options = {**chosen.options, **settled}
            compared = validation.compare_groups(everybody, labels, used, seed=seed, **options)
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
        groups=compared,
        n_bootstrap=n_bootstrap,
        bootstrap_reason=bootstrap_reason,
        seed=seed,
    )


def compare_candidates(
    comparisons: ListedComparisons,
    *,
    quick: bool,
    seed: int,
    n_jobs: int,
    progress: Progress | None,
) -> validation.MethodComparison:
    """Return the comparison of methods; a quick one leaves slow methods out, and says so."""
    n_trees = N_FOLDS + 1
    seconds = {
        label: n_trees * _seconds_per_sample(one.method, comparisons)
        for label, one in validation.CANDIDATES.items()
    }
    slow = [label for label in seconds if quick and seconds[label] > LONGEST_QUICK]
    chosen = [label for label in seconds if label not in slow] or ["AddS-AL"]
    found = validation.compare_methods(
        comparisons,
        chosen if slow else None,
        n_folds=N_FOLDS,
        seed=seed,
        n_jobs=n_jobs,
        progress=progress,
    )
    if not slow:
        return found
    why = "too slow for a quick report"
    return replace(found, left_out={label: why for label in slow if label not in chosen})


def choose_n_jobs(n_jobs: int | None, seconds: float) -> int:
    """Return the number of processes: as given, or one per core if the work is long enough."""
    return n_jobs or (n_cores() if seconds > WORTH_PROCESSES else 1)


def find_candidate(method: str) -> validation.Candidate:
    """Return the candidate with this label, or the method of this name with its defaults."""
    if method in validation.CANDIDATES:
        return validation.CANDIDATES[method]
    found = find_method(method)
    if found.needs != "comparisons":
        raise InputError(
            f"{found.name} needs {found.needs}",
            parameter="method",
            remedy=f"for a report on answers use {either(validation.CANDIDATES)}",
        )
    return validation.Candidate(found.name, found.name)


def choose_method(
    methods: validation.MethodComparison | None, comparisons: ListedComparisons, n_bootstrap: int
) -> tuple[validation.Candidate, str]:
    """Return the default method, or the best one within `LONGEST_SUPPORT`, and the reason."""
    if methods is None:
        return validation.CANDIDATES[DEFAULT_METHOD], ""
    seconds = {
        one.label: n_bootstrap * _seconds_per_sample(one.method, comparisons)
        for one in methods.scores
    }
    fast = [label for label in seconds if seconds[label] <= LONGEST_SUPPORT]
    if DEFAULT_METHOD in fast:
        return validation.CANDIDATES[DEFAULT_METHOD], ""
    if methods.recommended in fast:
        return validation.CANDIDATES[methods.recommended], methods.reason
    label = fast[0] if fast else min(seconds, key=seconds.__getitem__)
    return validation.CANDIDATES[label], _why_not_the_recommended(label, methods, n_bootstrap, fast)


def choose_n_bootstrap(
    candidate: validation.Candidate, comparisons: ListedComparisons, *, quick: bool = False
) -> tuple[int, str]:
    """Return the default number of bootstrap samples, and the reason."""
    seconds = _seconds_per_sample(candidate.method, comparisons)
    if quick:
        is_long = FEWEST_BOOTSTRAP * seconds > WORTH_PROCESSES
        return QUICK_BOOTSTRAP if is_long else FEWEST_BOOTSTRAP, QUICK_REASON
    if USUAL_BOOTSTRAP * seconds <= LONGEST_SUPPORT:
        return USUAL_BOOTSTRAP, "the default"
    if FEWEST_BOOTSTRAP * seconds > LONGEST_SUPPORT:
        return FEWEST_BOOTSTRAP, f"few, because {candidate.label} is slow on this many answers"
    fitting = int(LONGEST_SUPPORT / seconds)
    return fitting, f"about as many as {candidate.label} processes in two minutes"


def _seconds_per_sample(method: str, comparisons: ListedComparisons) -> float:
    # An estimate rather than a measurement: the page is the same on every machine.
    method = "search" if method == "auto" else method  # it chooses once, before the samples
    return validation.estimate_seconds(method, comparisons.n_objects, comparisons.n_rows)


def _why_not_the_recommended(
    label: str, methods: validation.MethodComparison, n_bootstrap: int, fast: Sequence[str]
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
