"""The strength of every pair and its precision, given prior means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ordlink._typing import FloatArray, Int64Array
from ordlink.comparisons import ListedComparisons, RankedComparisons
from ordlink.methods.spectral._bradley_terry import PairAnswers, as_matrix

_MAX_STEPS = 40
_REMEMBERED_STEPS = 6
AVERAGE_AT_MOST = 0.2
"""Largest weight of a pair that was never compared, relative to the others."""
_SURE = 4
"""Chances that a pair would have been compared are taken to this power."""
MANY_PAIRS = 125_000
"""With more pairs than this, fits are less exact: time matters more."""
_FTOL, _FTOL_OF_MANY = 1e-6, 3e-5
N_GROUPS = 16
"""Pairs are put into so many groups by their prior means."""
LOGIT_OF_PROBIT = 0.346
"""(16 sqrt(3) / (15 pi))^2: how much a normal effect flattens a logistic curve."""
PRIOR_VARIANCE = 3.0
"""Variance of strengths before anything is answered."""


@dataclass(frozen=True)
class PairStrengths:
    """Strengths as weighted observations: z_e ~ N(what the tree says, 1 / h_e)."""

    strengths: FloatArray  # (N, N): z, symmetric; the prior mean where nothing was answered
    precisions: FloatArray  # (N, N): h, symmetric, 0 on the diagonal and where nothing was answered


class PairModel:
    """Bradley-Terry strengths x_e = prior_mean_e + effect_e, effects normal with known variance.

    The effects are what the objects' positions in a tree cannot explain: the noise R of the planted
    model. Each fit starts from the effects of the one before.
    """

    def __init__(self, answers: PairAnswers, variance: float) -> None:
        self._answers = answers
        self._variance = variance
        self._effects = np.zeros(answers.n_pairs)
        self._curvatures: FloatArray | None = None

    def fit(self, prior_mean: FloatArray) -> FloatArray:
        """Return the most likely strengths x of all pairs, by L-BFGS.

        Each variable is scaled by its curvature, so that pairs with many and with few answers
        converge alike. For many pairs the latest curvatures are good enough.
        """
        from scipy.optimize import minimize

        answers, variance = self._answers, self._variance
        many = answers.n_pairs > MANY_PAIRS
        if self._curvatures is None or not many:
            self._curvatures = answers.likelihood(prior_mean, curved=True)[2]
        scales = 1.0 / np.sqrt(self._curvatures + 1.0 / variance)

        def loss(scaled: FloatArray) -> tuple[float, FloatArray]:
            effects = scaled * scales
            value, slopes, _ = answers.likelihood(prior_mean + effects)
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
        return np.asarray(prior_mean + self._effects)

    def posterior(self, prior_mean: FloatArray, *, calibrated: bool = True) -> PairStrengths:
        """Return strengths as weighted observations around their prior means m.

        With x the most likely strengths and c the curvatures, the effects have been integrated out
        (Laplace): h = c / (1 + c variance), and h (z - m) = (x - m) / variance, which is the slope
        of the likelihood at x. Curvatures at x would depend on the answers themselves: a pair that
        lost against the odds would count far more than one that won, and noise would look like
        structure. So the curvatures predicted before the answers are used, scaled to those at x
        among pairs of similar prior means.

        If `calibrated`, all precisions are scaled so that the pulls, p = h (z - m), vary as much as
        the precisions say: sum p^2 = sum h. This holds if few parameters were fitted to get m.
        """
        strengths = self.fit(prior_mean)
        slopes = self._effects / self._variance
        self._curvatures = curvatures = self._answers.likelihood(strengths, curved=True)[2]
        predicted = self._predicted_curvatures(prior_mean)
        predicted *= _ratios_by_group(curvatures, predicted, _groups_of(prior_mean))
        precisions = predicted / (1.0 + predicted * self._variance)
        known = precisions > 1e-12
        means = prior_mean.copy()
        means[known] += slopes[known] / precisions[known]
        if calibrated and known.any():
            precisions /= max(float((slopes * slopes).sum() / precisions.sum()), 1e-6)
        n = self._answers.n_objects
        return _fill_in_uncompared(as_matrix(means, n), as_matrix(precisions, n), self._surprises)

    @cached_property
    def _surprises(self) -> FloatArray:
        """Chance that each pair is compared if objects are paired at random, shape (N, N).

        As a power, so that it is close to 0 unless a pair would have been compared several times.
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

    def _predicted_curvatures(self, prior_mean: FloatArray) -> FloatArray:
        """Return the Fisher information of each pair before the answers are known."""
        flatter = prior_mean / np.sqrt(1.0 + 2.0 * LOGIT_OF_PROBIT * self._variance)
        return self._answers.likelihood(flatter, curved=True)[2]

    def stretch(self, prior_mean: FloatArray) -> FloatArray:
        """Return prior means for a model with effects, from strengths fitted without them.

        Effects flatten the curve of P, so that prior means must lie farther out to say the same.
        """
        return np.asarray(prior_mean * np.sqrt(1.0 + LOGIT_OF_PROBIT * self._variance))


