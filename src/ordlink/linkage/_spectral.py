"""Our own method: recursive spectral splits of Bradley-Terry strengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ordlink.comparisons import Comparisons, ListedComparisons, RankedComparisons, n_pairs
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.linkage._average import average_linkage
from ordlink.linkage._firm_clusters import Blocks, find_firm_clusters
from ordlink.linkage._split_tree import build_tree
from ordlink.linkage._start import Start, start_from
from ordlink.similarity._bradley_terry import PairAnswers, as_matrix, by_pair, held_out_rows
from ordlink.similarity._pair_strengths import PairModel, PairStrengths
from ordlink.similarity._ranked_strengths import RankModel
from ordlink.similarity._shrinkage import guess_strengths
from ordlink.typing import AnyArray, FloatArray, LabelArray, Progress

MAX_ROUNDS = 4
_STEPS_PER_ROUND = 2
N_FOLDS = 5
FEW_OBJECTS = 64
"""Up to so many objects, trees are chosen on all folds, else on one."""
ROWS_AT_MOST = 200_000
"""More answers than this are not needed to choose."""
_SEED = 20190103


class StrengthModel(Protocol):
    """Says how strong each pair is and how well that is known."""

    def observe(self, expected: FloatArray, *, calibrated: bool = True) -> PairStrengths:
        """Return the strengths as observations around what is expected of them."""
        ...

    def fit(self, expected: FloatArray) -> FloatArray:
        """Return the most likely strengths."""
        ...


@dataclass(frozen=True)
class Trees:
    """Two trees of the same strengths.

    Attributes
    ----------
    splits : Hierarchy
        By splits from above; hears what many weak answers say together.
    average : Hierarchy
        By average linkage from below; right where the strength of each pair is well known.
    """

    splits: Hierarchy
    average: Hierarchy


def spectral_linkage(
    comparisons: Comparisons,
    *,
    initial_clusters: Sequence[Sequence[int] | AnyArray] | None = None,
    progress: Progress | None = None,
) -> Hierarchy:
    """Return the tree of recursive spectral splits, refined by a Bradley-Terry fit.

    Every pair of objects has a strength x, and P(e beats f) = 1 / (1 + exp(x_f - x_e)). Strengths
    of low rank are a first guess. Then, in rounds: the strengths of single pairs are drawn to what
    is expected of them, as far as answers held out tell to; sets of objects are split in two where
    the pairs across are weakest, while a split pays for its description; the clusters that this
    ends in give each pair its next expected strength. In the end, clusters are joined by average
    linkage and split further, firm or not. Average linkage of the single pairs' strengths is taken
    instead if its trees clearly predict answers held out better.

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked. Each answer counts, repeated and contradicting ones too.
    initial_clusters : sequence of sequences of int, optional
        Clusters to start from.
    progress : callable, optional
        Called with (rounds done, rounds in all).

    Returns
    -------
    Hierarchy
        The score of a merge is the mean strength across, or, where the split is less than likely,
        that of all pairs of the set. Marked as tied are merges that no answer spoke for.

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> comparisons = Comparisons.from_triplets([[1, 2, 0], [2, 1, 0]])
    >>> spectral_linkage(comparisons).merges.tolist()
    [[1, 2], [0, 3]]
    """
    from threadpoolctl import threadpool_limits

    if comparisons.n_objects < 2:
        raise InputError(f"a tree needs at least two objects, got {comparisons.n_objects}")
    start = start_from(comparisons.n_objects, initial_clusters)
    with threadpool_limits(1, user_api="blas"):  # the same sums on any number of threads
        trees = grow_trees(comparisons, start, progress)
        return trees.average if average_is_better(comparisons, start, trees) else trees.splits


def grow_trees(comparisons: Comparisons, start: Start, progress: Progress | None = None) -> Trees:
    """Return both trees from the same answers."""
    model, expected = _choose_model(comparisons)
    observed, labels = _refine(model, expected, start, progress)
    splits = start.finish(*build_tree(observed, labels), names=comparisons.names)
    by_slot = Blocks.of(observed, labels).expected()
    strengths = model.fit(by_pair(by_slot[np.ix_(start.labels, start.labels)]))
    average = average_linkage(
        as_matrix(strengths, start.n_objects),
        initial_clusters=start.clusters(),
        names=comparisons.names,
    )
    return Trees(splits, average)


def average_is_better(comparisons: Comparisons, start: Start, trees: Trees) -> bool:
    """Return whether average linkage predicts answers held out better than splits do.

    For few objects, over five folds of the answers; else on one fold of a share of them, by more
    than one standard error of the difference.
    """
    if not isinstance(comparisons, ListedComparisons) or _same_clusters(trees):
        return False
    differences = np.concatenate(
        [
            _agreement(fold.average, test) - _agreement(fold.splits, test)
            for train, test in _folds(comparisons)
            for fold in [grow_trees(train, start)]
        ]
    )
    if not len(differences):
        return False
    error = float(differences.std()) / np.sqrt(len(differences))
    needed = 0.0 if comparisons.n_objects <= FEW_OBJECTS else error
    return float(differences.mean()) > needed


def _folds(
    comparisons: ListedComparisons,
) -> Iterator[tuple[ListedComparisons, ListedComparisons]]:
    """Yield (train, test), whole answers in one or the other."""
    n_rows = comparisons.n_rows
    if n_rows > ROWS_AT_MOST:
        comparisons = comparisons.take(held_out_rows(comparisons, ROWS_AT_MOST / n_rows, _SEED))
    _, answer_of_row = np.unique(comparisons.answer_ids, return_inverse=True)
    n_answers = int(answer_of_row.max(initial=-1)) + 1
    fold_of_answer = np.random.default_rng(_SEED).permutation(n_answers) % N_FOLDS
    in_fold = fold_of_answer[answer_of_row]
    for fold in range(N_FOLDS if comparisons.n_objects <= FEW_OBJECTS else 1):
        yield comparisons.take(in_fold != fold), comparisons.take(in_fold == fold)


def _agreement(tree: Hierarchy, comparisons: ListedComparisons) -> FloatArray:
    """Return 1 for each comparison that the tree agrees with, 1/2 where it says nothing, else 0."""
    ranks = by_pair(tree.lca_ranks().astype(np.float64))
    ahead = ranks[comparisons.losers] - ranks[comparisons.winners]
    return np.asarray(0.5 + 0.5 * np.sign(ahead))


def _same_clusters(trees: Trees) -> bool:
    splits, average = (
        {tuple(members.tolist()) for _, members in tree.clusters()}
        for tree in (trees.splits, trees.average)
    )
    return splits == average


def _choose_model(comparisons: Comparisons) -> tuple[StrengthModel, FloatArray]:
    """Return the model of the strengths and what is expected of them at first."""
    if isinstance(comparisons, RankedComparisons):
        return RankModel(comparisons), np.zeros(n_pairs(comparisons.n_objects))
    if not isinstance(comparisons, ListedComparisons):
        raise InputKindError(f"expected Comparisons, got {type(comparisons).__name__}")
    guess = guess_strengths(comparisons)
    model = PairModel(PairAnswers.of(comparisons), guess.variance)
    return model, model.stretch(guess.strengths)


def _refine(
    model: StrengthModel, expected: FloatArray, start: Start, progress: Progress | None
) -> tuple[PairStrengths, LabelArray]:
    """Return the strengths between slots and the firm clusters of slots, once these are stable."""
    observed = _contract(model.observe(expected, calibrated=False), start)
    labels = find_firm_clusters(observed)
    for done in range(MAX_ROUNDS):
        for _ in range(_STEPS_PER_ROUND):
            by_slot = Blocks.of(observed, labels).expected()
            expected = by_pair(by_slot[np.ix_(start.labels, start.labels)])
            observed = _contract(model.observe(expected), start)
        previous, labels = labels, find_firm_clusters(observed)
        if progress is not None:
            progress(done + 1, MAX_ROUNDS)
        if np.array_equal(_in_order(labels), _in_order(previous)):
            break
    return observed, labels


def _contract(observed: PairStrengths, start: Start) -> PairStrengths:
    """Return the strengths between initial clusters instead of objects."""
    if start.n_slots == start.n_objects:
        return observed
    precisions = start.contract(observed.precisions)
    totals = start.contract(observed.precisions * observed.strengths)
    np.fill_diagonal(precisions, 0.0)
    known = precisions > 0.0
    strengths = np.divide(totals, precisions, out=np.zeros_like(totals), where=known)
    return PairStrengths(strengths, precisions)


def _in_order(labels: LabelArray) -> LabelArray:
    """Return the labels numbered by the first object of each cluster."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]
