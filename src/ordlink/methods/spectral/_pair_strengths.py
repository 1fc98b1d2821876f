"""Bradley-Terry strengths of all pairs of objects, and their precisions given prior means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np

from ordlink._typing import AnyArray, FloatArray, Int32Array, Int64Array
from ordlink.comparisons import ListedComparisons, RankedComparisons, n_pairs
from ordlink.comparisons._base import FrozenArrays
from ordlink.methods.spectral._descent import descend

_PARTS = 2
_ROWS_PER_PART = 1 << 16
_ROWS_AT_ONCE = 1 << 15
"""Sums are made in parts that depend on the input alone, not on the number of threads."""
_PAIRS_PER_THREAD = 1 << 17
_FEW_PAIRS = 1 << 17  # what there is about so many pairs fits into the cache
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


@dataclass(frozen=True)
class PairAnswers(FrozenArrays):
    """All answers about pairs, including repeated and contradicting ones."""

    n_objects: int  # number of objects N
    winners: Int32Array  # (n_rows,): pair ids: the winner was said to be the more similar pair
    losers: Int32Array
    weights: FloatArray  # (n_rows,) or (0,): how often; empty if once each
    # Share of the answers that are lapses: the opposite of what was meant, from 0 to below 1/2
    lapse_rate: float = 0.0
    n_pairs: int = 0  # number of pairs E; 0: all pairs of the objects, compared or not

    def __post_init__(self) -> None:
        if not self.n_pairs:
            object.__setattr__(self, "n_pairs", n_pairs(self.n_objects))
        super().__post_init__()

    @classmethod
    def of(cls, comparisons: ListedComparisons) -> PairAnswers:
        """Return the rows of comparisons as they were given."""
        counts = comparisons.counts
        weights = np.empty(0) if counts is None else counts.astype(np.float64)
        return cls(comparisons.n_objects, comparisons.winners, comparisons.losers, weights)

    def with_lapse_rate(self, lapse_rate: float) -> PairAnswers:
        """Return the same rows with another lapse rate."""
        return replace(self, lapse_rate=lapse_rate)

    def by_object(self) -> PairAnswers:
        """Return the same rows, for the cache in the order of the object that both pairs share.

        Of pairs without a common object, it is one of the winner's. Few pairs need no order.
        """
        from ordlink._threads import in_threads
        from ordlink.methods.spectral._kernels import find_shared_objects, put_in_order

        if self.n_pairs <= _FEW_PAIRS:
            return self
        n = self.n_objects
        kind: Any = np.uint16 if n <= 1 << 16 else np.int32
        first = np.repeat(np.arange(n, dtype=kind), np.arange(n)[::-1])
        shared, counts = np.empty(len(self.winners), dtype=kind), np.zeros(n, dtype=np.int64)
        find_shared_objects(self.winners, self.losers, first, n, shared, counts)
        columns: list[AnyArray] = [self.winners, self.losers, self.weights]
        ordered = [np.empty_like(column) for column in columns]

        def put(first: int, last: int) -> None:
            for rows, copies in zip(columns[first:last], ordered[first:last], strict=True):
                put_in_order(shared, np.cumsum(counts) - counts, rows, copies)

        in_threads(put, 3 if len(self.weights) else 2)
        winners, losers, weights = ordered
        return replace(self, winners=winners, losers=losers, weights=weights)

    @property
    def total_weight(self) -> float:
        """Number of comparisons, repeated ones counted as often as they were given."""
        return float(self.weights.sum()) if len(self.weights) else float(len(self.winners))

    def take(self, rows: AnyArray) -> PairAnswers:
        """Return the rows given by a mask or by row numbers."""
        weights = self.weights[rows] if len(self.weights) else self.weights
        return replace(self, winners=self.winners[rows], losers=self.losers[rows], weights=weights)

    def of_compared(self) -> tuple[PairAnswers, Int64Array]:
        """Return the same rows about the pairs that occur in them, and the ids of these pairs."""
        occurs = np.zeros(self.n_pairs, dtype=bool)
        occurs[self.winners] = occurs[self.losers] = True
        ids, numbers = np.flatnonzero(occurs), (np.cumsum(occurs) - 1).astype(np.int32)
        winners, losers = numbers[self.winners], numbers[self.losers]
        return replace(self, winners=winners, losers=losers, n_pairs=len(ids)), ids

    def likelihood(self, strengths: FloatArray) -> tuple[float, FloatArray]:
        """Return minus the log-likelihood of x, and its slopes times -1.

        P(e beats f) = q + (1 - 2 q) / (1 + exp(x_f - x_e)), q the lapse rate. Without lapses, the
        slopes are the sums of y - P.
        """
        from ordlink.methods.spectral._kernels import add_likelihood

        return self._add_up(strengths, add_likelihood)

    def curvatures(self, strengths: FloatArray) -> FloatArray:
        """Return the Fisher information of each pair alone; without lapses, sums of P (1 - P)."""
        from ordlink.methods.spectral._kernels import add_curvatures

        return self._add_up(strengths, add_curvatures)[1]

    def _add_up(
        self, strengths: FloatArray, kernel: Callable[..., float]
    ) -> tuple[float, FloatArray]:
        """Return what a kernel returns for the rows and adds to the pairs."""
        from ordlink._threads import in_threads
        from ordlink.methods.spectral._kernels import take_differences

        n_rows = len(self.winners)
        n_parts = min(_PARTS, max(1, n_rows // _ROWS_PER_PART))
        totals, sums = np.zeros(n_parts), np.zeros((n_parts, self.n_pairs))

        def add(first: int, last: int) -> None:
            differences, decays = np.empty((2, min(_ROWS_AT_ONCE, n_rows)))
            for part in range(first, last):
                end = n_rows * (part + 1) // n_parts
                for begin in range(n_rows * part // n_parts, end, _ROWS_AT_ONCE):
                    rows = slice(begin, min(begin + _ROWS_AT_ONCE, end))
                    winners, losers = self.winners[rows], self.losers[rows]
                    ahead = differences[: len(winners)]
                    take_differences(strengths, winners, losers, ahead)
                    small = decays[: len(winners)]
                    np.exp(np.negative(np.abs(ahead, out=small), out=small), out=small)
                    given = ahead, small, self.lapse_rate, winners, losers, self.weights[rows]
                    totals[part] += kernel(*given, sums[part])

        def unite(first: int, last: int) -> None:
            for part in range(1, n_parts):
                sums[0, first:last] += sums[part, first:last]

        in_threads(add, n_parts)
        in_threads(unite, self.n_pairs, smallest=_PAIRS_PER_THREAD)
        return float(totals.sum()), sums[0]

    def mean_loss(self, strengths: FloatArray) -> float:
        """Return minus the mean log-likelihood of a comparison."""
        return self.likelihood(strengths)[0] / max(self.total_weight, 1.0)


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

        in_threads(add, len(room), smallest=_PAIRS_PER_THREAD)
        value, slopes = self._answers.likelihood(room)
        value += 0.5 * float((effects * effects).sum()) / self._variance

        def shrink(first: int, last: int) -> None:
            np.divide(effects[first:last], self._variance, out=room[first:last])
            room[first:last] -= slopes[first:last]

        in_threads(shrink, len(room), smallest=_PAIRS_PER_THREAD)
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
