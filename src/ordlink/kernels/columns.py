"""The matrix A column by column: for each pair, the pairs that beat it and those it beats."""

from __future__ import annotations

from ordlink.kernels._jit import kernel
from ordlink.typing import Int32Array, Int64Array


@kernel
def count_entries(
    winners: Int32Array, losers: Int32Array, beaten_by: Int64Array, beats: Int64Array
) -> None:
    """Add up, for each pair, by how many it is beaten and how many it beats."""
    for row in range(winners.shape[0]):
        beaten_by[losers[row]] += 1
        beats[winners[row]] += 1


@kernel
def fill_entries(
    winners: Int32Array,
    losers: Int32Array,
    weights: Int32Array,
    next_above: Int64Array,
    next_below: Int64Array,
    rows: Int32Array,
    values: Int32Array,
) -> None:
    """Write each comparison into the column of the loser and that of the winner.

    `next_above[f]` and `next_below[f]` are where the next pair that beats f, or is beaten by f,
    goes; they are overwritten. Without weights, `weights` and `values` are empty.
    """
    weighted = weights.shape[0] > 0
    for row in range(winners.shape[0]):
        winner, loser = winners[row], losers[row]
        above, below = next_above[loser], next_below[winner]
        rows[above] = winner
        rows[below] = loser
        if weighted:
            values[above] = weights[row]
            values[below] = weights[row]
        next_above[loser] = above + 1
        next_below[winner] = below + 1
