"""Cross-validation: folds of answers, trees without a fold, and their held-out scores."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ordlink._html import Shown
from ordlink._parallel import check_n_jobs, run_tasks, use_jobs
from ordlink._typing import FloatArray, Int32Array, LabelArray, Progress
from ordlink._validate import Seed, check_whole_number, random_generator, seed_number
from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.errors import InputError, InputKindError, OrdlinkWarning, TooFewAnswersError
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import initial_partition, permute_objects, restore_objects
from ordlink.methods import DEFAULT_METHOD, InitialClusters, build_tree, find_method, repeatable
from ordlink.metrics import comparison_accuracy, normalised_comparison_revenue
from ordlink.validation._consistency import UNKNOWN, annotators_of

FoldsBy = Literal["people", "answers"]
"""What a fold keeps together: all answers of one person, or the comparisons of each answer."""


@dataclass(frozen=True, eq=False)
class CrossValidation(Shown):
    """Held-out scores of a method, fold by fold: arrays of shape (n_repetitions, n_folds)."""

    method: str
    accuracies: FloatArray  # share of the held-out comparisons that the tree agrees with
    revenues: FloatArray  # normalised revenue of the tree over the held-out comparisons
    folds_by: FoldsBy = "answers"
    """Folds of people, whom no tree has seen, or of answers where people are unknown or too few."""

    @property
    def accuracy(self) -> float:
        """Mean held-out accuracy."""
        return float(self.accuracies.mean())

    @property
    def accuracy_error(self) -> float:
        """Standard error of the mean accuracy, see `cross_validate`."""
        return float(standard_error(self.accuracies))

    @property
    def revenue(self) -> float:
        """Mean held-out normalised revenue."""
        return float(self.revenues.mean())

    @property
    def revenue_error(self) -> float:
        """Standard error of the mean revenue."""
        return float(standard_error(self.revenues))


def cross_validate(
    comparisons: ListedComparisons,
    method: str = DEFAULT_METHOD,
    *,
    n_folds: int = 5,
    n_repetitions: int = 1,
    by_annotator: bool | None = None,
    seed: Seed = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> CrossValidation:
    """Return how well trees predict held-out answers.

    Each fold is held out in turn, and the tree of all others is scored on it by
    `comparison_accuracy` and `normalised_comparison_revenue`. The folds are those of
    `assign_folds` for the seeds seed, seed + 1, ... They are the same for all methods, so that
    methods can be compared fold by fold. Each tree is built with the objects in random order,
    also the same for all methods: ties, which go to the objects that come first, are decided by
    chance. The standard error is that over folds, averaged over repetitions: further repetitions
    reduce the variance due to the split, but add no data.

    Parameters
    ----------
    comparisons : ListedComparisons
        All answers.
    method : str
        A method that takes comparisons.
    n_folds, by_annotator
        As in `assign_folds`.
    n_repetitions : int
        Number of different splits into folds.
    seed : int, numpy.random.Generator or None
        Random seed of the folds and of the order of the objects.
    n_jobs : int, optional
        Number of processes, as in `compare_methods`; the result does not depend on it.
    progress : callable, optional
        Called with (trees built, total trees).
    **options
        Options of the method, as for `ordlink.cluster`.

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=5, gap=1.0, noise=0.1, seed=0)
    >>> c = ol.Comparisons.from_similarities(planted.similarities, 0.2, seed=0)
    >>> round(cross_validate(c, "4-AL").accuracy, 2)
    0.81
    """
    name = find_method(method).name
    n_repetitions = check_whole_number(n_repetitions, "n_repetitions", lowest=1)
    first = seed_number(seed)
    n_jobs = check_n_jobs(n_jobs)
    all_folds = {
        draw: assign_folds(comparisons, n_folds, by_annotator=by_annotator, seed=draw)
        for draw in range(first, first + n_repetitions)
    }
    tasks = [(draw, fold) for draw in all_folds for fold in range(n_folds)]
    shared = comparisons, all_folds, name, options
    scores = run_tasks(_score_fold, tasks, n_jobs=n_jobs, shared=shared, progress=progress)
    accuracies, revenues = np.array(scores).T.reshape(2, n_repetitions, n_folds)
    folds_by = units_by(comparisons, by_annotator=by_annotator, fewest=n_folds)
    return CrossValidation(name, accuracies, revenues, folds_by)


def _score_fold(
    shared: tuple[ListedComparisons, dict[int, LabelArray], str, dict[str, Any]],
    draw: int,
    fold: int,
) -> tuple[float, float]:
    """Return the accuracy and revenue on one fold of the tree of the others."""
    comparisons, all_folds, method, options = shared
    is_out = all_folds[draw] == fold
    held_out = comparisons.take(is_out)
    tree = grow_shuffled(comparisons.take(~is_out), method, rng_of_fold(draw, fold), **options)
    return comparison_accuracy(held_out, tree), normalised_comparison_revenue(held_out, tree)


def settle_method(
    comparisons: Comparisons,
    method: str,
    seed: int,
    options: dict[str, Any],
    n_jobs: int | None = None,
) -> tuple[str, dict[str, Any]]:
    """Return the method and options of many trees: for "auto", what it chooses of all answers."""
    name = find_method(method).name
    if name != "auto":
        return name, options
    with quietly(), use_jobs(n_jobs):
        tree = build_tree(comparisons, name, **{"seed": seed, **options})
    method, chosen = repeatable(tree, name)
    return method, {**{key: one for key, one in options.items() if key != "seed"}, **chosen}


@contextmanager
def quietly() -> Iterator[None]:
    """Suppress warnings; Ctrl-C ends the whole work instead of giving the best tree so far."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        warnings.filterwarnings("error", "interrupted", OrdlinkWarning)
        try:
            yield
        except OrdlinkWarning:
            raise KeyboardInterrupt from None


