"""The tree in Newick format, which programs for phylogenetic trees read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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


def to_newick(tree: Hierarchy) -> str:
    """Write the tree in Newick format; a branch is as long as the merge ranks it spans."""
    n, parents = tree.n_objects, tree.parents
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
            pending += [f"){length}", right, ",", left, "("]
    return "".join(tokens) + ";"
