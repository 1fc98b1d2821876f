"""Methods compared on the same held-out answers."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from ordlink._html import Shown
from ordlink._parallel import check_n_jobs, run_tasks, use_jobs
from ordlink._typing import FloatArray, LabelArray, Progress
from ordlink._validate import Seed, check_whole_number, seed_number
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, OrdlinkError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import initial_partition
from ordlink.methods import InitialClusters, cluster, repeatable
from ordlink.metrics import comparison_accuracy, normalised_comparison_revenue, triplet_distance
from ordlink.validation._candidates import Candidate, choose_candidates, recommend
from ordlink.validation._cross_validation import (
    CrossValidation,
    FoldsBy,
    assign_folds,
    check_listed,
    grow_shuffled,
    quietly,
    rng_of_fold,
    units_by,
)

SETTLED = ("auto", "spectral")
"""Methods that choose by cross-validation, once, of all answers."""
FEWEST_TO_COMPARE = 20
"""With fewer answers, held-out folds cannot distinguish methods."""


@dataclass(frozen=True, eq=False)
class MethodScores:
    """The scores of one candidate."""

    label: str
    method: str
    options: Mapping[str, Any]
    held_out: CrossValidation
    in_sample_accuracy: float  # share of all comparisons that the tree of all answers agrees with
    difference: float  # mean accuracy of the best candidate minus this one, paired over folds
    difference_error: float  # its standard error
    seconds: float
    """To build a tree, the median over all of them; of methods that choose, to choose as well,
    unless spectral's kind of tree is known from auto."""
    tree: Hierarchy  # of all answers

    def as_row(self) -> dict[str, float | str | None]:
        """Return the scores by name; NaN becomes None."""
        held_out = ("accuracy", "accuracy_error", "revenue", "revenue_error")
        own = ("in_sample_accuracy", "difference", "difference_error", "seconds")
        row = {name: getattr(self.held_out, name) for name in held_out}
        row |= {name: getattr(self, name) for name in own}
        known = {name: value if np.isfinite(value) else None for name, value in row.items()}
        return {"candidate": self.label, **known}


@dataclass(frozen=True, eq=False)
class MethodComparison(Shown):
    """The scores of all candidates on the same folds."""

    scores: tuple[MethodScores, ...]  # by held-out accuracy, the best first
    recommended: str
    reason: str  # why it is recommended, in one sentence
    left_out: dict[str, str]  # candidates that were not compared, and why
    agreement: FloatArray
    """Share of the triples of objects of which the trees of two candidates join the same two first:
    1 minus `ordlink.metrics.triplet_distance`, in the order of `scores`; 1/3 for unrelated trees.
    Ties are decided by chance, separately for each candidate: trees of few answers would look alike
    if they shared their ties."""

    def __getitem__(self, label: str) -> MethodScores:
        for scores in self.scores:
            if scores.label == label:
                return scores
        known = ", ".join(scores.label for scores in self.scores)
        raise InputError(f"{label!r} was not compared; the methods compared are {known}")

    @property
    def folds_by(self) -> FoldsBy:
        """Units of the folds: "people", or "answers" where people are too few."""
        return self.best.held_out.folds_by

    @property
    def best(self) -> MethodScores:
        """The candidate with the highest held-out accuracy."""
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
    trees of all answers are those of `ordlink.cluster`. Candidates whose held-out accuracy is at
    most one standard error below the best, paired over folds, tie with it; of those, the first in
    the order of `CANDIDATES` is recommended: auto, the default method, then spectral, the 2-D
    embeddings, 4K-AL, 4-AL, AddS-AL. What auto and spectral choose by their own cross-validation,
    the method and the kind of tree, is chosen once, of all answers.

    Parameters
    ----------
    methods : sequence of str or Candidate, optional
        Labels of `CANDIDATES`, names of methods (with their default options) or candidates with
        options of their own. By default all of `CANDIDATES` except those that would take more
        than two minutes at this number of objects and answers.
    comparisons, n_folds, n_repetitions, by_annotator, initial_clusters, seed
        As in `cross_validate` and `ordlink.cluster`.
    n_jobs : int, optional
        Number of processes, 1 by default, -1 for all cores; joblib's backend may be chosen with
        ``joblib.parallel_config``. Only the seconds depend on it.
    progress : callable, optional
        Called with (trees built, total trees).

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
    initial_partition(comparisons.n_objects, initial_clusters)
    choosing = [candidate for candidate in candidates if candidate.method in SETTLED]
    n_trees = n_folds * n_repetitions + 1  # of each candidate; choosing counts as so many, too
    n_steps = n_trees * (len(choosing) + len(candidates))
    report = progress or (lambda _done, _total: None)
    settled: dict[str, Hierarchy] = {}
    own_seconds: dict[str, float] = {}
    for number, candidate in enumerate(choosing):
        started = time.perf_counter()
        how = {"initial_clusters": initial_clusters, **candidate.options}
        if candidate.method == "auto":
            how = {"seed": first, **how}
        elif known := _known_kind(settled.values()):
            how = {"kind": known, **how}
        before = number * n_trees
        report(before, n_steps)
        with quietly(), use_jobs(n_jobs):
            settled[candidate.label] = cluster(
                comparisons,
                candidate.method,
                progress=partial(_report_part, report, before, n_trees, n_steps),
                **how,
            )
        own_seconds[candidate.label] = time.perf_counter() - started
    chosen = n_trees * len(choosing)
    job = Job(comparisons, folds, tuple(candidates), initial_clusters, first, settled)
    compared: dict[str, tuple[Candidate, CandidateRuns]] = {}
    for candidate, runs in zip(
        candidates,
        run_all(job, n_jobs, lambda done, _: report(chosen + done, n_steps)),
        strict=True,
    ):
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
        seconds = float(np.median([run.seconds for run in runs.all]))
        seconds = own_seconds.get(label, seconds)
        own = label, candidate.method, candidate.options, held_out[label], runs.whole.accuracy
        scores.append(MethodScores(*own, *advice.differences[label], seconds, runs.whole.tree))
    scores.sort(key=lambda one: (one.label != advice.best, -np.nan_to_num(one.held_out.accuracy)))
    # Trees of few answers would look alike if they shared their ties.
    own_ties = [compared[one.label][1].whole.shuffled or one.tree for one in scores]
    return MethodComparison(
        tuple(scores), advice.label, advice.reason, left_out, _agreement(own_ties)
    )


