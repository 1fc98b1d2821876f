"""Planted trees of any shape: not binary, unbalanced, chains, clusters of very different sizes."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordlink as ol
from ordlink.datasets import caterpillar, planted_hierarchy, planted_tree, random_structure
from ordlink.errors import InputError, InputKindError
from ordlink.metrics import aari, ari_per_level

without_deadline = settings(deadline=None)  # the first call imports scikit-learn
structures = st.recursive(
    st.integers(1, 5), lambda inside: st.lists(inside, min_size=2, max_size=4), max_leaves=12
)


def literal_nodes(structure, start=0, depth=0):
    """Return (depth, members, is a pure cluster) of every node, by recursion."""
    if isinstance(structure, int):
        return [(depth, tuple(range(start, start + structure)), True)]
    below, members = [], ()
    for branch in structure:
        nodes = literal_nodes(branch, start + len(members), depth + 1)
        below += nodes
        members += nodes[0][1]
    return [(depth, members, False), *below]


@without_deadline
@given(structures)
def test_clusters_are_the_nodes_of_the_structure(structure):
    planted = planted_tree(structure, seed=0)

    assert list(planted.clusters) == [members for _, members, _ in literal_nodes(structure)]


@without_deadline
@given(structures)
def test_levels_are_the_clusters_at_each_depth_with_shallow_ones_kept(structure):
    nodes = literal_nodes(structure)

    planted = planted_tree(structure, seed=0)

    assert planted.depth == max(depth for depth, _, _ in nodes)
    for level, row in enumerate(planted.levels, start=1):
        expected = [m for d, m, pure in nodes if d == level or (pure and d < level)]
        assert [tuple(np.flatnonzero(row == label)) for label in range(row.max() + 1)] == expected
    pure = [members for _, members, is_pure in nodes if is_pure]
    assert [tuple(np.flatnonzero(planted.labels == i)) for i in range(len(pure))] == pure


@without_deadline
@given(structures, st.floats(-2, 2), st.floats(0, 1))
def test_expected_similarities_depend_on_the_depth_of_the_smallest_common_cluster(
    structure, mean, gap
):
    nodes = literal_nodes(structure)

    planted = planted_tree(structure, mean=mean, gap=gap, noise=0)

    for i, j in itertools.combinations(range(planted.n_objects), 2):
        depth, _, pure = max(node for node in nodes if {i, j} <= set(node[1]))
        expected = mean if pure else mean - (planted.depth - depth) * gap
        assert planted.expected_similarities[i, j] == pytest.approx(expected, abs=1e-12)
    np.testing.assert_array_equal(planted.similarities, planted.expected_similarities)


@without_deadline
@given(structures)
def test_the_true_tree_scores_1_and_crosses_no_cluster(structure):
    planted = planted_tree(structure, seed=0)

    for row in planted.levels:
        np.testing.assert_array_equal(planted.tree.cut(len(set(row))), row)
    if planted.depth:
        assert aari(planted.levels, planted.tree) == 1
    for _, members in planted.tree.clusters():
        branch = set(members.tolist())
        for cluster in map(set, planted.clusters):
            assert branch <= cluster or cluster <= branch or not branch & cluster


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")  # equal similarities tie
@without_deadline
@given(structures)
def test_average_linkage_finds_every_level_where_there_is_no_noise(structure):
    planted = planted_tree(structure, gap=0.25, noise=0)

    if planted.n_objects > 1 and planted.depth:
        tree = ol.cluster(planted.similarities, method="AL")
        np.testing.assert_array_equal(ari_per_level(planted.levels, tree), 1)


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_a_balanced_tree_is_the_planted_hierarchy(depth):
    structure = 3
    for _ in range(depth):
        structure = [structure, structure]

    planted = planted_tree(structure, mean=0.7, gap=0.2, noise=0.3, seed=5)

    balanced = planted_hierarchy(depth=depth, leaf_size=3, mean=0.7, gap=0.2, noise=0.3, seed=5)
    np.testing.assert_array_equal(planted.similarities, balanced.similarities)
    np.testing.assert_array_equal(planted.levels, balanced.levels)
    np.testing.assert_array_equal(planted.tree.merges, balanced.tree.merges)
    assert planted.clusters == balanced.clusters
    assert planted.names == balanced.names


def test_a_chain_of_a_thousand_levels_is_planted():
    planted = planted_tree(caterpillar([1] * 1001), seed=0)

    assert planted.depth == 1000
    assert planted.clusters[1] == tuple(range(1000))
    assert len(planted.clusters) == 2001
    assert planted.levels[0].tolist() == [0] * 1000 + [1]


def test_the_saved_truth_does_not_claim_two_to_the_l_clusters_per_level(tmp_path):
    planted = planted_tree([2, [3, 3, 3]], seed=0)

    planted.tree.save(tmp_path / "truth.json")

    parameters = ol.Hierarchy.load(tmp_path / "truth.json").parameters
    assert parameters["clusters_per_level"] == [2, 4]
    assert "depth" not in parameters


@pytest.mark.parametrize(
    ("structure", "error", "words"),
    [
        ([20], InputError, r"structure: expected at least two branches, got \[20\]"),
        ([2, [3, []]], InputError, r"structure\[1\]\[1\]: expected at least two branches"),
        ([2, [3, 0]], InputError, r"structure\[1\]\[1\]: .* at least 1, got 0"),
        ([2, 2.5], InputError, r"structure\[1\]: expected a whole number"),
        ([2, "30"], InputKindError, r"structure\[1\]: expected the size of a pure cluster"),
        ([2, None], InputKindError, r"structure\[1\]"),
        ([2, {1: 2, 2: 3}], InputKindError, r"structure\[1\]"),
        ([60_000, 60_000], InputError, "at most 65535 objects, got 120000"),
    ],
)
def test_a_wrong_structure_is_refused_with_its_place(structure, error, words):
    with pytest.raises(error, match=words):
        planted_tree(structure)


@pytest.mark.parametrize("parameters", [{"mean": np.nan}, {"gap": -1}, {"noise": -1}, {"seed": -1}])
def test_parameters_out_of_range_are_refused(parameters):
    with pytest.raises(InputError, match=next(iter(parameters))):
        planted_tree([2, 2], **parameters)


def test_tuples_and_arrays_are_lists_of_branches():
    planted = planted_tree((2, np.array([1, 3])), seed=0)

    assert np.bincount(planted.labels).tolist() == [2, 1, 3]


@given(st.integers(1, 30), st.integers(1, 5), st.integers(0, 60), st.integers(2, 5), st.integers(0))
def test_random_structures_keep_their_bounds(n_clusters, smallest, more, max_children, seed):
    largest = smallest + more

    def draw():
        return random_structure(
            n_clusters, smallest=smallest, largest=largest, max_children=max_children, seed=seed
        )

    def leaves(part):
        if isinstance(part, int):
            return [part]
        assert 2 <= len(part) <= max_children
        return [size for branch in part for size in leaves(branch)]

    sizes = leaves(draw())
    assert len(sizes) == n_clusters
    assert smallest <= min(sizes) <= max(sizes) <= largest
    assert draw() == draw()


def test_random_structures_reach_both_bounds_and_differ_by_seed():
    drawn = [random_structure(2, smallest=2, largest=4, seed=seed) for seed in range(50)]

    assert {size for structure in drawn for size in structure} == {2, 3, 4}


def test_a_chain_needs_a_cluster():
    with pytest.raises(InputError, match="at least one pure cluster"):
        caterpillar([])
