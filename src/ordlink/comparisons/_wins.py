"""How often each pair won minus how often it lost: A 1, in one pass over the comparisons."""

from __future__ import annotations

import numpy as np

from ordlink._typing import FloatArray
from ordlink.comparisons._base import Comparisons
from ordlink.comparisons._listed import ListedComparisons
from ordlink.comparisons._net import NetComparisons, Repeats, net_comparisons
from ordlink.comparisons._pairs import n_pairs
from ordlink.comparisons._ranked import RankedComparisons
from ordlink.errors import InputKindError


def wins_minus_losses(comparisons: Comparisons, repeats: Repeats = "majority") -> FloatArray:
    """Return A 1 by pair id, as whole numbers."""
    if isinstance(comparisons, RankedComparisons):
        below, above = comparisons.counts_below_and_above
        return (below - above).astype(np.float64)
    if isinstance(comparisons, ListedComparisons):
        return net_wins(net_comparisons(comparisons, repeats))
    raise InputKindError(f"expected Comparisons, got {type(comparisons).__name__}")


def net_wins(net: NetComparisons) -> FloatArray:
    """Return A 1 by pair id of comparisons that are summed up already."""
    n = n_pairs(net.n_objects)
    wins = np.bincount(net.winners, weights=net.weights, minlength=n)
    losses = np.bincount(net.losers, weights=net.weights, minlength=n)
    return np.asarray(wins - losses, dtype=np.float64)
