"""Bootstrap samples of the answers, and their trees."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._parallel import in_processes, run_tasks
from ordlink._threads import n_threads, one_blas_thread
from ordlink._typing import AnyArray, Int32Array, Int64Array, LabelArray, Progress
from ordlink.comparisons import AnswerDetails, Comparisons, ListedComparisons, RankedComparisons
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialClusters, new_pair_ids, restore_objects
from ordlink.methods import build_tree
from ordlink.validation._cross_validation import random_order, relabel_clusters

SMALLEST_POOL = 10  # pairs are redrawn from at least so many: one number does not show its noise
RARE = 4.0  # objects that were named so many times less often than the median are rare


@dataclass(frozen=True)
class Pools:
    """The pool of each pair of objects: the pairs that its donor is drawn from.

    These are the pairs that meet in the same merge of the tree. Merges with fewer pairs than
    `SMALLEST_POOL` share theirs with merges of about the same size, see `_sizes_around`. Pairs of
    rare objects have pools of their own: answers about others must not stand in for missing ones.
    """

    pairs: Int32Array  # all pairs, pool by pool; merge by merge, the smallest merges first
    starts: Int64Array  # for each pair, where its pool begins in `pairs`
    sizes: Int64Array  # and the size of the pool

    def draw(self, rng: np.random.Generator) -> Int32Array:
        """Return a donor for each pair, drawn from its pool with replacement."""
        places = self.starts + (rng.random(len(self.sizes)) * self.sizes).astype(np.int64)
        return self.pairs[places]


def rarity_of_objects(comparisons: Comparisons) -> Int64Array:
    """Return how rare each object is: 0 if as frequent as most, 1 more for each factor of 4.

    Examples
    --------
    >>> rows = [[0, 1, 2], [1, 2, 0], [2, 0, 1]] * 8 + [[0, 1, 3]]
    >>> rarity_of_objects(Comparisons.from_triplets(rows, n_objects=5)).tolist()
    [0, 0, 0, 2, 3]
    """
    if not isinstance(comparisons, ListedComparisons):
        return np.zeros(comparisons.n_objects, dtype=np.int64)
    n_named = np.bincount(comparisons.quadruplets.ravel(), minlength=comparisons.n_objects)
    times_fewer = max(float(np.median(n_named)), 1.0) / np.maximum(n_named, 0.5)
    rarity = np.maximum(np.floor(np.log(times_fewer) / np.log(RARE)), 0)
    return np.asarray(rarity, dtype=np.int64)


def pools_of(tree: Hierarchy, rarity: Int64Array | None = None) -> Pools:
    """Return the pools of a tree, in O(N^2 log N); a pair has the rarity of the rarer object."""
    n = tree.n_objects
    low, high = np.triu_indices(n, 1)
    merges = tree.lca_ranks()[low, high]
    classes = np.zeros_like(merges) if rarity is None else np.maximum(rarity[low], rarity[high])
    usual, rare = np.flatnonzero(classes == 0), np.flatnonzero(classes)
    starts, sizes = np.empty(len(merges), dtype=np.int64), np.empty(len(merges), dtype=np.int64)
    of_usual, starts[usual], sizes[usual] = _pools_by_merge(merges[usual], n - 1)
    groups = np.unique(np.stack([merges[rare], classes[rare]]), axis=1, return_inverse=True)[1]
    n_in_group = np.bincount(groups.ravel())
    starts[rare] = len(usual) + (np.cumsum(n_in_group) - n_in_group)[groups.ravel()]
    sizes[rare] = n_in_group[groups.ravel()]
    of_rare = rare[np.argsort(groups.ravel(), kind="stable")]
    return Pools(np.concatenate([usual[of_usual], of_rare]).astype(np.int32), starts, sizes)


def _pools_by_merge(merges: AnyArray, n_merges: int) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return the order of pairs, and the start and size of each one's pool; small merges share."""
    n_met = np.bincount(merges, minlength=n_merges)
    order = np.argsort(n_met, kind="stable")
    starts, sizes = np.empty_like(n_met), n_met.copy()
    starts[order] = np.cumsum(n_met[order]) - n_met[order]
    met = n_met[n_met > 0]
    for few in np.unique(met[met < SMALLEST_POOL]).tolist():
        fewest, most = _sizes_around(few, met)
        own = n_met == few
        starts[own] = met[met < fewest].sum()
        sizes[own] = met[(fewest <= met) & (met <= most)].sum()
    return np.lexsort((merges, n_met[merges])), starts[merges], sizes[merges]


