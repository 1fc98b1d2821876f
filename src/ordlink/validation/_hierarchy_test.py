"""A test whether there is any hierarchy at all."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array
from ordlink.comparisons import Comparisons, n_pairs
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.methods import cluster
from ordlink.validation._checks import check_comparisons, check_whole_number
from ordlink.validation._halves import keep_pairs, wins_among


@dataclass(frozen=True, eq=False)
class HierarchyTest:
    """The revenue of trees over comparisons they have not seen, and what chance would give.

    Attributes
    ----------
    revenue : float
        Mean normalised revenue of each half's tree over the comparisons of the other half.
    statistic : float
        The two revenues, each in units of its standard deviation, added up; the mean over splits.
    null_statistics : ndarray of shape (n_relabellings,), dtype float64
        The same for random relabellings of the objects.
    p_value : float
        Share of the relabellings, the present one included, with a statistic at least as high.
    """

    revenue: float
    statistic: float
    null_statistics: FloatArray = field(repr=False)
    p_value: float


def hierarchy_test(
    comparisons: Comparisons,
    method: str = "4-AL",
    *,
    n_splits: int = 10,
    n_relabellings: int = 999,
    seed: int = 0,
    **options: Any,
) -> HierarchyTest:
    """Test whether there is any hierarchy: whether one part of the answers foretells another.

    A tree fits the answers that it was built from even where these are pure noise. So the pairs
    of objects are split at random into halves, a tree is built from the comparisons within each
    half, and judged by its revenue over those within the other. Neither an answer nor the
    similarity of a pair is in both. Without any structure the objects of the one half might as
    well be called by other names: the revenue is compared with those of random relabellings.

    One split would leave the p-value to luck, so the mean over several is compared. All are
    relabelled alike, since splits of the same answers have much in common, and so must what
    chance gives. For a single split the test is as exact as the renaming; for several it rests on
    splits being as alike under other names as under the objects' own, which was measured.

    A small p-value says that there is structure. A large one may mean that answers are too few:
    only those count whose pairs are all in one half, half of the triplets and quadruplets and a
    quarter of the answers about three objects.

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked; every listed comparison counts as often as it was given.
    method : str
        A method that takes comparisons.
    n_splits : int
        Number of splits; those with a half without comparisons do not count.
    n_relabellings : int
        Number of relabellings; the smallest p-value is 1 / (n_relabellings + 1).
    seed : int
        Makes the draws reproducible.
    **options
        Options of the method.

    Returns
    -------
    HierarchyTest

    Raises
    ------
    InputError
        If in every split a half has no comparisons.

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=5, seed=0)
    >>> hierarchy_test(ol.Comparisons.from_similarities(planted.similarities, 1.0)).p_value
    0.001
    """
    check_comparisons(comparisons)
    seed = check_whole_number(seed, "seed", lowest=0)
    n_splits = check_whole_number(n_splits, "n_splits", lowest=1)
    n_relabellings = check_whole_number(n_relabellings, "n_relabellings", lowest=1)
    rng = np.random.default_rng(seed)
    n = comparisons.n_objects
    halves = [rng.permutation(n_pairs(n)) < n_pairs(n) // 2 for _ in range(n_splits)]
    orders = [np.arange(n), *(rng.permutation(n) for _ in range(n_relabellings))]
    revenues, statistics = [], []
    for in_first in halves:
        first, second = (
            _half(comparisons, kept, method, options) for kept in (in_first, ~in_first)
        )
        if first is None or second is None:
            continue
        revenues.append((first.revenue_over(second) + second.revenue_over(first)) / 2)
        statistics.append([_statistic(first, second, order) for order in orders])
    if not revenues:
        raise InputError(
            f"comparisons: expected comparisons within both halves of the pairs, got "
            f"{comparisons.n_comparisons} comparisons of {n} objects, which are too few to test; "
            "collect more answers."
        )
    observed, *by_chance = np.mean(statistics, axis=0).tolist()
    n_reached = sum(value >= observed - 1e-12 for value in by_chance)
    return HierarchyTest(
        float(np.mean(revenues)),
        observed,
        np.array(by_chance),
        (1 + n_reached) / (n_relabellings + 1),
    )


@dataclass(frozen=True)
class _Half:
    """The tree of one half of the pairs, and what the tree of the other half is judged by.

    Attributes
    ----------
    lca_sizes : ndarray of shape (N, N)
        Size of the smallest cluster of the tree around each two objects.
    pairs : tuple of two ndarrays
        The objects i and j of the pairs of this half whose wins and losses do not balance.
    wins : ndarray
        Wins minus losses of these pairs, against others of this half.
    n_comparisons : int
        Number of comparisons within this half.
    """

    lca_sizes: Int32Array
    pairs: tuple[AnyArray, AnyArray]
    wins: FloatArray
    n_comparisons: int

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
    """Return the half of the kept pairs, or None if these were not compared with each other."""
    wins, n_compared = wins_among(comparisons, kept)
    if not n_compared:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)  # no news about the answers themselves
        tree = cluster(keep_pairs(comparisons, kept), method, **options)
    i, j = np.nonzero(np.triu(wins, 1))
    return _Half(tree.lca_sizes(), (i, j), wins[i, j], n_compared)


def _statistic(first: _Half, second: _Half, order: AnyArray) -> float:
    """Return the statistic of a split whose first half is relabelled as a whole.

    That is its tree, and what the other tree is judged by.
    """
    of_first = _standardised(second.wins, first.sizes_of(second.pairs, order))
    of_second = _standardised(first.wins, second.sizes_of(first.pairs, np.argsort(order)))
    return of_first + of_second


def _standardised(wins: FloatArray, sizes: FloatArray) -> float:
    """Return the revenue in units of its standard deviation if wins had random signs.

    The pairs that a tree joins early are those it was built from, and are not in the other half:
    the sizes it is judged by vary less than those of a relabelled tree, and so does its revenue.
    """
    if not len(wins):
        return 0.0
    # Sums of products, not dot products: BLAS would start threads for each of these.
    weights = wins**2
    mean = (weights * sizes).sum() / weights.sum()
    spread = (weights * (sizes - mean) ** 2).sum()
    return -float((wins * sizes).sum() / np.sqrt(spread)) if spread > 0 else 0.0
