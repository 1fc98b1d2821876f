"""Methods compared on the same held-out answers, and which of them to take."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ordlink._typing import FloatArray, Progress
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import InitialClusters
from ordlink.metrics import triplet_distance
from ordlink.validation._candidates import Candidate, choose_candidates
from ordlink.validation._checks import check_listed, check_whole_number
from ordlink.validation._comparison_runs import Place, Run, Runs, run_all
from ordlink.validation._cross_validation import CrossValidation
from ordlink.validation._folds import FoldsBy, assign_folds, units_by
from ordlink.validation._method_scores import MethodComparison, MethodScores
from ordlink.validation._recommendation import Recommendation, recommend


def compare_methods(
    comparisons: ListedComparisons,
    methods: Sequence[str | Candidate] | None = None,
    *,
    n_folds: int = 5,
    n_repetitions: int = 1,
    by_annotator: bool | None = None,
    initial_clusters: InitialClusters = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> MethodComparison:
    """Return how well the trees of several methods predict held-out answers, and which to take.

    All candidates get the same folds and the same order of the objects, those of `cross_validate`;
    the trees of all answers are those of `ordlink.cluster`. Held-out accuracy decides: candidates
    that are not clearly behind the best, in pairs over folds, tie with it, and of those that tie
    the first in the order of `CANDIDATES` is recommended: spectral, which needs the fewest answers,
    then the embeddings in the plane, 4K-AL, 4-AL, AddS-AL.

    Parameters
    ----------
    comparisons : ListedComparisons
        All answers.
    methods : sequence of str or Candidate, optional
        Labels of `CANDIDATES`, names of methods (with their default options) or candidates with
        options of their own. By default all of `CANDIDATES`, less those that would take more than
        two minutes at this number of objects and answers.
    n_folds, n_repetitions, by_annotator, seed
        As in `cross_validate`.
    initial_clusters : sequence of sequences of int, optional
        As in `ordlink.cluster`.
    n_jobs : int, optional
        Number of processes; 1 by default. A script that asks for more must do so under
        ``if __name__ == "__main__":``, as always with processes. They take two seconds to start.
    progress : callable, optional
        Called with (trees built, trees in all).

    Returns
    -------
    MethodComparison
        But for the seconds, the same for the same seed, on any number of processes.

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
    seed = check_whole_number(seed, "seed", lowest=0)
    size = 1 if n_jobs is None else check_whole_number(n_jobs, "n_jobs", lowest=1)
    folds = tuple(
        assign_folds(comparisons, n_folds, by_annotator=by_annotator, seed=seed + repetition)
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
    runs = Runs(comparisons, folds, tuple(candidates), initial_clusters, seed)
    folds_by = units_by(comparisons, by_annotator=by_annotator, fewest=n_folds)
    outcomes = _Outcomes(runs, run_all(runs, size, progress), n_folds, folds_by)
    compared = []
    for number, candidate in enumerate(candidates):
        problem = outcomes.problem(number)
        if not problem:
            compared.append(number)
        elif methods is None:
            left_out[candidate.label] = problem
        else:
            raise InputError(f"{candidate.label}: {problem}")
    if not compared:
        raise InputError(f"no method could be run: {'; '.join(left_out.values())}")
    held_out = {candidates[number].label: outcomes.held_out(number) for number in compared}
    advice = recommend({label: scores.accuracies for label, scores in held_out.items()})
    scores = [outcomes.scores(number, advice) for number in compared]
    scores.sort(key=lambda one: (one.label != advice.best, -np.nan_to_num(one.held_out.accuracy)))
    return MethodComparison(
        tuple(scores),
        advice.label,
        advice.reason,
        left_out,
        _agreement([outcomes.tree_to_compare(one.label) for one in scores]),
    )


@dataclass(frozen=True)
class _Outcomes:
    """All runs, put together by candidate."""

    runs: Runs
    done: Mapping[Place, Run]
    n_folds: int
    folds_by: FoldsBy

    def problem(self, number: int) -> str:
        """Return why a candidate has no tree, or nothing."""
        whole = self.done[number, -1, -1]  # speaks of objects in their own numbers
        problems = (run.problem for place, run in self.done.items() if place[0] == number)
        return whole.problem or next(filter(None, problems), "")

    def held_out(self, number: int) -> CrossValidation:
        parts = [
            [self.done[number, repetition, fold] for fold in range(self.n_folds)]
            for repetition in range(len(self.runs.folds))
        ]
        return CrossValidation(
            self.runs.candidates[number].method,
            np.array([[run.accuracy for run in part] for part in parts]),
            np.array([[run.revenue for run in part] for part in parts]),
            self.folds_by,
        )

    def scores(self, number: int, advice: Recommendation) -> MethodScores:
        candidate, whole = self.runs.candidates[number], self.done[number, -1, -1]
        assert whole.tree is not None
        seconds = [run.seconds for place, run in self.done.items() if place[0] == number]
        return MethodScores(
            candidate.label,
            candidate.method,
            candidate.options,
            self.held_out(number),
            whole.accuracy,
            *advice.differences[candidate.label],
            float(np.median(seconds)),
            whole.tree,
        )

    def tree_to_compare(self, label: str) -> Hierarchy:
        """Return a tree of all answers whose ties are not those of other candidates."""
        labels = [candidate.label for candidate in self.runs.candidates]
        whole = self.done[labels.index(label), -1, -1]
        tree = whole.shuffled or whole.tree
        assert tree is not None
        return tree


def _agreement(trees: Sequence[Hierarchy]) -> FloatArray:
    """Return 1 - triplet distance of every two trees; symmetric, since all are binary."""
    shares = np.eye(len(trees))
    for i, tree in enumerate(trees):
        for j in range(i):
            shares[i, j] = shares[j, i] = 1 - triplet_distance(trees[j], tree)
    return shares
