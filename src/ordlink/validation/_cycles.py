"""Circular triads: a over b, b over c, c over a."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ordlink._typing import BoolArray, Int32Array, Int64Array
from ordlink._validate import Seed, random_generator
from ordlink.comparisons import ListedComparisons, n_pairs, net_comparisons

LARGEST_EXACT = 20_000_000
"""Up to so many paths of two comparisons all triads are counted; of more, a sample."""
N_DRAWN = 500_000
CIRCULAR_BY_CHANCE = 0.25
"""Share of circular triads if every answer were a guess."""


@dataclass(frozen=True)
class Cycles:
    """How many triads of compared pairs are circular.

    A triad is three pairs of objects that were all compared with each other; where a comparison
    was made several times, the majority counts.

    Attributes
    ----------
    n_triads : int
        Number of triads counted.
    n_circular : int
        How many of them are circular.
    is_exact : bool
        Whether these are all triads, or a random sample.
    """

    n_triads: int
    n_circular: int
    is_exact: bool

    @property
    def share(self) -> float:
        """Share of the triads that are circular, 0.25 by guessing; NaN without triads."""
        return self.n_circular / self.n_triads if self.n_triads else math.nan


def count_cycles(comparisons: ListedComparisons, *, seed: Seed = 0) -> Cycles:
    """Count the triads and the circular ones, in a random sample where there are too many.

    Examples
    --------
    >>> import ordlink as ol
    >>> rows = [[0, 1, 0, 2], [0, 2, 1, 2], [1, 2, 0, 1]]
    >>> count_cycles(ol.Comparisons.from_quadruplets(rows))
    Cycles(n_triads=1, n_circular=1, is_exact=True)
    """
    net = net_comparisons(comparisons)
    n = n_pairs(comparisons.n_objects)
    degrees = np.bincount(net.winners, minlength=n) + np.bincount(net.losers, minlength=n)
    n_paths = int((degrees * (degrees - 1) // 2).sum())
    if n_paths <= LARGEST_EXACT:
        return _count_all(net.winners, net.losers, n)
    return _draw(net.winners, net.losers, degrees, random_generator(seed))


def _count_all(winners: Int32Array, losers: Int32Array, n: int) -> Cycles:
    """Count closed walks of three steps."""
    from scipy.sparse import csr_array

    ones = np.ones(len(winners), dtype=np.int64)
    above = csr_array((ones, (winners, losers)), shape=(n, n))
    either = above + above.T
    n_circular = int((above @ above).multiply(above.T).sum()) // 3
    n_triads = int((either @ either).multiply(either).sum()) // 6
    return Cycles(n_triads, n_circular, is_exact=True)


def _draw(
    winners: Int32Array, losers: Int32Array, degrees: Int64Array, rng: np.random.Generator
) -> Cycles:
    """Draw paths a - b - c of two comparisons; those whose ends were compared are triads.

    Every triad contains three such paths, so all are drawn with the same probability.
    """
    ends = np.concatenate([winners, losers])
    others = np.concatenate([losers, winners])
    order = np.argsort(ends, kind="stable")
    others, wins = others[order], (np.arange(len(ends)) < len(winners))[order]
    starts = np.cumsum(degrees) - degrees
    n_paths = degrees.astype(np.float64) * (degrees - 1)
    middle = np.searchsorted(
        np.cumsum(n_paths), rng.random(N_DRAWN) * n_paths.sum(), side="right"
    ).clip(max=len(degrees) - 1)
    first = (rng.random(N_DRAWN) * degrees[middle]).astype(np.int64)
    second = (rng.random(N_DRAWN) * (degrees[middle] - 1)).astype(np.int64)
    second += second >= first
    first, second = first + starts[middle], second + starts[middle]
    keys = np.sort(winners.astype(np.int64) * len(degrees) + losers)
    forth = _are_in(keys, others[first].astype(np.int64) * len(degrees) + others[second])
    back = _are_in(keys, others[second].astype(np.int64) * len(degrees) + others[first])
    # The middle beats one end and loses to the other, and that other loses to the first.
    circular = (wins[first] & ~wins[second] & forth) | (~wins[first] & wins[second] & back)
    return Cycles(int((forth | back).sum()), int(circular.sum()), is_exact=False)


def _are_in(keys: Int64Array, wanted: Int64Array) -> BoolArray:
    places = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    found: BoolArray = keys[places] == wanted
    return found
