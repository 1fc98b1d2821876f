"""The matrix A column by column: for each pair, the pairs that beat it and those it beats."""

from __future__ import annotations

import numpy as np

from ordlink._kernels import kernel
from ordlink._typing import AnyArray, Int32Array, Int64Array, PairIdArray


@kernel
def count_pairs(pairs: Int32Array, counts: Int64Array) -> None:
    """Add up how often each pair occurs."""
    for row in range(pairs.shape[0]):
        counts[pairs[row]] += 1


@kernel
def add_wins(
    winners: PairIdArray, losers: PairIdArray, counts: Int32Array, totals: Int64Array
) -> None:
    """Add the wins minus the losses of each pair to its total; no counts mean that all are 1."""
    weighted = counts.shape[0] > 0
    for row in range(winners.shape[0]):
        count = np.int64(counts[row]) if weighted else np.int64(1)
        totals[winners[row]] += count
        totals[losers[row]] -= count


@kernel
def fill_columns(
    winners: Int32Array,
    losers: Int32Array,
    weights: Int32Array,
    next_above: Int64Array,
    next_below: Int64Array,
    rows: AnyArray,
    values: Int32Array,
) -> None:
    """Write each comparison into the column of the loser and that of the winner.

    `next_above[f]` and `next_below[f]` are the positions for the next pair that beats f, or is
    beaten by f; they are advanced. Without weights, `weights` and `values` are empty.
    """
    weighted = weights.shape[0] > 0
    for t in range(winners.shape[0]):
        winner, loser = winners[t], losers[t]
        above, below = next_above[loser], next_below[winner]
        rows[above] = winner
        rows[below] = loser
        if weighted:
            values[above] = weights[t]
            values[below] = weights[t]
        next_above[loser] = above + 1
        next_below[winner] = below + 1
