"""Splits of a set in two: the best one, and where each object most likely is."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ordlink.methods.spectral._firm_clusters import (
    LIKELY,
    _directions,
    _orders,
    _search,
    best_split,
    costs_of_splits,
    settle,
)
from ordlink.methods.spectral._kernels import best_threshold, improve_split, vote_on_sides
from ordlink.methods.spectral._pair_strengths import PairStrengths
from tests.methods.spectral.observations import observations
from tests.reference.strengths import chances_of_sides, cost_of_split, gain_of_split


def _pulls(observed: PairStrengths) -> np.ndarray:
    mean = (observed.precisions * observed.strengths).sum() / observed.precisions.sum()
    return observed.precisions * (observed.strengths - mean)


def _sides(n: int) -> list[np.ndarray]:
    return [np.array([True, *rest]) for rest in itertools.product([True, False], repeat=n - 1)][1:]


@settings(max_examples=150, deadline=None)
@given(observations(), st.integers(0, 2**32))
def test_a_threshold_has_the_literal_gain_and_none_is_better(observed, seed) -> None:
    n = len(observed.strengths)
    if not observed.precisions.any():
        return
    order = np.random.default_rng(seed).permutation(n)
    costs = costs_of_splits(n, 0.7)

    size, value = best_threshold(order, _pulls(observed), observed.precisions, costs)

    values = []
    for k in range(1, n):
        side = np.zeros(n, dtype=bool)
        side[order[:k]] = True
        gain = gain_of_split(side, observed.strengths.tolist(), observed.precisions.tolist())
        values.append(gain - cost_of_split(n, k, 0.7))
    np.testing.assert_allclose(value, max(values), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(values[size - 1], max(values), rtol=1e-7, atol=1e-7)


@settings(max_examples=150, deadline=None)
@given(observations(), st.integers(0, 2**32))
def test_moving_objects_ends_where_no_single_move_helps(observed, seed) -> None:
    n = len(observed.strengths)
    if not observed.precisions.any():
        return
    rng = np.random.default_rng(seed)
    side = rng.permutation(np.arange(n) < rng.integers(1, n))
    strengths, precisions = observed.strengths.tolist(), observed.precisions.tolist()

    def value_of(side: np.ndarray) -> float:
        k = int(side.sum())
        return gain_of_split(side, strengths, precisions) - cost_of_split(n, k, 1.0)

    before = value_of(side)
    value = improve_split(side, _pulls(observed), observed.precisions, costs_of_splits(n, 1.0), 100)

    assert value >= before - 1e-7
    np.testing.assert_allclose(value, value_of(side), rtol=1e-7, atol=1e-7)
    for i in range(n):
        moved = side.copy()
        moved[i] = not moved[i]
        if moved.any() and not moved.all():
            assert value_of(moved) <= value + 1e-6 * (1 + abs(value))


def test_the_best_split_is_the_best_of_all_where_two_groups_are_clear() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n = 9
        group = rng.permutation(np.arange(n) < rng.integers(1, n))
        strengths = np.triu(rng.normal(0, 0.5, (n, n)) - 4 * (group[:, None] != group), 1)
        precisions = np.ones((n, n)) - np.eye(n)
        observed = PairStrengths(strengths + strengths.T, precisions)

        split = best_split(observed, np.arange(n), 1.0)

        values = [
            gain_of_split(side, observed.strengths.tolist(), precisions.tolist())
            - cost_of_split(n, int(side.sum()), 1.0)
            for side in _sides(n)
        ]
        assert split is not None
        np.testing.assert_allclose(split.value(1.0), max(values), rtol=1e-7)
        np.testing.assert_array_equal(split.side == split.side[0], group == group[0])


@settings(max_examples=25, deadline=None)
@given(observations(max_objects=6), st.integers(0, 2**32))
def test_votes_follow_the_literal_chances_of_all_splits(observed, seed) -> None:
    n = len(observed.strengths)
    rng = np.random.default_rng(seed)
    side = rng.permutation(np.arange(n) < rng.integers(1, n))
    if not observed.precisions.any():
        return

    limits = rng.logistic(size=(20_000, n))  # the log odds of uniform numbers
    votes = vote_on_sides(side, _pulls(observed), observed.precisions, limits)

    chances = chances_of_sides(side, observed.strengths.tolist(), observed.precisions.tolist())
    if chances is None:
        assert not votes.any()
    else:
        np.testing.assert_allclose(votes / 20_000, 2 * np.array(chances) - 1, atol=0.1)


def test_settling_is_right_more_often_than_the_best_split() -> None:
    right = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = 40
        group = rng.permutation(n) % 2 == 0
        strengths = np.triu(rng.normal(size=(n, n)) - 0.5 * (group[:, None] != group), 1)
        strengths += strengths.T
        precisions = np.ones((n, n)) - np.eye(n)
        pulls = precisions * (strengths - strengths.sum() / precisions.sum())
        side, _ = _search(pulls, precisions, costs_of_splits(n, LIKELY), _orders(pulls))

        settled = settle(side, pulls, precisions)

        right.append([max(np.mean(one == group), np.mean(one != group)) for one in (side, settled)])
    best, voted = np.mean(right, axis=0)
    assert voted > best


def test_settling_does_not_depend_on_the_order_of_the_objects() -> None:
    rng = np.random.default_rng(0)
    n = 30
    side = rng.random(n) < 0.5
    strengths = np.triu(rng.normal(size=(n, n)) - 0.4 * (side[:, None] != side), 1)
    precisions = np.ones((n, n)) - np.eye(n)
    pulls = precisions * (strengths + strengths.T)
    order = rng.permutation(n)

    moved = settle(side[order], pulls[np.ix_(order, order)], precisions)

    np.testing.assert_array_equal(moved, settle(side, pulls, precisions)[order])


def test_settling_does_not_depend_on_which_side_is_called_the_side() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = 12
        side = rng.random(n) < 0.5
        strengths = np.triu(rng.normal(size=(n, n)) - 0.3 * (side[:, None] != side), 1)
        precisions = np.ones((n, n)) - np.eye(n)
        pulls = precisions * (strengths + strengths.T)

        np.testing.assert_array_equal(
            settle(~side, pulls, precisions), ~settle(side, pulls, precisions)
        )


def test_directions_do_not_depend_on_the_order_of_the_objects() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = 9
        pulls = np.triu(rng.normal(size=(n, n)), 1)
        pulls += pulls.T
        order = rng.permutation(n)

        moved = list(_directions(pulls[np.ix_(order, order)]))

        for one, other in zip(_directions(pulls), moved, strict=True):
            np.testing.assert_allclose(one[order], other, atol=1e-9)


def test_a_set_that_no_split_explains_is_not_split() -> None:
    n = 4
    circle = np.zeros((n, n))
    for i in range(n):
        for j in ((i + 1) % n, (i - 1) % n):
            circle[i, j] = 1.0
    alike = PairStrengths(1.0 - np.eye(n), 1.0 - np.eye(n))
    two_pairs = PairStrengths(1.0 - circle, 1.0 - np.eye(n))

    assert best_split(alike, np.arange(n), 1.0) is None
    assert best_split(two_pairs, np.arange(n), 1.0) is not None


def test_where_no_even_split_pays_the_weakest_object_is_split_off() -> None:
    for weakest in range(5):
        strengths = 1.0 - np.eye(5)
        strengths[weakest] -= 0.01
        strengths[:, weakest] -= 0.01
        split = best_split(PairStrengths(strengths, 1.0 - np.eye(5)), np.arange(5), 1.0)

        assert split is not None
        assert split.n_off == 1
        assert (split.side == split.side[weakest]).sum() == 1
