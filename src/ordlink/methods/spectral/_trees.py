"""Trees of Bradley-Terry strengths, in rounds: strengths, clusters, prior means from these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

import numpy as np

from ordlink._typing import FloatArray, LabelArray, Progress
from ordlink.comparisons import Comparisons, ListedComparisons, RankedComparisons, n_pairs
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition, link_by_average
from ordlink.methods.spectral._bradley_terry import PairAnswers, as_matrix, by_pair
from ordlink.methods.spectral._firm_clusters import Blocks, find_firm_clusters
from ordlink.methods.spectral._pair_strengths import KnownStrengths, PairModel, PairStrengths
from ordlink.methods.spectral._rows import are_often_compared, thin_out
from ordlink.methods.spectral._shrinkage import (
    FirstGuess,
    choose_variance,
    estimate_lapse_rate,
    guess_strengths,
)
from ordlink.methods.spectral._split_tree import build_tree

MAX_ROUNDS = 4
_STEPS_PER_ROUND = 2
_FEW_MOVE = 0.004
"""Clusters are stable once no larger share of the objects moves: of up to 249 objects, none."""
_FEW_OF_MANY = 0.05
"""The same if there are many objects."""
_MAX_STEPS = 10
_AT_REST = 0.1
FEW_OBJECTS = 64
"""Up to so many, time does not matter."""
MANY_OBJECTS = 500
"""For more, time matters more than what another look might bring."""
ROWS_AT_FIRST = 2_000_000
"""More answers than this are not needed to estimate the lapse rate."""


Kind: TypeAlias = Literal["splits", "plain splits", "average"]
"""The kinds of trees.

- splits: from the root down; uses what many weak answers say together.
- plain splits: the same of strengths with prior mean 0, all equally precise; right where few
  objects were compared often, and strengths differ for reasons of their own.
