"""Measures whose truth may be a tree or nested labels, against literal sets of clusters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink import Hierarchy
from ordlink.errors import InputError, InputKindError
from ordlink.metrics import (
    cophenetic_correlation,
    dendrogram_purity,
    fowlkes_mallows,
    moseley_wang_revenue,
    normalised_robinson_foulds,
    robinson_foulds,
    triplet_distance,
)
from tests.reference import measures
from tests.strategies import hierarchies


@st.composite
def nested_levels(draw, n_objects):
    """Draw cuts of a tree, in any order: they nest, and may repeat or be trivial."""
    tree = draw(hierarchies(n_objects, n_objects))
    cuts = draw(st.lists(st.integers(1, n_objects), min_size=1, max_size=4))
    return tree.levels(cuts)


def trees_and_levels(low, high):
    return st.integers(low, high).flatmap(
        lambda n: st.tuples(hierarchies(n, n), nested_levels(n), hierarchies(n, n))
    )


@given(trees_and_levels(1, 9))
def test_nested_labels_are_held_against_the_tree_as_sets_of_clusters(case):
    tree, levels, _ = case
    truth = measures.clusters_of_levels(levels.tolist())
    merges = tree.merges.tolist()

    assert robinson_foulds(levels, tree) == measures.robinson_foulds(truth, merges)
    assert triplet_distance(levels, tree) == float(measures.triplet_distance(truth, merges))
    for row in levels:
        purity = measures.dendrogram_purity(row.tolist(), merges)
        assert dendrogram_purity(row, tree) == pytest.approx(float(purity))
    assert 0 <= normalised_robinson_foulds(levels, tree) <= 1


@given(trees_and_levels(1, 9))
def test_a_true_tree_is_held_against_the_tree_as_sets_of_clusters(case):
    truth, _, tree = (c if isinstance(c, np.ndarray) else Hierarchy(c.merges) for c in case)
    clusters = measures.clusters_of(truth.merges.tolist())
    merges = tree.merges.tolist()

    assert robinson_foulds(truth, tree) == measures.robinson_foulds(clusters, merges)
    assert triplet_distance(truth, tree) == float(measures.triplet_distance(clusters, merges))
    mine, true = set(measures.clusters_of(merges)), set(clusters)
    assert robinson_foulds(truth, tree) == len(mine ^ true)


@given(st.integers(3, 12).flatmap(lambda n: st.tuples(hierarchies(n, n), nested_levels(n))))
def test_a_tree_that_refines_the_truth_has_distance_0(case):
    tree, _ = case
    levels = tree.levels([2, max(2, tree.n_objects // 2)])

    assert robinson_foulds(levels, tree) == 0
    assert normalised_robinson_foulds(levels, tree) == 0
    assert triplet_distance(levels, tree) == 0
    assert dendrogram_purity(levels[0], tree) == 1
    assert np.all(fowlkes_mallows(levels, tree) == 1)


@pytest.mark.parametrize("merges", [np.empty((0, 2), dtype=int), [[0, 1]]])
def test_one_and_two_objects_have_one_tree(merges):
    tree = Hierarchy(merges)
    labels = [0] * tree.n_objects

    for truth in (tree, labels):
        assert robinson_foulds(truth, tree) == 0
        assert normalised_robinson_foulds(truth, tree) == 0
        assert triplet_distance(truth, tree) == 0
    assert dendrogram_purity(labels, tree) == 1
    assert fowlkes_mallows(labels, tree).tolist() == [1]
    assert fowlkes_mallows(tree, tree).size == 0
    assert moseley_wang_revenue(np.ones((tree.n_objects, tree.n_objects)), tree) == 0
    with pytest.raises(InputError, match="at least three objects"):
        cophenetic_correlation(np.ones((tree.n_objects, tree.n_objects)), tree)


def test_levels_that_do_not_nest_are_refused():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]])

    with pytest.raises(InputError, match="objects 0 and 2 together at a finer level"):
        robinson_foulds([[0, 0, 1, 1], [0, 1, 0, 2]], tree)


def test_truths_of_other_objects_are_refused():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]])

    for measure in (robinson_foulds, triplet_distance, fowlkes_mallows, cophenetic_correlation):
        with pytest.raises(InputError, match="expected 4 objects"):
            measure(Hierarchy([[0, 1], [2, 3]]), tree)
    for measure in (robinson_foulds, triplet_distance, fowlkes_mallows, dendrogram_purity):
        with pytest.raises(InputKindError, match="whole numbers"):
            measure([0.5, 1.0, 1.0, 2.0], tree)
        with pytest.raises(InputKindError, match="first, then the tree"):
            measure(tree, [0, 0, 1, 1])


def test_what_cannot_be_judged_is_refused():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]])

    with pytest.raises(InputError, match="one label per object"):
        dendrogram_purity([[0, 0, 1, 1], [0, 1, 2, 3]], tree)
    with pytest.raises(InputError, match="leave it out"):
        fowlkes_mallows([0, 0, 1, 1], tree, n_clusters=[2])
    with pytest.raises(InputError, match="similarities that differ"):
        cophenetic_correlation(np.ones((4, 4)), tree)


def test_two_trees_with_the_same_heights_correlate_fully():
    tree = Hierarchy([[0, 1], [2, 3], [4, 5]])

    assert cophenetic_correlation(tree, tree) == pytest.approx(1)
    assert cophenetic_correlation(-tree.lca_ranks(), tree) == pytest.approx(1)
