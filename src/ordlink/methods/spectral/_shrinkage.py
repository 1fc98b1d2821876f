"""How far to trust single answers: chosen by the likelihood of answers held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ordlink._typing import FloatArray
from ordlink.comparisons import ListedComparisons
from ordlink.methods.spectral._bradley_terry import PairAnswers, held_out_rows
from ordlink.methods.spectral._low_rank import first_points, fit_low_rank, noise_edge, strengths_of
from ordlink.methods.spectral._pair_strengths import PairModel
from ordlink.methods.spectral._thinning import thin_out

RIDGES = (0.7, 0.5, 0.35, 0.25, 0.18, 0.125, 0.09)
"""In units of the noise edge, from strong to weak."""
VARIANCES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
LAPSES = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
SCALES = (0.5, 0.7, 1.0, 1.4, 2.0, 3.0)
DEFAULT_VARIANCE = 1.0
HELD_OUT = 0.1
ROWS_AT_MOST = 500_000
"""More answers than this are not needed to choose, or for a first guess."""
_FEWEST_HELD_OUT = 20
_WORSE = 1.01
"""The search along a path ends once the loss is worse than the best by this factor."""
_SEED = 20190101


@dataclass(frozen=True)
class FirstGuess:
    """Where the method starts.

    Attributes
    ----------
    points : ndarray of shape (N, r), dtype float64
        One per object; the strength of a pair is their product.
    ridge : float
        How they are shrunk, in noise edges.
    variance : float
        Variance of the pairs' own effects.
    """

    points: FloatArray
    ridge: float = RIDGES[2]
    variance: float = DEFAULT_VARIANCE

    @property
    def strengths(self) -> FloatArray:
        """Strengths of low rank, one per pair."""
        return strengths_of(self.points)


def guess_strengths(
    comparisons: ListedComparisons, lapse: float = 0.0, near: FirstGuess | None = None
) -> FirstGuess:
    """Return strengths of low rank and the variance of the pairs' own effects.

    `lapse` is the share of the answers that are slips, and `near` a guess made with another share,
    which spares most of the search. Both kinds of shrinkage are chosen on answers held out, which
    depends on the order of the answers, but neither on the objects' numbers nor on anything random.
    """
    comparisons = thin_out(comparisons, ROWS_AT_MOST)
    answers = PairAnswers.of(comparisons).with_lapse(lapse)
    held_out = held_out_rows(comparisons, HELD_OUT, _SEED)
    test = answers.take(held_out)
    guess = FirstGuess(first_points(answers)) if near is None else near
    if test.total_weight >= _FEWEST_HELD_OUT:
        train = answers.take(~held_out)
        ridges: tuple[float, ...] = RIDGES
        variances: tuple[float, ...] = VARIANCES
        if near is None:
            guess = FirstGuess(first_points(train))
        else:
            ridges = _from_before(RIDGES, near.ridge)
            variances = _from_before(VARIANCES, near.variance)
        guess = _choose_ridge(train, test, guess, ridges)
        strengths = guess.strengths
        variance = _best_variance(train, test, lambda model: model.stretch(strengths), variances)
        guess = replace(guess, variance=variance)
    points = fit_low_rank(answers, guess.points, guess.ridge * noise_edge(answers))
    return replace(guess, points=points)


def choose_variance(comparisons: ListedComparisons, expected: FloatArray, lapse: float) -> float:
    """Return the variance of the pairs' own effects around what clusters let expect."""
    comparisons = thin_out(comparisons, ROWS_AT_MOST)
    answers = PairAnswers.of(comparisons).with_lapse(lapse)
    held_out = held_out_rows(comparisons, HELD_OUT, _SEED)
    return _best_variance(
        answers.take(~held_out), answers.take(held_out), lambda _: expected, VARIANCES
    )


def share_of_slips(comparisons: ListedComparisons, expected: FloatArray) -> float:
    """Return the share of the answers that say the opposite of what was meant.

    Clusters that lie far apart are not confused but by a slip. Clusters are few numbers, so the
    share is that of the largest likelihood, for the best scale of what clusters let expect; it is 0
    unless slips explain clearly more.
    """
    answers = PairAnswers.of(thin_out(comparisons, ROWS_AT_MOST))
    losses = {
        lapse: min(answers.with_lapse(lapse).likelihood(scale * expected)[0] for scale in SCALES)
        for lapse in LAPSES
    }
    lapse = min(losses, key=lambda lapse: losses[lapse])
    gain = losses[0.0] - losses[lapse]
    return lapse if gain > np.log(max(answers.total_weight, 1.0)) else 0.0


def _from_before(path: tuple[float, ...], found: float) -> tuple[float, ...]:
    """Return the path from the number before one that was found."""
    return path[max(path.index(found) - 1, 0) :]


def _choose_ridge(
    train: PairAnswers, test: PairAnswers, guess: FirstGuess, ridges: tuple[float, ...]
) -> FirstGuess:
    """Return the guess of the ridge with the smallest loss."""
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
    train: PairAnswers,
    test: PairAnswers,
    expected: Callable[[PairModel], FloatArray],
    variances: tuple[float, ...],
) -> float:
    """Return the variance with the smallest loss."""
    best_loss, best = np.inf, DEFAULT_VARIANCE
    for variance in variances:
        model = PairModel(train, variance)
        loss = test.mean_loss(model.fit(expected(model)))
        if loss < best_loss:
            best_loss, best = loss, variance
        elif loss > _WORSE * best_loss:
            break
    return best