- average: average linkage of the strengths; right where the strength of each pair is well known.
"""


class StrengthModel(Protocol):
    """Says how strong each pair is and how precisely that is known."""

    def posterior(self, prior_mean: FloatArray, *, calibrated: bool = True) -> PairStrengths:
        """Return the strengths as weighted observations, given their prior means."""
        ...

    def fit(self, prior_mean: FloatArray) -> FloatArray:
        """Return the most likely strengths."""
        ...


def grow_trees(
    comparisons: Comparisons,
    partition: InitialPartition,
    kinds: Sequence[Kind] = ("splits",),
    progress: Progress | None = None,
) -> dict[Kind, Hierarchy]:
    """Return trees of the same answers, by kind; "plain splits" need listed comparisons."""
    names = comparisons.names
    model, posterior, labels = _first_clusters(comparisons, partition)
    posterior, labels = _refine(model, posterior, labels, partition, progress)

    def grow(kind: Kind) -> Hierarchy:
        if kind == "average":
            strengths = model.fit(_prior_means(posterior, labels, partition))
            matrix = as_matrix(strengths, partition.n_objects)
            return link_by_average(matrix, partition, names=names)
        found = posterior, labels
        if kind == "plain splits":
            assert isinstance(comparisons, ListedComparisons)
            known = KnownStrengths.of_answers(comparisons)
            found = _refine(known, *_known_clusters(known, partition), partition, None)
        return partition.finish(*build_tree(*found), names=names)

    return {kind: grow(kind) for kind in kinds}


def _first_clusters(
    comparisons: Comparisons, partition: InitialPartition
) -> tuple[StrengthModel, PairStrengths, LabelArray]:
    """Return the model of the strengths, the strengths between slots, and first firm clusters."""
    if isinstance(comparisons, RankedComparisons):
        ranked = KnownStrengths.of_ranks(comparisons)
        return ranked, *_known_clusters(ranked, partition)
    assert isinstance(comparisons, ListedComparisons)
    if comparisons.n_objects > FEW_OBJECTS and are_often_compared(comparisons):
        return _clusters_of_many(comparisons, partition)
    return _clusters_of_few(comparisons, partition)


def _known_clusters(
    model: KnownStrengths, partition: InitialPartition
) -> tuple[PairStrengths, LabelArray]:
    posterior = _contract(model.posterior(np.zeros(n_pairs(partition.n_objects))), partition)
    return posterior, find_firm_clusters(posterior)


def _clusters_of_many(
    comparisons: ListedComparisons, partition: InitialPartition
) -> tuple[StrengthModel, PairStrengths, LabelArray]:
    """Return the same where each pair has enough answers of its own."""
    posterior, labels = _known_clusters(KnownStrengths.of_answers(comparisons), partition)
    prior_mean = _prior_means(posterior, labels, partition)
    lapse_rate = estimate_lapse_rate(comparisons, prior_mean) if labels.max() > 0 else 0.0
    variance = choose_variance(comparisons, prior_mean, lapse_rate)
    answers = PairAnswers.of(comparisons).in_tiles().with_lapse_rate(lapse_rate)
    return PairModel(answers, variance), posterior, labels


def _clusters_of_few(
    comparisons: ListedComparisons, partition: InitialPartition
) -> tuple[StrengthModel, PairStrengths, LabelArray]:
    """Return the same from strengths of low rank, where pairs must borrow strength from others."""
    few = thin_out(comparisons, ROWS_AT_FIRST)
    guess = guess_strengths(few)
    model, posterior, labels = _clusters_near(few, partition, guess)
    lapse_rate = 0.0
    if labels.max() > 0:
        lapse_rate = estimate_lapse_rate(few, _prior_means(posterior, labels, partition))
    if lapse_rate > 0.0:
        guess = guess_strengths(comparisons, lapse_rate, near=guess)
    if lapse_rate > 0.0 or few is not comparisons:
        model, posterior, labels = _clusters_near(comparisons, partition, guess, lapse_rate)
    return model, posterior, labels


def _clusters_near(
    comparisons: ListedComparisons,
    partition: InitialPartition,
    guess: FirstGuess,
    lapse_rate: float = 0.0,
) -> tuple[StrengthModel, PairStrengths, LabelArray]:
    answers = PairAnswers.of(comparisons).in_tiles().with_lapse_rate(lapse_rate)
    model = PairModel(answers, guess.variance)
    posterior = _contract(
        model.posterior(model.stretch(guess.strengths), calibrated=False), partition
    )
    return model, posterior, find_firm_clusters(posterior)


def _refine(
    model: StrengthModel,
    posterior: PairStrengths,
    labels: LabelArray,
    partition: InitialPartition,
    progress: Progress | None,
) -> tuple[PairStrengths, LabelArray]:
    """Repeat both steps until the clusters of slots are stable; return the strengths and these."""
    for done in range(MAX_ROUNDS):
        hurried = done > 0 and partition.n_objects > MANY_OBJECTS
        for _ in range(1 if hurried else _STEPS_PER_ROUND):
            posterior = _contract(
                model.posterior(_prior_means(posterior, labels, partition)), partition
            )
        previous, labels = labels, find_firm_clusters(posterior)
        if progress is not None:
            progress(done + 1, MAX_ROUNDS)
        if _share_moved(previous, labels) <= (_FEW_OF_MANY if hurried else _FEW_MOVE):
            break
    if progress is not None:
        progress(MAX_ROUNDS, MAX_ROUNDS)
    return _converge(model, posterior, labels, partition), labels


def _share_moved(before: LabelArray, after: LabelArray) -> float:
    """Return the share of the objects that changed cluster."""
    shared = np.zeros((before.max() + 1, after.max() + 1))
    np.add.at(shared, (before, after), 1.0)
    stayed = min(shared.max(axis=0).sum(), shared.max(axis=1).sum())
    return 1.0 - float(stayed) / len(before)


def _converge(
    model: StrengthModel, posterior: PairStrengths, labels: LabelArray, partition: InitialPartition
) -> PairStrengths:
    """Return the strengths once the prior means of these clusters have converged.

    Clusters that lose nearly all comparisons move slowly, in steps of less than the width of the
    curve of P.
    """
    prior_mean = _prior_means(posterior, labels, partition)
    for _ in range(_MAX_STEPS):
        posterior = _contract(model.posterior(prior_mean), partition)
        previous, prior_mean = prior_mean, _prior_means(posterior, labels, partition)
        if np.abs(prior_mean - previous).max() < _AT_REST:
            break
    return posterior


def _prior_means(
    posterior: PairStrengths, labels: LabelArray, partition: InitialPartition
) -> FloatArray:
    """Return the mean strength of its clusters for every pair of objects."""
    by_slot = Blocks.of(posterior, labels).prior_means()
    return by_pair(by_slot[np.ix_(partition.labels, partition.labels)])


def _contract(posterior: PairStrengths, partition: InitialPartition) -> PairStrengths:
    """Return the strengths between initial clusters instead of objects."""
    if partition.n_slots == partition.n_objects:
        return posterior
    precisions = partition.contract(posterior.precisions)
    totals = partition.contract(posterior.precisions * posterior.strengths)
    np.fill_diagonal(precisions, 0.0)
    known = precisions > 0.0
    strengths = np.divide(totals, precisions, out=np.zeros_like(totals), where=known)
    return PairStrengths(strengths, precisions)
