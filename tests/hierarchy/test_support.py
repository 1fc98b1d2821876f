"""Support of merges: checked, kept, and shown in every form."""

import copy
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from tests.strategies import hierarchies

TREE = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])


@st.composite
def supported(draw, min_objects=1):
    tree = draw(hierarchies(min_objects))
    n = tree.n_objects - 1
    shares = st.floats(0, 1) | st.just(math.nan)
    return tree.with_support(draw(st.lists(shares, min_size=n, max_size=n)))


def kept_clusters(tree, min_support):
    """The clusters that are not left out, as sets of objects."""
    kept = [not share < min_support for share in tree.support.tolist()]
    kept[-1:] = [True] * len(kept[-1:])
    pairs = zip(tree.clusters(), kept, strict=True)
    return {frozenset(members.tolist()) for (_, members), keep in pairs if keep}


def clusters_in_newick(text, n_objects):
    """Read the sets of leaves, which are numbers, of all brackets."""
    open_ones, clusters, number = [], set(), ""
    skipping = False  # a label or a length, up to the next bracket or comma
    for character in text:
        if character in "(),;":
            if number:
                for cluster in open_ones:
                    cluster.add(int(number))
            number, skipping = "", False
            if character == "(":
                open_ones.append(set())
            elif character == ")":
                clusters.add(frozenset(open_ones.pop()))
                skipping = True
        elif character == ":":
            skipping = True
        elif not skipping:
            number += character
    return clusters


@given(supported(), st.floats(0, 1))
def test_newick_has_exactly_the_clusters_with_enough_support(tree, min_support):
    plain = Hierarchy(tree.merges, support=tree.support)

    text = plain.to_newick(min_support=min_support)

    if plain.n_objects > 1:
        assert clusters_in_newick(text, plain.n_objects) == kept_clusters(plain, min_support)


@given(supported(min_objects=2), st.floats(0, 1))
def test_in_the_drawing_every_kept_merge_has_a_bar_and_the_others_share_one(tree, min_support):
    names = [str(i) for i in range(tree.n_objects)]
    known = Hierarchy(tree.merges, names=names, support=tree.support)

    drawn = known.to_text(width=200, ascii=True, min_support=min_support).splitlines()

    bars = {column for line in drawn for column, c in enumerate(line[:200]) if c in "+.|'`,"}
    assert len(bars) == len(kept_clusters(known, min_support))


@given(supported())
def test_support_survives_json_pickle_copy_and_equality(tree):
    assert Hierarchy.from_json(tree.to_json()) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert copy.deepcopy(tree) == tree
    assert not copy.deepcopy(tree).support.flags.writeable
    assert tree.with_origin("4-AL", {}).support is tree.support


def test_trees_differ_by_support():
    assert TREE.with_support([1, 0.5, 1]) != TREE
    assert TREE.with_support([1, 0.5, 1]) != TREE.with_support([1, 0.4, 1])
    assert np.isnan(TREE.support).all()


def test_json_without_support_is_read_and_written_as_before():
    content = json.loads(TREE.to_json())

    assert "support" not in content
    assert json.loads(TREE.with_support([0.5, np.nan, 1]).to_json())["support"] == [0.5, None, 1]
    for bad in ([0.5, "high", 1], [0.5, 2, 1], [0.5]):
        with pytest.raises(InputError, match="support"):
            Hierarchy.from_json(json.dumps(content | {"support": bad}))


def test_support_is_written_on_the_branches_in_percent_rounded_down():
    tree = TREE.with_support([0.979, 0.999, 1])

    lines = tree.to_text(ascii=True).splitlines()

    assert lines == [
        "ant -+97---------------.",
        "bee -'                 |",
        "cat ----------+99------'",
        "dog ----------'",
    ]


def test_a_merge_without_enough_support_is_drawn_with_the_next_above():
    lines = TREE.with_support([0.2, 0.9, 1]).to_text(ascii=True, min_support=0.5).splitlines()

    assert lines == [
        "ant -------------------.",
        "bee -------------------+",
        "cat ----------+90------'",
        "dog ----------'",
    ]


def test_where_support_is_not_known_nothing_is_left_out():
    tree = TREE.with_support([np.nan, 0.2, np.nan])

    assert tree.to_newick(min_support=1.0) == "((ant:1,bee:1):2,cat:3,dog:3);"


def test_the_graph_carries_support_where_it_is_known():
    pytest.importorskip("networkx")

    graph = TREE.with_support([0.5, np.nan, 1]).to_networkx()

    assert graph.nodes[4]["support"] == 0.5
    assert "support" not in graph.nodes[5]


def test_part_of_a_tree_keeps_the_support_of_its_branches():
    tree = TREE.with_support([0.5, 0.7, 1])

    assert tree.restrict([0, 2, 3]).support.tolist() == [0.7, 1]


def test_bad_support_is_refused():
    with pytest.raises(InputError, match=r"support: .* shares .* got 1\.5 for merge 1"):
        TREE.with_support([1, 1.5, 1])
    with pytest.raises(InputError, match="one entry per merge"):
        TREE.with_support([1, 1])
    with pytest.raises(InputKindError, match="support: expected numbers"):
        Hierarchy([[0, 1]], support=["high"])
    with pytest.raises(InputError, match=r"min_support: expected .* from 0 to 1, got 95"):
        TREE.to_newick(min_support=95)
    with pytest.raises(InputKindError, match="min_support: expected a number"):
        TREE.to_text(min_support="0.5")
