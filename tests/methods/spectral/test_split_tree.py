"""A tree from splits: which merges come first, and which no answer supports."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from ordlink.linkage import initial_partition
from ordlink.methods.spectral._pair_strengths import PairStrengths
from ordlink.methods.spectral._trees import build_tree
from tests.methods.spectral.observations import observations
from tests.reference.strengths import join_clusters


def _observed(group: np.ndarray, means: np.ndarray, *, noise: float, seed: int = 0):
    n = len(group)
    rng = np.random.default_rng(seed)
    strengths = np.triu(rng.normal(0.0, noise, (n, n)) + means[np.ix_(group, group)], 1)
    return PairStrengths(strengths + strengths.T, (np.ones((n, n)) - np.eye(n)) / noise**2)


def _tree(observed: PairStrengths, labels: np.ndarray):
    return initial_partition(len(labels)).finish(*build_tree(observed, labels), names=None)


@settings(max_examples=100, deadline=None)
@given(observations(max_objects=7))
def test_clusters_of_one_object_are_joined_by_the_literal_means(observed) -> None:
    n = len(observed.strengths)

    tree = _tree(observed, np.arange(n))

    joined = join_clusters(observed.strengths.tolist(), observed.precisions.tolist())
    if joined is not None:  # None where two choices are equally good
        sets = {frozenset(tree.members(n + row).tolist()): row for row in range(n - 1)}
        assert set(sets) == set(joined)
        for members, (strength, known) in joined.items():
            row = sets[members]
            assert tree.tied[row] == (not known)
            if known:
                np.testing.assert_allclose(tree.scores[row], strength, rtol=1e-9, atol=1e-9)
            else:
                assert np.isnan(tree.scores[row])


def test_splits_by_noise_come_after_all_clear_ones() -> None:
    group = np.repeat([0, 1, 2], [16, 6, 6])
    means = np.array([[-2.0, -4.0, -4.0], [-4.0, 3.0, 0.0], [-4.0, 0.0, 3.0]])
    n_right = 0
    for seed in range(10):
        observed = _observed(group, means, noise=0.5, seed=seed)

        tree = _tree(observed, np.zeros(28, dtype=np.intp))  # split from above alone

        n_right += adjusted_rand_score(group, tree.cut(3)) == 1.0
    assert n_right >= 8


def test_the_less_is_known_of_a_clear_split_the_later_it_comes() -> None:
    group = np.repeat([0, 1, 2, 3], 5)
    means = np.full((4, 4), -9.0)
    means[:2, :2] = [[4.0, -1.0], [-1.0, 4.0]]
    means[2:, 2:] = [[4.0, -1.3], [-1.3, 4.0]]
    observed = _observed(group, means, noise=0.01)
    seldom = (group[:, None] >= 2) & (group >= 2) & (group[:, None] != group)
    precisions = np.where(seldom, 0.04, observed.precisions)  # 25 pairs: an error of 1

    tree = _tree(PairStrengths(observed.strengths, precisions), group)

    labels = tree.cut(3)
    assert labels[0] != labels[5]  # -1.0 is well known
    assert labels[10] == labels[15]  # -1.3 is hardly known


def test_two_clusters_of_which_little_is_known_are_not_joined_first() -> None:
    strengths = np.array([[0.0, 3.0, -1.0], [3.0, 0.0, 0.5], [-1.0, 0.5, 0.0]])
    precisions = np.array([[0.0, 0.01, 9.0], [0.01, 0.0, 9.0], [9.0, 9.0, 0.0]])

    tree = _tree(PairStrengths(strengths, precisions), np.arange(3))

    assert tree.merges[0].tolist() == [1, 2]


@settings(max_examples=50, deadline=None)
@given(st.integers(3, 9))
def test_clusters_that_are_joined_by_a_tie_are_marked(n) -> None:
    equal = PairStrengths(np.ones((n, n)) - np.eye(n), np.ones((n, n)) - np.eye(n))
    nothing = PairStrengths(np.zeros((n, n)), np.zeros((n, n)))

    tied = _tree(equal, np.arange(n))
    blind = _tree(nothing, np.arange(n))

    assert tied.tied.tolist() == [True] * (n - 2) + [False]
    assert np.isfinite(tied.scores).all()
    assert blind.tied.all()
    assert np.isnan(blind.scores).all()
