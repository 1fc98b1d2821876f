"""The strength of every pair, and how well it is known, given what is expected of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ordlink._typing import FloatArray, Int64Array
from ordlink.methods.spectral._bradley_terry import PairAnswers, as_matrix

_MAX_STEPS = 40
_REMEMBERED_STEPS = 6
AVERAGE_AT_MOST = 0.2
"""What a pair that nobody compared counts for at most, compared with others."""
_SURE = 4
"""Chances that a pair would have been compared are taken to this power."""
MANY_PAIRS = 125_000
"""With more pairs than this, fits are less exact: time matters more."""
_FTOL, _FTOL_OF_MANY = 1e-6, 3e-5
N_GROUPS = 16
"""Pairs are put into so many groups by what is expected of them."""
LOGIT_OF_PROBIT = 0.346
"""(16 sqrt(3) / (15 pi))^2: how much a normal effect flattens a logistic curve."""


@dataclass(frozen=True)
class PairStrengths:
    """Strengths as weighted observations: z_e ~ N(what the tree says, 1 / h_e).

    Attributes
    ----------
    strengths : ndarray of shape (N, N), dtype float64
        z, symmetric; whatever was expected where nothing was answered.
    precisions : ndarray of shape (N, N), dtype float64
        h, symmetric, 0 on the diagonal and where nothing was answered.
    """

    strengths: FloatArray
    precisions: FloatArray


class PairModel:
    """Bradley-Terry strengths x_e = expected_e + own effect, normal with a known variance.

    The effects are what the objects' places in a tree cannot explain: the noise R of the planted
    model. They are kept from one fit to the next as its start.
    """

    def __init__(self, answers: PairAnswers, variance: float) -> None:
        self._answers = answers
        self._variance = variance
        self._effects = np.zeros(answers.n_pairs)
        self._curvatures: FloatArray | None = None

    def fit(self, expected: FloatArray) -> FloatArray:
        """Return the most likely strengths x of all pairs, by L-BFGS.

        Each variable is scaled by its curvature, so that pairs with many and with few answers
        converge alike. Of many pairs the curvatures that were found last are good enough.
        """
        from scipy.optimize import minimize

        answers, variance = self._answers, self._variance
        many = answers.n_pairs > MANY_PAIRS
        if self._curvatures is None or not many:
            self._curvatures = answers.likelihood(expected, curved=True)[2]
        scales = 1.0 / np.sqrt(self._curvatures + 1.0 / variance)

        def loss(scaled: FloatArray) -> tuple[float, FloatArray]:
            effects = scaled * scales
            value, slopes, _ = answers.likelihood(expected + effects)
            value += 0.5 * float((effects * effects).sum()) / variance
            return value, (effects / variance - slopes) * scales

        found = minimize(
            loss,
            self._effects / scales,
            jac=True,
            method="L-BFGS-B",
            options={
                "maxiter": _MAX_STEPS,
                "maxcor": _REMEMBERED_STEPS,
                "ftol": _FTOL_OF_MANY if many else _FTOL,
            },
        )
        self._effects = found.x * scales
        return np.asarray(expected + self._effects)

    def observe(self, expected: FloatArray, *, calibrated: bool = True) -> PairStrengths:
        """Return strengths as observations around what is expected of them.

        With x the most likely strengths and c the curvatures, the effects have been integrated out
        (Laplace): h = c / (1 + c variance), and h (z - expected) = (x - expected) / variance, which
        is the slope of the likelihood at x. Curvatures at x would depend on the very answers: a
        pair that lost against the odds would count far more than one that won, and noise would
        look like structure. So they are those that were foreseen, scaled to what they come to at x
        among pairs of similar expected strength.

        If `calibrated`, all precisions are scaled so that the pulls, p = h (z - expected), vary as
        much as the precisions say: sum p^2 = sum h. It must be so if few numbers were fitted to get
        what is expected.
        """
        strengths = self.fit(expected)
        slopes = self._effects / self._variance
        self._curvatures = curvatures = self._answers.likelihood(strengths, curved=True)[2]
        alike = _groups_of(expected)
        foreseen = self._foreseen_curvatures(expected)
        foreseen *= _ratios_by_group(curvatures, foreseen, alike)
        precisions = foreseen / (1.0 + foreseen * self._variance)
        known = precisions > 1e-12
        observed = expected.copy()
        observed[known] += slopes[known] / precisions[known]
        if calibrated and known.any():
            precisions /= max(float((slopes * slopes).sum() / precisions.sum()), 1e-6)
        n = self._answers.n_objects
        return _take_for_average(as_matrix(observed, n), as_matrix(precisions, n), self._surprises)

    @cached_property
    def _surprises(self) -> FloatArray:
        """How likely pairs are to be compared if objects come together by chance, shape (N, N).

        As a power, so that it is next to 0 unless a pair would have been compared several times.
        """
        answers = self._answers
        weights = answers.weights if len(answers.weights) else np.ones(len(answers.winners))
        counts = np.zeros(answers.n_pairs)
        counts += np.bincount(answers.winners, weights, answers.n_pairs)
        counts += np.bincount(answers.losers, weights, answers.n_pairs)
        by_object = as_matrix(counts, answers.n_objects).sum(axis=1)
        by_chance = np.outer(by_object, by_object) / max(float(by_object.sum()), 1.0)
        np.fill_diagonal(by_chance, 0.0)
        return np.asarray((1.0 - np.exp(-by_chance)) ** _SURE)

    def _foreseen_curvatures(self, expected: FloatArray) -> FloatArray:
        """Return what comparisons tell of each pair, before it is known how they were answered."""
        flatter = expected / np.sqrt(1.0 + 2.0 * LOGIT_OF_PROBIT * self._variance)
        return self._answers.likelihood(flatter, curved=True)[2]

    def stretch(self, expected: FloatArray) -> FloatArray:
        """Return strengths that were fitted without effects, as they must be with them.

        Effects flatten the curve of P: what is expected of a pair must lie farther out to say the
        same.
        """
        return np.asarray(expected * np.sqrt(1.0 + LOGIT_OF_PROBIT * self._variance))


def _take_for_average(
    strengths: FloatArray, precisions: FloatArray, surprises: FloatArray
) -> PairStrengths:
    """Return the observations, in which pairs that nobody compared count a little as average ones.

    The more, the more surprising it is that nobody did. Else two clusters that were hardly ever
    compared with each other would have nothing against being one.
    """
    known = precisions > 0.0
    unknown = ~known & (surprises > 0.0)
    if not unknown.any() or not known.any():
        return PairStrengths(strengths, precisions)
    total = float(precisions.sum())
    strengths[unknown] = float((precisions * strengths).sum()) / total
    precisions[unknown] = AVERAGE_AT_MOST * total / known.sum() * surprises[unknown]
    return PairStrengths(strengths, precisions)


def _groups_of(expected: FloatArray) -> Int64Array:
    """Return groups of pairs of similar expected strength, equal ones in one group."""
    edges = np.quantile(expected, np.arange(1, N_GROUPS) / N_GROUPS)
    return np.searchsorted(np.unique(edges), expected)


def _ratios_by_group(
    numerators: FloatArray, denominators: FloatArray, groups: Int64Array
) -> FloatArray:
    """Return, for each pair, the ratio of the sums over its group; 1 where nothing is known."""
    tops, bottoms = (np.bincount(groups, weights) for weights in (numerators, denominators))
    known = (tops > 1e-12) & (bottoms > 1e-12)
    return np.divide(tops, bottoms, out=np.ones_like(tops), where=known)[groups]
