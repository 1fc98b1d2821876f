"""The best split of a set of objects in two, and the clusters that the answers support clearly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from ordlink._threads import map_threads
from ordlink._typing import AnyArray, BoolArray, FloatArray, LabelArray
from ordlink.methods.spectral._blocks import (
    Blocks,
    GainsByOthers,
    cost_of_split,
    fit_of_sums,
    sums_by_cluster,
)
from ordlink.methods.spectral._pair_strengths import (
    DENSE_AT_MOST,
    PairStrengths,
    leading_eigenpairs,
)

LIKELY = 0.4  # the caution of the search for splits that need not be firm
CLEAR = 0.85  # the caution of splits that noise alone hardly gives
_MOVES_PER_OBJECT = 3
_EXACT = 1e-12  # relative differences below this come from rounding
_DRAWS, _SWEEPS = 200_000, (50, 2_000)  # about so many draws of sides, in so many sweeps
_SEED = 20190104
PATIENCE = 2  # so many splits in a row may be less than firm
_MAX_SWEEPS = 20


@dataclass(frozen=True)
class Split:
    """A split of a set of objects in two."""

    side: BoolArray  # (n,): which objects are on one side
    # In log-likelihood, of the best split, before each object settled where it most likely is
    gain: float
    n_off: int  # number of objects on one side of that best split
    across: float  # mean strength of the pairs across
    error: float  # its standard error
    within: float  # mean strength of all pairs of the set

    def value(self, caution: float) -> float:
        """Return gain less cost; a split is firm if this is above 0 with caution 1."""
        return self.gain - float(costs_of_splits(len(self.side), caution)[self.n_off])


def best_split(posterior: PairStrengths, members: AnyArray, caution: float) -> Split | None:
    """Return the best split of a set of two objects or more, None if it explains nothing.

    A split's gain is the log-likelihood that it adds if the pairs across share one strength and the
    pairs within another; its cost is caution times log C(n, k) and half the log of the number of
    pairs. Pure noise gains up to 0.58 n (the ground state of a spin glass) and even splits cost
    0.69 n, so with caution 1 noise is not split; with less, likely splits are found.

    Starts are the object with the weakest pairs, and the leading eigenvectors of the pulls, as they
    are and double-centred, cut at the best threshold; then objects change sides while the value
    rises.
    """
    return SetOfObjects(posterior, members).split(caution)


class SetOfObjects:
    """A set of two objects or more that may be split; see `best_split`."""

    def __init__(self, posterior: PairStrengths, members: AnyArray) -> None:
        self._n = n = len(members)
        strengths, precisions = posterior.strengths, posterior.precisions
        if not np.array_equal(members, np.arange(len(strengths))):
            own = members[:, None], members
            strengths, precisions = strengths[own], precisions[own]
        self._precisions = precisions
        total = precisions.sum()
        self._is_uniform = bool(total <= 0.0)
        if self._is_uniform:
            return
        self._within = float((precisions * strengths).sum() / total)
        self._pulls = precisions * (strengths - self._within)
        rounding = _EXACT * float((precisions * np.abs(strengths)).max())
        self._is_uniform = bool(np.abs(self._pulls).max() <= rounding and n > 2)

    @cached_property
    def _orders(self) -> list[LabelArray]:
        return _orders(self._pulls)

    def split(self, caution: float) -> Split | None:
        """Return the best split.

        With caution 1, only a firm split is of use: in others, objects are not settled.
        """
        if self._is_uniform:
            return None
        pulls, precisions, within = self._pulls, self._precisions, self._within
        costs = costs_of_splits(self._n, caution)
        side, value = _search(pulls, precisions, costs, self._orders)
        n_off = int(side.sum())
        gain = value + float(costs[n_off])
        if gain <= 0.0 and self._n > 2:
            return None
        if (value > 0.0 or caution < 1.0) and self._n > 2:
            side = settle(side, pulls, precisions)
        cut = np.flatnonzero(side)[:, None], np.flatnonzero(~side)
        weight = float(precisions[cut].sum())
        across, error = within, np.inf
        if weight > 0.0:
            across += float(pulls[cut].sum()) / weight
            error = weight**-0.5
        return Split(side, gain, n_off, across, error, within)


def settle(side: BoolArray, pulls: FloatArray, precisions: FloatArray) -> BoolArray:
    """Return a split with each object on the side where it most likely is.

    The single best split follows the noise: where many splits are nearly as good, their majority
    vote on an object is right more often. All splits are equally likely a priori.
    """
    from ordlink.methods.spectral._kernels import vote_on_sides

    n = len(side)
    signs = np.where(side, 1.0, -1.0)
    firmest_first = np.argsort(-signs @ pulls * signs)
    is_other = not side[firmest_first[0]]  # which side is called the side must not matter
    side = side ^ is_other
    n_sweeps = int(np.clip(_DRAWS // n, *_SWEEPS))
    limits = _log_odds(max(n_sweeps * n, _DRAWS))[: n_sweeps * n].reshape(n_sweeps, n)
    by_firmness = firmest_first[:, None], firmest_first  # whatever the objects' numbers are
    votes = np.zeros(n, dtype=np.int64)
    votes[firmest_first] = vote_on_sides(
        side[firmest_first], pulls[by_firmness], precisions[by_firmness], limits
    )
    settled = np.where(votes == 0, side, votes > 0)
    return (settled if 0 < settled.sum() < n else side) ^ is_other


@lru_cache(maxsize=1)
def _log_odds(size: int) -> FloatArray:
    from scipy.special import logit

    return np.asarray(logit(np.random.default_rng(_SEED).random(size)))


@lru_cache(maxsize=500)
def costs_of_splits(n: int, caution: float) -> FloatArray:
    """Return the costs of splitting off 0, 1, ..., n of n objects."""
    return cost_of_split(np.full(n + 1, n), np.arange(n + 1), caution)


def _search(
    pulls: FloatArray, precisions: FloatArray, costs: FloatArray, orders: list[LabelArray]
) -> tuple[BoolArray, float]:
    from ordlink.methods.spectral._kernels import best_threshold, improve_split

    n = len(pulls)

    def start(order: LabelArray | None) -> tuple[BoolArray, float]:
        if order is None:
            side = np.arange(n) == int(pulls.sum(axis=1).argmin())
        else:
            size, _ = best_threshold(order, pulls, precisions, costs)
            side = np.zeros(n, dtype=bool)
            side[order[:size]] = True
        return side, improve_split(side, pulls, precisions, costs, _MOVES_PER_OBJECT * n)

    starts = (None, *orders)
    found = map_threads(start, starts) if n > DENSE_AT_MOST else [start(order) for order in starts]
    return max(found, key=lambda one: one[1])  # of equal ones the first


def _orders(pulls: FloatArray) -> list[LabelArray]:
    """Return the objects in the order of each direction."""
    return [np.argsort(direction, kind="stable") for direction in _directions(pulls)]


def _directions(pulls: FloatArray) -> Iterator[FloatArray]:
    """Yield directions along which a set may fall in two, the longer tail ahead.

    Which end of a direction comes first decides where the search starts if no cut of it gains
    anything, and must not depend on the objects' numbers.
    """
    n = len(pulls)
    if n == 2:
        return
    _, vectors = leading_eigenpairs(pulls, 2)
    filled = pulls.copy()
    filled.flat[:: n + 1] += pulls.sum(axis=1) / (n - 1)
    means = filled.mean(axis=0)
    _, centred = leading_eigenpairs(filled - means - means[:, None] + means.mean(), 1)
    for vector in (*vectors.T, *centred.T):
        yield vector if (vector**3).sum() > 0.0 else -vector


def find_firm_clusters(posterior: PairStrengths) -> LabelArray:
    """Return the partition that firm splits end in.

    A split of many clusters in two halves may not be firm although the clusters are, so likely
    splits are followed a few steps further. A split may cut through a cluster, so clusters are
    united again unless firmly separated; before and after, objects move to where they fit best.
    """
    n = len(posterior.strengths)
    labels = np.zeros(n, dtype=np.intp)
    waiting, found = [_Candidate((), np.arange(n), PATIENCE)], []
    while waiting:
        parts = map_threads(lambda candidate: _split_if_likely(posterior, candidate), waiting)
        found += [one for one, two in zip(waiting, parts, strict=True) if not two]
        waiting = [part for two in parts for part in two]
    for number, cluster in enumerate(sorted(found, key=lambda one: one.path)):
        labels[cluster.members] = number
    return _reassign(posterior, _unite_similar(posterior, _reassign(posterior, labels)))


class _Candidate(NamedTuple):
    """A set of objects that may be a cluster."""

    path: tuple[int, ...]  # the splits that led to it
    members: LabelArray
    patience: int


def _split_if_likely(posterior: PairStrengths, candidate: _Candidate) -> list[_Candidate]:
    """Return both parts, or none."""
    path, members, patience = candidate
    part = SetOfObjects(posterior, members) if len(members) > 1 else None
    split = part.split(1.0) if part else None
    if split is not None and split.value(1.0) > 0.0:
        patience = PATIENCE
    elif part and split is not None and patience > 0:
        split, patience = part.split(LIKELY), patience - 1
    else:
        return []
    if split is None:
        return []
    sides = ~split.side, split.side
    return [_Candidate((*path, at), members[side], patience) for at, side in enumerate(sides)]


def _unite_similar(posterior: PairStrengths, labels: LabelArray) -> LabelArray:
    """Unite the two clusters that are separated least, until all separations are firm."""
    blocks = Blocks.of(posterior, labels)
    others = GainsByOthers(blocks.totals, blocks.precisions)
    while len(blocks.totals) > 1:
        values = blocks.values_of_splits() + others.less_noise(blocks.members.sum(axis=0))
        p, q = (int(place) for place in np.unravel_index(int(values.argmin()), values.shape))
        if values[p, q] > 0.0:
            break
        blocks = blocks.unite(p, q)
        others.unite(p, q, blocks.totals, blocks.precisions)
    return np.asarray(blocks.members.argmax(axis=1), dtype=np.intp)


def _reassign(posterior: PairStrengths, labels: LabelArray) -> LabelArray:
    """Move all objects at once to their most likely clusters, until none moves."""
    for _ in range(_MAX_SWEEPS):
        sums = sums_by_cluster(posterior, labels)
        moved = fit_of_sums(Blocks.of_sums(labels, *sums), *sums).argmax(axis=1)
        if np.array_equal(moved, labels):
            break
        labels = np.unique(moved, return_inverse=True)[1].astype(np.intp)
    return labels


def number_by_first(labels: LabelArray) -> LabelArray:
    """Return the labels numbered by the first object of each cluster."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]
