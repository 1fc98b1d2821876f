"""The tree as a networkx graph."""

from __future__ import annotations

import sys

import networkx
import pytest
from hypothesis import given

from ordlink.errors import MissingDependencyError
from ordlink.hierarchy import Hierarchy
from tests.strategies import hierarchies


@given(hierarchies())
def test_graph_is_a_tree_with_the_objects_as_leaves(tree):
    graph = tree.to_networkx()
    n = tree.n_objects

    assert networkx.is_arborescence(graph)
    leaves = sorted(node for node in graph if graph.out_degree(node) == 0)
    assert leaves == list(range(n))
    assert [graph.nodes[i]["name"] for i in leaves] == list(tree.labels_text)
    for node, members in tree.clusters():
        below = networkx.descendants(graph, node)
        assert {i for i in below if i < n} == set(members.tolist())
        assert graph.nodes[node]["size"] == len(members)


def test_nodes_and_edges_carry_what_is_known():
    graph = Hierarchy([[0, 1], [2, 3]], scores=[5, 7], tied=[True, False]).to_networkx()

    assert graph.nodes[4] == {
        "kind": "merge",
        "size": 3,
        "height": 2,
        "score": 7.0,
        "tied": False,
    }
    assert graph.edges[4, 3]["length"] == 1
    assert graph.edges[4, 2]["length"] == 2


def test_missing_networkx_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)

    with pytest.raises(MissingDependencyError, match="pip install networkx"):
        Hierarchy([[0, 1]]).to_networkx()
