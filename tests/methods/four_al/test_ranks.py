"""Bounds of the scores of 4-AL where every comparison is known."""

from __future__ import annotations

import numpy as np
import pytest

from ordlink.comparisons import n_pairs, pair_members
from ordlink.methods.four_al._kernels_ranks import find_corners, lowest_rank, weigh_all
from ordlink.methods.four_al._ranks import _edges_of


@pytest.mark.parametrize("shift", [0, 3])
@pytest.mark.parametrize("seed", range(3))
def test_pairs_whose_mean_rank_is_below_the_lowest_do_not_reach_the_score(
    shift: int, seed: int
) -> None:
    n, rng = 40, np.random.default_rng(seed)
    labels = rng.integers(0, 12, n).astype(np.int32)
    of_object = labels, 1.0 / np.bincount(labels)[labels]
    order = rng.permutation(n_pairs(n))
    first, second = (side.astype(np.uint16) for side in pair_members(order, n))
    pairs = first, second, np.arange(1, len(order) + 1)
    sums, below = np.zeros((2, (len(order) >> shift) + 1))
    edges = _edges_of(len(order))
    corners = np.empty_like(edges), np.empty(len(edges))

    weigh_all(pairs, of_object, (shift, sums, below), 0, len(sums))
    n_corners = find_corners(edges, pairs, of_object, (shift, sums, below), corners)

    u = np.where(labels[first] != labels[second], of_object[1][first] * of_object[1][second], 0.0)
    scores = 2.0 * np.cumsum(u) - u
    sets = [rng.choice(len(order), rng.integers(1, 9)) for _ in range(3000)]
    means = np.array([(ranks.mean(), scores[ranks].mean()) for ranks in sets])
    for score in np.linspace(scores[0], scores[-1], 50):
        lowest = lowest_rank(score, corners, n_corners)
        reaching = means[means[:, 1] >= score, 0]
        assert lowest <= reaching.min(initial=np.inf) + 1e-9
        assert lowest >= np.searchsorted(scores, score) - 0.1 * len(order)  # most are left out