class KnownStrengths:
    """Strengths that are known well enough without prior means: from ranks, or many answers.

    `strengths` has one number per pair.
    """

    def __init__(self, strengths: FloatArray, n_objects: int) -> None:
        self._strengths = strengths
        self._n_objects = n_objects

    @classmethod
    def of_ranks(cls, comparisons: RankedComparisons) -> KnownStrengths:
        """Return the log-odds of beating a pair drawn at random."""
        sizes = np.bincount(comparisons.ranks)
        below = np.cumsum(sizes) - 0.5 * sizes  # equal pairs share their middle
        share = below / len(comparisons.ranks)
        strengths = np.log(share / (1.0 - share))[comparisons.ranks]
        return cls(strengths, comparisons.n_objects)

    @classmethod
    def of_answers(cls, comparisons: ListedComparisons) -> KnownStrengths:
        """Return the most likely strengths if all are normal around 0."""
        answers = PairAnswers.of(comparisons).in_tiles()
        strengths = PairModel(answers, PRIOR_VARIANCE).fit(np.zeros(answers.n_pairs))
        return cls(strengths, comparisons.n_objects)

    def fit(self, prior_mean: FloatArray) -> FloatArray:
        """Return the strengths, whatever their prior means."""
        return self._strengths

    def posterior(self, prior_mean: FloatArray, *, calibrated: bool = True) -> PairStrengths:
        """Return the strengths; one precision, from their spread around the prior means."""
        spread = float(np.mean((self._strengths - prior_mean) ** 2))
        precision = 1.0 / max(spread, 1e-9)
        n = self._n_objects
        return PairStrengths(
            as_matrix(self._strengths, n), as_matrix(np.full(len(prior_mean), precision), n)
        )


def _fill_in_uncompared(
    strengths: FloatArray, precisions: FloatArray, surprises: FloatArray
) -> PairStrengths:
    """Return the strengths, with pairs that were never compared counting a little as average pairs.

    The more surprising it is that they were not compared, the more they count. Otherwise nothing
    would keep two clusters apart that were hardly ever compared with each other.
    """
    known = precisions > 0.0
    unknown = ~known & (surprises > 0.0)
    if not unknown.any() or not known.any():
        return PairStrengths(strengths, precisions)
    total = float(precisions.sum())
    strengths[unknown] = float((precisions * strengths).sum()) / total
    precisions[unknown] = AVERAGE_AT_MOST * total / known.sum() * surprises[unknown]
    return PairStrengths(strengths, precisions)


def _groups_of(prior_mean: FloatArray) -> Int64Array:
    """Return groups of pairs of similar prior means, equal ones in one group."""
    edges = np.quantile(prior_mean, np.arange(1, N_GROUPS) / N_GROUPS)
    return np.searchsorted(np.unique(edges), prior_mean)


def _ratios_by_group(
    numerators: FloatArray, denominators: FloatArray, groups: Int64Array
) -> FloatArray:
    """Return, for each pair, the ratio of the sums over its group; 1 where nothing is known."""
    tops, bottoms = (np.bincount(groups, weights) for weights in (numerators, denominators))
    known = (tops > 1e-12) & (bottoms > 1e-12)
    return np.divide(tops, bottoms, out=np.ones_like(tops), where=known)[groups]
