"""The tree: what it holds, its cuts, its least common ancestors."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy as scipy_hierarchy
from scipy.spatial.distance import squareform

from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from tests.strategies import hierarchies


def chain(n_objects: int) -> Hierarchy:
    later = [[n_objects + t, t + 2] for t in range(n_objects - 2)]
    return Hierarchy([[0, 1], *later])


def slow_members(tree: Hierarchy, node: int) -> set[int]:
    if node < tree.n_objects:
        return {node}
    left, right = tree.merges[node - tree.n_objects].tolist()
    return slow_members(tree, left) | slow_members(tree, right)


def same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


def test_child_with_the_smaller_smallest_object_is_stored_left():
    tree = Hierarchy([[3, 2], [4, 1], [0, 5]])

    assert tree.merges.tolist() == [[2, 3], [1, 4], [0, 5]]


@given(hierarchies())
def test_left_children_hold_the_smaller_smallest_object(tree):
    for left, right in tree.merges.tolist():
        assert min(slow_members(tree, left)) < min(slow_members(tree, right))


def test_tree_of_one_object_has_no_merges():
    tree = Hierarchy([], names=["only"])

    assert tree.n_objects == 1
    assert tree.merges.shape == (0, 2)
    assert tree.linkage.shape == (0, 4)
    assert tree.cut(1).tolist() == [0]
    assert tree.lca_sizes().tolist() == [[1]]
    assert tree.lca_ranks().tolist() == [[-1]]
    assert tree.members(0).tolist() == [0]
    assert tree.to_newick() == "only;"
    assert list(tree.clusters()) == []


def test_attributes_have_the_promised_types():
    tree = Hierarchy([[0, 1], [2, 3]], scores=[1, 2], tied=[True, False], names=list("abc"))

    assert tree.merges.dtype == np.int32
    assert tree.scores.dtype == np.float64
    assert tree.tied.dtype == np.bool_
    assert tree.names == ("a", "b", "c")
    assert tree.n_tied_merges == 1
    assert tree.sizes.tolist() == [1, 1, 1, 2, 3]
    assert tree.parents.tolist() == [3, 3, 4, 4, -1]
    assert tree.cut(2).dtype == np.intp
    assert tree.members(3).dtype == tree.lca_sizes().dtype == tree.leaf_order.dtype == np.int32


def test_missing_scores_are_nan_and_missing_names_are_numbers():
    tree = Hierarchy([[0, 1]])

    assert np.isnan(tree.scores).all()
    assert tree.names is None
    assert tree.labels_text == ("0", "1")
    assert tree.name_of(1) == "1"


def test_the_tree_cannot_be_changed():
    merges = np.array([[0, 1], [2, 3]])
    tree = Hierarchy(merges, parameters={"seed": 1})
    merges[0] = 7

    assert tree.merges.tolist() == [[0, 1], [3, 2]]
    for array in (tree.merges, tree.scores, tree.tied, tree.sizes, tree.parents, tree.leaf_order):
        assert not array.flags.writeable
    with pytest.raises(dataclasses.FrozenInstanceError):
        tree.names = ("x",)


def test_read_only_input_is_accepted():
    merges = np.array([[1, 0]], dtype=np.int32)
    merges.setflags(write=False)

    assert Hierarchy(merges).merges.tolist() == [[0, 1]]


@given(hierarchies())
def test_pickling_and_copying_give_an_equal_frozen_tree(tree):
    for other in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        assert other == tree
        assert hash(other) == hash(tree)
        assert (other.method, other.parameters) == (tree.method, tree.parameters)
        assert not other.merges.flags.writeable


@pytest.mark.parametrize(
    "change",
    [
        {"merges": [[0, 2], [1, 3]]},
        {"scores": [1.0, 2.0]},
        {"tied": [False, True]},
        {"names": ["a", "b", "x"]},
        {"names": None},
    ],
)
def test_trees_that_differ_in_one_thing_are_not_equal(change):
    fields = {
        "merges": [[0, 1], [2, 3]],
        "scores": [1.0, np.nan],
        "tied": [True, True],
        "names": list("abc"),
    }
    tree = Hierarchy(**fields)

    assert tree == Hierarchy(**fields, method="4-AL")
    assert tree != Hierarchy(**(fields | change))
    assert tree != "tree"


def test_repr_is_short():
    assert repr(Hierarchy([])) == "Hierarchy(1 object)"
    tree = Hierarchy([[0, 1]], tied=[True], method="4-AL")
    assert repr(tree) == "Hierarchy(2 objects, method='4-AL', 1 tied merge)"


@given(hierarchies(min_objects=2))
def test_scipy_accepts_the_linkage_and_agrees(tree):
    linkage = tree.linkage

    assert scipy_hierarchy.is_valid_linkage(linkage, throw=True)
    assert scipy_hierarchy.is_monotonic(linkage)
    for k in range(1, tree.n_objects + 1):
        theirs = scipy_hierarchy.fcluster(linkage, k, criterion="maxclust")
        assert same_partition(tree.cut(k), theirs)
    assert len(scipy_hierarchy.dendrogram(linkage, no_plot=True)["leaves"]) == tree.n_objects
    heights = squareform(scipy_hierarchy.cophenet(linkage))
    assert np.array_equal(heights, tree.lca_ranks() + 1)


@given(hierarchies())
def test_cuts_nest_and_are_numbered_by_smallest_object(tree):
    finer = tree.cut(tree.n_objects)
    assert finer.tolist() == list(range(tree.n_objects))
    for k in range(tree.n_objects - 1, 0, -1):
        labels = tree.cut(k)

        _, firsts = np.unique(labels, return_index=True)
        assert len(firsts) == k
        assert (np.diff(firsts) > 0).all()
        assert len(set(zip(finer, labels, strict=True))) == k + 1  # each finer cluster in one
        finer = labels


def test_levels_are_rows_of_cuts():
    tree = chain(5)

    assert np.array_equal(tree.levels([2, 4]), [tree.cut(2), tree.cut(4)])
    assert tree.levels([]).shape == (0, 5)


@given(hierarchies())
def test_least_common_ancestors_equal_a_literal_loop(tree):
    n = tree.n_objects
    sizes, ranks = np.ones((n, n)), np.full((n, n), -1)
    for i in range(n):
        for j in range(n):
            if i != j:
                for t in range(n - 1):
                    members = slow_members(tree, n + t)
                    if {i, j} <= members:
                        sizes[i, j], ranks[i, j] = len(members), t
                        break

    assert np.array_equal(tree.lca_sizes(), sizes)
    assert np.array_equal(tree.lca_ranks(), ranks)


@given(hierarchies())
def test_members_clusters_and_leaf_order_agree_with_the_merges(tree):
    n = tree.n_objects
    for node in range(2 * n - 1):
        assert tree.members(node).tolist() == sorted(slow_members(tree, node))
        assert tree.sizes[node] == len(slow_members(tree, node))
    assert [node for node, _ in tree.clusters()] == list(range(n, 2 * n - 1))
    assert sorted(tree.leaf_order.tolist()) == list(range(n))
    place = np.argsort(tree.leaf_order)
    for left, right in tree.merges.tolist():
        assert place[tree.members(left)].max() + 1 == place[tree.members(right)].min()


@given(hierarchies(), st.data())
def test_restricting_keeps_which_pair_is_joined_first(tree, data):
    order = data.draw(st.permutations(range(tree.n_objects)))
    kept = order[: data.draw(st.integers(1, tree.n_objects))]
    small = tree.restrict(kept)

    assert small.labels_text == tuple(tree.name_of(i) for i in kept)
    before = tree.lca_ranks()[np.ix_(kept, kept)]
    assert np.array_equal(np.unique(before, return_inverse=True)[1], small.lca_ranks() + 1)
    used = np.unique(before[before >= 0])
    assert np.array_equal(small.scores, tree.scores[used], equal_nan=True)
    assert np.array_equal(small.tied, tree.tied[used])


@given(hierarchies(), st.data())
def test_subtree_is_the_tree_of_its_members(tree, data):
    node = data.draw(st.integers(0, 2 * tree.n_objects - 2))
    members = tree.members(node)
    part = tree.subtree(node)

    assert part == tree.restrict(members)
    inside = {tuple(members[m]) for _, m in part.clusters()}
    below = {tuple(m) for _, m in tree.clusters() if set(m) <= set(members)}
    assert inside == below


def test_whole_tree_as_subtree_is_equal():
    tree = chain(4)

    assert tree.subtree(6) == tree


def test_chain_of_5000_needs_no_recursion():
    tree = chain(5000)

    assert tree.cut(2).tolist() == [0] * 4999 + [1]
    assert tree.leaf_order.tolist() == list(range(5000))
    assert tree.to_newick().count("(") == 4999
    assert len(tree.to_text().splitlines()) == 5000
    assert Hierarchy.from_json(tree.to_json()) == tree
    assert tree.to_networkx().number_of_nodes() == 9999
    assert tree.lca_sizes()[0, 4999] == 5000


@pytest.mark.parametrize("bad", [0, 4, -1])
def test_impossible_numbers_of_clusters_are_refused(bad):
    with pytest.raises(InputError, match=rf"n_clusters: .* from 1 to 3, got {bad}"):
        chain(3).cut(bad)


@pytest.mark.parametrize(
    ("bad", "error"),
    [(2.5, InputError), ("2", InputKindError), (None, InputKindError), (True, InputKindError)],
)
def test_number_of_clusters_must_be_whole(bad, error):
    with pytest.raises(error, match="n_clusters: expected a whole number"):
        chain(3).cut(bad)


def test_unknown_nodes_are_refused():
    with pytest.raises(InputError, match=r"node: expected .* from 0 to 4, got 5; .* root is 4"):
        chain(3).members(5)


@pytest.mark.parametrize("levels", [3, "23", None])
def test_levels_of_one_number_are_refused(levels) -> None:
    with pytest.raises(InputKindError, match=r"such as \[2, 4\], got .*use cut"):
        Hierarchy([[0, 1], [2, 3]]).levels(levels)
