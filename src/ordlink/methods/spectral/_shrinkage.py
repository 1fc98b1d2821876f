"""How much to shrink: first strengths x_ij = <v_i, v_j>, chosen on held-out answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ordlink._typing import BoolArray, FloatArray
from ordlink.comparisons import Comparisons, ListedComparisons, RankedComparisons
from ordlink.methods.spectral._answers import PairAnswers
from ordlink.methods.spectral._pair_strengths import (
    MANY_PAIRS,
    KnownStrengths,
    PairModel,
    as_matrix,
    by_pair,
    leading_eigenpairs,
)
from ordlink.methods.spectral._rows import held_out_rows, thin_out

Path = tuple[float, ...]
RIDGES: Path = (0.7, 0.5, 0.35, 0.25, 0.18, 0.125, 0.09)  # in noise edges, from strong to weak
VARIANCES: Path = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
LAPSE_RATES = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
SCALES = (0.5, 0.7, 1.0, 1.4, 2.0, 3.0)
DEFAULT_VARIANCE = 1.0
HELD_OUT = 0.1
ROWS_AT_MOST = 500_000  # more answers than this are not needed to choose, or for a first guess
_FEWEST_HELD_OUT = 20
_WORSE = 1.01  # the search along a path ends once the loss is worse than the best by this factor
_SEED = 20190101
MAX_RANK = 16
_MAX_STEPS = 60
_REMEMBERED_STEPS = 10
_TINY = 1e-300  # a probability that rounds to 0


@dataclass(frozen=True)
class FirstGuess:
    """Where the method starts."""

    points: FloatArray  # (N, r): one per object; the strength of a pair is their product
    ridge: float = RIDGES[2]  # how they are shrunk, in noise edges
    variance: float = DEFAULT_VARIANCE  # variance of the pairs' own effects

    @property
    def strengths(self) -> FloatArray:
        """Strengths of low rank, one per pair."""
        return strengths_of(self.points)


def guess_strengths(
    comparisons: ListedComparisons, lapse_rate: float = 0.0, near: FirstGuess | None = None
) -> FirstGuess:
    """Return strengths of low rank and the variance of the pairs' own effects.

    `near` is a guess made with another lapse rate, which saves most of the search. The ridge and
    the variance are chosen on answers held out by their order alone, not by the objects' numbers.
    """
    comparisons = thin_out(comparisons, ROWS_AT_MOST)
    answers = PairAnswers.of(comparisons).with_lapse_rate(lapse_rate)
    held_out = held_out_rows(comparisons, HELD_OUT, _SEED)
    test = answers.take(held_out)
    guess = FirstGuess(first_points(answers)) if near is None else near
    if test.total_weight >= _FEWEST_HELD_OUT:
        train = answers.take(~held_out)
        if near is None:
            guess, ridges, variances = FirstGuess(first_points(train)), RIDGES, VARIANCES
        else:
            ridges = _from_before(RIDGES, near.ridge)
            variances = _from_before(VARIANCES, near.variance)
        guess = _choose_ridge(train, test, guess, ridges)
        strengths = guess.strengths
        variance = _best_variance(answers, held_out, strengths, variances, stretched=True)
        guess = replace(guess, variance=variance)
    points = fit_low_rank(answers, guess.points, guess.ridge * noise_edge(answers))
    return replace(guess, points=points)


def choose_variance(
    comparisons: ListedComparisons, prior_mean: FloatArray, lapse_rate: float
) -> float:
    """Return the variance of the pairs' own effects around their prior means."""
    answers = PairAnswers.of(comparisons).with_lapse_rate(lapse_rate)
    held_out = held_out_rows(comparisons, HELD_OUT, _SEED)
    return _best_variance(answers, held_out, prior_mean, VARIANCES)


def estimate_lapse_rate(comparisons: ListedComparisons, prior_mean: FloatArray) -> float:
    """Return the share of answers that are the opposite of what the person meant.

    Clusters that lie far apart are confused by lapses alone. Prior means from clusters have few
    free parameters, so the lapse rate is the maximum-likelihood one, for the best scale of the
    prior means; it is 0 unless lapses explain the answers clearly better (BIC).
    """
    answers = PairAnswers.of(comparisons)
    ahead = prior_mean[answers.winners] - prior_mean[answers.losers]
    losses = dict.fromkeys(LAPSE_RATES, np.inf)
    for scale in SCALES:
        decays = np.exp(-np.abs(scale * ahead))
        meant = np.where(ahead > 0.0, 1.0, decays) / (1.0 + decays)
        for lapse_rate, least in losses.items():
            logs = np.log(lapse_rate + (1.0 - 2.0 * lapse_rate) * np.maximum(meant, _TINY))
            loss = -float(answers.weights @ logs if len(answers.weights) else logs.sum())
            losses[lapse_rate] = min(least, loss)
    lapse_rate = min(losses, key=lambda lapse_rate: losses[lapse_rate])
    gain = losses[0.0] - losses[lapse_rate]
    return lapse_rate if gain > np.log(max(answers.total_weight, 1.0)) else 0.0