def _known_kind(trees: Iterable[Hierarchy]) -> str | None:
    """Return the kind of spectral's tree that auto has chosen by the same cross-validation."""
    for tree in trees:
        kinds = tree.parameters.get("kinds", ())
        if tree.method == "auto" and len(kinds) == 1:
            return str(kinds[0])
    return None


def _report_part(
    report: Progress, before: int, n_part: int, n_steps: int, done: int, total: int
) -> None:
    """Report the progress of a part of the work."""
    report(before + done * n_part // total, n_steps)


def _agreement(trees: Sequence[Hierarchy]) -> FloatArray:
    """Return 1 - triplet distance of every two trees; symmetric, since all are binary."""
    shares = np.eye(len(trees))
    for i, j in combinations(range(len(trees)), 2):
        shares[i, j] = shares[j, i] = 1 - triplet_distance(trees[i], trees[j])
    return shares


@dataclass(frozen=True)
class Run:
    """One tree and its scores on the held-out fold, or on all answers if none is held out."""

    accuracy: float = float("nan")
    revenue: float = float("nan")
    seconds: float = float("nan")  # to build the tree
    tree: Hierarchy | None = None  # of all answers; those of parts are not kept
    shuffled: Hierarchy | None = None  # the same, objects in another order, if ties decide merges
    problem: str = ""  # why there is no tree


@dataclass(frozen=True)
class Job:
    """What all runs share."""

    comparisons: ListedComparisons
    folds: tuple[LabelArray, ...]  # the fold of each comparison, in each repetition
    candidates: tuple[Candidate, ...]
    initial_clusters: InitialClusters
    seed: int
    settled: Mapping[str, Hierarchy]  # the trees of candidates that choose once, of all answers


@dataclass(frozen=True)
class CandidateRuns:
    """The runs of one candidate: on all answers, and by repetition and fold."""

    whole: Run
    parts: list[list[Run]]

    @property
    def all(self) -> list[Run]:
        """All runs; the one on all answers is first, so that messages name the original objects."""
        return [self.whole, *(run for part in self.parts for run in part)]


def run_all(job: Job, n_jobs: int | None, progress: Progress | None) -> list[CandidateRuns]:
    """Return the runs of each candidate; only seconds depend on the number of processes."""
    n_folds = int(job.folds[0].max()) + 1
    places = [(-1, -1), *((r, fold) for r in range(len(job.folds)) for fold in range(n_folds))]
    tasks = [(number, *place) for number in range(len(job.candidates)) for place in places]
    runs = run_tasks(_run, tasks, n_jobs=n_jobs, shared=job, progress=progress)
    found = []
    for first in range(0, len(runs), len(places)):
        whole, *parts = runs[first : first + len(places)]
        split = [parts[start : start + n_folds] for start in range(0, len(parts), n_folds)]
        found.append(CandidateRuns(whole, split))
    return found


def _run(job: Job, number: int, repetition: int, fold: int) -> Run:
    """Build and score one tree; without warnings, since a part says nothing about the whole.

    The tree of all answers is that of `ordlink.cluster`. Where ties decide some of its merges, it
    is built once more with the objects in random order, to be compared with other candidates.
    """
    method = job.candidates[number].method
    options = {"initial_clusters": job.initial_clusters, **job.candidates[number].options}
    settled = job.settled.get(job.candidates[number].label)
    if settled is not None:
        if method == "auto":
            options = {"initial_clusters": job.initial_clusters}
        method, chosen = repeatable(settled, method)
        options |= chosen
    known = held_out = job.comparisons
    if fold >= 0:
        folds = job.folds[repetition]
        known, held_out = known.take(folds != fold), known.take(folds == fold)
    shuffled = None
    with quietly():
        started = time.perf_counter()
        try:
            if fold >= 0:
                rng = rng_of_fold(job.seed + repetition, fold)
                tree = grow_shuffled(known, method, rng, **options)
            else:
                tree = settled or cluster(known, method, **options)
            seconds = time.perf_counter() - started
            if fold < 0 and tree.n_tied_merges:
                rng = np.random.default_rng([job.seed, 0, 1 + number])
                shuffled = grow_shuffled(known, method, rng, **options)
        except (OrdlinkError, np.linalg.LinAlgError) as error:
            return Run(problem=str(error) or type(error).__name__)
    return Run(
        comparison_accuracy(held_out, tree),
        normalised_comparison_revenue(held_out, tree),
        seconds,
        tree if fold < 0 else None,
        shuffled,
    )
