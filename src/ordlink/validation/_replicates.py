"""Replicates: the answers as they might have come out, and the trees that they give."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ordlink._threads import n_threads, one_blas_thread
from ordlink._typing import AnyArray, Int32Array, Int64Array
from ordlink.comparisons import (
    AnswerDetails,
    Comparisons,
    ListedComparisons,
    RankedComparisons,
)
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import new_pair_ids, restore_objects
from ordlink.validation._halves import dense
from ordlink.validation._shuffled import random_order
from ordlink.validation._votes import Votes

SMALLEST_POOL = 10
"""Pairs are redrawn from at least so many: the noise in a number cannot be told from itself."""
RARE = 4.0
"""Objects that were named so many times less often than the median are rare."""


@dataclass(frozen=True)
class Pools:
    """For each pair of objects, the pairs from which it is redrawn.

    These are the pairs that meet in the same merge of the tree. Merges with fewer pairs than
    `SMALLEST_POOL` share theirs with those of about the same size, see `_sizes_around`. Pairs of
    objects that were asked about far less often than most have pools of their own: what is not
    known of them must not be made up from what is known of others.

    Attributes
    ----------
    pairs : ndarray of shape (E,), dtype int32
        All pairs, pool by pool; merge by merge, the smallest merges first.
    starts, sizes : ndarray of shape (E,), dtype int64
        Where the pool of each pair lies in `pairs`.
    """

    pairs: Int32Array
    starts: Int64Array
    sizes: Int64Array

    def draw(self, rng: np.random.Generator) -> Int32Array:
        """Return a donor for each pair, drawn from its pool with replacement."""
        places = self.starts + (rng.random(len(self.sizes)) * self.sizes).astype(np.int64)
        return self.pairs[places]


def rarity_of_objects(comparisons: Comparisons) -> Int64Array:
    """Return how rarely each object was asked about: 0 as often as most, then by powers of four.

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
    rarity: Int64Array = np.floor(np.log(times_fewer) / np.log(RARE)).astype(np.int64)
    return np.maximum(rarity, 0)


def pools_of(tree: Hierarchy, rarity: Int64Array | None = None) -> Pools:
    """Return the pools of a tree, in O(N^2 log N).

    Parameters
    ----------
    tree : Hierarchy
        The tree of all answers.
    rarity : ndarray of shape (N,), dtype int64, optional
        Class of each object; a pair is of the class of the rarer one. Pairs of other classes than 0
        are redrawn from those of the same merge and class.
    """
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
    """Return the order of pairs, and start and size of each one's pool, by the merges they meet in.

    Small merges share their pools.
    """
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
    pairs: Int64Array = np.lexsort((merges, n_met[merges]))
    return pairs, starts[merges], sizes[merges]


def _sizes_around(few: int, n_met: Int64Array) -> tuple[int, int]:
    """Return the fewest and most pairs of the merges with which merges of few pairs share.

    Small merges are those of the most similar pairs, picked out of many by the method, and so
    are others as small: what has been picked in the same way differs by noise. Merges of up to
    twice as many pairs, somewhat less similar, make up for the luck of having been picked.
    Pairs of similar strength would not do, since the strongest of many are so by luck.
    Where all these are fewer than `SMALLEST_POOL`, the merges nearest in size join them.
    """
    apart = np.unique(np.abs(n_met - few)).tolist()
    ranges = [(few, 2 * few), *((few - by, few + by) for by in apart)]
    for fewest, most in ranges:
        if n_met[(fewest <= n_met) & (n_met <= most)].sum() >= SMALLEST_POOL:
            return fewest, most
    return ranges[-1]


@dataclass(frozen=True)
class Draw:
    """How replicates are drawn.

    Attributes
    ----------
    comparisons : Comparisons
        The answers.
    units : ndarray of shape (n_rows,), dtype intp, or None
        The annotator or answer of each comparison, if these are drawn with replacement.
    pools : Pools or None
        Where pairs are redrawn from, if they are.
    votes : Votes or None
        The votes on each question, if the majority decides it in each replicate.
    """

    comparisons: Comparisons
    units: AnyArray | None
    pools: Pools | None
    votes: Votes | None = None

    def replicate(self, rng: np.random.Generator, order: Int32Array) -> Comparisons:
        """Return one replicate, in which object k is object ``order[k]`` of the answers.

        Counts say how often something was drawn; comparisons of one answer keep its number.
        """
        places = new_pair_ids(order)
        if isinstance(self.comparisons, RankedComparisons):
            ranks = self.comparisons.ranks
            moved = np.empty_like(ranks)
            moved[places] = ranks if self.pools is None else ranks[self.pools.draw(rng)]
            return RankedComparisons(n_objects=len(order), ranks=dense(moved))
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
            rows, winners, losers = hand_over(winners, losers, self.pools.draw(rng))
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
        """Draw as many units as there are; return how often each row is then there."""
        assert self.units is not None
        assert isinstance(self.comparisons, ListedComparisons)
        n_units = int(self.units.max(initial=-1)) + 1
        of_unit = np.bincount(rng.integers(0, max(n_units, 1), n_units), minlength=n_units)
        counts = self.comparisons.counts
        drawn: Int64Array = of_unit[self.units] * (1 if counts is None else counts)
        return drawn


def hand_over(
    winners: Int32Array, losers: Int32Array, donors: Int32Array
) -> tuple[Int64Array, Int32Array, Int32Array]:
    """Let each pair take over what was said about its donor: A'[e, f] = A[donor e, donor f].

    Returns the row that each new comparison was taken from, its winner and its loser. As many
    pairs on average take over from a pair as it gives up, so there are about as many rows.
    """
    takers = np.argsort(donors, kind="stable").astype(np.int32)  # of pair 0, of pair 1, ...
    n_takers = np.bincount(donors, minlength=len(donors))
    starts = np.cumsum(n_takers) - n_takers
    n_new = n_takers[winners] * n_takers[losers]
    rows = np.repeat(np.arange(len(winners)), n_new)
    number = np.arange(len(rows)) - np.repeat(np.cumsum(n_new) - n_new, n_new)
    first, second = np.divmod(number, n_takers[losers[rows]])
    return rows, takers[starts[winners[rows]] + first], takers[starts[losers[rows]] + second]


def replicate_trees(
    draw: Draw,
    build: Callable[[Comparisons, Int32Array], Hierarchy],
    n_replicates: int,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[Hierarchy, ...]:
    """Return one tree for each replicate, on all cores; the same on any number of them.

    Objects are put in random order each time, so that ties, which go to the objects that come
    first, are decided anew. `build` gets the comparisons and that order.
    """
    seeds = np.random.SeedSequence(seed).spawn(n_replicates)

    def grow(number: int) -> Hierarchy:
        rng = np.random.default_rng(seeds[number])
        order = random_order(draw.comparisons.n_objects, rng)
        tree = build(draw.replicate(rng, order), order)
        return restore_objects(tree, order, draw.comparisons.names)

    trees = []
    # Threads share the filters of warnings, which are therefore set outside of them.
    with one_blas_thread(), warnings.catch_warnings(), ThreadPoolExecutor(n_threads()) as pool:
        warnings.simplefilter("ignore", OrdlinkWarning)  # no news about the answers themselves
        for done, tree in enumerate(pool.map(grow, range(n_replicates)), start=1):
            trees.append(tree)
            if progress is not None:
                progress(done, n_replicates)
    return tuple(trees)
