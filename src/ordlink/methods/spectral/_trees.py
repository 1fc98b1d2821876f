"""Trees of Bradley-Terry strengths, in rounds: strengths, clusters, what these let expect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np

from ordlink._typing import FloatArray, LabelArray, Progress
from ordlink.comparisons import Comparisons, ListedComparisons, RankedComparisons, n_pairs
from ordlink.errors import InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.linkage._average import average_linkage
from ordlink.linkage._initial_partition import InitialPartition
from ordlink.methods.spectral._bradley_terry import PairAnswers, as_matrix, by_pair
from ordlink.methods.spectral._firm_clusters import Blocks, find_firm_clusters
from ordlink.methods.spectral._known_strengths import KnownStrengths, are_often_compared
from ordlink.methods.spectral._pair_strengths import PairModel, PairStrengths
from ordlink.methods.spectral._shrinkage import (
    FirstGuess,
    choose_variance,
    guess_strengths,
    share_of_slips,
)
from ordlink.methods.spectral._split_tree import build_tree
from ordlink.methods.spectral._thinning import thin_out

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
"""More answers than this are not needed to find out how many of them are slips."""


Kind: TypeAlias = Literal["splits", "plain splits", "average"]
"""The kinds of trees."""


@dataclass(frozen=True)
class Trees:
    """Trees of the same answers.

    Attributes
    ----------
    splits : Hierarchy
        By splits from above; hears what many weak answers say together.
    grow_plain_splits : callable
        Returns the tree by splits of strengths of which nothing was expected, all as well known;
        right where few objects were compared often, and what the pairs differ by is their own.
    grow_average : callable
        Returns the tree by average linkage from below; right where the strength of each pair is
        well known.
    """

    splits: Hierarchy
    grow_plain_splits: Callable[[], Hierarchy]
    grow_average: Callable[[], Hierarchy]

    def of_kind(self, kind: Kind) -> Hierarchy:
        """Return one of them; all but the first are grown when they are asked for."""
        if kind == "splits":
            return self.splits
        return self.grow_average() if kind == "average" else self.grow_plain_splits()


class StrengthModel(Protocol):
    """Says how strong each pair is and how well that is known."""

    def observe(self, expected: FloatArray, *, calibrated: bool = True) -> PairStrengths:
        """Return the strengths as observations around what is expected of them."""
        ...

    def fit(self, expected: FloatArray) -> FloatArray:
        """Return the most likely strengths."""
        ...


def grow_trees(
    comparisons: Comparisons, partition: InitialPartition, progress: Progress | None = None
) -> Trees:
    """Return the trees of the same answers."""
    model, observed, labels = _first_clusters(comparisons, partition)
    observed, labels = _refine(model, observed, labels, partition, progress)
    splits = partition.finish(*build_tree(observed, labels), names=comparisons.names)

    def grow_average() -> Hierarchy:
        strengths = model.fit(_expected(observed, labels, partition))
        return average_linkage(
            as_matrix(strengths, partition.n_objects),
            initial_clusters=partition.clusters(),
            names=comparisons.names,
        )

    def grow_plain_splits() -> Hierarchy:
        if not isinstance(comparisons, ListedComparisons):
            return splits
        known = KnownStrengths.of_answers(comparisons)
        found = _refine(known, *_known_clusters(known, partition), partition, None)
        return partition.finish(*build_tree(*found), names=comparisons.names)

    return Trees(splits, grow_plain_splits, grow_average)


def _first_clusters(
    comparisons: Comparisons, partition: InitialPartition
) -> tuple[StrengthModel, PairStrengths, LabelArray]:
    """Return the model of the strengths, the strengths between slots, and first firm clusters."""
    if isinstance(comparisons, RankedComparisons):
        ranked = KnownStrengths.of_ranks(comparisons)
        return ranked, *_known_clusters(ranked, partition)
    if not isinstance(comparisons, ListedComparisons):
        raise InputKindError(f"expected Comparisons, got {type(comparisons).__name__}")
    if comparisons.n_objects > FEW_OBJECTS and are_often_compared(comparisons):
        return _clusters_of_many(comparisons, partition)
    return _clusters_of_few(comparisons, partition)


def _known_clusters(
    model: KnownStrengths, partition: InitialPartition
) -> tuple[PairStrengths, LabelArray]:
    observed = _contract(model.observe(np.zeros(n_pairs(partition.n_objects))), partition)
    return observed, find_firm_clusters(observed)


def _clusters_of_many(
    comparisons: ListedComparisons, partition: InitialPartition
) -> tuple[StrengthModel, PairStrengths, LabelArray]:
    """Return the same where each pair's answers alone say how strong it is."""
    observed, labels = _known_clusters(KnownStrengths.of_answers(comparisons), partition)
    expected = _expected(observed, labels, partition)
    lapse = share_of_slips(comparisons, expected) if labels.max() > 0 else 0.0
    variance = choose_variance(comparisons, expected, lapse)
    answers = PairAnswers.of(comparisons).in_tiles().with_lapse(lapse)
    return PairModel(answers, variance), observed, labels


