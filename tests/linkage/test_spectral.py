"""Spectral splits: the best split, firm clusters, and the trees that they give."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordlink as ol
from ordlink.kernels.splits import best_threshold, improve_split
from ordlink.linkage import spectral_linkage
from ordlink.linkage._firm_clusters import Blocks, find_firm_clusters
from ordlink.linkage._splits import best_split, costs_of_splits
from ordlink.similarity._pair_strengths import PairStrengths
from tests.checks import relabelled
from tests.instances import instances
from tests.reference.strengths import cost_of_split, gain_of_split

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


@st.composite
def observations(draw: st.DrawFn, max_objects: int = 8) -> PairStrengths:
    """Draw strengths and precisions, some of them 0, with or without two groups."""
    n = draw(st.integers(2, max_objects))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    group = rng.integers(0, 2, n)
    gap = draw(st.sampled_from([0.0, 1.0, 6.0]))
    strengths = np.triu(rng.normal(size=(n, n)) - gap * (group[:, None] != group), 1)
    precisions = np.triu(rng.exponential(size=(n, n)) * (rng.random((n, n)) < 0.8), 1)
    return PairStrengths(strengths + strengths.T, precisions + precisions.T)


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
    labels = np.unique(np.random.default_rng(seed).integers(0, 3, n), return_inverse=True)[1]

    values = Blocks.of(observed, labels).values_of_splits()

    for p, q in itertools.permutations(range(labels.max() + 1), 2):
        union = np.flatnonzero((labels == p) | (labels == q))
        strengths = observed.strengths[np.ix_(union, union)].tolist()
        precisions = observed.precisions[np.ix_(union, union)].tolist()
        gain = gain_of_split(labels[union] == p, strengths, precisions)
        cost = cost_of_split(len(union), int((labels == p).sum()), 1.0)
        np.testing.assert_allclose(values[p, q], gain - cost, rtol=1e-6, atol=1e-6)


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

    means = Blocks.of(observed, labels).means(prior_weight=0.0)

    across = np.average(observed.strengths[:3, 3:], weights=observed.precisions[:3, 3:])
    within = np.average(observed.strengths[:3, :3], weights=observed.precisions[:3, :3])
    assert means[0, 1] == pytest.approx(across)
    assert means[0, 0] == pytest.approx(within)


@settings(max_examples=60, deadline=None)
@given(instances(max_objects=9))
def test_any_answers_give_a_tree_that_keeps_initial_clusters(instance) -> None:
    tree = spectral_linkage(instance.comparisons, initial_clusters=instance.initial_clusters)

    assert tree.n_objects == instance.n_objects
    assert len(tree.merges) == instance.n_objects - 1
    groups = instance.initial_clusters or []
    n_slots = instance.n_objects - sum(len(group) - 1 for group in groups)
    labels = tree.cut(n_slots)
    for group in groups:
        assert len(set(labels[group])) == 1


@pytest.mark.parametrize("n", [2, 3, 10])
def test_no_answers_give_a_tree_that_says_it_is_blind(n) -> None:
    nothing = ol.Comparisons.from_triplets(np.empty((0, 3), dtype=int), n_objects=n)

    tree = spectral_linkage(nothing)

    assert len(tree.merges) == n - 1
    assert tree.tied[: n - 2].all()


def test_one_answer_is_followed() -> None:
    comparisons = ol.Comparisons.from_triplets([[3, 1, 2]], n_objects=4)

    tree = spectral_linkage(comparisons)

    assert tree.lca_sizes()[3, 1] <= tree.lca_sizes()[3, 2]


def test_objects_that_nobody_named_are_in_the_tree() -> None:
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=8, gap=0.5, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, 1000, seed=0)
    tree = spectral_linkage(ol.Comparisons.from_triplets(rows, n_objects=20))

    assert tree.n_objects == 20
    kept = tree.restrict(range(16))
    assert ol.metrics.aari(planted.levels, kept) == 1.0


def _shuffled(planted, seed: int):
    order = np.random.default_rng(seed).permutation(planted.n_objects)
    return planted.similarities[np.ix_(order, order)], planted.levels[:, order]


@pytest.mark.parametrize("form", ["quadruplet", "triplet", "most-central", "odd-one-out"])
def test_planted_trees_are_found_from_every_form_of_answer(form) -> None:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=12, gap=0.25, seed=1)
    similarities, levels = _shuffled(planted, 1)
    rows = ol.datasets.simulate_answers(similarities, 6000, form=form, seed=1)
    make = getattr(ol.Comparisons, f"from_{form.replace('-', '_')}".replace("let", "lets"))

    tree = ol.cluster(make(rows, n_objects=48), "spectral")

    assert ol.metrics.aari(levels, tree) > 0.97


def test_few_answers_tell_more_than_the_paper_methods_hear() -> None:
    planted = ol.datasets.planted_hierarchy(gap=0.2, seed=0)
    similarities, levels = _shuffled(planted, 0)
    rows = ol.datasets.simulate_answers(similarities, 8_300, form="quadruplet", seed=0)
    comparisons = ol.Comparisons.from_quadruplets(rows, n_objects=240)

    found = {
        method: ol.metrics.aari(levels, ol.cluster(comparisons, method))
        for method in ("spectral", "4-AL", "AddS-AL", "4K-AL")
    }

    assert found["spectral"] > 0.82
    assert found["spectral"] > max(found[m] for m in found if m != "spectral") + 0.25


@pytest.mark.parametrize(
    "structure", [[20] * 5, ol.datasets.caterpillar([40, 5, 10, 20, 25]), [[30, 4], [50, [6, 10]]]]
)
def test_stars_chains_and_uneven_trees_are_found(structure) -> None:
    planted = ol.datasets.planted_tree(structure, gap=0.3, seed=3)
    similarities, levels = _shuffled(planted, 3)
    rows = ol.datasets.simulate_answers(similarities, 20_000, form="quadruplet", seed=3)

    tree = ol.cluster(
        ol.Comparisons.from_quadruplets(rows, n_objects=planted.n_objects), "spectral"
    )

    assert ol.metrics.aari(levels, tree) > 0.95


def test_all_comparisons_need_not_be_listed() -> None:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=15, gap=0.15, seed=0)
    similarities, levels = _shuffled(planted, 0)

    tree = ol.cluster(ol.Comparisons.from_similarities(similarities), "spectral")

    assert ol.metrics.aari(levels, tree) > 0.97


@pytest.mark.parametrize(("leaf_size", "n_answers"), [(6, 3000), (20, 6000), (20, 25_000)])
def test_relabelling_objects_relabels_the_tree(leaf_size, n_answers) -> None:
    for seed in range(8):
        planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=leaf_size, gap=0.2, seed=seed)
        n = planted.n_objects
        rows = ol.datasets.simulate_answers(planted.similarities, n_answers, seed=seed)
        new_number = np.random.default_rng(seed).permutation(n)

        tree = ol.cluster(ol.Comparisons.from_triplets(rows, n_objects=n), "spectral")
        moved = ol.cluster(ol.Comparisons.from_triplets(new_number[rows], n_objects=n), "spectral")

        assert relabelled(tree, new_number) == relabelled(moved, np.arange(n))


@pytest.mark.parametrize("leaf_size", [30, 75])  # every pair in 56 comparisons, and in 6
def test_the_tree_is_the_same_on_any_number_of_threads(leaf_size) -> None:
    code = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "import ordlink as ol\n"
        f"p = ol.datasets.planted_hierarchy(depth=2, leaf_size={leaf_size}, gap=0.1, seed=0)\n"
        "rows = ol.datasets.simulate_answers(p.similarities, 140_000, seed=0)\n"
        "t = ol.cluster(ol.Comparisons.from_triplets(rows, n_objects=p.n_objects), 'spectral')\n"
        "print(t.merges.tolist(), t.scores.tolist())\n"
    )
    found = {
        threads: subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "ORDLINK_THREADS": threads, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }

    assert found["1"] == found["2"]
