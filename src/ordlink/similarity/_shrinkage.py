"""How far to trust single answers: chosen by the likelihood of answers held out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink.comparisons import ListedComparisons
from ordlink.similarity._bradley_terry import PairAnswers, held_out_rows
from ordlink.similarity._low_rank import first_points, fit_low_rank, noise_edge, strengths_of
from ordlink.similarity._pair_strengths import PairModel
from ordlink.typing import BoolArray, FloatArray

RIDGES = (0.7, 0.5, 0.35, 0.25, 0.18, 0.125, 0.09)
"""In units of the noise edge, from strong to weak."""
VARIANCES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
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
    strengths : ndarray of shape (E,), dtype float64
        Strengths of low rank.
    variance : float
        Variance of the pairs' own effects.
    """

    strengths: FloatArray
    variance: float


def guess_strengths(comparisons: ListedComparisons, lapse: float = 0.0) -> FirstGuess:
    """Return strengths of low rank and the variance of the pairs' own effects.

    `lapse` is the share of the answers that are slips. Both kinds of shrinkage are chosen on
    answers held out, which depends on the order of the answers, but neither on the objects'
    numbers nor on anything random.
    """
    answers = PairAnswers.of(comparisons).with_lapse(lapse)
    few = _thin_out(answers, comparisons)
    held_out = held_out_rows(comparisons, HELD_OUT, _SEED)[few]
    answers = answers.take(few)
    test = answers.take(held_out)
    if test.total_weight < _FEWEST_HELD_OUT:
        points = fit_low_rank(answers, first_points(answers), RIDGES[2] * noise_edge(answers))
        return FirstGuess(strengths_of(points), DEFAULT_VARIANCE)
    train = answers.take(~held_out)
    ridge, points = _choose_ridge(train, test)
    variance = _choose_variance(train, test, strengths_of(points))
    points = fit_low_rank(answers, points, ridge * noise_edge(answers))
    return FirstGuess(strengths_of(points), variance)


def share_of_slips(comparisons: ListedComparisons, expected: FloatArray) -> float:
    """Return the share of the answers that say the opposite of what was meant.

    Clusters that lie far apart are not confused but by a slip. Clusters are few numbers, so the
    share is that of the largest likelihood, for the best scale of what clusters let expect; it is 0
    unless slips explain clearly more.
    """
    answers = PairAnswers.of(comparisons)
    answers = answers.take(_thin_out(answers, comparisons))
    losses = {
        lapse: min(answers.with_lapse(lapse).likelihood(scale * expected)[0] for scale in SCALES)
        for lapse in LAPSES
    }
    lapse = min(losses, key=lambda lapse: losses[lapse])
    gain = losses[0.0] - losses[lapse]
    return lapse if gain > np.log(max(answers.total_weight, 1.0)) else 0.0


def _thin_out(answers: PairAnswers, comparisons: ListedComparisons) -> BoolArray:
    """Return which rows to use: all, or a random share of the answers."""
    n_rows = len(answers.winners)
    if n_rows <= ROWS_AT_MOST:
        return np.ones(n_rows, dtype=bool)
    return held_out_rows(comparisons, ROWS_AT_MOST / n_rows, _SEED + 1)


def _choose_ridge(train: PairAnswers, test: PairAnswers) -> tuple[float, FloatArray]:
    """Return the ridge of the smallest loss, in noise edges, and the points it gives."""
    points, edge = first_points(train), noise_edge(train)
    floor = 0.01 * np.abs(points).max()  # a strong ridge must not leave the next one at 0
    best_loss, best, best_points = np.inf, RIDGES[0], points
    for ridge in RIDGES:
        fitted = fit_low_rank(train, points, ridge * edge)
        points = fitted if np.abs(fitted).max() > floor else points
        loss = test.mean_loss(strengths_of(fitted))
        if loss < best_loss:
            best_loss, best, best_points = loss, ridge, points
        elif loss > _WORSE * best_loss:
            break
    return best, best_points


def _choose_variance(train: PairAnswers, test: PairAnswers, strengths: FloatArray) -> float:
    """Return the variance of the smallest loss."""
    best_loss, best = np.inf, DEFAULT_VARIANCE
    for variance in VARIANCES:
        model = PairModel(train, variance)
        loss = test.mean_loss(model.fit(model.stretch(strengths)))
        if loss < best_loss:
            best_loss, best = loss, variance
        elif loss > _WORSE * best_loss:
            break
    return best