def _clusters_of_few(
    comparisons: ListedComparisons, partition: InitialPartition
) -> tuple[StrengthModel, PairStrengths, LabelArray]:
    """Return the same from strengths of low rank, where pairs have to learn from each other."""
    few = thin_out(comparisons, ROWS_AT_FIRST)
    guess = guess_strengths(few)
    model, observed, labels = _clusters_near(few, partition, guess)
    lapse = 0.0
    if labels.max() > 0:
        lapse = share_of_slips(few, _expected(observed, labels, partition))
    if lapse > 0.0:
        guess = guess_strengths(comparisons, lapse, near=guess)
    if lapse > 0.0 or few is not comparisons:
        model, observed, labels = _clusters_near(comparisons, partition, guess, lapse)
    return model, observed, labels


def _clusters_near(
    comparisons: ListedComparisons,
    partition: InitialPartition,
    guess: FirstGuess,
    lapse: float = 0.0,
) -> tuple[StrengthModel, PairStrengths, LabelArray]:
    answers = PairAnswers.of(comparisons).in_tiles().with_lapse(lapse)
    model = PairModel(answers, guess.variance)
    observed = _contract(model.observe(model.stretch(guess.strengths), calibrated=False), partition)
    return model, observed, find_firm_clusters(observed)


def _refine(
    model: StrengthModel,
    observed: PairStrengths,
    labels: LabelArray,
    partition: InitialPartition,
    progress: Progress | None,
) -> tuple[PairStrengths, LabelArray]:
    """Return the strengths between slots and the firm clusters of slots, once these are stable."""
    for done in range(MAX_ROUNDS):
        in_a_hurry = done > 0 and partition.n_objects > MANY_OBJECTS
        for _ in range(1 if in_a_hurry else _STEPS_PER_ROUND):
            observed = _contract(model.observe(_expected(observed, labels, partition)), partition)
        previous, labels = labels, find_firm_clusters(observed)
        if progress is not None:
            progress(done + 1, MAX_ROUNDS)
        if _share_moved(previous, labels) <= (_FEW_OF_MANY if in_a_hurry else _FEW_MOVE):
            break
    if progress is not None:
        progress(MAX_ROUNDS, MAX_ROUNDS)
    return _converge(model, observed, labels, partition), labels


def _share_moved(before: LabelArray, after: LabelArray) -> float:
    """Return the share of the objects that left what their cluster became, or joined another."""
    shared = np.zeros((before.max() + 1, after.max() + 1))
    np.add.at(shared, (before, after), 1.0)
    stayed = min(shared.max(axis=0).sum(), shared.max(axis=1).sum())
    return 1.0 - float(stayed) / len(before)


def _converge(
    model: StrengthModel, observed: PairStrengths, labels: LabelArray, partition: InitialPartition
) -> PairStrengths:
    """Return the strengths once what the clusters let expect has come to rest.

    Clusters that lose nearly all comparisons get to their places slowly, by a step of less than the
    width of the curve of P each time.
    """
    expected = _expected(observed, labels, partition)
    for _ in range(_MAX_STEPS):
        observed = _contract(model.observe(expected), partition)
        previous, expected = expected, _expected(observed, labels, partition)
        if np.abs(expected - previous).max() < _AT_REST:
            break
    return observed


def _expected(
    observed: PairStrengths, labels: LabelArray, partition: InitialPartition
) -> FloatArray:
    """Return the mean strength of its clusters for every pair of objects."""
    by_slot = Blocks.of(observed, labels).expected()
    return by_pair(by_slot[np.ix_(partition.labels, partition.labels)])


def _contract(observed: PairStrengths, partition: InitialPartition) -> PairStrengths:
    """Return the strengths between initial clusters instead of objects."""
    if partition.n_slots == partition.n_objects:
        return observed
    precisions = partition.contract(observed.precisions)
    totals = partition.contract(observed.precisions * observed.strengths)
    np.fill_diagonal(precisions, 0.0)
    known = precisions > 0.0
    strengths = np.divide(totals, precisions, out=np.zeros_like(totals), where=known)
    return PairStrengths(strengths, precisions)
