"""Held-out scores: trees judged by answers that they have not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._typing import FloatArray, LabelArray
from ordlink.comparisons import ListedComparisons
from ordlink.methods import find_method
from ordlink.metrics import comparison_accuracy, normalised_comparison_revenue
from ordlink.validation._checks import check_whole_number
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
        Whether folds keep people together, so that trees are judged by people whom they have not
        seen, or single answers, since annotators are not known or are fewer than the folds.
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
    seed: int = 0,
    **options: Any,
) -> CrossValidation:
    """Return how well trees predict answers that were held out while they were built.

    In turn each fold is held out and the tree of all others judged by it, with
    `comparison_accuracy` and `normalised_comparison_revenue`. The folds are those of
    `assign_folds` for the seeds seed, seed + 1, ...: whole answers, whole annotators where they
    are known, and the same for all methods, so that scores of methods may be compared in pairs.
    Each tree is grown with the objects in random order, the same for all methods: ties, which go
    to the objects that come first, are decided by chance, whatever the order of the file.

    The standard error is the standard deviation over the folds of a repetition divided by the
    root of their number, averaged over repetitions: more repetitions make the mean steadier
    against the luck of the draw, but are no more data.

    Parameters
    ----------
    comparisons : ListedComparisons
        All answers.
    method : str
        A method that takes comparisons.
    n_folds : int
        Number of folds, at least 2.
    n_repetitions : int
        How often to draw the folds anew.
    by_annotator : bool, optional
        As in `assign_folds`.
    seed : int
        Makes the folds, and the order of the objects, reproducible.
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
    scores = []
    seed = check_whole_number(seed, "seed", lowest=0)
    for draw in range(seed, seed + n_repetitions):
        folds = assign_folds(comparisons, n_folds, by_annotator=by_annotator, seed=draw)
        scores.append(_score_folds(comparisons, folds, name, draw, options))
    accuracies, revenues = np.moveaxis(np.array(scores), 2, 0)
    folds_by = units_by(comparisons, by_annotator=by_annotator, fewest=n_folds)
    return CrossValidation(name, accuracies, revenues, folds_by)


def _score_folds(
    comparisons: ListedComparisons,
    folds: LabelArray,
    method: str,
    seed: int,
    options: dict[str, Any],
) -> list[tuple[float, float]]:
    """Return accuracy and revenue of each fold under the tree of the others."""
    scores = []
    for fold in range(int(folds.max()) + 1):
        held_out = comparisons.take(folds == fold)
        rng = rng_of_fold(seed, fold)
        tree = grow_shuffled(comparisons.take(folds != fold), method, rng, **options)
        scores.append(
            (comparison_accuracy(held_out, tree), normalised_comparison_revenue(held_out, tree))
        )
    return scores
