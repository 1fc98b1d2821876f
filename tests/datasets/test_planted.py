"""The planted model: its truth and its noise."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordlink.datasets import planted_hierarchy
from ordlink.errors import InputError, InputKindError
from ordlink.metrics import aari

without_deadline = settings(deadline=None)  # the first call imports scikit-learn


@st.composite
def shapes(draw):
    depth = draw(st.integers(0, 3))
    sizes = st.integers(1, 5)
    leaf_size = draw(sizes | st.lists(sizes, min_size=2**depth, max_size=2**depth))
    return depth, leaf_size


def sizes_of(depth, leaf_size):
    return [leaf_size] * 2**depth if isinstance(leaf_size, int) else leaf_size


@without_deadline
@given(shapes(), st.integers(0, 100))
def test_the_true_tree_cut_at_each_level_gives_the_levels(shape, seed):
    depth, leaf_size = shape

    planted = planted_hierarchy(depth=depth, leaf_size=leaf_size, seed=seed)

    assert planted.levels.shape == (depth, planted.n_objects)
    assert planted.levels.dtype == planted.labels.dtype == np.intp
    for level in range(1, depth + 1):
        np.testing.assert_array_equal(planted.tree.cut(2**level), planted.levels[level - 1])
    np.testing.assert_array_equal(planted.tree.cut(2**depth), planted.labels)
    if depth:
        assert aari(planted.levels, planted.tree) == 1
        assert aari(planted.tree, planted.tree, n_levels=depth) == 1


@without_deadline
@given(shapes())
def test_levels_nest_and_have_the_given_sizes(shape):
    depth, leaf_size = shape

    planted = planted_hierarchy(depth=depth, leaf_size=leaf_size, seed=0)

    assert np.bincount(planted.labels).tolist() == sizes_of(depth, leaf_size)
    for coarse, fine in itertools.pairwise([*planted.levels, planted.labels]):
        parents = {(int(f), int(c)) for f, c in zip(fine, coarse, strict=True)}
        assert len(parents) == len(set(fine.tolist()))
    for level, row in enumerate(planted.levels, start=1):
        assert set(row.tolist()) == set(range(2**level))


def literal_expected(labels, i, j, depth, mean, gap):
    """Walk up from both pure clusters until they meet."""
    level, left, right = depth, int(labels[i]), int(labels[j])
    while left != right:
        level, left, right = level - 1, left // 2, right // 2
    return mean - (depth - level) * gap


@without_deadline
@given(shapes(), st.floats(-2, 2), st.floats(0, 1))
def test_expected_similarities_fall_by_one_gap_per_level(shape, mean, gap):
    depth, leaf_size = shape

    planted = planted_hierarchy(depth=depth, leaf_size=leaf_size, mean=mean, gap=gap, noise=0)

    for i, j in itertools.product(range(planted.n_objects), repeat=2):
        expected = literal_expected(planted.labels, i, j, depth, mean, gap)
        assert planted.expected_similarities[i, j] == pytest.approx(expected, abs=1e-12)
    np.testing.assert_array_equal(planted.similarities, planted.expected_similarities)


@without_deadline
@given(shapes(), st.integers(0, 100))
def test_similarities_are_symmetric_with_the_mean_on_the_diagonal(shape, seed):
    depth, leaf_size = shape

    planted = planted_hierarchy(depth=depth, leaf_size=leaf_size, mean=0.75, seed=seed)

    np.testing.assert_array_equal(planted.similarities, planted.similarities.T)
    assert (np.diagonal(planted.similarities) == 0.75).all()
    assert (np.diagonal(planted.expected_similarities) == 0.75).all()


def test_noise_has_the_stated_mean_and_spread_in_every_block():
    planted = planted_hierarchy(depth=3, leaf_size=30, mean=0.8, gap=0.2, noise=0.1, seed=3)
    upper = np.triu(np.ones((240, 240), dtype=bool), k=1)

    for a, b in itertools.combinations_with_replacement(range(8), 2):
        block = np.multiply.outer(planted.labels == a, planted.labels == b) & upper
        values = planted.similarities[block]
        expected = literal_expected(np.arange(8), a, b, 3, 0.8, 0.2)
        assert len(values) == (435 if a == b else 900)
        # Five standard errors: one in two million blocks would fail by chance.
        assert abs(values.mean() - expected) < 5 * 0.1 / np.sqrt(len(values))
        assert abs(values.std() - 0.1) < 5 * 0.1 / np.sqrt(2 * len(values))


def test_noise_is_independent_between_pairs():
    planted = planted_hierarchy(depth=0, leaf_size=300, mean=0, noise=1, seed=5)
    rows = planted.similarities[:100, 100:200]
    others = planted.similarities[:100, 200:300]

    assert abs(np.corrcoef(rows.ravel(), others.ravel())[0, 1]) < 5 / np.sqrt(rows.size)
    assert abs(np.corrcoef(rows[:-1].ravel(), rows[1:].ravel())[0, 1]) < 5 / np.sqrt(rows.size)


def test_a_seed_repeats_the_draw_and_another_one_does_not():
    first, again, other = (planted_hierarchy(leaf_size=4, seed=seed) for seed in (1, 1, 2))

    np.testing.assert_array_equal(first.similarities, again.similarities)
    assert (first.similarities != other.similarities).any()


def test_a_generator_goes_on_from_draw_to_draw():
    generator = np.random.default_rng(1)

    first, second = (planted_hierarchy(leaf_size=4, seed=generator) for _ in range(2))

    assert (first.similarities != second.similarities).any()
    again = planted_hierarchy(leaf_size=4, seed=1)
    np.testing.assert_array_equal(first.similarities, again.similarities)


def test_the_noise_of_a_seed_is_the_same_for_every_gap():
    small, large = (planted_hierarchy(leaf_size=4, gap=gap, seed=1) for gap in (0.1, 0.3))

    np.testing.assert_allclose(
        small.similarities - small.expected_similarities,
        large.similarities - large.expected_similarities,
        atol=1e-12,
    )


def test_one_object_alone_is_a_planted_hierarchy():
    planted = planted_hierarchy(depth=0, leaf_size=1, mean=0.5)

    assert planted.similarities.tolist() == [[0.5]]
    assert planted.levels.shape == (0, 1)
    assert planted.labels.tolist() == [0]
    assert planted.tree.n_objects == 1
    assert planted.names == ("G1.1",)
    assert planted.initial_clusters(3) == [[0]]


def test_single_objects_as_pure_clusters_make_a_balanced_tree():
    planted = planted_hierarchy(depth=2, leaf_size=1, mean=1, gap=0.25, seed=0)

    assert planted.tree.merges.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert planted.tree.scores.tolist() == [0.75, 0.75, 0.5]


def test_merges_inside_pure_clusters_come_first():
    planted = planted_hierarchy(depth=1, leaf_size=[3, 2], mean=1, gap=0.25, seed=0)

    assert planted.tree.merges.tolist() == [[0, 1], [5, 2], [3, 4], [6, 7]]
    assert planted.tree.scores.tolist() == [1, 1, 1, 0.75]


def test_names_tell_the_cluster_and_are_unique():
    planted = planted_hierarchy(depth=1, leaf_size=[2, 11], seed=0)

    assert planted.names[:3] == ("G1.01", "G1.02", "G2.01")
    assert planted.names[-1] == "G2.11"
    assert planted.tree.names == planted.names
    assert len(set(planted_hierarchy(depth=4, leaf_size=3).names)) == 48


def test_what_was_drawn_cannot_be_changed():
    planted = planted_hierarchy(depth=1, leaf_size=2, seed=0)

    for array in (
        planted.similarities,
        planted.expected_similarities,
        planted.levels,
        planted.labels,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(AttributeError):
        planted.labels = None


@without_deadline
@given(shapes(), st.integers(1, 7), st.integers(0, 100))
def test_initial_clusters_partition_each_pure_cluster_into_groups(shape, size, seed):
    depth, leaf_size = shape
    planted = planted_hierarchy(depth=depth, leaf_size=leaf_size, seed=0)

    groups = planted.initial_clusters(size, seed)

    assert sorted(itertools.chain(*groups)) == list(range(planted.n_objects))
    assert groups == sorted(sorted(group) for group in groups)
    expected = []
    for label, n_members in enumerate(sizes_of(depth, leaf_size)):
        expected += [(label, size)] * (n_members // size)
        expected += [(label, n_members % size)] * bool(n_members % size)
    found = []
    for group in groups:
        (label,) = {int(planted.labels[i]) for i in group}
        found.append((label, len(group)))
    assert sorted(found) == sorted(expected)
    assert groups == planted.initial_clusters(size, seed)


def test_initial_clusters_are_drawn_uniformly():
    planted = planted_hierarchy(depth=0, leaf_size=4, seed=0)
    generator = np.random.default_rng(0)

    partners = [
        next(group for group in planted.initial_clusters(2, generator) if 0 in group)[1]
        for _ in range(3000)
    ]

    # Each of the three others with probability 1/3: five standard deviations are 130.
    assert (np.abs(np.bincount(partners, minlength=4)[1:] - 1000) < 130).all()


def test_the_remainder_is_drawn_too():
    planted = planted_hierarchy(depth=0, leaf_size=4, seed=0)

    alone = {planted.initial_clusters(3, seed)[-1][0] for seed in range(40)} | {
        planted.initial_clusters(3, seed)[0][0] for seed in range(40)
    }

    assert alone == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"depth": -1}, InputError, "depth: expected a whole number of at least 0, got -1"),
        ({"depth": 1.5}, InputError, "depth: expected a whole number"),
        ({"depth": "3"}, InputKindError, "depth: expected a whole number"),
        ({"depth": True}, InputKindError, "depth: expected a whole number"),
        ({"depth": 1000}, InputError, "2\\*\\*1000 clusters"),
        ({"depth": 14}, InputError, "at most 65535 objects, got 491520"),
        ({"leaf_size": 0}, InputError, "leaf_size: expected a whole number of at least 1, got 0"),
        ({"leaf_size": "30"}, InputKindError, "leaf_size"),
        ({"leaf_size": [1, 2, 3]}, InputError, "expected 8 sizes for depth 3, got 3"),
        ({"depth": 1, "leaf_size": [2, 0]}, InputError, "leaf_size, entry 1: .*got 0"),
        ({"depth": 1, "leaf_size": [2.5, 1]}, InputError, "leaf_size, entry 0"),
        ({"mean": np.nan}, InputError, "mean: expected a finite number, got nan"),
        ({"mean": "high"}, InputKindError, "mean: expected a number, got 'high'"),
        ({"gap": -0.1}, InputError, "gap: expected a finite number of at least 0, got -0.1"),
        ({"gap": np.inf}, InputError, "gap"),
        ({"noise": -1}, InputError, "noise: expected a finite number of at least 0, got -1"),
        ({"noise": None}, InputKindError, "noise"),
        ({"seed": -1}, InputError, "seed: expected a whole number of at least 0, got -1"),
        ({"seed": 1.5}, InputKindError, "seed"),
    ],
)
def test_parameters_out_of_range_are_refused_in_words(parameters, error, words):
    with pytest.raises(error, match=words):
        planted_hierarchy(**parameters)


@pytest.mark.parametrize("size", [0, -3, 2.5])
def test_groups_need_a_size(size):
    planted = planted_hierarchy(depth=1, leaf_size=2, seed=0)

    with pytest.raises(InputError, match="size: expected a whole number of at least 1"):
        planted.initial_clusters(size)


def test_numpy_numbers_are_numbers():
    planted = planted_hierarchy(
        depth=np.int64(1), leaf_size=np.array([2, 3]), mean=np.float32(1), seed=np.int64(0)
    )

    assert planted.n_objects == 5
    assert planted.depth == 1
