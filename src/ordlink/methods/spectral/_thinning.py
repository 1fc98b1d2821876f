"""Fewer answers where there are more than are needed."""

from __future__ import annotations

import numpy as np

from ordlink.comparisons import ListedComparisons, n_pairs
from ordlink.methods.spectral._bradley_terry import held_out_rows

ROWS_PER_PAIR = 100
"""More comparisons of a pair than this hardly tell more about it."""
_SEED = 20190102


def thin_out(comparisons: ListedComparisons, n_rows: int) -> ListedComparisons:
    """Return all comparisons, or those of a random share of the answers: about so many rows."""
    if comparisons.n_rows <= n_rows:
        return comparisons
    return comparisons.take(held_out_rows(comparisons, n_rows / comparisons.n_rows, _SEED))


def thin_out_pairs(
    comparisons: ListedComparisons, per_pair: int = ROWS_PER_PAIR
) -> ListedComparisons:
    """Return comparisons such that few pairs are in many more than `per_pair` of them.

    A comparison of a pair that is in fewer is always kept; the others are kept by chance, with a
    probability that leaves about so many of the pair that is in fewer.
    """
    winners, losers = comparisons.winners, comparisons.losers
    n = n_pairs(comparisons.n_objects)
    counts = np.bincount(winners, minlength=n) + np.bincount(losers, minlength=n)
    if counts.max(initial=0) <= per_pair:
        return comparisons
    fewest = np.minimum(counts[winners], counts[losers])
    kept = np.random.default_rng(_SEED).random(comparisons.n_rows) * fewest < per_pair
    return comparisons if kept.all() else comparisons.take(kept)
