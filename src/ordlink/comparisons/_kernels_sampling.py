"""Walk over all unordered pairs of pairs, stopping only at the observed ones."""

from __future__ import annotations

from ordlink._kernels import kernel
from ordlink._typing import FloatArray, Int32Array


@kernel
def list_after_waits(
    waits: FloatArray,
    scale: float,
    ranks: Int32Array,
    winners: Int32Array,
    losers: Int32Array,
    n_listed: int,
    row: int,
    column: int,
) -> tuple[int, int, int]:
    """Write the comparisons met after the given waits; return (n_listed, row, column) to continue.

    A wait is exponential, and floor(wait * scale) + 1 the geometric number of steps to the next
    observed pair of pairs: scale = -1 / log(1 - p), or 0 to observe every one.
    The pairs of pairs {e, f}, e < f, are walked row by row; (row, column) is the last one visited,
    column = row before the first of a row. Ties are visited but not written. The walk is over when
    row reaches n_pairs - 1.
    """
    n_pairs = ranks.shape[0]
    for t in range(waits.shape[0]):
        gap = int(min(waits[t] * scale, 4e18)) + 1
        while row < n_pairs - 1 and gap > n_pairs - 1 - column:
            gap -= n_pairs - 1 - column
            row += 1
            column = row
        if row >= n_pairs - 1:
            break
        column += gap
        if ranks[row] > ranks[column]:
            winners[n_listed] = row
            losers[n_listed] = column
            n_listed += 1
        elif ranks[row] < ranks[column]:
            winners[n_listed] = column
            losers[n_listed] = row
            n_listed += 1
    return n_listed, row, column
