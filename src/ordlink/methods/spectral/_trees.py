"""Trees of Bradley-Terry strengths, in rounds of strengths, clusters and prior means."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol, TypeAlias

import numpy as np

from ordlink._threads import map_threads
from ordlink._typing import BoolArray, FloatArray, Int32Array, Int64Array, LabelArray, Progress
from ordlink.comparisons import Comparisons, ListedComparisons, RankedComparisons, n_pairs
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition, link_by_average
from ordlink.methods.spectral._answers import PairAnswers
from ordlink.methods.spectral._blocks import Blocks, fit_to_clusters
from ordlink.methods.spectral._firm_clusters import (
    CLEAR,
    LIKELY,
    best_split,
    find_firm_clusters,
    number_by_first,
)
from ordlink.methods.spectral._pair_strengths import (
    KnownStrengths,
    PairModel,
    PairStrengths,
    as_matrix,
    by_pair,
)
from ordlink.methods.spectral._rows import are_often_compared, thin_out
from ordlink.methods.spectral._shrinkage import (
    ROWS_AT_MOST,
    FirstGuess,
    choose_variance,
    estimate_lapse_rate,
    guess_strengths,
)

MAX_ROUNDS = 4
_STEPS_PER_ROUND = 2
_FEW_MOVE = 0.004  # clusters are stable once no larger share of the objects moves
_FEW_OF_MANY = 0.05  # the same if there are many objects
_MAX_STEPS = 10
_AT_REST = 0.1
FEW_OBJECTS = 64  # up to so many, time does not matter
MANY_OBJECTS = 500  # for more, time matters more than what another look might bring
ROWS_AT_FIRST = 2_000_000  # more answers than this are not needed to estimate the lapse rate


Kind: TypeAlias = Literal["splits", "plain splits", "average"]
"""The kinds of trees.

- splits: from the root down; uses what many weak answers say together.
- plain splits: the same of strengths with prior mean 0, all equally precise; right where few
  objects were compared often, and strengths differ for reasons of their own.