def check_comparisons(comparisons: object) -> None:
    """Raise InputKindError unless these are comparisons."""
    if not isinstance(comparisons, Comparisons):
        raise InputKindError(
            f"expected Comparisons, got {type(comparisons).__name__}",
            parameter="comparisons",
            remedy="make them with Comparisons.from_triplets, from_quadruplets or "
            "from_similarities",
        )


def check_tree(tree: object, n_objects: int) -> Hierarchy:
    """Return the tree if it is one of so many objects."""
    if not isinstance(tree, Hierarchy):
        raise InputKindError(f"expected a Hierarchy, got {type(tree).__name__}", parameter="tree")
    if tree.n_objects != n_objects:
        problem = f"expected a tree of {n_objects} objects, got one of {tree.n_objects}"
        raise InputError(problem, parameter="tree")
    return tree


def check_listed(comparisons: object) -> None:
    """Raise InputKindError unless these are comparisons listed one by one."""
    check_comparisons(comparisons)
    if not isinstance(comparisons, ListedComparisons):
        raise InputKindError(
            f"expected comparisons listed one by one, got {type(comparisons).__name__}",
            parameter="comparisons",
            remedy="sample some of them with comparisons.sample(0.1)",
        )


def assign_folds(
    comparisons: ListedComparisons,
    n_folds: int = 5,
    *,
    by_annotator: bool | None = None,
    seed: Seed = 0,
) -> LabelArray:
    """Return the fold of each comparison; it depends on the comparisons and the seed alone.

    Comparisons of one answer share a fold. Where annotators are known, so do all answers of one
    person, and a held-out fold consists of people whom no tree has seen; an answer without an
    annotator is a unit of its own. The largest units are assigned first, each to the fold with
    the fewest comparisons, so that folds are about equally large.

    Parameters
    ----------
    comparisons, seed
        As in `cross_validate`.
    n_folds : int
        At least 2, at most the number of answers or people (`TooFewAnswersError`).
    by_annotator : bool, optional
        Whether people stay together; by default where there are at least `n_folds` of them.

    Returns
    -------
    ndarray of shape (n_rows,), dtype intp
        From 0 to n_folds - 1.

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> answers = Comparisons.from_most_central([[0, 1, 2], [3, 1, 2]])
    >>> assign_folds(answers, n_folds=2).tolist()
    [0, 0, 1, 1]
    """
    check_listed(comparisons)
    n_folds = check_whole_number(n_folds, "n_folds", lowest=2)
    units = answer_units(comparisons, by_annotator=by_annotator, fewest=n_folds)
    weights = np.bincount(units, weights=comparisons.counts)
    if len(weights) < n_folds:
        what = "annotators" if by_annotator else "answers"
        raise TooFewAnswersError(
            f"expected at most {len(weights)}, the number of {what}, got {n_folds}",
            parameter="n_folds",
            remedy="ask for fewer folds",
        )
    order = random_generator(seed).permutation(len(weights))
    order = order[np.argsort(-weights[order], kind="stable")]
    fold_of_unit = np.empty(len(weights), dtype=np.intp)
    if weights.min() == weights.max():
        fold_of_unit[order] = np.arange(len(order)) % n_folds
    else:
        filled = np.zeros(n_folds)
        for unit in order.tolist():
            fold = int(filled.argmin())
            fold_of_unit[unit] = fold
            filled[fold] += weights[unit]
    return fold_of_unit[units]


