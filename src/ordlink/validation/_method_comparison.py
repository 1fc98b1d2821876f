"""Methods compared on the same held-out answers, and which of them to use."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._parallel import check_n_jobs
from ordlink._typing import FloatArray, Progress
from ordlink._validate import Seed, check_whole_number, seed_number
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import InitialClusters
from ordlink.metrics import triplet_distance
from ordlink.validation._candidates import Candidate, choose_candidates
from ordlink.validation._comparison_runs import CandidateRuns, Job, run_all
from ordlink.validation._cross_validation import CrossValidation
from ordlink.validation._folds import FoldsBy, assign_folds, check_listed, units_by
from ordlink.validation._recommendation import recommend


@dataclass(frozen=True, eq=False)
class MethodScores:
    """The scores of one candidate.

    Attributes
    ----------
    label : str
        Name of the candidate.
    method : str
        Name of its method.
    options : mapping
        Options of the method.
    held_out : CrossValidation
        Accuracy and revenue on held-out answers, fold by fold, with standard errors.
    in_sample_accuracy : float
        Share of all comparisons that the tree of all answers agrees with; higher than the
        held-out accuracy, since the tree has seen them.
    difference, difference_error : float
        Mean accuracy of the best candidate minus that of this one, paired over folds, and its
        standard error.
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
        """Return the scores by name; NaN becomes None."""
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
    """The scores of all candidates on the same folds.

    Attributes
    ----------
    scores : tuple of MethodScores
        By held-out accuracy, the best first.
    recommended : str
        Label of the recommended candidate.
    reason : str
        Why it is recommended, in one sentence.
    left_out : dict of str to str
        Candidates that were not compared, and why.
    agreement : ndarray of shape (n_candidates, n_candidates), dtype float64
        Share of the triples of objects of which the trees of two candidates join the same two
        first: 1 minus `ordlink.metrics.triplet_distance`, in the order of `scores`; 1/3 for
        unrelated trees. Ties are decided by chance here, separately for each candidate: trees of
        few answers would look alike if they shared their ties.
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
        raise InputError(f"{label!r} was not compared; compared were {known}")

    @property
    def folds_by(self) -> FoldsBy:
        """Units of the folds: "people", or "answers" where people are too few."""
        return self.best.held_out.folds_by

    @property
    def best(self) -> MethodScores:
        """The candidate of the highest held-out accuracy."""
        return self.scores[0]

    @property
    def tree(self) -> Hierarchy:
        """The recommended candidate's tree of all answers."""
        return self[self.recommended].tree


def compare_methods(
    comparisons: ListedComparisons,
    methods: Sequence[str | Candidate] | None = None,
    *,
    n_folds: int = 5,
    n_repetitions: int = 1,
    by_annotator: bool | None = None,
    initial_clusters: InitialClusters = None,
    seed: Seed = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> MethodComparison:
    """Return how well the trees of several methods predict held-out answers, and which to use.

    All candidates share the folds and the order of the objects, those of `cross_validate`; the
    trees of all answers are those of `ordlink.cluster`. Candidates whose held-out accuracy is not
    significantly below the best, paired over folds, tie with it; of those, the first in the order
    of `CANDIDATES` is recommended: spectral, which needs the fewest answers, then the 2-D
    embeddings, 4K-AL, 4-AL, AddS-AL.

    Parameters
    ----------
    comparisons : ListedComparisons
        All answers.
    methods : sequence of str or Candidate, optional
        Labels of `CANDIDATES`, names of methods (with their default options) or candidates with
        options of their own. By default all of `CANDIDATES` except those that would take more
        than two minutes at this number of objects and answers.
    n_folds, n_repetitions, by_annotator, seed
        As in `cross_validate`.
    initial_clusters : sequence of sequences of int, optional
        As in `ordlink.cluster`.
    n_jobs : int, optional
        Number of processes, 1 by default, -1 for all cores; joblib's backend may be chosen with
        ``joblib.parallel_config``.
    progress : callable, optional
        Called with (trees built, trees in all).

    Returns
    -------
    MethodComparison
        Except for the seconds, it depends on the seed but not on `n_jobs`.

    Raises
    ------
    InputError, InputKindError
        As in `assign_folds` and `ordlink.cluster`, or if a method is not known.

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=4, gap=1.0, seed=0)
    >>> answers = ol.datasets.simulate_answers(planted.similarities, 400, seed=0)
    >>> c = ol.Comparisons.from_triplets(answers, n_objects=16)
    >>> compare_methods(c, ["4-AL", "AddS-AL"]).recommended
    '4-AL'
    """
    check_listed(comparisons)
    n_repetitions = check_whole_number(n_repetitions, "n_repetitions", lowest=1)
    first = seed_number(seed)
    n_jobs = check_n_jobs(n_jobs)
    folds = tuple(
        assign_folds(comparisons, n_folds, by_annotator=by_annotator, seed=first + repetition)
        for repetition in range(n_repetitions)
    )
    candidates, left_out = choose_candidates(
        methods,
        n_objects=comparisons.n_objects,
        n_comparisons=comparisons.n_rows,
        n_trees=n_folds * n_repetitions + 1,
    )
    for message in comparisons.warnings():
        warnings.warn(message, OrdlinkWarning, stacklevel=2)
    job = Job(comparisons, folds, tuple(candidates), initial_clusters, first)
    compared: dict[str, tuple[Candidate, CandidateRuns]] = {}
    for candidate, runs in zip(candidates, run_all(job, n_jobs, progress), strict=True):
        problem = next((run.problem for run in runs.all if run.problem), "")
        if not problem:
            compared[candidate.label] = candidate, runs
        elif methods is None:
            left_out[candidate.label] = problem
        else:
            raise InputError(f"{candidate.label}: {problem}")
    if not compared:
        raise InputError(f"no method could be run: {'; '.join(left_out.values())}")
    folds_by = units_by(comparisons, by_annotator=by_annotator, fewest=n_folds)
    held_out = {
        label: CrossValidation(
            candidate.method,
            np.array([[run.accuracy for run in part] for part in runs.parts]),
            np.array([[run.revenue for run in part] for part in runs.parts]),
            folds_by,
        )
        for label, (candidate, runs) in compared.items()
    }
    advice = recommend({label: scores.accuracies for label, scores in held_out.items()})
    scores = []
    for label, (candidate, runs) in compared.items():
        assert runs.whole.tree is not None
        scores.append(
            MethodScores(
                label,
                candidate.method,
                candidate.options,
                held_out[label],
                runs.whole.accuracy,
                *advice.differences[label],
                float(np.median([run.seconds for run in runs.all])),
                runs.whole.tree,
            )
        )
    scores.sort(key=lambda one: (one.label != advice.best, -np.nan_to_num(one.held_out.accuracy)))
    # Trees of few answers would look alike if they shared their ties.
    own_ties = [compared[one.label][1].whole.shuffled or one.tree for one in scores]
    return MethodComparison(
        tuple(scores), advice.label, advice.reason, left_out, _agreement(own_ties)
    )


def _agreement(trees: Sequence[Hierarchy]) -> FloatArray:
    """Return 1 - triplet distance of every two trees; symmetric, since all are binary."""
    shares = np.eye(len(trees))
    for i, tree in enumerate(trees):
        for j in range(i):
            shares[i, j] = shares[j, i] = 1 - triplet_distance(trees[j], tree)
    return shares
