"""A learning curve and its extrapolation: what more answers would gain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ordlink._html import Shown
from ordlink._typing import FloatArray, Int64Array
from ordlink._validate import check_number, check_whole_number
from ordlink.errors import InputError
from ordlink.validation._cross_validation import FoldsBy, standard_error

N_CURVES = 1000
INTERVAL = (0.1, 0.9)
WORTHWHILE = 0.01  # doubling the answers is worth it if the accuracy rises by at least this
SAMPLING_SD = 0.4  # measured: SD of the accuracy between samples of n answers, times sqrt(n)
FEW_PER_OBJECT = 10  # with fewer answers per object, an accuracy at chance level is no evidence yet
GUESSING = 0.5
MOST_RISE = 0.5
STEEPNESS, STEEPNESS_SCALE = 1.4, 0.3  # log-normal prior: few sizes hardly determine it
EARLIEST_HALF_WAY, LATEST_HALF_WAY = 0.01, 8.0  # multiples of the smallest and largest size
MISFIT = 0.003  # standard deviation of the accuracies around any curve, besides their error


@dataclass(frozen=True)
class Estimate:
    """A value with its 80 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Verdict:
    """Whether to collect more answers, and why, in one sentence."""

    advice: Literal["go on", "stop"]
    reason: str


@dataclass(frozen=True, eq=False)
class LearningCurve(Shown):
    """Held-out accuracy and stability of the trees of growing subsamples."""

    method: str
    n_objects: int
    n_answers: int
    sizes: Int64Array  # numbers of answers of the subsamples, shape (n_sizes,)
    accuracies: FloatArray
    """Share of the comparisons of the fold that the tree of so many others agrees with: an array of
    shape (n_repetitions, n_folds, n_sizes)."""
    stabilities: FloatArray
    """Share of the triples of objects that two trees from so many answers each, without a shared
    answer, resolve alike; 1/3 by chance. NaN where there are too few answers for that. An array of
    shape (n_repetitions, n_sizes)."""
    seed: int = 0
    folds_by: FoldsBy = "answers"  # as in `CrossValidation`

    @property
    def accuracy(self) -> FloatArray:
        """Mean held-out accuracy of each size."""
        return np.asarray(self.accuracies.mean(axis=(0, 1)))

    @property
    def accuracy_error(self) -> FloatArray:
        """Its standard error over the folds; repetitions add no data."""
        return standard_error(self.accuracies)

    @property
    def stability(self) -> FloatArray:
        """Mean stability at each number of answers."""
        return np.asarray(self.stabilities.mean(axis=0))

    def predict(self, n_answers: float) -> Estimate:
        """Return the expected mean accuracy of trees of this many answers."""
        return _estimate(self._curves.at(n_answers))

    def what_next(self, n_more: int = 1000) -> Estimate:
        """Return the expected gain in accuracy from this many more answers.

        The interval is for the gain of one tree over another, including sampling error, so it may
        start below 0.
        """
        n_more = check_whole_number(n_more, "n_more", lowest=1)
        gains = self._gains(n_more)
        now, later = self.n_answers, self.n_answers + n_more
        noise = np.random.default_rng(self.seed).normal(0, SAMPLING_SD, N_CURVES)
        return _estimate(gains, gains + noise * np.sqrt(1 / now + 1 / later))

    def answers_for(self, target: float) -> Estimate:
        """Return the total number of answers that reaches an accuracy; infinite if none does."""
        check_accuracy(target)
        return _estimate(self._curves.reaching(target))

    @property
    def ceiling(self) -> Estimate:
        """The accuracy that no number of such answers exceeds."""
        return _estimate(self._curves.ceilings)

    def verdict(self, *, worthwhile: float = WORTHWHILE) -> Verdict:
        """Return whether more answers are worth it, and why.

        They are unless twice as many would raise the mean accuracy by less than `worthwhile` even
        at the upper end of the interval: stopping needs evidence.
        """
        gain = _estimate(self._gains(self.n_answers))
        accuracy, error = float(self.accuracy[-1]), float(self.accuracy_error[-1])
        if accuracy - 2 * error <= 0.5:
            if self.n_answers < FEW_PER_OBJECT * self.n_objects:
                per = self.n_answers / self.n_objects
                return Verdict("go on", f"{per:.1f} answers per object are too few to judge")
            return Verdict(
                "stop",
                f"the trees predict held-out answers no better than guessing ({accuracy:.3f}); "
                "check whether people understood the question and whether there is a hierarchy",
            )
        expected = (
            "twice as many answers are expected to raise the held-out accuracy by "
            f"{100 * gain.value:.1f} points ({100 * gain.low:.1f} to {100 * gain.high:.1f})"
        )
        if gain.high >= worthwhile:
            return Verdict("go on", expected)
        if round(100 * gain.high, 1) == 0.0:
            return Verdict("stop", "twice as many answers do not change the held-out accuracy")
        points = f"{100 * worthwhile:g} point{'' if worthwhile == 0.01 else 's'}"
        return Verdict("stop", f"{expected}, which is less than {points}")

    def _gains(self, n_more: int) -> FloatArray:
        """Return the gain of each posterior curve from this many more answers."""
        return self._curves.at(self.n_answers + n_more) - self._curves.at(self.n_answers)

    @cached_property
    def _variances(self) -> FloatArray:
        """Variance of the mean accuracy of each size, without the effect of the fold."""
        own = self.accuracies.reshape(-1, len(self.sizes))
        own = own - own.mean(axis=1, keepdims=True)
        by_size = own.var(axis=0, ddof=1) / self.accuracies.shape[1]
        return np.asarray((by_size + by_size.mean()) / 2)

    @cached_property
    def _curves(self) -> RisingCurves:
        sizes = self.sizes.astype(np.float64)
        rng = np.random.default_rng(self.seed)
        return draw_curves(sizes, self.accuracy, self._variances, N_CURVES, rng)


