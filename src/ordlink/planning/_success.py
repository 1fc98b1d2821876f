"""The chance of reaching a target as a function of the number of answers, and what is known of it.

P(success with n answers) = c Phi((log n - m) / s): c is what no number of answers can better, m the
logarithm of the number for half of it, s how gradual the rise is. All that is unknown lies on a
grid, so that the posterior is a sum, whatever was observed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.special import ndtr, ndtri

from ordlink._typing import FloatArray

LAPSE = 0.02
"""Share of runs that the curve does not explain: no single run rules anything out."""
LIKELY_PER_OBJECT, LIKELY_SCALE = 30.0, 1.5
"""Where the rise is expected before any run, in answers per object, and log of the factor."""
WIDTHS = np.geomspace(0.05, 2.0, 14)
LIKELY_WIDTH, WIDTH_SCALE = 0.4, 0.8
CEILINGS = np.array([0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 1])
LIMIT_WEIGHT = 0.5
"""What a run with all comparisons counts for: it is not quite the limit of more answers."""
N_POSITIONS = 160


class SuccessModel:
    """The posterior of the curve of success.

    Parameters
    ----------
    n_objects : int
        Number of objects, which says where the rise is likely.
    most : int
        Largest number of answers that is of interest.
    confidence : float
        The chance that is asked for.
    limit : tuple of two int
        Runs with all comparisons known: how many reached the target, and how many there were.
    """

    def __init__(
        self, n_objects: int, most: int, confidence: float, limit: tuple[int, int]
    ) -> None:
        likely = math.log(LIKELY_PER_OBJECT * n_objects)
        lowest = min(0.0, likely - 4)
        self._positions = np.linspace(lowest, max(math.log(most), likely) + 2, N_POSITIONS)
        m, s, c = np.meshgrid(self._positions, WIDTHS, CEILINGS, indexing="ij")
        self._m, self._s, self._c = m.ravel(), s.ravel(), c.ravel()
        reached, runs = limit
        self._prior = (
            -1.5 * np.log1p(((self._m - likely) / LIKELY_SCALE) ** 2 / 2)  # Student, 2 degrees
            - (np.log(self._s / LIKELY_WIDTH) / WIDTH_SCALE) ** 2 / 2
            + LIMIT_WEIGHT * _log_binomial(_lapsing(self._c), reached, runs)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            rise = ndtri(confidence / self._c)
        enough = self._m + self._s * rise
        self._enough = np.where(self._c > confidence, enough, np.inf)
        self._order = np.argsort(self._enough, kind="stable")
        self._weights = np.exp(self._prior - self._prior.max())
        self._weights /= self._weights.sum()

    def observe(self, runs: Mapping[int, tuple[int, int]]) -> None:
        """Take all runs so far: for each number of answers, how many reached it, of how many."""
        posterior = self._prior.copy()
        for n_answers, (reached, of) in runs.items():
            posterior += _log_binomial(self._chances(n_answers), reached, of)
        weights = np.exp(posterior - posterior.max())
        self._weights = weights / weights.sum()

    def chance(self, n_answers: float) -> float:
        """Return the expected chance of success with so many answers."""
        return float(self._weights @ self._chances(n_answers))

    def enough(self, certainty: float) -> float:
        """Return the number of answers that is enough with this certainty; may be infinite."""
        cumulated = np.cumsum(self._weights[self._order])
        place = min(int(np.searchsorted(cumulated, certainty)), len(cumulated) - 1)
        logarithm = float(self._enough[self._order[place]])
        return math.exp(logarithm) if logarithm < 300 else math.inf

    def _chances(self, n_answers: float) -> FloatArray:
        return _lapsing(self._c * ndtr((math.log(n_answers) - self._m) / self._s))


def _lapsing(chances: FloatArray) -> FloatArray:
    return np.asarray((1 - LAPSE) * chances + LAPSE / 2)


def _log_binomial(chances: FloatArray, reached: int, of: int) -> FloatArray:
    return np.asarray(reached * np.log(chances) + (of - reached) * np.log1p(-chances))
