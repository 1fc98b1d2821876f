"""All comparisons of a similarity matrix, held as the ranks of the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ordlink._typing import AnyArray, Int32Array, Int64Array
from ordlink._validate import Seed, check_names, check_objects, random_generator
from ordlink.comparisons._base import Comparisons
from ordlink.comparisons._frozen import FrozenArrays
from ordlink.comparisons._listed import ListedComparisons
from ordlink.comparisons._pairs import check_n_objects, check_pair_ids_fit, n_pairs, pair_ids
from ordlink.comparisons._similarities import check_similarities
from ordlink.errors import InputError

if TYPE_CHECKING:
    from ordlink.comparisons._summary import ComparisonsSummary

_WAITS_PER_DRAW = 1 << 20


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RankedComparisons(FrozenArrays, Comparisons):
    """Every comparison of a weak order of the pairs, none of them written down.

    Attributes
    ----------
    n_objects : int
        Number of objects N.
    ranks : ndarray of shape (E,), dtype int32
        Rank of each pair by pair id, 0 for the least similar; equal ranks are ties.
    names : tuple of str or None
        Names of the objects; they may repeat.
    """

    n_objects: int
    ranks: Int32Array
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_objects", check_n_objects(self.n_objects))
        super().__post_init__()

    @classmethod
    def of_similarities(
        cls, similarities: AnyArray, *, names: Sequence[str] | None = None
    ) -> RankedComparisons:
        """Return all comparisons of a symmetric similarity matrix of shape (N, N)."""
        checked = check_similarities(similarities)
        n_objects = len(checked)
        check_pair_ids_fit(n_objects)
        upper = checked[np.triu_indices(n_objects, 1)]
        ranks = np.unique(upper, return_inverse=True)[1].astype(np.int32)
        return cls(n_objects=n_objects, ranks=ranks, names=check_names(names, n_objects))

    @property
    def n_comparisons(self) -> int:
        """Number of pairs of pairs that are not tied."""
        tied = np.bincount(self.ranks)
        n = len(self.ranks)
        return (n * n - int(np.sum(tied.astype(np.int64) ** 2))) // 2

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RankedComparisons):
            return NotImplemented
        return self.names == other.names and np.array_equal(self.ranks, other.ranks)

    __hash__ = None  # type: ignore[assignment]

    @property
    def counts_below_and_above(self) -> tuple[Int64Array, Int64Array]:
        """For each pair, how many pairs are strictly less and strictly more similar."""
        sizes = np.bincount(self.ranks)
        not_above = np.cumsum(sizes)
        below = (not_above - sizes)[self.ranks]
        above = (len(self.ranks) - not_above)[self.ranks]
        return below, above

    def subset(self, objects: Sequence[int] | AnyArray) -> RankedComparisons:
        """Return the comparisons among these objects alone, renumbered in the given order."""
        kept = check_objects(objects, self.n_objects, "objects")
        low, high = np.triu_indices(len(kept), 1)
        ranks = self.ranks[pair_ids(kept[low], kept[high], self.n_objects)]
        return RankedComparisons(
            n_objects=len(kept),
            ranks=np.unique(ranks, return_inverse=True)[1].astype(np.int32),
            names=None if self.names is None else tuple(self.names[o] for o in kept),
        )

    def sample(self, proportion: float, *, seed: Seed = 0) -> ListedComparisons:
        """Return each comparison with probability `proportion`, listed.

        The gaps between observed pairs of pairs are geometric, so the cost is that of the
        comparisons drawn, not of the E^2 / 2 that exist.
        """
        if not 0 < proportion <= 1:
            raise InputError(
                f"expected a share of all comparisons, above 0 and at most 1, got {proportion}",
                parameter="proportion",
            )
        from ordlink._threads import one_ahead
        from ordlink.comparisons._kernels_sampling import list_after_waits

        n = n_pairs(self.n_objects)
        expected = proportion * n * (n - 1) / 2
        likely_most = int(expected + 6 * np.sqrt(expected) + 16)
        draw = min(likely_most, _WAITS_PER_DRAW)
        winners = np.empty(likely_most + draw, dtype=np.int32)
        losers = np.empty(likely_most + draw, dtype=np.int32)
        # floor(Exp(1) / -log(1-p)) is geometric, and exponentials are drawn faster.
        scale = 0.0 if proportion == 1 else -1.0 / np.log1p(-proportion)
        rng = random_generator(seed)
        draws = one_ahead(
            lambda: rng.standard_exponential(draw), worthwhile=likely_most > _WAITS_PER_DRAW
        )
        n_listed, row, column = 0, 0, 0
        while row < n - 1:
            waits = next(draws)
            if n_listed + len(waits) > len(winners):
                winners = np.concatenate([winners, np.empty(len(waits), dtype=np.int32)])
                losers = np.concatenate([losers, np.empty(len(waits), dtype=np.int32)])
            n_listed, row, column = list_after_waits(
                waits, scale, self.ranks, winners, losers, n_listed, row, column
            )
        return ListedComparisons(
            n_objects=self.n_objects,
            winners=winners[:n_listed],
            losers=losers[:n_listed],
            names=self.names,
            distinct=True,
        )

    def listed(self) -> ListedComparisons:
        """Return all comparisons, listed: about N^4 / 8 rows, so only for few objects."""
        return self.sample(1.0)

    def summary(self) -> ComparisonsSummary:
        """Return what there is: objects, comparisons, repeats, contradictions, gaps."""
        from ordlink.comparisons._summary import summarise_ranked

        return summarise_ranked(self)

    def warnings(self) -> list[str]:
        """Return what the user should know before trusting a tree, one sentence each."""
        return self.summary().warnings()
