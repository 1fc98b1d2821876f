"""A permutation test for hierarchical structure."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.distance import squareform

from ordlink._html import Shown
from ordlink._parallel import check_n_jobs, run_tasks
from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, Progress
from ordlink._validate import Seed, check_whole_number, seed_number
from ordlink.comparisons import Comparisons, ListedComparisons, RankedComparisons, n_pairs
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.methods import DEFAULT_METHOD, build_tree
from ordlink.methods.adds import adds_similarity_of_chunks
from ordlink.validation._cross_validation import check_comparisons, settle_method

LEVEL = 0.05  # the largest p-value that counts as evidence


@dataclass(frozen=True, eq=False)
class HierarchyTest(Shown):
    """The revenue of trees on held-out comparisons, and its null distribution."""

    revenue: float  # mean normalised, of each half's tree over the comparisons of the other half
    statistic: float  # sum of both revenues, each by its standard deviation; the mean over splits
    null_statistics: FloatArray = field(repr=False)  # the same for random relabellings
    p_value: float  # share of relabellings, the identity included, with at least this statistic

    @property
    def is_significant(self) -> bool:
        """Whether there is evidence of a hierarchy: a p-value of at most 0.05."""
        return self.p_value <= LEVEL


def hierarchy_test(
    comparisons: Comparisons,
    method: str = DEFAULT_METHOD,
    *,
    n_splits: int = 10,
    n_relabellings: int = 999,
    seed: Seed = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> HierarchyTest:
    """Test for hierarchical structure: whether one part of the answers predicts another.

    A tree fits the answers that it was built from even where these are pure noise. So the pairs of
    objects are split at random into two halves, a tree is built from the comparisons within each
    half, and scored by its revenue over those within the other. Neither an answer nor the
    similarity of a pair is in both. Without structure, relabelling the objects of one half would
    change nothing: the revenue is compared with that of random relabellings.

    The mean over several splits is compared, all relabelled alike, since splits of the same answers
    are correlated. For a single split the test is exact; for several it assumes that splits are as
    correlated under relabelling as under the original labels, which was checked by simulation.

    A small p-value is evidence of structure. A large one may mean that there are too few answers:
    only those whose pairs are all in one half count, half of the triplets and quadruplets and a
    quarter of the answers about three objects.

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked; every listed comparison counts as often as it was given.
    n_splits : int
        Number of splits; those with a half without comparisons do not count.
    n_relabellings : int
        Number of relabellings; the smallest p-value is 1 / (n_relabellings + 1).
    method, seed, **options
        As in `cross_validate`.
    n_jobs : int, optional
        Number of processes, as in `compare_methods`; the result does not depend on it.
    progress : callable, optional
        Called with (splits done, splits in all).

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=5, seed=0)
    >>> hierarchy_test(ol.Comparisons.from_similarities(planted.similarities, 1.0)).p_value
    0.001
    """
    check_comparisons(comparisons)
    n_splits = check_whole_number(n_splits, "n_splits", lowest=1)
    n_relabellings = check_whole_number(n_relabellings, "n_relabellings", lowest=1)
    number, n_jobs = seed_number(seed), check_n_jobs(n_jobs)
    method, options = settle_method(comparisons, method, number, options, n_jobs)
    rng = np.random.default_rng(number)
    n = comparisons.n_objects
    halves = [rng.permutation(n_pairs(n)) < n_pairs(n) // 2 for _ in range(n_splits)]
    orders = [np.arange(n), *(rng.permutation(n) for _ in range(n_relabellings))]
    shared = comparisons, method, options, orders
    tasks = [(in_first,) for in_first in halves]
    splits = run_tasks(_score_split, tasks, n_jobs=n_jobs, shared=shared, progress=progress)
    revenues = [split[0] for split in splits if split is not None]
    statistics = [split[1] for split in splits if split is not None]
    if not revenues:
        raise InputError(
            f"expected comparisons within both halves of the pairs, got "
            f"{comparisons.n_comparisons} comparisons of {n} objects, which are too few to test",
            parameter="comparisons",
            remedy="collect more answers",
        )
    observed, *by_chance = np.mean(statistics, axis=0).tolist()
    n_reached = sum(value >= observed - 1e-12 for value in by_chance)
    p_value = (1 + n_reached) / (n_relabellings + 1)
    return HierarchyTest(float(np.mean(revenues)), observed, np.array(by_chance), p_value)


def _score_split(
    shared: tuple[Comparisons, str, dict[str, Any], list[AnyArray]], in_first: BoolArray
) -> tuple[float, list[float]] | None:
    """Return the revenue of a split and its statistic for each order; None if a half is empty."""
    comparisons, method, options, orders = shared
    first, second = (_half(comparisons, kept, method, options) for kept in (in_first, ~in_first))
    if first is None or second is None:
        return None
    revenue = (first.revenue_over(second) + second.revenue_over(first)) / 2
    return revenue, [_statistic(first, second, order) for order in orders]


@dataclass(frozen=True)
class _Half:
    """The tree of one half of the pairs, and the comparisons that score the other half's tree."""

    lca_sizes: Int32Array  # (N, N): size of the smallest cluster that contains both objects
    pairs: tuple[AnyArray, AnyArray]  # objects i and j of the pairs with wins != losses
    wins: FloatArray  # wins minus losses of these pairs against others of this half
    n_comparisons: int  # within this half

    def sizes_of(self, pairs: tuple[AnyArray, AnyArray], names: AnyArray) -> FloatArray:
        """Return the lca sizes of pairs whose object i is called ``names[i]`` in this tree."""
        i, j = pairs
        return self.lca_sizes[names[i], names[j]].astype(np.float64)

    def revenue_over(self, other: _Half) -> float:
        """Return the normalised revenue of this tree over the comparisons of the other half."""
        n = len(self.lca_sizes)
        sizes = self.sizes_of(other.pairs, np.arange(n))
        return -float((other.wins * sizes).sum()) / ((n - 2) * other.n_comparisons)