def _sizes_around(few: int, n_met: Int64Array) -> tuple[int, int]:
    """Return the fewest and most pairs of the merges with which merges of few pairs share a pool.

    The method selects the pairs of small merges as the most similar ones, so they are alike up to
    noise. Merges of up to twice as many pairs, somewhat less similar, correct for this selection;
    pairs of similar strength would not, since the strongest of many are so partly by luck.
    """
    apart = np.unique(np.abs(n_met - few)).tolist()
    ranges = [(few, 2 * few), *((few - by, few + by) for by in apart)]
    for fewest, most in ranges:
        if n_met[(fewest <= n_met) & (n_met <= most)].sum() >= SMALLEST_POOL:
            return fewest, most
    return ranges[-1]


@dataclass(frozen=True, eq=False)
class Votes:
    """The votes on each question (two pairs to be ordered), recounted in each sample."""

    low: Int32Array  # the two pairs of each question
    high: Int32Array
    first_rows: Int64Array  # the first row of each question
    n_votes: AnyArray  # how often each question was answered
    questions: LabelArray  # the question of each row
    signs: Int64Array  # 1 where the row is a vote for `low`, -1 for `high`

    @classmethod
    def of(cls, comparisons: ListedComparisons) -> Votes:
        """Return the votes of comparisons."""
        winners, losers = comparisons.winners, comparisons.losers
        low, high = np.minimum(winners, losers), np.maximum(winners, losers)
        keys = (low.astype(np.int64) << 32) | high
        _, first, questions = np.unique(keys, return_index=True, return_inverse=True)
        questions = questions.ravel()
        return cls(
            low=low[first],
            high=high[first],
            first_rows=first,
            n_votes=np.bincount(questions, weights=comparisons.counts, minlength=len(first)),
            questions=questions,
            signs=np.where(winners < losers, 1, -1),
        )

    def decide(self, drawn: AnyArray) -> tuple[Int64Array, Int32Array, Int32Array, Int64Array]:
        """Return row, winner, loser and count of the questions that the drawn rows decide.

        A question counts as often as its votes were drawn on average, rounded and at least once.
        Ties are left out.
        """
        n = len(self.first_rows)
        ahead = np.bincount(self.questions, weights=drawn * self.signs, minlength=n)
        in_all = np.bincount(self.questions, weights=drawn, minlength=n)
        decided = np.flatnonzero(ahead)
        for_low = ahead[decided] > 0
        low, high = self.low[decided], self.high[decided]
        counts = np.rint(in_all[decided] / self.n_votes[decided]).astype(np.int64)
        return (
            self.first_rows[decided],
            np.where(for_low, low, high),
            np.where(for_low, high, low),
            np.maximum(counts, 1),
        )


