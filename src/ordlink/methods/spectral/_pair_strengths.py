"""Bradley-Terry strengths of all pairs of objects, and their precisions given prior means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np

from ordlink._typing import FloatArray, Int64Array
from ordlink.comparisons import RankedComparisons, n_pairs
from ordlink.methods.spectral._answers import PAIRS_PER_THREAD, PairAnswers
from ordlink.methods.spectral._descent import descend

DENSE_AT_MOST = 400  # of larger matrices, leading eigenvectors are found by Lanczos' method
_MAX_STEPS = 40
_REMEMBERED_STEPS = 6
AVERAGE_AT_MOST = 0.2  # largest weight of a pair that was never compared, relative to the others
_SURE = 4  # chances that a pair would have been compared are taken to this power
MANY_PAIRS = 125_000  # with more pairs than this, fits are less exact: time matters more
_FTOL, _FTOL_OF_MANY = 1e-6, 3e-5
N_GROUPS = 16  # pairs are put into so many groups by their prior means
LOGIT_OF_PROBIT = 0.346  # (16 sqrt(3) / (15 pi))^2: a normal effect flattens a logistic curve
PRIOR_VARIANCE = 3.0  # variance of strengths before anything is answered


def as_matrix(by_pair: FloatArray, n_objects: int) -> FloatArray:
    """Return the symmetric matrix of one number per pair, 0 on the diagonal."""
    from ordlink.methods.spectral._kernels import fill_symmetric

    matrix = np.empty((n_objects, n_objects))
    fill_symmetric(by_pair, matrix)
    return matrix


def by_pair(matrix: FloatArray) -> FloatArray:
    """Return the numbers above the diagonal, one per pair."""
    from ordlink.methods.spectral._kernels import take_upper

    numbers = np.empty(n_pairs(len(matrix)))
    take_upper(np.ascontiguousarray(matrix), numbers)
    return numbers


def leading_eigenpairs(matrix: FloatArray, n_pairs: int) -> tuple[FloatArray, FloatArray]:
    """Return the leading eigenvalues of a symmetric matrix, largest first, and eigenvectors."""
    from scipy.linalg import eigh
    from scipy.sparse.linalg import ArpackError, eigsh

    n = len(matrix)
    n_pairs = min(n_pairs, n)
    if n > DENSE_AT_MOST:
        start = (matrix * matrix).sum(axis=1)  # the same for the same objects in any order
        try:
            values, vectors = eigsh(matrix, k=n_pairs, which="LA", v0=start, tol=1e-4)
            return values[::-1], vectors[:, ::-1]
        except ArpackError:
            pass  # no eigenvalue stands out, or all are 0: take the slow way
    from scipy.linalg.lapack import dsyevr

    # What eigh(matrix, subset_by_index=...) calls, which takes twice as long for small matrices
    sizes = dict(zip(("lwork", "liwork"), _workspace(n), strict=True))
    ends = {"range": "I", "il": n - n_pairs + 1, "iu": n}
    values, vectors, n_found, _, info = dsyevr(matrix, lower=1, **ends, **sizes)
    if info or n_found < n_pairs or not np.isfinite(values[:n_pairs]).all():
        values, vectors = eigh(matrix, subset_by_index=[n - n_pairs, n - 1])
    return values[:n_pairs][::-1], vectors[:, :n_pairs][:, ::-1]


@lru_cache(maxsize=500)
def _workspace(n: int) -> tuple[int, int]:
    from scipy.linalg.lapack import dsyevr_lwork

    work, iwork, _ = dsyevr_lwork(n, lower=1)
    return int(work), int(iwork)


@dataclass(frozen=True)
class PairStrengths:
    """Strengths as weighted observations: z_e ~ N(prediction of the tree, 1 / h_e)."""

    strengths: FloatArray  # (N, N): z, symmetric; the prior mean where nothing was answered
    precisions: FloatArray  # (N, N): h, symmetric, 0 on the diagonal and where nothing was answered

    @cached_property
    def totals(self) -> FloatArray:
        """The products h z."""
        return np.asarray(self.precisions * self.strengths)


class PairModel:
    """Bradley-Terry strengths x_e = prior_mean_e + effect_e, effects normal with known variance.

    The effects are what positions in a tree cannot explain: the noise R of the planted model. Each
    fit starts from the effects of the previous one.
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
        many = n_pairs(self._answers.n_objects) > MANY_PAIRS
        if self._curvatures is None or not many:
            self._curvatures = self._answers.curvatures(prior_mean)
        curved = self._curvatures + 1.0 / self._variance
        find = self._descend if many else self._minimize
        self._effects = find(prior_mean, curved)
        return np.asarray(prior_mean + self._effects)

    def _descend(self, prior_mean: FloatArray, curved: FloatArray) -> FloatArray:
        loss = partial(self._loss, prior_mean)
        return descend(loss, self._effects, 1.0 / curved, max_steps=_MAX_STEPS, ftol=_FTOL_OF_MANY)

    def _minimize(self, prior_mean: FloatArray, curved: FloatArray) -> FloatArray:
        from scipy.optimize import minimize

        scales = 1.0 / np.sqrt(curved)

        def loss(scaled: FloatArray) -> tuple[float, FloatArray]:
            value, slopes = self._loss(prior_mean, scaled * scales)
            return value, slopes * scales

        options: Any = {"maxiter": _MAX_STEPS, "maxcor": _REMEMBERED_STEPS, "ftol": _FTOL}
        start = self._effects / scales
        return minimize(loss, start, jac=True, method="L-BFGS-B", options=options).x * scales

    def _loss(self, prior_mean: FloatArray, effects: FloatArray) -> tuple[float, FloatArray]:
        """Return minus the log-likelihood of answers and effects, and its slopes."""
        from ordlink._threads import in_threads

        room = np.empty_like(effects)

        def add(first: int, last: int) -> None:
            np.add(prior_mean[first:last], effects[first:last], out=room[first:last])

        in_threads(add, len(room), smallest=PAIRS_PER_THREAD)
        value, slopes = self._answers.likelihood(room)
        value += 0.5 * float((effects * effects).sum()) / self._variance

        def shrink(first: int, last: int) -> None:
            np.divide(effects[first:last], self._variance, out=room[first:last])
            room[first:last] -= slopes[first:last]

        in_threads(shrink, len(room), smallest=PAIRS_PER_THREAD)
        return value, room

    def posterior(self, prior_mean: FloatArray, *, calibrated: bool = True) -> PairStrengths:
        """Return strengths as weighted observations around their prior means m.

        With x the most likely strengths and c the curvatures, the effects are integrated out
        (Laplace): h = c / (1 + c variance), h (z - m) = (x - m) / variance. Curvatures at x depend
        on the answers: pairs that unexpectedly lost would count more than pairs that won. So
        curvatures predicted before the answers are used, scaled to match those at x among similar
        pairs.

        If `calibrated`, all precisions are scaled so that the pulls, p = h (z - m), vary as much as
        the precisions say: sum p^2 = sum h. This holds if few parameters were fitted to get m.
        """
        strengths = self.fit(prior_mean)
        slopes = self._effects / self._variance
        self._curvatures = curvatures = self._answers.curvatures(strengths)
        flatter = prior_mean / np.sqrt(1.0 + 2.0 * LOGIT_OF_PROBIT * self._variance)
        predicted = self._answers.curvatures(flatter)
        predicted *= _ratios_by_group(curvatures, predicted, _groups_of(prior_mean))
        precisions = predicted / (1.0 + predicted * self._variance)
        known = precisions > 1e-12
        means = prior_mean.copy()
        means[known] += slopes[known] / precisions[known]
        if calibrated and known.any():
            precisions /= max(float((slopes * slopes).sum() / precisions.sum()), 1e-6)
        n = self._answers.n_objects
        return _fill_in_uncompared(as_matrix(means, n), as_matrix(precisions, n), self._by_object)

    @cached_property
    def _by_object(self) -> FloatArray:
        """Number of comparisons of each object's pairs, (N,)."""
        answers = self._answers
        weights = answers.weights if len(answers.weights) else None
        counts = np.zeros(answers.n_pairs)
        counts += np.bincount(answers.winners, weights, answers.n_pairs)
        counts += np.bincount(answers.losers, weights, answers.n_pairs)
        return np.asarray(as_matrix(counts, answers.n_objects).sum(axis=1))

    def stretch(self, prior_mean: FloatArray) -> FloatArray:
        """Return prior means for a model with effects, from strengths fitted without them.

        Effects flatten the curve of P, so prior means must be more extreme to give the same
        probabilities.
        """
        return np.asarray(prior_mean * np.sqrt(1.0 + LOGIT_OF_PROBIT * self._variance))


