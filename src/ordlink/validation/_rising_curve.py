"""Curves of learning: accuracy rises from guessing to a ceiling, slowly, fast, and slowly again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import FloatArray

GUESSING = 0.5
MOST_RISE = 0.5
"""From guessing to being always right."""
STEEPNESS, STEEPNESS_SCALE = 1.4, 0.3
"""Few sizes leave the steepness open: it is about this, give or take a third."""
EARLIEST_HALF_WAY, LATEST_HALF_WAY = 0.01, 8.0
"""Half of the rise is made between these multiples of the smallest and the largest size."""
MISFIT = 0.003
"""No curve is followed more closely than this."""


@dataclass(frozen=True, eq=False)
class RisingCurves:
    """Likely curves: accuracy = 0.5 + rise / (1 + (half_way / n)^steepness).

    Attributes
    ----------
    rises : ndarray of shape (n_curves,), dtype float64
        What is gained over guessing with any number of answers.
    half_ways : ndarray of shape (n_curves,), dtype float64
        The number of answers with which half of it is gained.
    steepnesses : ndarray of shape (n_curves,), dtype float64
        How fast, around that number.
    """

    rises: FloatArray
    half_ways: FloatArray
    steepnesses: FloatArray

    @property
    def ceilings(self) -> FloatArray:
        """The accuracy that each curve never exceeds."""
        return GUESSING + self.rises

    def at(self, n_answers: float) -> FloatArray:
        """Return the accuracy of each curve with so many answers."""
        return GUESSING + self.rises * _shares(n_answers, self.half_ways, self.steepnesses)

    def reaching(self, target: float) -> FloatArray:
        """Return with how many answers each curve reaches the target; infinite if never."""
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
    """Return curves drawn as often as they are likely, given what was measured.

    Their spread is what the data leave open: accuracies near guessing fit a low ceiling as well as
    a high one that is far away. Beforehand any rise up to `MOST_RISE` is equally likely, and
    so is any half-way number on a logarithmic scale. For each of these and each steepness of
    a grid, the rise is normally distributed around that of weighted least squares.

    Parameters
    ----------
    sizes, accuracies, variances : ndarray of shape (n_sizes,)
        Numbers of answers, increasing; what was measured, and how far it may be off. Worse than
        guessing counts as guessing: no curve falls.
    n_curves : int
        Number of curves.
    rng : numpy.random.Generator
        Draws them.
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
    """Return how much of the rise is made with so many answers."""
    return np.asarray(1 / (1 + (half_ways / n_answers) ** steepnesses))