def _half(
    comparisons: Comparisons, kept: BoolArray, method: str, options: dict[str, Any]
) -> _Half | None:
    """Return the half of the kept pairs, or None if it has no comparisons."""
    wins, n_compared = wins_among(comparisons, kept)
    if not n_compared:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)  # says nothing about all answers
        tree = build_tree(keep_pairs(comparisons, kept), method, **options)
    i, j = np.nonzero(np.triu(wins, 1))
    return _Half(tree.lca_sizes(), (i, j), wins[i, j], n_compared)


def _statistic(first: _Half, second: _Half, order: AnyArray) -> float:
    """Return the statistic of a split whose first half, tree and comparisons, is relabelled."""
    of_first = _standardised(second.wins, first.sizes_of(second.pairs, order))
    return of_first + _standardised(first.wins, second.sizes_of(first.pairs, np.argsort(order)))


def _standardised(wins: FloatArray, sizes: FloatArray) -> float:
    """Return the revenue in units of its standard deviation if wins had random signs.

    The pairs that a tree joins early are those it was built from, which are not in the other half:
    the sizes that score it vary less than those of a relabelled tree, and so does its revenue.
    """
    if not len(wins):
        return 0.0
    # Sums of products, not dot products: BLAS would start threads for each of these.
    weights = wins**2
    mean = (weights * sizes).sum() / weights.sum()
    spread = (weights * (sizes - mean) ** 2).sum()
    return -float((wins * sizes).sum() / np.sqrt(spread)) if spread > 0 else 0.0


def keep_pairs(comparisons: Comparisons, kept: BoolArray) -> Comparisons:
    """Return the comparisons among the kept pairs alone.

    An answer is kept where all its pairs are: how a most-central answer compares two kept pairs
    says something about the third pair too. In a ranking, the pairs left out are tied with each
    other between the lower and the upper half of the others, which is as much for as against them.
    """
    if isinstance(comparisons, ListedComparisons):
        lost = ~(kept[comparisons.winners] & kept[comparisons.losers])
        answers = np.unique(comparisons.answer_ids, return_inverse=True)[1].ravel()
        return comparisons.take(np.bincount(answers, weights=lost)[answers] == 0)
    assert isinstance(comparisons, RankedComparisons)
    among_kept = comparisons.ranks[kept]
    ranks = 2 * comparisons.ranks.astype(np.int64)
    middle = np.sort(among_kept)[len(among_kept) // 2] if among_kept.size else 0
    ranks[~kept] = 2 * int(middle) - 1
    dense = np.unique(ranks, return_inverse=True)[1].astype(np.int32)
    return RankedComparisons(n_objects=comparisons.n_objects, ranks=dense, names=comparisons.names)


def wins_among(comparisons: Comparisons, kept: BoolArray) -> tuple[FloatArray, int]:
    """Return wins minus losses of each kept pair against kept pairs, and their comparisons."""
    part = keep_pairs(comparisons, kept)
    if isinstance(part, ListedComparisons):
        return adds_similarity_of_chunks([part]), part.n_comparisons
    assert isinstance(comparisons, RankedComparisons)
    ranks = comparisons.ranks
    n_tied = np.bincount(ranks[kept], minlength=int(ranks.max(initial=0)) + 1)
    below_minus_above = 2 * np.cumsum(n_tied) - n_tied - n_tied.sum()
    by_pair = np.where(kept, below_minus_above[ranks], 0)
    wins = squareform(by_pair.astype(np.float64), checks=False)
    return wins, int(n_tied.sum() ** 2 - (n_tied**2).sum()) // 2
