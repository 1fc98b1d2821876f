"""Nodes of a tree, names of branches, and trees made from trees."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.hierarchy._names import typical_objects
from tests.strategies import hierarchies

TREE = Hierarchy(
    [[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"], heights=[0.1, 0.3, 0.8]
)


@given(hierarchies())
def test_children_and_parents_are_each_others(tree):
    seen = list(tree.nodes())

    assert sorted(node.number for node in seen) == list(range(2 * tree.n_objects - 1))
    assert seen[0] == tree.root
    assert tree.root.parent is None
    for node in seen:
        assert all(child.parent == node for child in node.children)
        assert node.is_leaf == (not node.children)
        below = [int(i) for child in node.children for i in child.objects]
        assert sorted(below or [node.number]) == node.objects.tolist()
        assert node.leaves == tuple(tree.name_of(i) for i in node.objects.tolist())


@given(hierarchies(), st.data())
def test_lowest_common_ancestor_is_the_smallest_cluster_with_both(tree, data):
    one, other = (data.draw(st.integers(0, tree.n_objects - 1)) for _ in range(2))
    both = [node for node in tree.nodes() if {one, other} <= set(node.objects.tolist())]

    assert tree.lca(one, other) == min(both, key=lambda node: node.size)


def test_nodes_are_found_by_name_number_and_branch_name():
    tree = TREE.name_branches({4: "insects"})

    assert tree.node("cat").number == tree.node(2).number == tree.node(np.int32(2)).number == 2
    assert tree.node("insects") == tree.lca("ant", "bee") == tree.node(tree.node(4))
    assert repr(tree.node(4)) == "Node(4, 'insects', 2 objects: ant, bee)"
    assert (tree.node(4).height, tree.node("ant").height) == (0.1, 0.0)
    assert tree.subtree("insects").names == ("ant", "bee")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("cow", "no object or branch is named 'cow'"),
        ("cta", "did you mean 'cat'"),
        (7, "from 0 to 6, got 7"),
        (1.5, "got 1.5"),
    ],
)
def test_unknown_nodes_are_refused(key, message):
    with pytest.raises((InputError, InputKindError), match=message):
        TREE.node(key)


def test_a_name_of_two_objects_is_refused():
    with pytest.raises(InputError, match=r"2 objects are named 'frog'; give the number .* 0, 1"):
        Hierarchy([[0, 1]], names=["frog", "frog"]).node("frog")
    with pytest.raises(InputError, match="another tree"):
        TREE.node(Hierarchy([[0, 1]]).root)


@given(hierarchies(min_objects=2), st.floats(0, 1))
def test_cut_at_a_height_keeps_the_merges_up_to_it(tree, height):
    heights = np.sort(np.random.default_rng(tree.n_objects).random(tree.n_objects - 1))
    tall = Hierarchy(tree.merges, heights=heights)

    n_clusters = tree.n_objects - int((heights <= height).sum())
    assert tall.cut(height=height).tolist() == tree.cut(n_clusters).tolist()


def test_cut_at_a_height_needs_heights_and_one_of_both():
    assert TREE.cut(height=0.3).tolist() == [0, 0, 1, 1]
    with pytest.raises(InputError, match="has no dissimilarities"):
        Hierarchy([[0, 1]]).cut(height=1)
    with pytest.raises(InputKindError, match="got both"):
        TREE.cut(2, height=0.3)


def test_typical_objects_have_the_least_mean_dissimilarity():
    rng = np.random.default_rng(0)
    for n in (2, 5, 9):
        alive, merges = list(range(n)), []
        while len(alive) > 1:
            one, other = (alive.pop(int(rng.integers(len(alive)))) for _ in range(2))
            merges.append([one, other])
            alive.append(n + len(merges) - 1)
        tree = Hierarchy(merges, heights=np.sort(rng.random(n - 1)))
        ranks = tree.lca_ranks()
        apart = np.where(ranks < 0, 0.0, tree.heights[ranks])
        for (_, members), typical in zip(tree.clusters(), typical_objects(tree), strict=True):
            sums = apart[np.ix_(members, members)].sum(axis=1)
            assert sums[members.tolist().index(typical)] == pytest.approx(sums.min())


def test_branches_are_named_by_hand_by_function_and_by_their_typical_object():
    by_hand = TREE.name_branches({("ant", "bee"): "insects", 6: "animals"})

    assert by_hand.branch_names == ("insects", None, "animals")
    assert by_hand.name_branches({"insects": None, ("cat", "dog"): "pets"}).branch_names == (
        *(None, "pets", "animals"),
    )
    sizes = TREE.name_branches(lambda node: None if node.parent else f"{node.size} animals")
    assert sizes.branch_names == (None, None, "4 animals")
    assert TREE.name_branches("typical").branch_names == ("ant", "cat", "ant")
    assert by_hand != TREE
    assert by_hand.restrict([0, 2, 3]).branch_names == (None, "animals")
    assert TREE.name_branches([None, None, None]).branch_names is None


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("best", "expected 'typical'"),
        ({"ant": "x"}, "expected a branch, got the object 'ant'"),
        (["x"], "expected 3 names, one per merge"),
        ([1, 2, 3], "expected texts"),
        ({4: "two\nlines"}, "control characters"),
    ],
)
def test_wrong_branch_names_are_refused(names, message):
    with pytest.raises((InputError, InputKindError), match=message):
        TREE.name_branches(names)


def test_objects_are_renamed_pruned_and_reordered():
    assert TREE.rename({"ant": "Ameise", 3: "Hund"}).names == ("Ameise", "bee", "cat", "Hund")
    assert TREE.rename(str.upper).names == ("ANT", "BEE", "CAT", "DOG")
    assert TREE.prune("bee").names == ("ant", "cat", "dog")
    assert TREE.prune([0, "bee"]).names == ("cat", "dog")
    assert TREE.reorder(["dog", "cat", "bee", "ant"]).to_newick(heights="rank") == (
        "((dog:2,cat:2):1,(bee:1,ant:1):2);"
    )
    with pytest.raises(InputError, match="no object would be left"):
        TREE.prune(range(4))
    with pytest.raises(InputError, match="expected all 4 objects, got 1"):
        TREE.reorder(["ant"])
    with pytest.raises(InputKindError, match="use with_names"):
        TREE.rename(["a", "b", "c", "d"])


@given(hierarchies(), st.randoms())
def test_reordering_changes_numbers_only(tree, random):
    order = random.sample(range(tree.n_objects), tree.n_objects)
    moved = tree.reorder(order)

    clusters = {frozenset(order[i] for i in members) for _, members in moved.clusters()}
    assert clusters == {frozenset(members.tolist()) for _, members in tree.clusters()}
    assert moved.labels_text == tuple(tree.labels_text[i] for i in order)
    assert np.array_equal(moved.scores, tree.scores, equal_nan=True)


def test_nested_dict_and_table_have_what_is_known():
    tree = TREE.with_support([0.5, np.nan, 1]).name_branches({4: "insects"})

    content = tree.to_dict()
    assert json.loads(json.dumps(content)) == content
    assert content["children"][0] == {
        "node": 4,
        "size": 2,
        "name": "insects",
        "height": 0.1,
        "support": 0.5,
        "children": [{"node": 0, "name": "ant"}, {"node": 1, "name": "bee"}],
    }
    table = tree.to_pandas()
    assert table.index.tolist() == [4, 5, 6]
    assert list(table) == [
        *("cluster_1", "cluster_2", "rank", "size", "score", "tied"),
        *("support", "dissimilarity", "name"),
    ]
    assert table.loc[4, "name"] == "insects"
    assert np.array_equal(table["support"], tree.support, equal_nan=True)
    assert np.isnan(table["score"]).all()


def test_a_chain_of_thousands_needs_no_recursion():
    n = 5000
    chain = Hierarchy([[0, 1], *([n + t, t + 2] for t in range(n - 2))])

    assert chain.lca(0, n - 1) == chain.root
    assert sum(1 for _ in chain.nodes()) == 2 * n - 1
    assert chain.to_dict()["size"] == n
    assert Hierarchy.from_newick(chain.to_newick()) == chain
    assert Hierarchy.from_networkx(chain.to_networkx()) == chain
