"""Newick text, read back by a small parser of its own."""

from __future__ import annotations

import pytest
from hypothesis import given

from ordlink.hierarchy import Hierarchy
from tests.strategies import hierarchies


def parse(text: str) -> list[tuple[list[int], list[str], float | None]]:
    """Return (places of the leaves, their names, branch length) for every node, leaves included."""
    nodes: list[tuple[list[int], list[str], float | None]] = []
    n_leaves, at = 0, 0
    open_nodes: list[list[tuple[list[int], list[str], float | None]]] = [[]]
    while text[at] != ";":
        if text[at] == "(":
            open_nodes.append([])
            at += 1
            continue
        if text[at] == ",":
            at += 1
            continue
        if text[at] == ")":
            children = open_nodes.pop()
            places = [place for child in children for place in child[0]]
            names = [name for child in children for name in child[1]]
            at += 1
        elif text[at] == "'":
            name, at = "", at + 1
            while text[at] != "'" or text[at + 1] == "'":
                name += text[at]
                at += 2 if text[at] == "'" else 1
            at += 1
            places, names = [n_leaves], [name]
            n_leaves += 1
        else:
            start = at
            while text[at] not in ":,();":
                assert text[at] not in " _[]'"
                at += 1
            places, names = [n_leaves], [text[start:at]]
            n_leaves += 1
        length = None
        if text[at] == ":":
            start = at = at + 1
            while text[at] not in ",();":
                at += 1
            length = float(text[start:at])
        node = (places, names, length)
        open_nodes[-1].append(node)
        nodes.append(node)
    assert at == len(text) - 1
    return nodes


@given(hierarchies())
def test_newick_holds_the_same_clusters_and_names(tree):
    nodes = parse(tree.to_newick(names="quoted"))
    order = tree.leaf_order

    assert nodes[-1][1] == [tree.name_of(i) for i in order.tolist()]
    read = {tuple(sorted(order[places].tolist())) for places, _, _ in nodes if len(places) > 1}
    assert read == {tuple(members.tolist()) for _, members in tree.clusters()}
    assert len(nodes) == 2 * tree.n_objects - 1


@given(hierarchies())
def test_branch_lengths_are_differences_of_merge_ranks(tree):
    order = tree.leaf_order
    height = {(i,): 0 for i in range(tree.n_objects)}
    clusters = [tuple(members.tolist()) for _, members in tree.clusters()]
    height |= {members: t + 1 for t, members in enumerate(clusters)}
    for places, _, length in parse(tree.to_newick(names="quoted")):
        members = tuple(sorted(order[places].tolist()))
        above = [c for c in clusters if set(members) < set(c)]
        assert length == (height[above[0]] - height[members] if above else None)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("bear", "bear"),
        ("polar bear", "'polar bear'"),
        ("it's", "'it''s'"),
        ("a,b", "'a,b'"),
        ("(x)[y]:1;", "'(x)[y]:1;'"),
        ("a_b", "'a_b'"),
    ],
)
def test_names_are_quoted_where_newick_needs_it(name, written):
    assert Hierarchy([[0, 1]], names=[name, "z"]).to_newick(names="quoted") == f"({written}:1,z:1);"


def test_two_objects_may_have_the_same_name():
    assert Hierarchy([[0, 1]], names=["frog", "frog"]).to_newick() == "(frog:1,frog:1);"