def _from_before(path: Path, found: float) -> Path:
    """Return the path from the number before one that was found."""
    return path[max(path.index(found) - 1, 0) :]


def _choose_ridge(
    train: PairAnswers, test: PairAnswers, guess: FirstGuess, ridges: Path
) -> FirstGuess:
    """Return the initial strengths, with the ridge that has the smallest held-out loss."""
    points, edge = guess.points, noise_edge(train)
    floor = 0.01 * np.abs(points).max()  # a strong ridge must not leave the next one at 0
    best_loss, best = np.inf, guess
    for ridge in ridges:
        fitted = fit_low_rank(train, points, ridge * edge)
        points = fitted if np.abs(fitted).max() > floor else points
        loss = test.mean_loss(strengths_of(fitted))
        if loss < best_loss:
            best_loss, best = loss, replace(guess, points=points, ridge=ridge)
        elif loss > _WORSE * best_loss:
            break
    return best


def _best_variance(
    answers: PairAnswers,
    held_out: BoolArray,
    prior_mean: FloatArray,
    variances: Path,
    *,
    stretched: bool = False,
) -> float:
    """Return the variance with the smallest loss; see `PairModel.stretch`."""
    if answers.n_pairs > MANY_PAIRS:  # most of them are in none of some rows
        answers, ids = answers.of_compared()
        prior_mean = prior_mean[ids]
    train, test = answers.take(~held_out), answers.take(held_out)
    best_loss, best = np.inf, DEFAULT_VARIANCE
    for variance in variances:
        model = PairModel(train, variance)
        loss = test.mean_loss(model.fit(model.stretch(prior_mean) if stretched else prior_mean))
        if loss < best_loss:
            best_loss, best = loss, variance
        elif loss > _WORSE * best_loss:
            break
    return best


def noise_edge(answers: PairAnswers) -> float:
    """Return the approximate largest eigenvalue of the slopes if answers are coin flips.

    With lapse rate q, a comparison has variance (1 - 2 q)^2 / 4 in the slopes of its two pairs at
    x = 0. So a row of their matrix has n times that variance, where n = 4 |Q| / N is the mean
    number of comparisons with an object's pairs, and the spectrum ends at (1 - 2 q) sqrt(n).
    """
    per_object = 4.0 * answers.total_weight / answers.n_objects
    return float((1.0 - 2.0 * answers.lapse_rate) * np.sqrt(per_object))


def first_points(answers: PairAnswers) -> FloatArray:
    """Return the leading eigenvectors of the AddS similarity, scaled like strengths, (N, rank)."""
    n = answers.n_objects
    rank = min(MAX_RANK, n - 1)
    _, slopes = answers.likelihood(np.zeros(answers.n_pairs))
    mean_curvature = answers.total_weight / 2.0 / answers.n_pairs
    similarity = as_matrix(slopes / max(mean_curvature, 1e-12), n)
    np.fill_diagonal(similarity, similarity.sum(axis=1) / (n - 1))
    values, vectors = leading_eigenpairs(similarity, rank)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 1e-3)))


def fit_low_rank(answers: PairAnswers, points: FloatArray, ridge: float) -> FloatArray:
    """Return points v that maximise log-likelihood - ridge / 2 |v|^2, from a start, by L-BFGS.

    Directions that explain less than the ridge vanish: ridge / 2 |v|^2 is ridge / 2 times the
    nuclear norm of the matrix x.
    """
    from scipy.optimize import minimize

    shape = points.shape

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        v = flat.reshape(shape)
        value, slopes = answers.likelihood(strengths_of(v))
        gradient = ridge * v - as_matrix(slopes, shape[0]) @ v
        return value + 0.5 * ridge * float((v * v).sum()), gradient.ravel()

    options: Any = {"maxiter": _MAX_STEPS, "maxcor": _REMEMBERED_STEPS, "ftol": 1e-5}
    found = minimize(loss, points.ravel(), jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x.reshape(shape))


def strengths_of(points: FloatArray) -> FloatArray:
    """Return <v_i, v_j> of each pair."""
    return by_pair(points @ points.T)


def fit_pair_strengths(comparisons: Comparisons) -> FloatArray:
    """Return the strengths x of all pairs, (N, N): P(e beats f) = 1 / (1 + exp(x_f - x_e)).

    Strengths of low rank plus an effect of each pair, both shrunk as held-out answers suggest.
    """
    if not isinstance(comparisons, ListedComparisons):
        assert isinstance(comparisons, RankedComparisons)
        ranked = KnownStrengths.of_ranks(comparisons)
        return as_matrix(ranked.fit(np.empty(0)), comparisons.n_objects)
    guess = guess_strengths(comparisons)
    model = PairModel(PairAnswers.of(comparisons).by_object(), guess.variance)
    return as_matrix(model.fit(model.stretch(guess.strengths)), comparisons.n_objects)
