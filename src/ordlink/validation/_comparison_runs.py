"""Runs of a comparison: each candidate on each fold and on all answers, on several processes."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass

import numpy as np

from ordlink._processes import worker_pool
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

Place = tuple[int, int, int]
"""Number of the candidate, of the repetition and of the fold held out; the last two may be -1."""


@dataclass(frozen=True)
class Run:
    """A tree, how it predicts the answers that it is judged by, and the seconds it took.

    Attributes
    ----------
    accuracy, revenue : float
        Over the fold held out, or over all answers where none was.
    seconds : float
        Time to build the tree.
    tree : Hierarchy or None
        The tree of all answers; those of parts are not kept.
    shuffled : Hierarchy or None
        The same with the objects in another order, where ties decide some merges.
    problem : str
        Why there is no tree; empty where there is one.
    """

    accuracy: float = float("nan")
    revenue: float = float("nan")
    seconds: float = float("nan")
    tree: Hierarchy | None = None
    shuffled: Hierarchy | None = None
    problem: str = ""


@dataclass(frozen=True)
class Runs:
    """What all runs share.

    Attributes
    ----------
    comparisons : ListedComparisons
        All answers.
    folds : tuple of ndarray of shape (n_rows,), dtype intp
        The fold of each comparison, in each repetition.
    candidates : tuple of Candidate
        What is compared.
    initial_clusters : sequence of sequences of int, or None
        As in `ordlink.cluster`.
    seed : int
        Draws the order of the objects for the trees of parts.
    """

    comparisons: ListedComparisons
    folds: tuple[LabelArray, ...]
    candidates: tuple[Candidate, ...]
    initial_clusters: InitialClusters = None
    seed: int = 0

    def places(self) -> list[Place]:
        """Return what is to be run: every candidate on all answers, and without each fold."""
        parts = [(-1, -1)] + [
            (repetition, fold)
            for repetition, folds in enumerate(self.folds)
            for fold in range(int(folds.max()) + 1)
        ]
        return [(number, *part) for number in range(len(self.candidates)) for part in parts]

    def run(self, place: Place) -> Run:
        """Build one tree and judge it; what is missing or tied in a part is no news.

        The tree of all answers is that of `ordlink.cluster`. Where ties decide some of it, it is
        grown once more with the objects in random order, to be held against other candidates.
        """
        number, repetition, fold = place
        method = self.candidates[number].method
        options = {"initial_clusters": self.initial_clusters, **self.candidates[number].options}
        known = judge = self.comparisons
        if fold >= 0:
            folds = self.folds[repetition]
            known, judge = known.take(folds != fold), known.take(folds == fold)
        shuffled = None
        with warnings.catch_warnings(), one_blas_thread():
            warnings.simplefilter("ignore", OrdlinkWarning)
            started = time.perf_counter()
            try:
                if fold >= 0:
                    rng = rng_of_fold(self.seed + repetition, fold)
                    tree = grow_shuffled(known, method, rng, **options)
                else:
                    tree = cluster(known, method, **options)
                seconds = time.perf_counter() - started
                if fold < 0 and tree.n_tied_merges:
                    rng = np.random.default_rng([self.seed, 0, 1 + number])
                    shuffled = grow_shuffled(known, method, rng, **options)
            except (OrdlinkError, np.linalg.LinAlgError) as error:
                return Run(problem=str(error) or type(error).__name__)
        return Run(
            comparison_accuracy(judge, tree),
            normalised_comparison_revenue(judge, tree),
            seconds,
            tree if fold < 0 else None,
            shuffled,
        )


def run_all(runs: Runs, n_jobs: int, progress: Progress | None) -> dict[Place, Run]:
    """Return every run; but for seconds, the same on any number of processes."""
    places = runs.places()
    done: dict[Place, Run] = {}
    pairs = (
        ((place, runs.run(place)) for place in places)
        if n_jobs == 1
        else _on_processes(runs, places, n_jobs)
    )
    hear = progress or (lambda _done, _total: None)
    hear(0, len(places))
    for place, run in pairs:
        done[place] = run
        hear(len(done), len(places))
    return done


def _on_processes(runs: Runs, places: Sequence[Place], n_jobs: int) -> Iterator[tuple[Place, Run]]:
    """Yield the runs as they end."""
    with worker_pool(min(n_jobs, len(places)), _start_worker, runs) as submit:
        waiting = dict(zip(submit(_run_in_worker, places), places, strict=True))
        for future in as_completed(waiting):
            yield waiting[future], future.result()


_shared: Runs | None = None
"""In a worker, what all its runs share."""


def _start_worker(runs: Runs) -> None:
    global _shared
    _shared = runs


def _run_in_worker(place: Place) -> Run:
    assert _shared is not None
    return _shared.run(place)