def answer_units(
    comparisons: ListedComparisons, *, by_annotator: bool | None, fewest: int
) -> LabelArray:
    """Return the unit of each comparison: its annotator if `units_by` says so, else its answer."""
    answers = np.unique(comparisons.answer_ids, return_inverse=True)[1].ravel()
    if units_by(comparisons, by_annotator=by_annotator, fewest=fewest) == "answers":
        return answers
    people, names = annotators_of(comparisons)
    units = np.where(people == UNKNOWN, len(names) + answers, people)
    return np.unique(units, return_inverse=True)[1].ravel()


def units_by(comparisons: ListedComparisons, *, by_annotator: bool | None, fewest: int) -> FoldsBy:
    """Return the units of folds: by default people if at least `fewest` of them are known."""
    n_known = len(annotators_of(comparisons)[1])
    if by_annotator is None:
        return "people" if 0 < n_known >= fewest else "answers"
    if by_annotator and not n_known:
        raise InputError(
            "expected an annotator for each answer, got none",
            parameter="by_annotator",
            remedy="pass {annotators} when you make the comparisons, or leave out {by_annotator}",
        )
    return "people" if by_annotator else "answers"


def rng_of_fold(seed: int, fold: int) -> np.random.Generator:
    """Return the generator of the object order for a fold; the same for all methods."""
    return np.random.default_rng([seed, 1 + fold])  # a 0 would repeat the draw of the folds


def standard_error(scores: FloatArray) -> FloatArray:
    """Return the error of means over folds (axis 1), averaged over repetitions (axis 0)."""
    errors = scores.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
    return np.asarray(errors.mean(axis=0))


def grow_shuffled(
    comparisons: ListedComparisons,
    method: str,
    rng: np.random.Generator,
    *,
    initial_clusters: InitialClusters = None,
    **options: Any,
) -> Hierarchy:
    """Return a method's tree, built with the objects in random order, then renumbered back.

    Ties go to the objects that come first. In file order, trees of few answers would agree merely
    because of ties, and would predict well where objects are listed by category. Warnings are
    suppressed: gaps and ties in a part of the answers say nothing about the whole.
    """
    order = random_order(comparisons.n_objects, rng)
    return grow_in_order(comparisons, method, order, initial_clusters=initial_clusters, **options)


def grow_in_order(
    comparisons: ListedComparisons,
    method: str,
    order: Int32Array,
    *,
    initial_clusters: InitialClusters = None,
    **options: Any,
) -> Hierarchy:
    """Return a method's tree as `grow_shuffled` does, with the objects in the order given."""
    initial_partition(comparisons.n_objects, initial_clusters)  # errors name the original numbers
    with quietly():
        tree = build_tree(
            permute_objects(comparisons, order),
            method,
            initial_clusters=relabel_clusters(initial_clusters, order),
            **options,
        )
    return restore_objects(tree, order, comparisons.names)


def random_order(n_objects: int, rng: np.random.Generator) -> Int32Array:
    """Return the objects in random order."""
    return rng.permutation(n_objects).astype(np.int32)


def relabel_clusters(clusters: InitialClusters, order: Int32Array) -> list[list[int]] | None:
    """Return initial clusters once object ``order[k]`` is called k."""
    if clusters is None:
        return None
    new_number = np.argsort(order)
    return [new_number[np.asarray(cluster, dtype=np.intp)].tolist() for cluster in clusters]
