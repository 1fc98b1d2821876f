"""The tree for other programs: Newick (phylogenetic trees) and networkx (graphs)."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from ordlink.errors import MissingDependencyError
from ordlink.hierarchy._structure import kept_parents

if TYPE_CHECKING:
    from ordlink.hierarchy._hierarchy import Hierarchy

# A bare underscore means a blank in Newick, so a name with one is quoted like all the rest.
_BARE_NAME = re.compile(r"[A-Za-z0-9.+-]+")


def to_newick(tree: Hierarchy, *, min_support: float | None = None) -> str:
    """Return the tree in Newick format; the length of a branch is the merge ranks it spans.

    Names are quoted where needed. The support of a merge, where known, is the label of its node;
    merges with less than `min_support` are left out: their branches begin at the next one above.
    """
    n = tree.n_objects
    collapsed = tree.collapsed(min_support)
    parents = kept_parents(tree.parents, collapsed)
    tokens: list[str] = []
    # What is still to be written, last first: a text, or a node. No recursion: chains are deep.
    pending: list[str | int] = [2 * n - 2]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            tokens.append(item)
            continue
        parent = int(parents[item])
        height = max(item - n + 1, 0)
        length = "" if parent < 0 else f":{parent - n + 1 - height}"
        if item < n:
            tokens.append(_quote(tree.name_of(item)) + length)
            continue
        left, right = tree.merges[item - n].tolist()
        if collapsed[item - n]:  # no brackets: its children stand among its siblings
            pending += [right, ",", left]
        else:
            support = float(tree.support[item - n])
            known = parent >= 0 and not math.isnan(support)  # every tree has the root's cluster
            label = f"{support:.4g}" if known else ""
            pending += [f"){label}{length}", right, ",", left, "("]
    return "".join(tokens) + ";"


def to_networkx(tree: Hierarchy) -> Any:
    """Return the tree as a `networkx.DiGraph`, with edges from parents to children.

    Nodes are numbered as in `merges`. They carry `kind` ("object" or "merge"), `size`, `height`
    and `name` or `score`, `tied` and, where it is known, `support`; edges carry `length`.
    """
    try:
        import networkx
    except ImportError as error:
        raise MissingDependencyError(
            "to_networkx needs the package networkx, which is not installed",
            remedy="run: pip install networkx",
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


def _quote(name: str) -> str:
    """Return a name in quotation marks where Newick needs them; a mark inside is doubled."""
    if _BARE_NAME.fullmatch(name):
        return name
    return "'" + name.replace("'", "''") + "'"
