"""Repeated and contradicting answers brought down to one signed entry per pair of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ordlink.comparisons._listed import ListedComparisons
from ordlink.comparisons._pairs import n_pairs
from ordlink.errors import InputError
from ordlink.typing import BoolArray, Int32Array, Int64Array

Repeats = Literal["majority", "net"]
"""How repeated answers count: the sign of the net count, or the net count itself."""


@dataclass(frozen=True)
class NetComparisons:
    """The matrix A over pairs, one entry for each pair of pairs that is not 0.

    Attributes
    ----------
    n_objects : int
        Number of objects N.
    winners, losers : ndarray of shape (n_entries,), dtype int32
        A[winner, loser] = weight and A[loser, winner] = -weight.
    weights : ndarray of shape (n_entries,), dtype int32, or None
        Weight of each entry, at least 1; None means all 1.
    """

    n_objects: int
    winners: Int32Array
    losers: Int32Array
    weights: Int32Array | None = None

    @property
    def largest_weight(self) -> int:
        """The largest entry of A, 1 if there is none."""
        return 1 if self.weights is None else int(self.weights.max(initial=1))


@dataclass(frozen=True)
class Votes:
    """How often each distinct pair of pairs was answered each way.

    Attributes
    ----------
    low, high : ndarray of int32
        The two pairs, low < high, sorted.
    for_low, for_high : ndarray of int64
        Number of answers in which low (high) won.
    """

    low: Int32Array
    high: Int32Array
    for_low: Int64Array
    for_high: Int64Array

    @property
    def contradicted(self) -> BoolArray:
        """Which pairs of pairs were answered both ways."""
        return (self.for_low > 0) & (self.for_high > 0)


def count_votes(comparisons: ListedComparisons) -> Votes:
    """Return the votes on every pair of pairs, in increasing order of (low, high)."""
    n = np.int64(n_pairs(comparisons.n_objects))
    low_won = comparisons.winners < comparisons.losers
    low = np.where(low_won, comparisons.winners, comparisons.losers).astype(np.int64)
    high = np.where(low_won, comparisons.losers, comparisons.winners)
    keys = low * n + high
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    counts = np.ones(len(keys), np.int64)
    if comparisons.counts is not None:
        counts = comparisons.counts[order].astype(np.int64)
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    if not len(starts):
        empty = np.empty(0, np.int64)
        return Votes(empty.astype(np.int32), empty.astype(np.int32), empty, empty)
    for_low = np.add.reduceat(counts * low_won[order], starts)
    for_high = np.add.reduceat(counts * ~low_won[order], starts)
    distinct = keys[starts]
    return Votes(
        (distinct // n).astype(np.int32), (distinct % n).astype(np.int32), for_low, for_high
    )


def net_comparisons(
    comparisons: ListedComparisons, repeats: Repeats = "majority"
) -> NetComparisons:
    """Return A: one entry per pair of pairs; an exact tie of the votes contributes 0.

    Parameters
    ----------
    comparisons : ListedComparisons
        Answers, possibly repeated and contradicting each other.
    repeats : {"majority", "net"}
        The sign of the net count, or the net count as weight.
    """
    check_repeats(repeats)
    n_objects = comparisons.n_objects
    if comparisons.distinct and (comparisons.counts is None or repeats == "majority"):
        return NetComparisons(n_objects, comparisons.winners, comparisons.losers)
    votes = count_votes(comparisons)
    net = votes.for_low - votes.for_high
    decided = net != 0
    low, high, net = votes.low[decided], votes.high[decided], net[decided]
    weights = None
    if repeats == "net" and (np.abs(net) > 1).any():
        weights = np.abs(net).astype(np.int32)
    return NetComparisons(
        n_objects,
        winners=np.where(net > 0, low, high),
        losers=np.where(net > 0, high, low),
        weights=weights,
    )


def check_repeats(repeats: str) -> None:
    """Raise InputError unless `repeats` is one of the two ways to count repeated answers."""
    if repeats not in get_args(Repeats):
        raise InputError(f"repeats must be one of {', '.join(get_args(Repeats))}; got {repeats!r}")
