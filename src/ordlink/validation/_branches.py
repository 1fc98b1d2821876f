"""The branches of a tree found again in other trees, exactly or nearly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ordlink._typing import BoolArray, FloatArray, Int32Array
from ordlink.comparisons import Comparisons, ListedComparisons, find_named
from ordlink.hierarchy import Hierarchy
from ordlink.hierarchy._structure import restrict_merges

NEAR_ENOUGH = 4
"""A counterpart is near if it differs by at most one part in so many of the most it could."""


@dataclass(frozen=True, eq=False)
class Matches:
    """How the branches of a tree are found in other trees; one entry per merge.

    Attributes
    ----------
    shares : ndarray of shape (N-1,), dtype float64
        Share of the trees that have exactly the branch.
    transfers : ndarray of shape (N-1,), dtype float64
        1 minus the mean number of objects that must move to make the branch, as a share of the
        most that could be needed.
    weakest : ndarray of shape (N-1,), dtype float64
        Share of the trees that have the branch nearly, with a given object on its side of it:
        of all objects, the one where this is lowest.
    """

    shares: FloatArray
    transfers: FloatArray
    weakest: FloatArray


def match_branches(tree: Hierarchy, trees: Sequence[Hierarchy]) -> Matches:
    """Look for each branch of a tree in others: O(N^2) time for each, and memory.

    The counterpart of a branch is the cluster that differs from it by fewest objects (the
    lowest of equals). For a branch of p objects that is at most p - 1, as for any one of its
    objects, and at most N - p, as for the root. A tree has the branch nearly if the counterpart
    differs by at most a quarter of that: exactly, for branches of up to four objects.
    """
    n = tree.n_objects
    mine = members_of(tree)
    sizes = tree.sizes[n:]
    found = np.zeros(n - 1, dtype=np.int64)
    moved = np.zeros(n - 1, dtype=np.int64)
    right_side = np.zeros((n - 1, n), dtype=np.int32)
    most = np.minimum(sizes - 1, n - sizes)
    for other in trees:
        distances = sizes + other.sizes[n:, None] - 2 * _shared(other, mine)
        nearest = distances.argmin(axis=0)
        distance = distances[nearest, np.arange(n - 1)]
        found += distance == 0
        moved += np.minimum(distance, most)
        nearly = NEAR_ENOUGH * distance <= most
        right_side += (members_of(other)[nearest] == mine) & nearly[:, None]
    transfers = 1 - moved / np.maximum(most * len(trees), 1)
    weakest = right_side.min(axis=1) / len(trees)
    return Matches(found / len(trees), transfers, weakest)


def match_known_branches(
    tree: Hierarchy, trees: Sequence[Hierarchy], comparisons: Comparisons
) -> Matches:
    """Look for each branch in other trees, by the objects that the answers name.

    Where the others are says nothing. Merges that only tell where one of them goes are found in no
    tree.
    """
    n = tree.n_objects
    named = np.arange(n)
    if isinstance(comparisons, ListedComparisons):
        named = find_named(comparisons)
    if len(named) == n or len(named) < 2:
        return match_branches(tree, trees)
    _, rows = restrict_merges(tree.merges, named.astype(np.int32))
    found = match_branches(tree.restrict(named), [other.restrict(named) for other in trees])
    in_all = np.zeros((3, n - 1))
    in_all[:, -1] = 1.0
    in_all[:, rows] = found.shares, found.transfers, found.weakest
    return Matches(*in_all)


def members_of(tree: Hierarchy) -> BoolArray:
    """Return which objects each merge holds: shape (N-1, N), dtype bool."""
    n = tree.n_objects
    members = np.zeros((2 * n - 1, n), dtype=np.bool_)
    members[np.arange(n), np.arange(n)] = True
    for t, (left, right) in enumerate(tree.merges.tolist()):
        np.logical_or(members[left], members[right], out=members[n + t])
    return members[n:]


def _shared(other: Hierarchy, mine: BoolArray) -> Int32Array:
    """Count the objects in both merge s of the other tree and branch t: shape (N-1, N-1)."""
    n = other.n_objects
    shared = np.empty((2 * n - 1, n - 1), dtype=np.int32)
    shared[:n] = mine.T
    for s, (left, right) in enumerate(other.merges.tolist()):
        np.add(shared[left], shared[right], out=shared[n + s])
    return shared[n:]