- average: average linkage of the strengths; right where the strength of each pair is well known.
"""
Rank: TypeAlias = tuple[bool, float]
ERRORS = 2.0  # so many standard errors are added to a strength before splits are put in order
_LEAST_SPREAD = 0.1  # variance of strengths between clusters, at least


class StrengthModel(Protocol):
    """Gives the strength of each pair and its precision."""

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
            known = KnownStrengths.of_answers(PairAnswers.of(comparisons).by_object())
            found = _refine(known, *_known_clusters(known, partition), partition, None)
        return partition.finish(*build_tree(*found), names=names)

    return {kind: grow(kind) for kind in kinds}


@dataclass(frozen=True, eq=False)
class FirmClusters:
    """The firm clusters of slots, and what the answers say about the cluster of each.

    Attributes
    ----------
    labels : ndarray of shape (n_slots,)
        The cluster of each slot, 0 to K - 1.
    strengths : ndarray of shape (K, K)
        Mean strengths between and within the clusters.
    evidence : ndarray of shape (n_slots, K)
        Log-likelihood of each slot in each cluster, up to a constant per slot.
    """

    labels: LabelArray
    strengths: FloatArray
    evidence: FloatArray
    _model: StrengthModel
    _posterior: PairStrengths
    _partition: InitialPartition

    def tree(self, labels: LabelArray) -> Hierarchy:
        """Return the tree of other clusters of the slots; scores within clusters are NaN."""
        labels = np.unique(labels, return_inverse=True)[1].astype(np.intp)
        posterior = _converge(self._model, self._posterior, labels, self._partition)
        pairs, scores, tied = build_tree(posterior, labels)
        scores[labels[pairs[:, 0]] == labels[pairs[:, 1]]] = np.nan
        return self._partition.finish(pairs, scores, tied, names=None)


def find_clusters(comparisons: Comparisons, partition: InitialPartition) -> FirmClusters:
    """Return the firm clusters of the slots."""
    model, posterior, labels = _first_clusters(comparisons, partition)
    posterior, labels = _refine(model, posterior, labels, partition, None)
    means, evidence = Blocks.of(posterior, labels).means(), fit_to_clusters(posterior, labels)
    return FirmClusters(labels, means, evidence, model, posterior, partition)


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
    """Return the same trees if each pair has enough answers."""
    answers = PairAnswers.of(comparisons).by_object()
    posterior, labels = _known_clusters(KnownStrengths.of_answers(answers), partition)
    prior_mean = _prior_means(posterior, labels, partition)
    some = thin_out(comparisons, ROWS_AT_MOST)
    lapse_rate = estimate_lapse_rate(some, prior_mean) if labels.max() > 0 else 0.0
    variance = choose_variance(some, prior_mean, lapse_rate)
    return PairModel(answers.with_lapse_rate(lapse_rate), variance), posterior, labels


def _clusters_of_few(
    comparisons: ListedComparisons, partition: InitialPartition
) -> tuple[StrengthModel, PairStrengths, LabelArray]:
    """Return the same from strengths of low rank, where pairs must borrow strength from others."""
    few = thin_out(comparisons, ROWS_AT_FIRST)
    guess = guess_strengths(few)
    model, posterior, labels = _clusters_near(few, partition, guess)
    lapse_rate = 0.0
    if labels.max() > 0:
        prior_mean = _prior_means(posterior, labels, partition)
        lapse_rate = estimate_lapse_rate(thin_out(few, ROWS_AT_MOST), prior_mean)
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
    answers = PairAnswers.of(comparisons).by_object().with_lapse_rate(lapse_rate)
    model = PairModel(answers, guess.variance)
    by_object = model.posterior(model.stretch(guess.strengths), calibrated=False)
    posterior = _contract(by_object, partition)
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
            prior_mean = _prior_means(posterior, labels, partition)
            posterior = _contract(model.posterior(prior_mean), partition)
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

    Clusters that lose nearly all comparisons move slowly.
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
    of_object = labels[partition.labels]
    return by_pair(Blocks.of(posterior, labels).means()[np.ix_(of_object, of_object)])


def _contract(posterior: PairStrengths, partition: InitialPartition) -> PairStrengths:
    """Return the strengths between initial clusters instead of objects."""
    if partition.n_slots == partition.n_objects:
        return posterior
    precisions = partition.contract(posterior.precisions)
    totals = partition.contract(posterior.totals)
    np.fill_diagonal(precisions, 0.0)
    known = precisions > 0.0
    strengths = np.divide(totals, precisions, out=np.zeros_like(totals), where=known)
    return PairStrengths(strengths, precisions)


@dataclass(frozen=True)
class Branch:
    """A set of objects and how it splits in two."""

    first: int  # its smallest object
    strength: float = np.nan  # mean strength across, NaN if nothing is known of it
    rank: Rank = (True, np.inf)  # splits of lower rank come first, from the root down
    tied: bool = False  # no answer supports this split, or another equally well
    parts: tuple[Branch, ...] = ()  # its two parts


def build_tree(
    posterior: PairStrengths, labels: LabelArray
) -> tuple[Int32Array, FloatArray, BoolArray]:
    """Return merges in the form of `InitialPartition.finish`: pairs, scores, tie marks."""
    labels = number_by_first(labels)
    groups = [np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1)]
    branches = map_threads(partial(_split_down, posterior), groups)
    return _merges_of(_join(branches, Blocks.of(posterior, labels)))


def _join(branches: list[Branch], blocks: Blocks) -> Branch:
    """Return the branch of all clusters, by average linkage weighted by precision.

    Equally good choices are in the order of the clusters' smallest objects.
    """
    mean, prior = blocks.mean, 1.0 / max(blocks.spread(), _LEAST_SPREAD)
    while len(branches) > 1:
        means = (blocks.totals + prior * mean) / (blocks.precisions + prior)
        above = np.where(np.triu(np.ones_like(means, dtype=bool), 1), means, -np.inf)
        p, q = (int(place) for place in np.unravel_index(int(above.argmax()), above.shape))
        strength, precision = means[p, q], blocks.precisions[p, q]
        blind = precision <= 0.0
        rank = _rank_of(strength, np.inf if blind else precision**-0.5)
        tied = bool(blind or np.count_nonzero(above == strength) > 1)
        strength = np.nan if blind else strength
        branches[p] = _join_two(branches[p], branches.pop(q), strength, rank, tied=tied)
        blocks = blocks.unite(p, q)
    return branches[0]


def _rank_of(strength: float, error: float) -> Rank:
    """Return the rank of a clear split: the less is known of its strength, the later it comes."""
    return False, strength + ERRORS * error


def _join_two(a: Branch, b: Branch, strength: float, rank: Rank, *, tied: bool = False) -> Branch:
    low, high = (a, b) if a.first < b.first else (b, a)
    return Branch(low.first, float(strength), rank, tied, (low, high))


def _split_down(posterior: PairStrengths, members: Int64Array) -> Branch:
    """Return the branch of a set, split down to single objects, without recursion."""
    done: dict[int, Branch] = {}
    # Each set is looked at twice: to split it, then to join what became of its parts.
    waiting: list[tuple[int, Int64Array, tuple[float, Rank, int, int] | None]]
    waiting, number = [(0, members, None)], 0
    while waiting:
        name, chosen, split_into = waiting.pop()
        if split_into is not None:
            strength, rank, a, b = split_into
            done[name] = _join_two(done.pop(a), done.pop(b), strength, rank)
            continue
        if len(chosen) == 1:
            done[name] = Branch(int(chosen[0]))
            continue
        split = best_split(posterior, chosen, LIKELY)
        if split is None:
            done[name] = _chain(chosen)
            continue
        clear = split.value(CLEAR) > 0.0
        rank = _rank_of(split.across, split.error) if clear else (True, split.within)
        waiting.append((name, chosen, (split.across, rank, number + 1, number + 2)))
        waiting.append((number + 1, chosen[split.side], None))
        waiting.append((number + 2, chosen[~split.side], None))
        number += 2
    return done[0]


def _chain(members: Int64Array) -> Branch:
    """Return a branch of indistinguishable objects, joined one after another."""
    branch = Branch(int(members[0]))
    for item in members[1:]:
        branch = _join_two(branch, Branch(int(item)), np.nan, (True, np.inf), tied=True)
    return branch


def _merges_of(root: Branch) -> tuple[Int32Array, FloatArray, BoolArray]:
    """Return the merges, the last of which is the split that comes first from the root down."""
    order: list[Branch] = []
    waiting = [(root.rank, root.first, 0, root)]
    number = 0
    while waiting:
        branch = heapq.heappop(waiting)[-1]
        if branch.parts:
            order.append(branch)
        for part in branch.parts:
            number += 1
            heapq.heappush(waiting, (part.rank, part.first, number, part))
    order.reverse()
    pairs = np.array([[p.first for p in b.parts] for b in order], dtype=np.int32).reshape(-1, 2)
    strengths = np.array([b.strength for b in order])
    return pairs, strengths, np.array([b.tied for b in order], dtype=bool)
