"""Curves of learning: quality = a - b n^-c, fitted within bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink.typing import FloatArray

EXPONENTS = np.geomspace(0.1, 3.0, 120)
LIKELY_EXPONENT, EXPONENT_SCALE = 0.7, 0.7
"""Few sizes leave c open: without evidence it is about this, give or take a factor of 2."""
BEST = 1.0
"""No quality is better."""


@dataclass(frozen=True, eq=False)
class PowerLaws:
    """Fitted curves: quality = a - b n^-c, each array of shape (n_curves,)."""

    a: FloatArray
    b: FloatArray
    c: FloatArray

    def at(self, n_answers: float) -> FloatArray:
        """Return the quality of each curve with so many answers."""
        return np.asarray(self.a - self.b * float(n_answers) ** -self.c)

    def reaching(self, target: float) -> FloatArray:
        """Return with how many answers each curve reaches the target; infinite if never.

        A curve that is flat reaches what lies on it or below at once, with 0 answers.
        """
        above = self.a - target
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            numbers = (self.b / above) ** (1 / self.c)
        numbers = np.where(above > 0, numbers, np.inf)
        return np.where((self.b == 0) & (above >= 0), 0.0, numbers)


def fit_power_laws(sizes: FloatArray, qualities: FloatArray, variances: FloatArray) -> PowerLaws:
    """Return the curves that fit best, with 0 <= b, a <= 1 and c between 0.1 and 3.

    For each c of a grid, a and b are those of weighted least squares within the bounds; the c with
    the smallest sum of squares, in units of the variances, and a mild preference for usual
    exponents is taken.

    Parameters
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of answers, increasing.
    qualities : ndarray of shape (n_curves, n_sizes)
        What was measured.
    variances : ndarray of shape (n_sizes,)
        How far it may be off.
    """
    weights = 1 / variances
    best = np.full(len(qualities), np.inf)
    a, b, c = (np.empty(len(qualities)) for _ in range(3))
    unit = float(sizes[-1])
    for exponent in EXPONENTS:
        shrink = (sizes / unit) ** -exponent
        tops, losses = _fit_line(shrink, qualities, weights)
        misfit = qualities - tops[:, None] + losses[:, None] * shrink
        preference = (np.log(exponent / LIKELY_EXPONENT) / EXPONENT_SCALE) ** 2
        total = misfit**2 @ weights + preference
        better = total < best
        best[better] = total[better]
        a[better], b[better] = tops[better], (losses * unit**exponent)[better]
        c[better] = exponent
    return PowerLaws(a, b, c)


def _fit_line(
    shrink: FloatArray, qualities: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return a and b of quality = a - b shrink, by weighted least squares, 0 <= b and a <= 1."""
    share = weights / weights.sum()
    mean_shrink, mean_quality = share @ shrink, qualities @ share
    centred = shrink - mean_shrink
    losses = -(qualities @ (share * centred)) / (share @ centred**2)
    losses = np.maximum(losses, 0.0)
    tops = mean_quality + losses * mean_shrink
    at_bound = (BEST - qualities) @ (share * shrink) / (share @ shrink**2)
    too_good = tops > BEST
    return np.where(too_good, BEST, tops), np.where(too_good, np.maximum(at_bound, 0), losses)