@dataclass(frozen=True)
class Bootstrap:
    """How bootstrap samples are drawn."""

    comparisons: Comparisons
    units: AnyArray | None  # annotator or answer of each row, if drawn with replacement
    pools: Pools | None  # where donors of pairs are drawn from, if they are
    votes: Votes | None = None  # if the majority decides each question in each sample

    def sample(self, rng: np.random.Generator, order: Int32Array) -> Comparisons:
        """Return one bootstrap sample, in which object k is object ``order[k]`` of the answers."""
        places = new_pair_ids(order)
        if isinstance(self.comparisons, RankedComparisons):
            ranks = self.comparisons.ranks
            moved = np.empty_like(ranks)
            moved[places] = ranks if self.pools is None else ranks[self.pools.draw(rng)]
            dense = np.unique(moved, return_inverse=True)[1].astype(np.int32)
            return RankedComparisons(n_objects=len(order), ranks=dense)
        assert isinstance(self.comparisons, ListedComparisons)
        winners, losers = self.comparisons.winners, self.comparisons.losers
        answers = self.comparisons.answer_ids
        counts: AnyArray | None = self.comparisons.counts
        if self.units is not None:
            drawn = self._draw_units(rng)
            if self.votes is not None:
                rows, winners, losers, counts = self.votes.decide(drawn)
            else:
                rows = np.flatnonzero(drawn)
                winners, losers, counts = winners[rows], losers[rows], drawn[rows]
            answers = answers[rows]
        if self.pools is not None:
            rows, winners, losers = replace_by_donors(winners, losers, self.pools.draw(rng))
            counts = None if counts is None else counts[rows]
            answers = answers[rows]
        return ListedComparisons(
            n_objects=len(order),
            winners=places[winners],
            losers=places[losers],
            counts=None if counts is None else np.minimum(counts, 2**31 - 1).astype(np.int32),
            details=AnswerDetails(answers=answers),
            distinct=self.votes is not None,
        )

    def _draw_units(self, rng: np.random.Generator) -> Int64Array:
        """Draw as many units as there are; return how often each row occurs."""
        assert self.units is not None
        assert isinstance(self.comparisons, ListedComparisons)
        n_units = int(self.units.max(initial=-1)) + 1
        of_unit = np.bincount(rng.integers(0, max(n_units, 1), n_units), minlength=n_units)
        counts = self.comparisons.counts
        return np.asarray(of_unit[self.units] * (1 if counts is None else counts))


def replace_by_donors(
    winners: Int32Array, losers: Int32Array, donors: Int32Array
) -> tuple[Int64Array, Int32Array, Int32Array]:
    """Give each pair the comparisons of its donor: A'[e, f] = A[donor e, donor f].

    Returns the old row, the winner and the loser of each new comparison.
    """
    takers = np.argsort(donors, kind="stable").astype(np.int32)  # of donor 0, of donor 1, ...
    n_takers = np.bincount(donors, minlength=len(donors))
    starts = np.cumsum(n_takers) - n_takers
    n_new = n_takers[winners] * n_takers[losers]
    rows = np.repeat(np.arange(len(winners)), n_new)
    number = np.arange(len(rows)) - np.repeat(np.cumsum(n_new) - n_new, n_new)
    first, second = np.divmod(number, n_takers[losers[rows]])
    return rows, takers[starts[winners[rows]] + first], takers[starts[losers[rows]] + second]


@dataclass(frozen=True)
class TreeGrower:
    """Grows the tree of one bootstrap sample after the other; can be sent to other processes."""

    bootstrap: Bootstrap
    method: str
    options: dict[str, Any]
    initial_clusters: InitialClusters
    seeds: list[np.random.SeedSequence]

    def grow(self, number: int) -> Hierarchy:
        """Return the tree of a sample; objects are in random order, so that ties fall by chance."""
        rng = np.random.default_rng(self.seeds[number])
        comparisons = self.bootstrap.comparisons
        order = random_order(comparisons.n_objects, rng)
        sample = self.bootstrap.sample(rng, order)
        clusters = relabel_clusters(self.initial_clusters, order)
        tree = build_tree(sample, self.method, initial_clusters=clusters, **self.options)
        return restore_objects(tree, order, comparisons.names)


def bootstrap_trees(
    grower: TreeGrower, *, n_jobs: int | None, progress: Progress | None
) -> tuple[Hierarchy, ...]:
    """Return one tree for each bootstrap sample; the same on any number of threads or processes.

    Threads suffice for methods whose kernels release the GIL; `n_jobs` processes for others.
    """
    n_bootstrap = len(grower.seeds)
    if in_processes(n_jobs):
        tasks = [(number,) for number in range(n_bootstrap)]
        trees = run_tasks(_grow_alone, tasks, n_jobs=n_jobs, shared=grower, progress=progress)
        return tuple(trees)
    trees = []
    # Threads share the filters of warnings, which are therefore set outside of them.
    with one_blas_thread(), warnings.catch_warnings(), ThreadPoolExecutor(n_threads()) as pool:
        warnings.simplefilter("ignore", OrdlinkWarning)  # samples say nothing about the answers
        for done, tree in enumerate(pool.map(grower.grow, range(n_bootstrap)), start=1):
            trees.append(tree)
            if progress is not None:
                progress(done, n_bootstrap)
    return tuple(trees)


def _grow_alone(grower: TreeGrower, number: int) -> Hierarchy:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        return grower.grow(number)
