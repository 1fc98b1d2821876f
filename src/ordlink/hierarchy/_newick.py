"""The tree in Newick format, which programs for phylogenetic trees read."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from ordlink._typing import BoolArray
from ordlink.hierarchy._structure import kept_parents

if TYPE_CHECKING:
    from ordlink.hierarchy._hierarchy import Hierarchy

# A bare underscore means a blank in Newick, so a name with one is quoted like all the rest.
_BARE_NAME = re.compile(r"[A-Za-z0-9.+-]+")


def newick_name(name: str) -> str:
    """Quote a name where Newick needs it.

    Examples
    --------
    >>> print(newick_name("bear"), newick_name("polar bear"), newick_name("Steller's jay"))
    bear 'polar bear' 'Steller''s jay'
    """
    if _BARE_NAME.fullmatch(name):
        return name
    return "'" + name.replace("'", "''") + "'"


def to_newick(tree: Hierarchy, collapsed: BoolArray) -> str:
    """Write the tree in Newick format; a branch is as long as the merge ranks it spans.

    Merges marked as collapsed are left out, the others carry their support.
    """
    n = tree.n_objects
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
            tokens.append(newick_name(tree.name_of(item)) + length)
        else:
            left, right = tree.merges[item - n].tolist()
            if collapsed[item - n]:  # no brackets: its children stand among its siblings
                pending += [right, ",", left]
            else:
                pending += [f"){_support_label(tree, item)}{length}", right, ",", left, "("]
    return "".join(tokens) + ";"


def _support_label(tree: Hierarchy, node: int) -> str:
    support = float(tree.support[node - tree.n_objects])
    is_root = node == 2 * tree.n_objects - 2  # every tree has the cluster of all objects
    return "" if is_root or math.isnan(support) else f"{support:.4g}"
