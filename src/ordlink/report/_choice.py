"""Which method a report takes, how many replicates, and why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
"""Estimated seconds of one core for all replicates: two to three minutes on two cores.

A replicate may take twice as long as a tree of the answers, on which the estimates are based.
"""
USUAL_REPLICATES, FEWEST_REPLICATES = 200, 50
"""Where no number is asked for: so many, or fewer of a slow method, but no fewer than these."""


def find_candidate(method: str) -> Candidate:
    """Return the candidate of this label, or else the method of this name with its defaults."""
    if method in CANDIDATES:
        return CANDIDATES[method]
    found = find_method(method)
    if found.needs != "comparisons":
        raise InputError(
            f"{found.name} needs {found.needs}; for a report of answers use {', '.join(CANDIDATES)}"
        )
    return Candidate(found.name, found.name)


def compare_where_possible(
    comparisons: ListedComparisons, seed: int, progress: Progress | None
) -> MethodComparison | None:
    """Return all methods compared, or None where answers are too few to hold some out."""
    if n_separate(comparisons) < FEWEST_TO_COMPARE:
        return None
    return compare_methods(comparisons, seed=seed, progress=progress)


def n_separate(comparisons: ListedComparisons) -> int:
    """Return the number of answers that can be held out one by one; counts go with them."""
    return len(np.unique(comparisons.answer_ids))


def choose_method(
    methods: MethodComparison | None, comparisons: ListedComparisons, n_replicates: int
) -> tuple[Candidate, str]:
    """Return the method to take and why, as "auto" does but for methods that take too long.

    These are the methods that do not make so many replicates in `LONGEST_SUPPORT`.
    """
    if methods is None:
        return CANDIDATES["spectral"], (
            f"there are fewer than {FEWEST_TO_COMPARE} separate answers, too few to hold some out; "
            "spectral needs the fewest."
        )
    seconds = {
        one.label: n_replicates * _seconds_per_replicate(one.method, comparisons)
        for one in methods.scores
    }
    fast = [label for label in seconds if seconds[label] <= LONGEST_SUPPORT]
    if methods.recommended in fast:
        return CANDIDATES[methods.recommended], methods.reason
    label = fast[0] if fast else min(seconds, key=seconds.__getitem__)
    return CANDIDATES[label], _why_not_the_recommended(label, methods, n_replicates, fast)


def choose_replicates(candidate: Candidate, comparisons: ListedComparisons) -> tuple[int, str]:
    """Return how many replicates to make where no number is asked for, and why so many."""
    seconds = _seconds_per_replicate(candidate.method, comparisons)
    if USUAL_REPLICATES * seconds <= LONGEST_SUPPORT:
        return USUAL_REPLICATES, "the usual number"
    if FEWEST_REPLICATES * seconds > LONGEST_SUPPORT:
        return FEWEST_REPLICATES, f"few, since {candidate.label} is slow with so many answers"
    fitting = int(LONGEST_SUPPORT / seconds)
    return fitting, f"about as many as {candidate.label} makes in two minutes"


def _seconds_per_replicate(method: str, comparisons: ListedComparisons) -> float:
    """Return an estimate, not what was measured: the same answers give the same page anywhere."""
    return estimate_seconds(method, comparisons.n_objects, comparisons.n_rows)


def _why_not_the_recommended(
    label: str, methods: MethodComparison, n_replicates: int, fast: Sequence[str]
) -> str:
    """Return why the best of the fast methods is taken, or the fastest where none is fast."""
    best, replicates = methods.best, f"{n_replicates:,} replicates"
    gap = best.held_out.accuracy - methods[label].held_out.accuracy
    if not fast:
        reason = f"no method makes {replicates} in two minutes, and {label} is the fastest"
    elif gap > 0:
        reason = (
            f"of the methods whose {replicates} take at most two minutes, {label} predicts "
            "held-out answers best"
        )
    else:
        reason = (
            f"{label} predicts held-out answers best; {methods.recommended}, which is preferred "
            f"where the two cannot be told apart, is too slow for {replicates}"
        )
    if gap > 0:
        points = f"{100 * gap:.1f}" if gap >= 0.001 else "less than 0.1"
        reason += (
            f"; the accuracy of {best.label} is higher by {points} points, so ask for it by name "
            "if its support is worth waiting for"
        )
    return reason + "."
