"""A learning curve and its continuation: what more answers would bring."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ordlink.errors import InputError, InputKindError
from ordlink.trust._checks import check_whole_number
from ordlink.trust._folds import FoldsBy, standard_error
from ordlink.trust._power_law import PowerLaws, fit_power_laws
from ordlink.typing import FloatArray, Int64Array

N_REPLICATES = 400
INTERVAL = (0.1, 0.9)
WORTHWHILE = 0.005
"""A gain in accuracy below this is not worth going on for."""
FEW_PER_OBJECT = 10
"""With fewer answers per object, an accuracy at chance level says nothing yet."""
NOISE_FLOOR = 1e-10


@dataclass(frozen=True)
class Estimate:
    """A value with the ends of its interval, which holds it with a probability of 80 %."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Verdict:
    """Whether to go on collecting, and why, in a sentence."""

    advice: Literal["go on", "stop"]
    reason: str


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Held-out accuracy and stability of the trees of growing subsamples.

    Attributes
    ----------
    method : str
        Name of the method.
    n_objects, n_answers : int
        Numbers of objects, and of all answers.
    sizes : ndarray of shape (n_sizes,), dtype int64
        Numbers of answers that trees were built from.
    accuracies : ndarray of shape (n_repetitions, n_folds, n_sizes), dtype float64
        Share of the comparisons of the fold that the tree of so many others agrees with.
    stabilities : ndarray of shape (n_repetitions, n_sizes), dtype float64
        Share of the triples of objects that two trees from so many answers each, none of them
        shared, resolve alike; 1/3 by chance. NaN where there are no two such halves.
    seed : int
        Of the draws, those of the bootstrap included.
    folds_by : {"people", "answers"}
        What the folds keep together, as in `CrossValidation`.
    """

    method: str
    n_objects: int
    n_answers: int
    sizes: Int64Array
    accuracies: FloatArray
    stabilities: FloatArray
    seed: int = 0
    folds_by: FoldsBy = "answers"

    @property
    def accuracy(self) -> FloatArray:
        """Mean held-out accuracy of each size."""
        return np.asarray(self.accuracies.mean(axis=(0, 1)))

    @property
    def accuracy_error(self) -> FloatArray:
        """Its standard error: over the folds, for repetitions are no more data."""
        return standard_error(self.accuracies)

    @property
    def stability(self) -> FloatArray:
        """Mean stability of each size."""
        return np.asarray(self.stabilities.mean(axis=0))

    def predict(self, n_answers: float) -> Estimate:
        """Return the accuracy to expect of the tree of so many answers."""
        return _estimate(self._best.at(n_answers)[0], self._replicates.at(n_answers))

    def what_next(self, n_more: int = 1000) -> Estimate:
        """Return the gain in accuracy to expect of so many more answers.

        Examples
        --------
        >>> sizes = np.array([100, 200, 400, 800])
        >>> curve = LearningCurve(
        ...     "4-AL", 20, 1000, sizes, (0.8 - 3 / sizes)[None, None].repeat(5, 1), np.ones((1, 4))
        ... )
        >>> round(curve.what_next(1000).value, 4)
        0.0015
        """
        n_more = check_whole_number(n_more, "n_more", lowest=1)
        now, later = self.n_answers, self.n_answers + n_more
        gains = self._replicates.at(later) - self._replicates.at(now)
        return _estimate((self._best.at(later) - self._best.at(now))[0], gains)

    def answers_for(self, target: float) -> Estimate:
        """Return how many answers in all reach an accuracy; infinite where none do."""
        if not isinstance(target, int | float) or isinstance(target, bool):
            raise InputKindError(f"target: expected a number, got {target!r}.")
        if not 0.5 < target <= 1:
            raise InputError(
                f"target: expected an accuracy above 0.5 (guessing) and at most 1, got {target:g}."
            )
        return _estimate(self._best.reaching(target)[0], self._replicates.reaching(target))

    @property
    def ceiling(self) -> Estimate:
        """The accuracy that no number of such answers betters."""
        return _estimate(self._best.a[0], self._replicates.a)

    def verdict(self, n_more: int = 1000, *, worthwhile: float = WORTHWHILE) -> Verdict:
        """Return whether so many more answers are worth it, and why."""
        gain = self.what_next(n_more)
        accuracy, error = float(self.accuracy[-1]), float(self.accuracy_error[-1])
        if accuracy - 2 * error <= 0.5:
            if self.n_answers < FEW_PER_OBJECT * self.n_objects:
                per = self.n_answers / self.n_objects
                return Verdict(
                    "go on", f"{per:.1f} answers per object are too few to tell anything"
                )
            return Verdict(
                "stop",
                f"the trees predict held-out answers no better than guessing ({accuracy:.3f}); see "
                "whether people understood the question, and whether there is a hierarchy at all",
            )
        expected = (
            f"{n_more:,} more answers are expected to raise the held-out accuracy by "
            f"{100 * gain.value:.1f} points ({100 * gain.low:.1f} to {100 * gain.high:.1f})"
        )
        if gain.value >= worthwhile:
            return Verdict("go on", expected)
        return Verdict("stop", f"{expected}, which is less than {100 * worthwhile:g}")

    @cached_property
    def _curves(self) -> FloatArray:
        return self.accuracies.reshape(-1, len(self.sizes))

    @cached_property
    def _variances(self) -> FloatArray:
        """Variance of the mean accuracy of each size, without what all sizes of a fold share."""
        own = self._curves - self._curves.mean(axis=1, keepdims=True)
        by_size = own.var(axis=0, ddof=1) / self.accuracies.shape[1]
        return np.asarray((by_size + by_size.mean()) / 2 + NOISE_FLOOR)

    @cached_property
    def _best(self) -> PowerLaws:
        return self._fit(self._curves.mean(axis=0, keepdims=True))

    @cached_property
    def _replicates(self) -> PowerLaws:
        """Curves of as many folds as one repetition has, drawn with replacement."""
        rng = np.random.default_rng(self.seed)
        n_folds = self.accuracies.shape[1]
        drawn = rng.integers(len(self._curves), size=(N_REPLICATES, n_folds))
        return self._fit(self._curves[drawn].mean(axis=1))

    def _fit(self, curves: FloatArray) -> PowerLaws:
        return fit_power_laws(self.sizes.astype(np.float64), curves, self._variances)


def _estimate(value: float, replicates: FloatArray) -> Estimate:
    low, high = np.quantile(replicates, INTERVAL, method="nearest")
    return Estimate(float(value), float(low), float(high))