class KnownStrengths:
    """Strengths (one per pair) that need no prior means: from ranks or many answers."""

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
    def of_answers(cls, answers: PairAnswers) -> KnownStrengths:
        """Return the most likely strengths if all are normal around 0."""
        strengths = PairModel(answers, PRIOR_VARIANCE).fit(np.zeros(answers.n_pairs))
        return cls(strengths, answers.n_objects)

    def fit(self, prior_mean: FloatArray) -> FloatArray:
        """Return the strengths, whatever their prior means."""
        return self._strengths

    def posterior(self, prior_mean: FloatArray, *, calibrated: bool = True) -> PairStrengths:
        """Return the strengths, with one precision, from their spread around the prior means."""
        spread = float(np.mean((self._strengths - prior_mean) ** 2))
        precision = 1.0 / max(spread, 1e-9)
        precisions = as_matrix(np.full(len(prior_mean), precision), self._n_objects)
        return PairStrengths(as_matrix(self._strengths, self._n_objects), precisions)


def _fill_in_uncompared(
    strengths: FloatArray, precisions: FloatArray, by_object: FloatArray
) -> PairStrengths:
    """Return the strengths, with pairs that were never compared counting a little as average pairs.

    The more surprising it is that they were not compared if objects are paired at random, the more
    they count. Otherwise nothing would keep two clusters apart that were hardly ever compared with
    each other.
    """
    n = len(precisions)
    places = np.flatnonzero(precisions <= 0.0)
    i, j = np.divmod(places, n)
    by_chance = by_object[i] * by_object[j] / max(float(by_object.sum()), 1.0)
    surprises = (1.0 - np.exp(-by_chance)) ** _SURE
    unknown = (i != j) & (surprises > 0.0)
    n_known = n * n - len(places)
    if not unknown.any() or n_known == 0:
        return PairStrengths(strengths, precisions)
    total = float(precisions.sum())
    strengths.flat[places[unknown]] = float((precisions * strengths).sum()) / total
    precisions.flat[places[unknown]] = AVERAGE_AT_MOST * total / n_known * surprises[unknown]
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
