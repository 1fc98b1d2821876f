"""Cross-validation: trees scored on held-out answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._typing import FloatArray
from ordlink._validate import Seed, check_whole_number, seed_number
from ordlink.comparisons import ListedComparisons
from ordlink.methods import find_method
from ordlink.metrics import comparison_accuracy, normalised_comparison_revenue
from ordlink.validation._folds import FoldsBy, assign_folds, rng_of_fold, standard_error, units_by
from ordlink.validation._shuffled import grow_shuffled


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Held-out scores of a method, fold by fold.

    Attributes
    ----------
    method : str
        Name of the method.
    accuracies : ndarray of shape (n_repetitions, n_folds), dtype float64
        Share of the held-out comparisons that the tree of the others agrees with.
    revenues : ndarray of shape (n_repetitions, n_folds), dtype float64
        Normalised revenue of the tree over the held-out comparisons.
    folds_by : {"people", "answers"}
        Whether folds are of people, so that trees are scored on people whom they have not seen,
        or of single answers, where annotators are unknown or fewer than the folds.
    """

    method: str
    accuracies: FloatArray
    revenues: FloatArray
    folds_by: FoldsBy = "answers"

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
    method: str = "4-AL",
    *,
    n_folds: int = 5,
    n_repetitions: int = 1,
    by_annotator: bool | None = None,
    seed: Seed = 0,
    **options: Any,
) -> CrossValidation:
    """Return how well trees predict held-out answers.

    Each fold is held out in turn, and the tree of all others is scored on it by
    `comparison_accuracy` and `normalised_comparison_revenue`. The folds are those of
    `assign_folds` for the seeds seed, seed + 1, ... They are the same for all methods, so that
    methods can be compared fold by fold. Each tree is built with the objects in random order,
    also the same for all methods: ties, which go to the objects that come first, are decided by
    chance.

    The standard error is the standard deviation over the folds of a repetition divided by the
    square root of their number, averaged over repetitions: further repetitions reduce the
    variance due to the split, but are no more data.

    Parameters
    ----------
    comparisons : ListedComparisons
        All answers.
    method : str
        A method that takes comparisons.
    n_folds : int
        Number of folds, at least 2.
    n_repetitions : int
        Number of different splits into folds.
    by_annotator : bool, optional
        As in `assign_folds`.
    seed : int, numpy.random.Generator or None
        Random seed of the folds and of the order of the objects.
    **options
        Options of the method, as for `ordlink.cluster`.

    Returns
    -------
    CrossValidation

    Raises
    ------
    InputError, InputKindError
        As in `assign_folds` and `ordlink.cluster`.

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=5, gap=1.0, noise=0.1, seed=0)
    >>> c = ol.Comparisons.from_similarities(planted.similarities, 0.2, seed=0)
    >>> scores = cross_validate(c, "4-AL")
    >>> round(scores.accuracy, 2), round(scores.accuracy_error, 2)
    (0.81, 0.0)
    """
    name = find_method(method).name
    n_repetitions = check_whole_number(n_repetitions, "n_repetitions", lowest=1)
    first = seed_number(seed)
    scores = []
    for draw in range(first, first + n_repetitions):
        folds = assign_folds(comparisons, n_folds, by_annotator=by_annotator, seed=draw)
        for fold in range(n_folds):
            held_out = comparisons.take(folds == fold)
            rng = rng_of_fold(draw, fold)
            tree = grow_shuffled(comparisons.take(folds != fold), name, rng, **options)
            accuracy = comparison_accuracy(held_out, tree)
            scores.append((accuracy, normalised_comparison_revenue(held_out, tree)))
    accuracies, revenues = np.array(scores).T.reshape(2, n_repetitions, n_folds)
    folds_by = units_by(comparisons, by_annotator=by_annotator, fewest=n_folds)
    return CrossValidation(name, accuracies, revenues, folds_by)
