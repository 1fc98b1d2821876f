"""Models that predict new answers: embeddings, strengths of pairs, and trees of other methods."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, FloatArray, Int32Array, LabelArray
from ordlink.comparisons import Comparisons, ListedComparisons, pair_members
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition, link_by_average
from ordlink.methods import adds, four_al, kernel_al, spectral
from ordlink.methods.embedding import embedding_similarity, tste_embedding

DIMENSIONS = (2, 3, 5, 8)  # of the t-STE embeddings
STRENGTHS = "strengths"
SPLIT = "spectral"
_LINKED = (2, 3)  # dimensions whose points are linked to a tree, too
_TREES: dict[str, Callable[..., Hierarchy]] = {
    "4-AL": four_al.run,
    "4K-AL": kernel_al.run_passive,
    "AddS-AL": adds.run,
    SPLIT: spectral.run,
}
LABELS = (
    *(f"t-STE {dimension}-D" for dimension in (1, *DIMENSIONS)),
    STRENGTHS,
    *(f"tSTE-AL {dimension}-D" for dimension in _LINKED),
    *_TREES,
)
"""The names of all models."""
_EM_STEPS = 300
_PRIOR_ANSWERS = 50  # so many answers would have to speak against equal weights to be heard half
_LOWEST_LOG_ODDS = -300.0
_N_QUANTILES = 256


@dataclass(frozen=True)
class Models:
    """Models that predict which of any two pairs is more similar."""

    odds: FloatArray  # (n_odds, N, N): e beats f with probability odds_e / (odds_e + odds_f)
    ranks: Int32Array  # (n_trees, N, N): e beats f if the tree joins it first
    trees: dict[str, Hierarchy]
    labels: tuple[str, ...]  # names of the models: those with odds, then the trees

    def with_tree(self, label: str, tree: Hierarchy) -> Models:
        """Return these models and one more tree."""
        ranks = np.concatenate([self.ranks, tree.lca_ranks()[None].astype(np.int32)])
        return Models(self.odds, ranks, {**self.trees, label: tree}, (*self.labels, label))

    def chances(self, comparisons: ListedComparisons) -> FloatArray:
        """Return what each model gave the answers that came: (n_rows, n_models)."""
        n = comparisons.n_objects
        won, lost = _flat(comparisons.winners, n), _flat(comparisons.losers, n)
        odds, ranks = self.odds.reshape(-1, n * n), self.ranks.reshape(-1, n * n)
        smooth = odds[:, won] / (odds[:, won] + odds[:, lost])
        return np.concatenate([smooth, hits(ranks[:, won], ranks[:, lost])]).T


@dataclass(frozen=True)
class Pool:
    """Models and their weights."""

    models: Models
    weights: FloatArray  # (n_models,): the rest to 1 is the weight of "all answers are chance"

    @property
    def similarities(self) -> FloatArray:
        """The chance of each pair to be more similar than a pair drawn at random, (N, N)."""
        n = self.models.odds.shape[-1]
        upper = np.triu_indices(n, 1)
        total = np.zeros(len(upper[0]))
        places = (np.arange(_N_QUANTILES) + 0.5) / _N_QUANTILES
        for odds, weight in zip(self.models.odds[:, *upper], self.weights, strict=False):
            part = weight / _N_QUANTILES * odds
            for one in np.quantile(odds, places):
                total += part / (odds + one)
        of_trees = self.weights[len(self.models.odds) :]
        for ranks, weight in zip(self.models.ranks, of_trees, strict=True):
            counts = np.bincount(ranks[upper])
            wins = 1.0 - (np.cumsum(counts) - 0.5 * counts) / len(total)
            total += weight * wins[ranks[upper]]
        found = np.zeros((n, n))
        found[upper] = total / max(float(self.weights.sum()), 1e-12)
        return found + found.T


def hits(won: AnyArray, lost: AnyArray) -> FloatArray:
    """Return 1 where the first pair is joined before the second, 0 after, 1/2 if together."""
    return np.asarray(0.5 + 0.5 * np.sign(lost.astype(np.int64) - won))


def fit_models(
    comparisons: Comparisons,
    partition: InitialPartition,
    seed: int,
    wanted: Collection[str] | None = None,
) -> Models:
    """Return t-STE in several dimensions, Bradley-Terry strengths, and the trees of methods.

    Where the order of all pairs is known, the strengths say it all. Only the models that are
    `wanted` are fitted; by default all.
    """
    n = comparisons.n_objects
    logs: dict[str, FloatArray] = {}
    trees: dict[str, Hierarchy] = {}
    is_listed = isinstance(comparisons, ListedComparisons)
    for dimension in ([d for d in DIMENSIONS if d < n] or [1]) if is_listed else ():
        model, tree = f"t-STE {dimension}-D", f"tSTE-AL {dimension}-D"
        is_linked = dimension in _LINKED and (wanted is None or tree in wanted)
        if not is_linked and wanted is not None and model not in wanted:
            continue
        points = tste_embedding(
            comparisons, n_components=dimension, n_init=1, seed=seed, repeats="net"
        ).points
        if wanted is None or model in wanted:
            degrees = max(dimension - 1, 1)
            squares = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
            logs[model] = -(degrees + 1) / 2 * np.log1p(squares / degrees)
        if is_linked:
            near = embedding_similarity(points, metric="euclidean")
            trees[tree] = link_by_average(near, partition)
    for name, run in _TREES.items() if is_listed else ():
        if wanted is None or name in wanted:
            trees[name] = run(comparisons, partition)
    if wanted is None or STRENGTHS in wanted or not (logs or trees):
        logs[STRENGTHS] = spectral.fit_pair_strengths(comparisons)
    odds = [np.exp(np.maximum(one - one.max(), _LOWEST_LOG_ODDS)) for one in logs.values()]
    ranks = np.array([tree.lca_ranks() for tree in trees.values()], dtype=np.int32)
    return Models(np.array(odds).reshape(-1, n, n), ranks.reshape(-1, n, n), trees, (*logs, *trees))


def mixture_weights(chances: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the weights of the models that make held-out answers most likely, by EM.

    Row r of `chances` has the probability of the observed answer under each model. One more model,
    "all answers are random", takes part, but its weight is not returned.

    A prior, worth a few answers, favours equal weights.

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


def _flat(pairs: Int32Array, n_objects: int) -> LabelArray:
    """Return the places of pairs in a flattened (N, N) matrix."""
    low, high = pair_members(pairs, n_objects)
    return np.asarray(low.astype(np.int64) * n_objects + high)
