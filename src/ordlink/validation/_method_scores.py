"""What a comparison of methods finds out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._typing import FloatArray
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.validation._cross_validation import CrossValidation
from ordlink.validation._folds import FoldsBy


@dataclass(frozen=True, eq=False)
class MethodScores:
    """How one candidate fares.

    Attributes
    ----------
    label : str
        What the candidate is called.
    method : str
        Name of its method.
    options : mapping
        Options of the method.
    held_out : CrossValidation
        Accuracy and revenue on held-out answers, fold by fold, with standard errors.
    in_sample_accuracy : float
        Share of all comparisons that the tree of all answers agrees with. Higher than the
        held-out accuracy, since the tree has seen them.
    difference, difference_error : float
        Mean accuracy of the best candidate minus that of this one, and the standard error of this
        difference, in pairs over folds.
    seconds : float
        Time to build a tree, the median over all of them.
    tree : Hierarchy
        The tree of all answers.
    """

    label: str
    method: str
    options: Mapping[str, Any]
    held_out: CrossValidation
    in_sample_accuracy: float
    difference: float
    difference_error: float
    seconds: float
    tree: Hierarchy

    def as_row(self) -> dict[str, float | str | None]:
        """Return the scores under short names; what is not a number becomes None."""
        row = {
            "accuracy": self.held_out.accuracy,
            "accuracy_error": self.held_out.accuracy_error,
            "revenue": self.held_out.revenue,
            "revenue_error": self.held_out.revenue_error,
            "in_sample_accuracy": self.in_sample_accuracy,
            "difference": self.difference,
            "difference_error": self.difference_error,
            "seconds": self.seconds,
        }
        return {
            "candidate": self.label,
            **{name: value if np.isfinite(value) else None for name, value in row.items()},
        }


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """Methods on the same folds, best first.

    Attributes
    ----------
    scores : tuple of MethodScores
        By held-out accuracy, the best first.
    recommended : str
        Label of the candidate to take.
    reason : str
        Why, in a sentence.
    left_out : dict of str to str
        Candidates that were not compared, and why.
    agreement : ndarray of shape (n_candidates, n_candidates), dtype float64
        Share of the triples of objects of which the trees of two candidates join the same two
        first: 1 minus `ordlink.metrics.triplet_distance`, in the order of `scores`. Trees that
        have nothing in common agree on 1/3. Unlike shared branches, it is graded: a large branch
        with one object out of place still counts for nearly all of its triples.
        Where ties decide merges of a tree, they are decided by chance here, for each candidate
        anew: of few answers, trees of the same ties would look alike.
    """

    scores: tuple[MethodScores, ...]
    recommended: str
    reason: str
    left_out: dict[str, str]
    agreement: FloatArray

    def __getitem__(self, label: str) -> MethodScores:
        for scores in self.scores:
            if scores.label == label:
                return scores
        known = ", ".join(scores.label for scores in self.scores)
        raise InputError(f"{label!r} was not compared; there are {known}")

    @property
    def folds_by(self) -> FoldsBy:
        """What the folds keep together: "people", or "answers" where people are too few."""
        return self.best.held_out.folds_by

    @property
    def best(self) -> MethodScores:
        """The candidate of the highest held-out accuracy."""
        return self.scores[0]

    @property
    def tree(self) -> Hierarchy:
        """The recommended candidate's tree of all answers."""
        return self[self.recommended].tree
