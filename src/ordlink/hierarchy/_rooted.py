"""Any rooted tree, as files and graphs have them, made into a binary one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ordlink._text import counted, listed, quoted
from ordlink._validate import check_names
from ordlink.errors import InputError
from ordlink.hierarchy._linkage import is_ranks

if TYPE_CHECKING:
    from ordlink.hierarchy._hierarchy import Hierarchy


@dataclass(eq=False)
class RootedTree:
    """Nodes in any number under each other, in the order in which they were added.

    Parents come before their children. A node has a label or None, the length of the branch above
    it and its support (NaN if unknown).
    """

    parents: list[int] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)
    support: list[float] = field(default_factory=list)

    def add(self, parent: int) -> int:
        """Add a node under `parent` (-1 for the root) and return its number."""
        self.parents.append(parent)
        self.labels.append(None)
        self.lengths.append(math.nan)
        self.support.append(math.nan)
        return len(self.parents) - 1

    def to_hierarchy(
        self, tree_type: type[Hierarchy], names: Sequence[str] | None, where: str
    ) -> Hierarchy:
        """Return the binary tree with the same leaves and clusters.

        Merges are in the order of their heights, the longest ways down to a leaf. A node with k > 2
        children becomes k - 1 merges of one height; all but the last have support 0 and are marked
        as tied. Nodes with one child are left out. Leaves are numbered as in `names`, if given;
        else by their names if these are 0 to N - 1, or as they appear.
        """
        children = self._children()
        leaves = [node for node, below in enumerate(children) if not below]
        objects, kept_names = self._number(leaves, names, where)
        heights, levels = self._heights(children, where)
        known = not any(map(math.isnan, heights))
        inner = [node for node, below in enumerate(children) if len(below) > 1]
        # Of equal heights, deeper nodes first; the sort keeps the order of the file otherwise.
        inner.sort(key=lambda node: (heights[node] if known else 0.0, levels[node]))
        merged = dict(zip(leaves, objects, strict=True))
        rows = _Merges(len(leaves))
        for node in inner:
            first, *others = [merged[self._below(child, children)] for child in children[node]]
            for other in others[:-1]:
                first = rows.join(first, other, heights[node], resolved=True)
            merged[node] = rows.join(first, others[-1], heights[node])
            rows.support[-1], rows.names[-1] = self.support[node], self.labels[node]
        ranked = not known or is_ranks(np.array(rows.heights))
        return tree_type(
            np.array(rows.merges, dtype=np.int64).reshape(-1, 2),
            names=kept_names,
            tied=np.array(rows.tied, dtype=bool),
            support=np.array(rows.support, dtype=float),
            heights=None if ranked else np.array(rows.heights),
            branch_names=rows.names,
        )

    def _children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self.parents]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                children[parent].append(node)
        return children

    @staticmethod
    def _below(node: int, children: list[list[int]]) -> int:
        """Return the node, or the first one below it that is a leaf or a branching."""
        while len(children[node]) == 1:
            node = children[node][0]
        return node

    def _number(
        self, leaves: list[int], names: Sequence[str] | None, where: str
    ) -> tuple[list[int], Sequence[str] | None]:
        """Return the object of each leaf, and the names of the objects."""
        found = []
        for place, leaf in enumerate(leaves):
            label = self.labels[leaf]
            if label is None or not label.strip():
                raise InputError(f"leaf {place + 1} has no name", where=where)
            found.append(label)
        wanted = check_names(names, None)
        if wanted is None:
            numbers = {str(i): i for i in range(len(leaves))}
            if numbers.keys() == set(found):
                return [numbers[name] for name in found], None
            return list(range(len(leaves))), found
        places = {name: i for i, name in enumerate(wanted)}
        if len(wanted) != len(leaves) or len(places) != len(wanted) or set(found) != set(places):
            odd = sorted(set(found) ^ set(places))
            which = f"; only one of both has {listed(odd)}" if odd else ""
            problem = (
                f"expected the {counted(len(leaves), 'leaf', 'leaves')} of the tree, each once"
            )
            raise InputError(
                f"{problem}, got {counted(len(wanted), 'name')}{which}", parameter="names"
            )
        return [places[name] for name in found], wanted

    def _heights(self, children: list[list[int]], where: str) -> tuple[list[float], list[int]]:
        """Return how far the farthest leaf under each node is, in length and in branchings."""
        heights, levels = [0.0] * len(children), [0] * len(children)
        for node in range(len(children) - 1, 0, -1):  # children before their parents
            length, parent = self.lengths[node], self.parents[node]
            if length < 0:
                problem = f"the branch of {quoted(self.labels[node])} has the length {length:g}"
                raise InputError(f"{problem}, which is negative", where=where)
            top = heights[node] + length
            if math.isnan(top) or top > heights[parent]:
                heights[parent] = top
            levels[parent] = max(levels[parent], levels[node] + (len(children[node]) > 1))
        return heights, levels


class _Merges:
    """Merges as they are added."""

    def __init__(self, n_objects: int) -> None:
        self.n_objects = n_objects
        self.merges: list[tuple[int, int]] = []
        self.heights: list[float] = []
        self.tied: list[bool] = []
        self.support: list[float] = []
        self.names: list[str | None] = []

    def join(self, one: int, other: int, height: float, *, resolved: bool = False) -> int:
        self.merges.append((one, other))
        self.heights.append(height)
        self.tied.append(resolved)
        self.support.append(0.0 if resolved else math.nan)
        self.names.append(None)
        return self.n_objects + len(self.merges) - 1
