"""Votes on pairs of pairs whose ids are so large that they need every bit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from ordlink.comparisons._kernels_votes import add_up_votes, pack_counted_rows, pack_rows


@pytest.mark.parametrize("low_won", [True, False])
@pytest.mark.parametrize("high", [2**30 - 1, 2**30, 2**31 - 2])
@pytest.mark.parametrize("counts", [None, [7, 2**31 - 1]])
def test_pair_ids_up_to_the_largest_are_told_apart(low_won: bool, high: int, counts) -> None:
    low = 2
    rows = np.array([[low, high]] * 2, dtype=np.int32)
    winners, losers = rows.T if low_won else rows.T[::-1]
    place = np.zeros(low + 1, dtype=np.int64)
    packed = np.zeros(2, dtype=np.uint32 if counts is None else np.uint64)
    if counts is None:
        pack_rows(winners, losers, place, packed)
    else:
        pack_counted_rows(winners, losers, np.array(counts, dtype=np.int32), place, packed)
    starts = np.zeros(40, dtype=np.int64)
    starts[low + 1 :] = 2
    # Only one higher pair occurs: all places of the scratch space may be one and the same.
    seen, balance = (
        as_strided(np.zeros(1, dtype=kind), shape=(high + 1,), strides=(0,))
        for kind in (np.int8, np.int64)
    )
    touched = np.empty(2, dtype=np.int32)
    ahead, behind = (np.zeros(1, dtype=np.int32) for _ in range(2))
    net = np.zeros(1, dtype=np.int64)

    rows = (0, 39, starts, packed, 0 if counts is None else 32)
    found = add_up_votes(*rows, seen, balance, touched, ahead, behind, net)

    total = 2 if counts is None else sum(counts)
    assert found == (1, 1, 0, total)
    assert (ahead[0], behind[0]) == ((low, high) if low_won else (high, low))
    assert net[0] == total
