"""Firm clusters: what tells two clusters apart, and how strengths between them are estimated."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from ordlink.methods.spectral._blocks import Blocks, GainsByOthers
from ordlink.methods.spectral._firm_clusters import find_firm_clusters
from ordlink.methods.spectral._pair_strengths import PairStrengths
from tests.methods.spectral.observations import observations
from tests.reference.strengths import (
    cost_of_split,
    gain_by_others,
    gain_of_split,
    spread_of_blocks,
)


def test_noise_has_no_firm_clusters_and_groups_have() -> None:
    n_found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        n = 60
        noise = np.triu(rng.normal(size=(n, n)), 1)
        precisions = np.ones((n, n)) - np.eye(n)
        group = rng.permutation(n) % 3

        nothing = find_firm_clusters(PairStrengths(noise + noise.T, precisions))
        planted = noise + noise.T - 2.0 * (group[:, None] != group)
        three = find_firm_clusters(PairStrengths(planted, precisions))

        assert nothing.max() == 0
        assert len(set(zip(three.tolist(), group.tolist(), strict=True))) == three.max() + 1
        n_found.append(int(three.max()) + 1)
    assert n_found.count(3) >= 9


@settings(max_examples=60, deadline=None)
@given(observations(max_objects=7), st.integers(0, 2**32))
def test_two_clusters_are_told_apart_by_the_literal_gain(observed, seed) -> None:
    n = len(observed.strengths)
    labels = np.unique(np.random.default_rng(seed).integers(0, 4, n), return_inverse=True)[1]

    values = Blocks.of(observed, labels).values_of_splits()

    for p, q in itertools.permutations(range(labels.max() + 1), 2):
        union = np.flatnonzero((labels == p) | (labels == q))
        strengths = observed.strengths[np.ix_(union, union)].tolist()
        precisions = observed.precisions[np.ix_(union, union)].tolist()
        gain = gain_of_split(labels[union] == p, strengths, precisions)
        cost = cost_of_split(len(union), int((labels == p).sum()), 1.0)
        np.testing.assert_allclose(values[p, q], gain - cost, rtol=1e-6, atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(observations(max_objects=9), st.integers(0, 2**32))
def test_third_clusters_gain_what_the_literal_sums_say_after_every_union(observed, seed) -> None:
    rng = np.random.default_rng(seed)
    n = len(observed.strengths)
    labels = np.unique(rng.integers(0, n, n), return_inverse=True)[1]
    blocks = Blocks.of(observed, labels)
    others = GainsByOthers(blocks.totals, blocks.precisions)

    while True:
        gains = others.less_noise(blocks.members.sum(axis=0))
        for p, q in itertools.permutations(range(labels.max() + 1), 2):
            gain = gain_by_others(labels, p, q, observed.strengths, observed.precisions)
            np.testing.assert_allclose(gains[p, q], gain, rtol=1e-6, atol=1e-6)
        if labels.max() == 0:
            break
        p, q = rng.permutation(labels.max() + 1)[:2].tolist()
        labels = np.where(labels == q, p, labels)
        labels = labels - (labels > q)
        blocks = blocks.unite(p, q)
        others.unite(p, q, blocks.totals, blocks.precisions)


def test_uniting_clusters_gives_the_blocks_of_the_united_labels() -> None:
    rng = np.random.default_rng(0)
    strengths = np.triu(rng.normal(size=(6, 6)), 1)
    precisions = np.triu(rng.exponential(size=(6, 6)), 1)
    observed = PairStrengths(strengths + strengths.T, precisions + precisions.T)

    united = Blocks.of(observed, np.array([0, 0, 1, 1, 2, 2])).unite(0, 1)

    expected = Blocks.of(observed, np.array([0, 0, 0, 0, 1, 1]))
    for name in ("members", "totals", "precisions"):
        np.testing.assert_allclose(getattr(united, name), getattr(expected, name))


def test_blocks_have_the_mean_strengths_of_their_pairs() -> None:
    rng = np.random.default_rng(0)
    strengths = np.triu(rng.normal(size=(6, 6)), 1)
    precisions = np.triu(rng.exponential(size=(6, 6)), 1)
    observed = PairStrengths(strengths + strengths.T, precisions + precisions.T)
    labels = np.array([0, 0, 0, 1, 1, 1])

    blocks = Blocks.of(observed, labels)

    across = np.average(observed.strengths[:3, 3:], weights=observed.precisions[:3, 3:])
    within = np.average(observed.strengths[:3, :3], weights=observed.precisions[:3, :3])
    assert blocks.totals[0, 1] / blocks.precisions[0, 1] == pytest.approx(across)
    assert blocks.totals[0, 0] / blocks.precisions[0, 0] == pytest.approx(within)


@settings(max_examples=60, deadline=None)
@given(observations(max_objects=7), st.integers(0, 2**32))
def test_means_of_blocks_are_drawn_to_the_mean_by_their_literal_spread(observed, seed) -> None:
    n = len(observed.strengths)
    labels = np.unique(np.random.default_rng(seed).integers(0, 3, n), return_inverse=True)[1]

    blocks = Blocks.of(observed, labels)

    spread = spread_of_blocks(labels, observed.strengths, observed.precisions)
    assert blocks.spread() == pytest.approx(spread, abs=1e-9)
    for p, q in itertools.product(range(labels.max() + 1), repeat=2):
        precision, total = blocks.precisions[p, q], blocks.totals[p, q]
        drawn = (spread * total + blocks.mean) / (spread * precision + 1.0)
        assert blocks.means()[p, q] == pytest.approx(drawn)


def test_clusters_alike_inside_are_told_apart_by_a_third_one() -> None:
    rng = np.random.default_rng(0)
    n = 45
    group = np.arange(n) // 15
    means = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -3.0], [0.0, -3.0, 2.0]])
    strengths = np.triu(rng.normal(size=(n, n)) + means[np.ix_(group, group)], 1)
    precisions = np.ones((n, n)) - np.eye(n)

    labels = find_firm_clusters(PairStrengths(strengths + strengths.T, precisions))

    assert adjusted_rand_score(group, labels) == 1.0
