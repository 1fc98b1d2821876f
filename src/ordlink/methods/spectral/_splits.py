"""The best split of a set of objects in two, by the strengths of the pairs among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, BoolArray, FloatArray
from ordlink.methods.spectral._bradley_terry import leading_eigenpairs
from ordlink.methods.spectral._pair_strengths import PairStrengths

LIKELY = 0.4
"""The caution of the search for splits that need not be firm."""
CLEAR = 0.85
"""The caution of splits that noise alone hardly gives."""
TINY = 1e-12
"""A total precision below this counts as none."""
_MOVES_PER_OBJECT = 3
_EXACT = 1e-12
"""Relative differences below this come from rounding."""
_DRAWS, _SWEEPS = 200_000, (50, 2_000)
"""About so many objects are drawn to find out where each most likely is, in so many sweeps."""
_SEED = 20190104


@dataclass(frozen=True)
class Split:
    """A set of objects in two."""

    side: BoolArray  # (n,): which objects are on one side
    # In log-likelihood, of the best split, before each object settled where it most likely is
    gain: float
    n_off: int  # number of objects on one side of that best split
    across: float  # mean strength of the pairs across
    error: float  # its standard error
    within: float  # mean strength of all pairs of the set

    def value(self, caution: float) -> float:
        """Return gain less cost; a split is firm if it is above 0 with caution 1."""
        n, k = np.array(len(self.side)), np.array(self.n_off)
        return self.gain - float(cost_of_split(n, k, caution))


def best_split(posterior: PairStrengths, members: AnyArray, caution: float) -> Split | None:
    """Return the best split of a set of two objects or more, None if it explains nothing.

    A split's gain is the log-likelihood that it adds if the pairs across have one strength and
    the pairs within another one. Its cost is caution times log C(n, k), the number of ways to
    split k objects off, and half the log of the number of pairs. Pure noise gains up to 0.58 n
    (the ground state of a spin glass) and even splits cost 0.69 n, so with caution 1 noise does not
    pay. With less caution, even splits are found which are likely, but not firm.

    Starts are the object with the weakest pairs against all others, and the leading eigenvectors of
    the pulls, as they are and double-centred, cut where that is best; then single objects change
    sides while that pays.
    """
    strengths = posterior.strengths[np.ix_(members, members)]
    precisions = posterior.precisions[np.ix_(members, members)]
    total = precisions.sum()
    if total <= 0.0:
        return None
    within = float((precisions * strengths).sum() / total)
    pulls = precisions * (strengths - within)
    rounding = _EXACT * float((precisions * np.abs(strengths)).max())
    if np.abs(pulls).max() <= rounding and len(members) > 2:
        return None
    costs = costs_of_splits(len(members), caution)
    side, value = _search(pulls, precisions, costs)
    n_off = int(side.sum())
    gain = value + float(costs[n_off])
    if gain <= 0.0 and len(members) > 2:
        return None
    side = settle(side, pulls, precisions)
    cut = precisions[np.ix_(side, ~side)]
    weight = float(cut.sum())
    across, error = within, np.inf
    if weight > 0.0:
        across += float(pulls[np.ix_(side, ~side)].sum()) / weight
        error = weight**-0.5
    return Split(side, gain, n_off, across, error, within)


def settle(side: BoolArray, pulls: FloatArray, precisions: FloatArray) -> BoolArray:
    """Return a split with each object on the side where it most likely is.

    The one best split of all follows noise: where many splits are nearly as good, what most of them
    say of an object is right more often. All splits count as equally likely beforehand.
    """
    from ordlink.methods.spectral._kernels_splits import vote_on_sides

    n = len(side)
    firmest_first = np.argsort(np.where(side, -1.0, 1.0) @ pulls * np.where(side, 1.0, -1.0))
    if not side[firmest_first[0]]:  # which side is called the side must not matter
        return ~settle(~side, pulls, precisions)
    draws = np.random.default_rng(_SEED).random((int(np.clip(_DRAWS // n, *_SWEEPS)), n))
    by_firmness = np.ix_(firmest_first, firmest_first)  # whatever the objects' numbers are
    votes = np.zeros(n, dtype=np.int64)
    votes[firmest_first] = vote_on_sides(
        side[firmest_first], pulls[by_firmness], precisions[by_firmness], draws
    )
    settled = np.where(votes == 0, side, votes > 0)
    return settled if 0 < settled.sum() < n else side


def cost_of_split(n: AnyArray, k: AnyArray, caution: float) -> FloatArray:
    """Return what it costs to split k of n objects off."""
    from scipy.special import gammaln

    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.asarray(caution * ways + 0.5 * np.log(np.maximum(2, n * (n - 1) / 2)))


def costs_of_splits(n: int, caution: float) -> FloatArray:
    """Return what it costs to split 0, 1, ..., n of n objects off."""
    return cost_of_split(np.full(n + 1, n), np.arange(n + 1), caution)


def _search(
    pulls: FloatArray, precisions: FloatArray, costs: FloatArray
) -> tuple[BoolArray, float]:
    from ordlink.methods.spectral._kernels_splits import best_threshold, improve_split

    n = len(pulls)
    starts = [np.arange(n) == int(pulls.sum(axis=1).argmin())]
    for direction in _directions(pulls):
        order = np.argsort(direction, kind="stable")
        size, _ = best_threshold(order, pulls, precisions, costs)
        starts.append(np.isin(np.arange(n), order[:size]))
    best_side, best_value = starts[0], -np.inf
    for side in starts:
        value = improve_split(side, pulls, precisions, costs, _MOVES_PER_OBJECT * n)
        if value > best_value:
            best_side, best_value = side, value
    return best_side, best_value


def _directions(pulls: FloatArray) -> Iterator[FloatArray]:
    """Yield directions along which a set may fall in two, the longer tail ahead.

    Which end of a direction comes first decides where the search starts if no cut of it gains
    anything, and must not depend on the objects' numbers.
    """
    n = len(pulls)
    if n == 2:
        return
    _, vectors = leading_eigenpairs(pulls, 2)
    filled = pulls + np.diag(pulls.sum(axis=1) / (n - 1))
    means = filled.mean(axis=0)
    _, centred = leading_eigenpairs(filled - means - means[:, None] + means.mean(), 1)
    for vector in (*vectors.T, *centred.T):
        yield vector if (vector**3).sum() > 0.0 else -vector
