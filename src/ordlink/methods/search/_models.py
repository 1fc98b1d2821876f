"""What new answers are expected to say: models of strengths, weighted on held-out answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ordlink._typing import FloatArray, Int32Array, LabelArray
from ordlink.comparisons import Comparisons, ListedComparisons, pair_members
from ordlink.methods.embedding import tste_embedding
from ordlink.methods.spectral import fit_pair_strengths

DIMENSIONS = (2, 3, 5, 8)  # of the t-STE embeddings
N_FOLDS = 4
ROWS_FOR_ALL_FOLDS = 20_000  # with more rows than this, one fold held out is enough
_FEWEST_ROWS = 40  # fewer say nothing about the models: all count alike
_EM_STEPS = 200
_PRIOR_ANSWERS = 500  # so many answers would have to speak against equal weights to be heard half
_SEED = 20190105


@dataclass(frozen=True)
class Pool:
    """Models of the strengths of all pairs, and how far each can be trusted."""

    strengths: FloatArray  # (n_models, N, N): P(e beats f) is 1 / (1 + exp(x_f - x_e))
    weights: FloatArray  # (n_models,): the rest to 1 is the weight of "all answers are chance"

    @property
    def mean_strengths(self) -> FloatArray:
        """The weighted mean of the models, each with mean 0."""
        centred = self.strengths - self.strengths.mean(axis=(1, 2), keepdims=True)
        weights = self.weights / max(float(self.weights.sum()), 1e-12)
        return np.asarray(np.tensordot(weights, centred, 1))


def fit_pool(comparisons: ListedComparisons, seed: int) -> Pool:
    """Return the models of all answers, with weights chosen on answers held out in turn."""
    from scipy.special import expit

    n_models = len(_dimensions(comparisons)) + 1
    weights = np.full(n_models, 1.0 / n_models)
    if comparisons.n_rows >= _FEWEST_ROWS:
        chances, counts = [], []
        for train, test in _folds(comparisons):
            fitted = fit_models(train, seed)
            differences = fitted.reshape(n_models, -1)
            won, lost = _flat(test.winners, test.n_objects), _flat(test.losers, test.n_objects)
            chances.append(expit(differences[:, won] - differences[:, lost]).T)
            counts.append(_counts(test))
        weights = mixture_weights(np.concatenate(chances), np.concatenate(counts))
    return Pool(fit_models(comparisons, seed), weights)


def fit_models(comparisons: Comparisons, seed: int) -> FloatArray:
    """Return strengths (n_models, N, N): t-STE in several dimensions, and Bradley-Terry."""
    n = comparisons.n_objects
    found = np.zeros((len(_dimensions(comparisons)) + 1, n, n))
    for strengths, dimension in zip(found, _dimensions(comparisons), strict=False):
        points = tste_embedding(
            comparisons, n_components=dimension, n_init=1, seed=seed, repeats="net"
        ).points
        degrees = max(dimension - 1, 1)
        squares = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
        strengths[:] = -(degrees + 1) / 2 * np.log1p(squares / degrees)
    found[-1] = fit_pair_strengths(comparisons)
    return found


def mixture_weights(chances: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the weights of the models that make held-out answers most likely, by EM.

    Row r of `chances` is what each model gave the answer that came. "All answers are chance" is
    one model more, whose weight is left out.

    Equal weights are worth some answers of their own.

    >>> chances = np.array([[0.9, 0.5], [0.9, 0.4], [0.9, 0.6]])
    >>> mixture_weights(chances, np.full(3, 10_000)).round(1).tolist()
    [1.0, 0.0]
    """
    table = np.column_stack([np.maximum(chances, 1e-6), np.full(len(chances), 0.5)])
    n_models = chances.shape[1]
    prior = np.array([_PRIOR_ANSWERS / n_models] * n_models + [0.0])
    weights = np.full(n_models + 1, 1.0 / (n_models + 1))
    for _ in range(_EM_STEPS):
        parts = table * weights
        votes = counts @ (parts / parts.sum(axis=1, keepdims=True))
        weights = (votes + prior) / (counts.sum() + _PRIOR_ANSWERS)
    return np.asarray(weights[:-1])


def _dimensions(comparisons: Comparisons) -> tuple[int, ...]:
    return tuple(d for d in DIMENSIONS if d < comparisons.n_objects) or (1,)


def _counts(comparisons: ListedComparisons) -> FloatArray:
    counts = comparisons.counts
    return np.ones(comparisons.n_rows) if counts is None else counts.astype(np.float64)


def _flat(pairs: Int32Array, n_objects: int) -> LabelArray:
    """Return the places of pairs in a flattened (N, N) matrix."""
    low, high = pair_members(pairs, n_objects)
    return np.asarray(low.astype(np.int64) * n_objects + high)


def _folds(
    comparisons: ListedComparisons,
) -> Iterator[tuple[ListedComparisons, ListedComparisons]]:
    """Yield (train, test): what belongs together stays on one side.

    These are the comparisons of one answer; rows in succession that the same pair wins, as where
    one was chosen of many; or else the answers to one question.
    """
    rows, winners, losers = comparisons.n_rows, comparisons.winners, comparisons.losers
    units = np.unique(comparisons.answer_ids, return_inverse=True)[1].ravel()
    if units.max() + 1 == rows:
        units = np.concatenate([[0], np.cumsum(winners[1:] != winners[:-1])])
        if units[-1] + 1 > 0.5 * rows:
            pairs = np.sort(np.stack([winners, losers], axis=1), axis=1)
            units = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
    n_units = int(units.max()) + 1
    fold_of_unit = np.random.default_rng(_SEED).permutation(n_units) % N_FOLDS
    in_fold = fold_of_unit[units]
    for fold in range(N_FOLDS if rows <= ROWS_FOR_ALL_FOLDS else 1):
        yield comparisons.take(in_fold != fold), comparisons.take(in_fold == fold)
