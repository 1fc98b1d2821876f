"""The tree as a networkx graph."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ordlink.errors import MissingDependencyError

if TYPE_CHECKING:
    from ordlink.hierarchy._hierarchy import Hierarchy


def to_networkx(tree: Hierarchy) -> Any:
    """Build the directed graph with an edge from every merged node to each of its two children."""
    try:
        import networkx
    except ImportError as error:
        raise MissingDependencyError(
            "to_networkx needs the package networkx, which is not installed; "
            "run: pip install networkx"
        ) from error
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
        for child in children:
            graph.add_edge(node, child, length=height - graph.nodes[child]["height"])
    return graph
