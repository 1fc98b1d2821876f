"""The runs of a comparison of methods: each candidate without each fold, and on all answers."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np

from ordlink._parallel import run_tasks
from ordlink._threads import one_blas_thread
from ordlink._typing import LabelArray, Progress
from ordlink.comparisons import ListedComparisons
from ordlink.errors import OrdlinkError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import InitialClusters, cluster
from ordlink.metrics import comparison_accuracy, normalised_comparison_revenue
from ordlink.validation._candidates import Candidate
from ordlink.validation._folds import rng_of_fold
from ordlink.validation._shuffled import grow_shuffled


@dataclass(frozen=True)
class Run:
    """One tree and its scores on the fold held out, or on all answers where none was."""

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


@dataclass(frozen=True)
class CandidateRuns:
    """The runs of one candidate: on all answers, and by repetition and fold."""

    whole: Run
    parts: list[list[Run]]

    @property
    def all(self) -> list[Run]:
        """All runs, the one on all answers first: its messages name objects by their numbers."""
        return [self.whole, *(run for part in self.parts for run in part)]


def run_all(job: Job, n_jobs: int | None, progress: Progress | None) -> list[CandidateRuns]:
    """Return the runs of each candidate; but for seconds, the same on any number of processes."""
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
    known = held_out = job.comparisons
    if fold >= 0:
        folds = job.folds[repetition]
        known, held_out = known.take(folds != fold), known.take(folds == fold)
    shuffled = None
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore", OrdlinkWarning)
        started = time.perf_counter()
        try:
            if fold >= 0:
                rng = rng_of_fold(job.seed + repetition, fold)
                tree = grow_shuffled(known, method, rng, **options)
            else:
                tree = cluster(known, method, **options)
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
