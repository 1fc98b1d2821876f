"""Which method a report uses, how many bootstrap samples, and why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordlink._text import either
from ordlink._typing import Progress
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError
from ordlink.methods import find_method
from ordlink.validation import (
    CANDIDATES,
    FEWEST_TO_COMPARE,
    Candidate,
    MethodComparison,
    compare_methods,
    estimate_seconds,
)

LONGEST_SUPPORT = 180.0
"""Estimated seconds on one core for all bootstrap samples: two to three minutes on two cores.

A bootstrap sample may take twice as long as the answers, on which the estimates are based.
"""
USUAL_BOOTSTRAP, FEWEST_BOOTSTRAP = 200, 50
"""Default number of bootstrap samples, and the fewest for a slow method."""


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


def compare_where_possible(
    comparisons: ListedComparisons, seed: int, progress: Progress | None
) -> MethodComparison | None:
    """Return the comparison of methods, or None if there are too few answers to hold some out."""
    if n_separate(comparisons) < FEWEST_TO_COMPARE:
        return None
    return compare_methods(comparisons, seed=seed, progress=progress)


def n_separate(comparisons: ListedComparisons) -> int:
    """Return the number of answers that can be held out separately."""
    return len(np.unique(comparisons.answer_ids))


def choose_method(
    methods: MethodComparison | None, comparisons: ListedComparisons, n_bootstrap: int
) -> tuple[Candidate, str]:
    """Return the method and the reason: as "auto", without methods that take too long.

    These would need more than `LONGEST_SUPPORT` for so many bootstrap samples.
    """
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
