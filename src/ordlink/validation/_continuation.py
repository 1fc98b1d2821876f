"""A learning curve and its continuation: what more answers would bring."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ordlink._typing import FloatArray, Int64Array
from ordlink.errors import InputError, InputKindError
from ordlink.validation._checks import check_whole_number
from ordlink.validation._folds import FoldsBy, standard_error
from ordlink.validation._rising_curve import RisingCurves, draw_curves

N_CURVES = 1000
INTERVAL = (0.1, 0.9)
WORTHWHILE = 0.01
"""Twice as many answers that gain less accuracy than this are not worth it."""
LUCK = 0.4
"""Measured: accuracies of trees of n other answers differ by about this over sqrt(n)."""
FEW_PER_OBJECT = 10
"""With fewer answers per object, an accuracy at chance level says nothing yet."""


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
        """Return the mean accuracy to expect of trees of so many answers."""
        return _estimate(self._likely.at(n_answers))

    def what_next(self, n_more: int = 1000) -> Estimate:
        """Return the gain in accuracy to expect of so many more answers.

        The interval is for the gain of one tree over another, the luck of both included; so it
        may begin below 0.

        Examples
        --------
        >>> sizes = np.array([100, 200, 400, 800])
        >>> curve = LearningCurve(
        ...     "4-AL", 20, 1000, sizes, (0.8 - 3 / sizes)[None, None].repeat(5, 1), np.ones((1, 4))
        ... )
        >>> round(curve.what_next(1000).value, 3)
        0.001
        """
        n_more = check_whole_number(n_more, "n_more", lowest=1)
        gains = self._gains(n_more)
        now, later = self.n_answers, self.n_answers + n_more
        luck = np.random.default_rng(self.seed).normal(0, LUCK, N_CURVES)
        return _estimate(gains, gains + luck * np.sqrt(1 / now + 1 / later))

    def answers_for(self, target: float) -> Estimate:
        """Return how many answers in all reach an accuracy; infinite where none do."""
        check_accuracy(target)
        return _estimate(self._likely.reaching(target))

    @property
    def ceiling(self) -> Estimate:
        """The accuracy that no number of such answers betters."""
        return _estimate(self._likely.ceilings)

    def verdict(self, *, worthwhile: float = WORTHWHILE) -> Verdict:
        """Return whether more answers are worth it, and why.

        They are if twice as many might raise the mean accuracy of trees by `worthwhile`, that is,
        at the upper end of the interval: stopping needs evidence.
        """
        gain = _estimate(self._gains(self.n_answers))
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
            "twice as many answers are expected to raise the held-out accuracy by "
            f"{100 * gain.value:.1f} points ({100 * gain.low:.1f} to {100 * gain.high:.1f})"
        )
        if gain.high >= worthwhile:
            return Verdict("go on", expected)
        if round(100 * gain.high, 1) == 0.0:
            return Verdict("stop", "twice as many answers leave the held-out accuracy as it is")
        points = f"{100 * worthwhile:g} point{'' if worthwhile == 0.01 else 's'}"
        return Verdict("stop", f"{expected}, which is less than {points}")

    def _gains(self, n_more: int) -> FloatArray:
        """Return what each likely curve gains from so many more answers."""
        return self._likely.at(self.n_answers + n_more) - self._likely.at(self.n_answers)

    @cached_property
    def _variances(self) -> FloatArray:
        """Variance of the mean accuracy of each size, without what all sizes of a fold share."""
        own = self.accuracies.reshape(-1, len(self.sizes))
        own = own - own.mean(axis=1, keepdims=True)
        by_size = own.var(axis=0, ddof=1) / self.accuracies.shape[1]
        return np.asarray((by_size + by_size.mean()) / 2)

    @cached_property
    def _likely(self) -> RisingCurves:
        sizes = self.sizes.astype(np.float64)
        rng = np.random.default_rng(self.seed)
        return draw_curves(sizes, self.accuracy, self._variances, N_CURVES, rng)


def _estimate(values: FloatArray, spread: FloatArray | None = None) -> Estimate:
    """Return the median of the values, and the interval of the spread, if this is another."""
    low, high = np.quantile(values if spread is None else spread, INTERVAL, method="nearest")
    return Estimate(float(np.quantile(values, 0.5, method="nearest")), float(low), float(high))


def check_accuracy(target: float) -> None:
    """Refuse what no accuracy to be reached can be."""
    if not isinstance(target, int | float) or isinstance(target, bool):
        raise InputKindError(f"target: expected a number, got {target!r}.")
    if not 0.5 < target <= 1:
        raise InputError(
            f"target: expected an accuracy above 0.5 (guessing) and at most 1, got {target:g}."
        )
