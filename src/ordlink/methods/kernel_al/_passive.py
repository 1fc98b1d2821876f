"""The quadruplet kernel of passively obtained comparisons (4K-AL)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordlink._typing import FloatArray, Int64Array, Progress
from ordlink._validate import check_flag
from ordlink.comparisons import (
    ComparisonColumns,
    Comparisons,
    ListedComparisons,
    RankedComparisons,
    Repeats,
    compress,
    n_pairs,
    net_comparisons,
    pair_members,
    row_sums,
    square,
    wins_minus_losses,
)
from ordlink.errors import InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition, link_by_average

_BLOCKS = 100  # the work is done in about this many blocks, to show progress
_ENTRIES_SAMPLED = 400
_PRODUCTS_PER_WORD = 6  # measured: products of a word of bits cost a sixth of a listed product
_BITS_TO_COLUMNS = 8  # bits may take up this many times the memory of the columns
_ROWS_PER_THREAD = 64


def run_passive(comparisons: Comparisons, partition: InitialPartition, **options: Any) -> Hierarchy:
    """Return the tree of 4K-AL: average linkage of the kernel K of eq:Kendallkernel-passive."""
    kernel = passive_kernel(comparisons, **options)
    return link_by_average(kernel, partition, names=comparisons.names)


def passive_kernel(
    comparisons: Comparisons,
    *,
    self_comparisons: bool = True,
    repeats: Repeats = "majority",
    progress: Progress | None = None,
) -> FloatArray:
    """Return K of eq:Kendallkernel-passive: how similarly two objects compare with all others.

    K_ij = sum over reference pairs f = {k, l} and objects r of A[ir, f] A[jr, f].

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked.
    self_comparisons : bool
        If True, as in the authors' program, w_ii counts as observed to exceed every pair, which
        adds exactly 2 x AddS to K. If False, r differs from i and j, as in the paper's proofs.
    repeats : {"majority", "net"}
        How repeated answers count.
    progress : callable, optional
        Called with (blocks done, total blocks).

    Returns
    -------
    ndarray of shape (N, N), dtype float64
        Whole numbers, symmetric, 0 on the diagonal.

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> c = Comparisons.from_quadruplets([[0, 2, 0, 1], [1, 2, 0, 1]])
    >>> passive_kernel(c, self_comparisons=False)[0, 1]
    np.float64(1.0)
    """
    self_comparisons = check_flag(self_comparisons, "self_comparisons")
    if isinstance(comparisons, RankedComparisons):
        kernel = _kernel_of_all(comparisons, progress)
        if self_comparisons:
            kernel += 2 * square(wins_minus_losses(comparisons), comparisons.n_objects)
        return kernel
    if not isinstance(comparisons, ListedComparisons):
        raise InputKindError(
            f"expected Comparisons, got {type(comparisons).__name__}", parameter="comparisons"
        )
    columns = compress(net_comparisons(comparisons, repeats))
    method = _kernel_by_bits if _bits_pay(columns, comparisons.n_objects) else _kernel_by_groups
    total = method(columns, comparisons.n_objects, progress)
    total += total.T.copy()
    np.fill_diagonal(total, 0)
    kernel = total.astype(np.float64)
    if self_comparisons:
        kernel += 2 * square(row_sums(columns), comparisons.n_objects)
    return kernel


def _bits_pay(columns: ComparisonColumns, n_objects: int) -> bool:
    """Return whether products of whole rows as bits are fewer than those of the listed entries.

    The latter are estimated from the columns of entries that are evenly spaced among all entries,
    so that a column counts by its length: a few long ones are neither missed nor taken for many.
    """
    n = columns.n_pairs
    n_entries = len(columns.rows)
    if len(columns.values) or n**2 / 4 > _BITS_TO_COLUMNS * columns.rows.nbytes:
        return False
    from ordlink.methods.kernel_al._kernels import count_products

    low, high = pair_members(np.arange(n), n_objects)
    entries = np.linspace(0, n_entries - 1, _ENTRIES_SAMPLED).astype(np.int64)
    sampled, times = np.unique(
        np.searchsorted(columns.starts, entries, side="right") - 1, return_counts=True
    )
    n_products = np.zeros(len(sampled), dtype=np.int64)
    count = np.zeros(n_objects, dtype=np.int64)
    count_products(sampled, columns.starts, columns.rows, low, high, count, n_products)
    per_entry = np.average(n_products / np.diff(columns.starts)[sampled], weights=times)
    return bool(n_objects * n * (n / 64) < _PRODUCTS_PER_WORD * n_entries * per_entry)


def _kernel_by_groups(
    columns: ComparisonColumns, n_objects: int, progress: Progress | None
) -> Int64Array:
    """Return K from products of listed entries, its lower and upper triangle still apart."""
    from ordlink._threads import run_parts, split_range
    from ordlink.methods.kernel_al._kernels import add_columns_to_kernel

    low, high = pair_members(np.arange(columns.n_pairs), n_objects)
    longest = int(np.diff(columns.starts).max(initial=0))
    n_parts = len(split_range(len(columns.rows), smallest=1 << 18))
    totals = np.zeros((n_parts, n_objects, n_objects), dtype=np.int64)
    groups = [
        (
            np.full(n_objects, -1, dtype=np.int64),
            np.empty(2 * longest, dtype=np.int64),
            np.empty(2 * longest, dtype=np.int32),
            np.empty(2 * longest, dtype=np.int64),
        )
        for _ in range(n_parts)
    ]
    # About `_BLOCKS` blocks of equal parts
    n_blocks = max(1, min(_BLOCKS, columns.n_pairs // (16 * n_parts)))
    edges = np.linspace(0, columns.n_pairs, n_blocks * n_parts + 1).astype(np.int64).tolist()
    entries = columns.starts, columns.splits, columns.rows, columns.values

    def add(number: int, part: int) -> None:
        first, last = edges[number], edges[number + 1]
        add_columns_to_kernel(first, last, entries, low, high, groups[part], totals[part])

    for block in range(n_blocks):
        run_parts(lambda part, block=block: add(n_parts * block + part, part), n_parts)  # type: ignore[misc]
        if progress is not None:
            progress(block + 1, n_blocks)
    return np.asarray(totals.sum(axis=0))


def _kernel_by_bits(
    columns: ComparisonColumns, n_objects: int, progress: Progress | None
) -> Int64Array:
    """Return K from products of rows of bits, in the lower triangle."""
    from ordlink._threads import in_threads, run_parts, split_range
    from ordlink.methods.kernel_al._kernels import add_products, set_bits

    n = columns.n_pairs
    n_parts = len(split_range(n // 64, smallest=16))
    n_words = -(-n // (64 * n_parts))
    known, beaten = (np.zeros((n_parts, n, n_words), dtype=np.uint64) for _ in range(2))
    in_threads(
        lambda first, last: set_bits(
            first, last, columns.starts, columns.splits, columns.rows, known, beaten
        ),
        n,
        smallest=1_000,
    )
    ids = square(np.arange(n, dtype=np.int32), n_objects)
    totals = np.zeros((n_parts, n_objects, n_objects), dtype=np.int64)
    for r in range(n_objects):
        run_parts(
            lambda part, r=r: add_products(r, ids, known[part], beaten[part], totals[part]),  # type: ignore[misc]
            n_parts,
        )
        if progress is not None:
            progress(r + 1, n_objects)
    return np.asarray(totals.sum(axis=0))


def _kernel_of_all(comparisons: RankedComparisons, progress: Progress | None) -> FloatArray:
    from ordlink._threads import run_parts, split_range
    from ordlink.methods.kernel_al._kernels import kernel_of_ranks

    n_objects = comparisons.n_objects
    below, above = comparisons.counts_below_and_above
    tied = n_pairs(n_objects) - below - above
    balance, ranks, ties = (
        square(by_pair.astype(np.int32), n_objects)
        for by_pair in (below - above, comparisons.ranks, tied)
    )
    total = np.zeros((n_objects, n_objects), dtype=np.int64)
    n_parts = len(split_range(n_objects, smallest=_ROWS_PER_THREAD))
    # Row i costs i: equal steps of i^2 are equal work.
    n_edges = max(1, n_objects // 64) * n_parts
    edges = np.sqrt(np.linspace(0, n_objects**2, n_edges + 1)).round().astype(int)

    def write(number: int) -> None:
        kernel_of_ranks(int(edges[number]), int(edges[number + 1]), balance, ranks, ties, total)

    for start in range(0, n_edges, n_parts):
        run_parts(lambda part, start=start: write(start + part), n_parts)  # type: ignore[misc]
        if progress is not None:
            progress(start + n_parts, n_edges)
    return (total + total.T).astype(np.float64)
