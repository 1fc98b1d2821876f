"""All comparisons of a similarity matrix, stored as the ranks of the pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ordlink._text import counted
from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, Int64Array
from ordlink._validate import Seed, check_names, check_objects, random_generator
from ordlink.comparisons._base import Comparisons, FrozenArrays, read_only
from ordlink.comparisons._listed import ListedComparisons
from ordlink.comparisons._pairs import check_n_objects, check_pair_ids_fit, n_pairs, pair_ids
from ordlink.errors import InputError, InputKindError

RELATIVE_TOLERANCE = 1e-9
"""w_ij and w_ji may differ by this share of the larger one: rounding, not a mistake."""
ABSOLUTE_TOLERANCE = 1e-12
"""The same relative to the largest entry of the matrix, for entries close to 0."""
BLOCK_ENTRIES = 1 << 22
"""Rows are checked in blocks of about this many entries, so that temporaries stay small."""


def check_similarities(
    similarities: ArrayLike, *, n_objects: int | None = None, name: str = "similarities"
) -> FloatArray:
    """Return the matrix as float64 after checking that it holds one number per pair of objects.

    The diagonal may hold anything, including NaN and infinity, and is returned unchanged. The
    result is a read-only view of the input if its dtype allows, else a read-only copy.

    Parameters
    ----------
    similarities : array_like of shape (n_objects, n_objects)
        Symmetric up to rounding, finite off the diagonal. Entry (i, j) is w_ij; where w_ij and
        w_ji differ by rounding, users of the matrix take the upper triangle.
    n_objects : int, optional
        Number of objects that the matrix must have.
    name : str
        What error messages call the matrix.

    Examples
    --------
    >>> check_similarities([[0, 2], [2, 0]])
    array([[0., 2.],
           [2., 0.]])
    """
    matrix = _to_float_matrix(similarities, name)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        expected = "expected a square matrix, one row and one column per object"
        raise InputError(f"{expected}, got shape {matrix.shape}", where=name)
    if not matrix.shape[0]:
        raise InputError("expected at least one object, got an empty matrix", where=name)
    if n_objects is not None and matrix.shape[0] != n_objects:
        problem = f"expected {counted(n_objects, 'object')}, got a matrix of {matrix.shape[0]:,}"
        remedy = "pass the rows and columns of the same objects in the same order"
        raise InputError(problem, where=name, remedy=remedy)
    scale = _check_finite(matrix, name)
    _check_symmetric(matrix, scale, name)
    return read_only(matrix)


def _to_float_matrix(similarities: ArrayLike, name: str) -> FloatArray:
    if hasattr(similarities, "toarray"):
        problem = f"expected a dense matrix, got {type(similarities).__name__}"
        raise InputKindError(problem, where=name, remedy="convert it with .toarray()")
    if isinstance(similarities, np.ma.MaskedArray):  # a masked entry is a missing one
        similarities = np.ma.filled(similarities.astype(np.float64), np.nan)
    try:
        raw: AnyArray = np.asarray(similarities)
        if raw.dtype.kind not in "biufO":
            raise TypeError(f"entries of type {raw.dtype}")
        return raw.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        problem = f"expected a square matrix of real numbers, got {error}"
        remedy = "pass an array with one row and one column per object"
        raise InputKindError(problem, where=name, remedy=remedy) from error


def _row_blocks(n_objects: int) -> Iterator[slice]:
    step = max(1, BLOCK_ENTRIES // n_objects)
    for start in range(0, n_objects, step):
        yield slice(start, min(start + step, n_objects))


def _off_diagonal(condition: BoolArray, rows: slice) -> BoolArray:
    """Set the entries of a block of rows that lie on the diagonal to False, in place."""
    condition[np.arange(rows.stop - rows.start), np.arange(rows.start, rows.stop)] = False
    return condition


def _first(condition: BoolArray, rows: slice) -> tuple[int, int]:
    row, column = np.unravel_index(int(condition.argmax()), condition.shape)
    return rows.start + int(row), int(column)


def _check_finite(matrix: FloatArray, name: str) -> float:
    """Return the largest magnitude off the diagonal."""
    scale = 0.0
    for rows in _row_blocks(len(matrix)):
        finite = np.isfinite(matrix[rows])
        missing = _off_diagonal(~finite, rows)
        if missing.any():
            i, j = _first(missing, rows)
            problem = f"expected a finite number, got {matrix[i, j]}"
            remedy = "leave out objects whose similarities are unknown"
            raise InputError(problem, where=f"{name}, row {i}, column {j}", remedy=remedy)
        counted = _off_diagonal(finite, rows)
        scale = max(scale, float(np.abs(matrix[rows]).max(where=counted, initial=0.0)))
    return scale


def _check_symmetric(matrix: FloatArray, scale: float, name: str) -> None:
    for rows in _row_blocks(len(matrix)):
        here, mirrored = matrix[rows], matrix[:, rows].T
        with np.errstate(invalid="ignore", over="ignore"):  # the diagonal; differences to infinity
            larger = np.maximum(np.abs(here), np.abs(mirrored))
            tolerance = RELATIVE_TOLERANCE * larger + ABSOLUTE_TOLERANCE * scale
            differs = _off_diagonal(np.abs(here - mirrored) > tolerance, rows)
        if differs.any():
            i, j = _first(differs, rows)
            got = f"{matrix[i, j]} there and {matrix[j, i]} at row {j}, column {i}"
            where = f"{name}, row {i}, column {j}"
            remedy = "if this is meant, pass the mean of the matrix and its transpose"
            raise InputError(f"expected a symmetric matrix, got {got}", where=where, remedy=remedy)


_WAITS_PER_DRAW = 1 << 20


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RankedComparisons(FrozenArrays, Comparisons):
    """All comparisons implied by a weak order of the pairs, stored as ranks.

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
        """For each pair, the numbers of strictly less and strictly more similar pairs."""
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
            problem = f"expected a share above 0 and at most 1, got {proportion}"
            raise InputError(problem, parameter="proportion")
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
            if n_listed + draw > len(winners):
                more = np.empty(draw, dtype=np.int32)
                winners, losers = np.append(winners, more), np.append(losers, more)
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
        """Return all comparisons as a list of about N^4 / 8 rows, so only for few objects."""
        return self.sample(1.0)