def _estimate(values: FloatArray, spread: FloatArray | None = None) -> Estimate:
    """Return the median of the values, with the interval of the spread or of the values."""
    low, high = np.quantile(values if spread is None else spread, INTERVAL, method="nearest")
    return Estimate(float(np.quantile(values, 0.5, method="nearest")), float(low), float(high))


def check_accuracy(target: Any) -> None:
    """Refuse a target that is not a possible accuracy."""
    if not 0.5 < check_number(target, "target") <= 1:
        raise InputError(
            f"expected an accuracy above 0.5 (chance) and at most 1, got {target:g}",
            parameter="target",
        )


@dataclass(frozen=True, eq=False)
class RisingCurves:
    """Curves of the posterior: accuracy = 0.5 + rise / (1 + (half_way / n)^steepness)."""

    rises: FloatArray  # gain over guessing with unlimited answers
    half_ways: FloatArray  # number of answers for half of it
    steepnesses: FloatArray

    @property
    def ceilings(self) -> FloatArray:
        """The upper limit of each curve."""
        return GUESSING + self.rises

    def at(self, n_answers: float) -> FloatArray:
        """Return the accuracy of each curve with this many answers."""
        return GUESSING + self.rises * _shares(n_answers, self.half_ways, self.steepnesses)

    def reaching(self, target: float) -> FloatArray:
        """Return the number of answers with which each curve reaches the target, or infinity."""
        beyond = self.rises / (target - GUESSING) - 1
        with np.errstate(divide="ignore", invalid="ignore"):
            numbers = self.half_ways * beyond ** (-1 / self.steepnesses)
        return np.where(beyond > 0, numbers, np.inf)


def draw_curves(
    sizes: FloatArray,
    accuracies: FloatArray,
    variances: FloatArray,
    n_curves: int,
    rng: np.random.Generator,
) -> RisingCurves:
    """Return curves drawn from the posterior, given measured accuracies and their variances.

    Priors: uniform in the rise up to `MOST_RISE` and in the logarithm of the half-way point,
    log-normal in the steepness. On a grid of the last two, the rise is normally distributed around
    that of weighted least squares. Accuracies below guessing count as guessing: no curve falls.
    """
    from scipy.special import ndtr, ndtri

    deviations = np.linspace(-2, 2, 17)
    half_ways = np.geomspace(EARLIEST_HALF_WAY * sizes[0], LATEST_HALF_WAY * sizes[-1], 300)
    deviation, half_way = (grid.ravel() for grid in np.meshgrid(deviations, half_ways))
    steepness = STEEPNESS * np.exp(STEEPNESS_SCALE * deviation)
    shares = _shares(sizes, half_way[:, None], steepness[:, None])
    weights, risen = 1 / (variances + MISFIT**2), np.maximum(accuracies - GUESSING, 0.0)
    precision = shares**2 @ weights
    rise, error = shares @ (weights * risen) / precision, precision**-0.5
    misfit = (risen - rise[:, None] * shares) ** 2 @ weights
    below, within = ndtr(-rise / error), ndtr((MOST_RISE - rise) / error) - ndtr(-rise / error)
    likely = np.exp(-(misfit - misfit.min() + deviation**2) / 2) * error * within
    drawn = rng.choice(len(likely), n_curves, p=likely / likely.sum())
    quantiles = below[drawn] + within[drawn] * rng.random(n_curves)
    rises = rise[drawn] + error[drawn] * ndtri(quantiles)
    return RisingCurves(np.clip(rises, 0, MOST_RISE), half_way[drawn], steepness[drawn])


def _shares(
    n_answers: FloatArray | float, half_ways: FloatArray, steepnesses: FloatArray
) -> FloatArray:
    """Return the share of the rise with this many answers."""
    return np.asarray(1 / (1 + (half_ways / n_answers) ** steepnesses))
