"""A test whether there is any hierarchy at all."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink.comparisons import Comparisons, n_pairs
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.methods import cluster
from ordlink.trust._checks import check_comparisons, check_whole_number
from ordlink.trust._halves import keep_pairs, wins_among
from ordlink.typing import AnyArray, BoolArray, FloatArray, Int32Array


@dataclass(frozen=True, eq=False)
class HierarchyTest:
    """The revenue of trees over comparisons they have not seen, and what chance would give.

    Attributes
    ----------
    revenue : float
        Mean normalised revenue of each half's tree over the comparisons of the other half.
    statistic : float
        The two revenues, each in units of its standard deviation, added up.
    null_statistics : ndarray of shape (n_relabellings,), dtype float64
        The same for random relabellings of the objects.
    p_value : float
        Share of the relabellings, the present one included, with a statistic at least as high.
    """

    revenue: float
    statistic: float
    null_statistics: FloatArray
    p_value: float


def hierarchy_test(
    comparisons: Comparisons,
    method: str = "4-AL",
    *,
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

    A small p-value says that there is structure. A large one may mean that answers are too few:
    only those count whose pairs are all in one half, half of the triplets and quadruplets and a
    quarter of the answers about three objects.

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked; every listed comparison counts as often as it was given.
    method : str
        A method that takes comparisons.
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
        If a half has no comparisons.

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=5, seed=0)
    >>> hierarchy_test(ol.Comparisons.from_similarities(planted.similarities, 1.0)).p_value
    0.001
    """
    check_comparisons(comparisons)
    n_relabellings = check_whole_number(n_relabellings, "n_relabellings", lowest=1)
    rng = np.random.default_rng(seed)
    n = comparisons.n_objects
    in_first = np.zeros(n_pairs(n), dtype=np.bool_)
    in_first[rng.permutation(len(in_first))[: len(in_first) // 2]] = True
    first, second = (_half(comparisons, kept, method, options) for kept in (in_first, ~in_first))
    statistics = np.empty(n_relabellings + 1)
    for number in range(n_relabellings + 1):
        # The first half is relabelled as a whole: its tree, and what the other tree is judged by.
        order = rng.permutation(n) if number else np.arange(n)
        of_first = _standardised(second.wins, first.sizes_of(second.pairs, order))
        of_second = _standardised(first.wins, second.sizes_of(first.pairs, np.argsort(order)))
        statistics[number] = of_first + of_second
    reached = statistics[1:] >= statistics[0] - 1e-12
    p_value = (1 + int(reached.sum())) / (n_relabellings + 1)
    revenue = (first.revenue_over(second) + second.revenue_over(first)) / 2
    return HierarchyTest(revenue, float(statistics[0]), statistics[1:], p_value)


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


def _half(comparisons: Comparisons, kept: BoolArray, method: str, options: dict[str, Any]) -> _Half:
    wins, n_compared = wins_among(comparisons, kept)
    if not n_compared:
        raise InputError(
            f"comparisons: expected comparisons within both halves of the pairs, got "
            f"{comparisons.n_comparisons} comparisons of {comparisons.n_objects} objects, which "
            "are too few to test; collect more answers."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)  # no news about the answers themselves
        tree = cluster(keep_pairs(comparisons, kept), method, **options)
    i, j = np.nonzero(np.triu(wins, 1))
    return _Half(tree.lca_sizes(), (i, j), wins[i, j], n_compared)


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
