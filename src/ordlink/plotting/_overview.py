"""The upper part of a large tree: its lowest clusters are drawn as single leaves."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ordlink._text import counted
from ordlink._typing import Int32Array
from ordlink.hierarchy import Hierarchy
from ordlink.hierarchy._text import fit

MOST_LISTED = 8  # names that a leaf lists at most; what does not fit is cut off anyway


@dataclass(frozen=True, eq=False)
class Overview:
    """A tree whose leaves are groups of objects."""

    tree: Hierarchy  # of the groups
    members: tuple[Int32Array, ...]  # the objects of each group
    labels: tuple[str, ...]  # a name for each, or the number of objects and the first names

    @property
    def is_cut(self) -> bool:
        """Whether any group has several objects."""
        return any(len(group) > 1 for group in self.members)


def overview(
    tree: Hierarchy,
    max_leaves: int | None,
    leaf_order: Int32Array,
    tops: Sequence[int] | None = None,
) -> Overview:
    """Return the upper part of the tree with at most `max_leaves` leaves; None keeps all.

    The nodes `tops` are opened (by default the root), and then always the largest group, so that
    groups are as small as possible. Their objects are listed in the order of the leaves. Merges
    keep their support.
    """
    n = tree.n_objects
    if max_leaves is None or n <= max_leaves:
        members = tuple(np.array([i], dtype=np.int32) for i in range(n))
        return Overview(tree, members, tree.labels_text)
    place = np.empty(n, dtype=np.int64)
    place[leaf_order] = np.arange(n)
    nodes = _largest_opened(tree, list(tops or [2 * n - 2]), max_leaves)
    groups = [tree.members(node) for node in nodes]
    groups = [group[np.argsort(place[group])] for group in groups]
    top = tree.restrict(np.array([group.min() for group in groups]))
    return Overview(top, tuple(groups), tuple(_label(tree, group) for group in groups))


def _largest_opened(tree: Hierarchy, nodes: list[int], n_wanted: int) -> list[int]:
    """Return so many nodes that hold all objects; equal sizes are opened from the root down."""
    opened = [(-int(tree.sizes[node]), -node) for node in nodes]
    heapq.heapify(opened)
    while len(opened) < n_wanted:
        _, node = heapq.heappop(opened)
        for child in tree.merges[-node - tree.n_objects].tolist():
            heapq.heappush(opened, (-int(tree.sizes[child]), -child))
    return sorted(-node for _, node in opened)


def first_in_order(groups: tuple[Int32Array, ...], leaf_order: Int32Array) -> Int32Array:
    """Return the groups in the order of their leaves."""
    place = np.empty(len(leaf_order), dtype=np.int64)
    place[leaf_order] = np.arange(len(leaf_order))
    return np.argsort([place[group[0]] for group in groups]).astype(np.int32)


def _label(tree: Hierarchy, group: Int32Array) -> str:
    names = [one_line(tree.name_of(i)) for i in group[:MOST_LISTED].tolist()]
    if len(group) == 1:
        return names[0]
    more = " ..." if len(group) > MOST_LISTED else ""
    return f"{counted(len(group), 'object')}: {', '.join(names)}{more}"


def one_line(name: str, columns: int | None = None) -> str:
    """Return a name without line breaks, shortened to so many columns of text."""
    text = " ".join(name.splitlines())
    return text if columns is None else fit(text, columns)
