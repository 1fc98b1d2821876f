"""The quadruplet kernel of passively obtained comparisons (4K-AL)."""

from __future__ import annotations

import numpy as np

from ordlink.comparisons import (
    Comparisons,
    ListedComparisons,
    RankedComparisons,
    Repeats,
    n_pairs,
    net_comparisons,
    pair_members,
)
from ordlink.comparisons._columns import compress
from ordlink.errors import InputKindError
from ordlink.similarity._adds import adds_similarity, square
from ordlink.typing import FloatArray, Progress

_BLOCKS = 100
"""Reference pairs are worked off in about this many blocks, to show progress."""


def passive_kernel(
    comparisons: Comparisons,
    *,
    self_comparisons: bool = True,
    repeats: Repeats = "majority",
    progress: Progress | None = None,
) -> FloatArray:
    """Return K of eq:Kendallkernel-passive: how alike two objects fare against all others.

    K_ij = sum over reference pairs f = {k, l} and objects r of A[ir, f] A[jr, f].

    Parameters
    ----------
    comparisons : Comparisons
        Listed or ranked.
    self_comparisons : bool
        If True, as in the authors' program, w_ii counts as observed above every pair, which adds
        exactly 2 x AddS to K. If False, r is different from i and j, as in the proofs.
    repeats : {"majority", "net"}
        How repeated answers count.
    progress : callable, optional
        Called with (blocks done, blocks in all).

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
    if isinstance(comparisons, RankedComparisons):
        kernel = _kernel_of_all(comparisons)
    elif isinstance(comparisons, ListedComparisons):
        kernel = _kernel_of_listed(comparisons, repeats, progress)
    else:
        raise InputKindError(f"expected Comparisons, got {type(comparisons).__name__}")
    if self_comparisons:
        kernel += 2 * adds_similarity(comparisons, repeats=repeats)
    return kernel


def _kernel_of_listed(
    comparisons: ListedComparisons, repeats: Repeats, progress: Progress | None
) -> FloatArray:
    from ordlink.kernels.passive_kernel import add_columns_to_kernel

    n_objects = comparisons.n_objects
    n = n_pairs(n_objects)
    columns = compress(net_comparisons(comparisons, repeats))
    low, high = pair_members(np.arange(n), n_objects)
    longest = int(np.diff(columns.starts).max(initial=0))
    total = np.zeros((n_objects, n_objects), dtype=np.int64)
    scratch = (
        np.empty(n_objects + 1, dtype=np.int64),
        np.empty(n_objects, dtype=np.int64),
        np.empty(2 * longest, dtype=np.int32),
        np.empty(2 * longest, dtype=np.int64),
    )
    edges = np.linspace(0, n, min(n, _BLOCKS) + 1).astype(int)
    for block in range(len(edges) - 1):
        add_columns_to_kernel(
            int(edges[block]),
            int(edges[block + 1]),
            columns.starts,
            columns.splits,
            columns.rows,
            columns.values,
            low,
            high,
            *scratch,
            total,
        )
        if progress is not None:
            progress(block + 1, len(edges) - 1)
    total += total.T.copy()
    np.fill_diagonal(total, 0)
    return total.astype(np.float64)


def _kernel_of_all(comparisons: RankedComparisons) -> FloatArray:
    from ordlink.kernels.passive_kernel import kernel_of_ranks

    n_objects = comparisons.n_objects
    below, above = (square(c, n_objects) for c in comparisons.counts_below_and_above)
    return kernel_of_ranks(square(comparisons.ranks, n_objects), below, above).astype(np.float64)
