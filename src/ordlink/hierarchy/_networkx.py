"""The tree as a graph of networkx."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ordlink.errors import InputError, InputKindError, MissingDependencyError
from ordlink.hierarchy._rooted import RootedTree

if TYPE_CHECKING:
    from ordlink.hierarchy._hierarchy import Hierarchy

WHERE = "the graph"


def to_networkx(tree: Hierarchy) -> Any:
    """Return the tree as a `networkx.DiGraph`, with edges from parents to children.

    Nodes are numbered as in `merges`. They carry `kind` ("object" or "merge"), `size`, `height`
    (the rank of a merge) and `name` or `score`, `tied` and, where they are known, `support`,
    `dissimilarity`, `evidence` and `name`; edges carry `length`, a difference of heights.
    """
    try:
        import networkx
    except ImportError as error:
        problem = "to_networkx needs the package networkx, which is not installed"
        raise MissingDependencyError(problem, remedy="run: pip install networkx") from error
    n = tree.n_objects
    graph = networkx.DiGraph(method=tree.method, n_objects=n)
    for i, name in enumerate(tree.labels_text):
        graph.add_node(i, kind="object", name=name, size=1, height=0)
    columns = (tree.merges, tree.scores, tree.tied, tree.support)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for t, (children, score, tied, support) in enumerate(rows):
        node, size, height = n + t, int(tree.sizes[n + t]), t + 1
        graph.add_node(node, kind="merge", size=size, height=height, score=score, tied=tied)
        if not math.isnan(support):
            graph.nodes[node]["support"] = support
        others = {"dissimilarity": tree.heights[t], "evidence": tree.evidence[t]}
        known = {key: float(value) for key, value in others.items() if not math.isnan(value)}
        graph.nodes[node].update(known)
        branch_name = tree.branch_name_of(node)
        if branch_name is not None:
            graph.nodes[node]["name"] = branch_name
        for child in children:
            graph.add_edge(node, child, length=height - graph.nodes[child]["height"])
    return graph


def from_networkx(
    tree_type: type[Hierarchy], graph: Any, *, names: Sequence[str] | None = None
) -> Hierarchy:
    """Return the tree of a `networkx.DiGraph` with edges from parents to children.

    A graph that `to_networkx` made gives back the same tree. In any other one, leaves are named
    by the attribute `name`, or by the node itself. Edges may have a `length`; then the height of a
    merge is the longest way down to a leaf. Nodes with more than two children become several
    merges, as in `from_newick`.

    Parameters
    ----------
    graph : networkx.DiGraph
        A rooted tree.
    names : sequence of str, optional
        The names of the leaves in the order in which the objects are to be numbered.

    Examples
    --------
    >>> import networkx
    >>> from ordlink import Hierarchy
    >>> graph = networkx.DiGraph([("animal", "bird"), ("animal", "bear"), ("bird", "owl"),
    ...                           ("bird", "duck")])
    >>> tree = Hierarchy.from_networkx(graph)
    >>> tree.to_newick(), tree.root.name
    ('((owl:1,duck:1)bird:1,bear:2)animal;', 'animal')
    """
    if not (hasattr(graph, "successors") and hasattr(graph, "in_degree")):
        problem = f"expected a networkx.DiGraph, got {type(graph).__name__}"
        raise InputKindError(problem, parameter="graph", remedy="direct edges away from the root")
    root = _root(graph)
    if names is None and _is_ours(graph):
        return _ours(tree_type, graph)
    tree = RootedTree()
    pending = [(root, -1, math.nan)]
    while pending:
        one, parent, length = pending.pop()
        node = tree.add(parent)
        attributes = graph.nodes[one]
        tree.lengths[node] = length
        tree.labels[node] = str(attributes.get("name", one))
        tree.support[node] = float(attributes.get("support", math.nan))
        below = [(child, node, _length(graph, one, child)) for child in graph.successors(one)]
        pending += reversed(below)
    return tree.to_hierarchy(tree_type, names, WHERE)


def _root(graph: Any) -> Any:
    """Return the only node without a parent, from which all others are reached once."""
    roots = [node for node, degree in graph.in_degree() if degree == 0]
    n_nodes = graph.number_of_nodes()
    is_tree = len(roots) == 1 and graph.number_of_edges() == n_nodes - 1
    if is_tree:
        reached, pending = 0, [roots[0]]
        while pending and reached <= n_nodes:
            reached += 1
            pending += graph.successors(pending.pop())
        is_tree = reached == n_nodes
    if not is_tree:
        problem = f"expected a tree with one root, got {n_nodes} nodes of which {len(roots)}"
        remedy = "each node but the root needs one edge that leads to it"
        raise InputError(f"{problem} have no parent", parameter="graph", remedy=remedy)
    return roots[0]


def _length(graph: Any, parent: Any, child: Any) -> float:
    return float(graph.edges[parent, child].get("length", math.nan))


def _is_ours(graph: Any) -> bool:
    n = graph.graph.get("n_objects")
    expected = [*["object"] * n, *["merge"] * (n - 1)] if isinstance(n, int) else None
    nodes = dict(graph.nodes(data="kind"))
    return expected is not None and [nodes.get(node) for node in range(len(nodes))] == expected


def _ours(tree_type: type[Hierarchy], graph: Any) -> Hierarchy:
    n = graph.graph["n_objects"]
    merges = range(n, 2 * n - 1)
    names = [str(graph.nodes[i]["name"]) for i in range(n)]

    def column(key: str, default: Any) -> list[Any]:
        return [graph.nodes[node].get(key, default) for node in merges]

    return tree_type(
        [list(graph.successors(node)) for node in merges],
        names=None if names == [str(i) for i in range(n)] else names,
        tied=column("tied", default=False),
        scores=column("score", math.nan),
        support=column("support", math.nan),
        heights=column("dissimilarity", math.nan),
        evidence=column("evidence", math.nan),
        branch_names=column("name", None),
        method=graph.graph.get("method"),
    )
