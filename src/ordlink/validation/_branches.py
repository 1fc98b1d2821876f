"""Branches of a tree found in other trees, exactly or nearly, and the majority-rule consensus."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ordlink._typing import BoolArray, FloatArray, Int32Array
from ordlink.comparisons import Comparisons, ListedComparisons, find_named
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.hierarchy._structure import restrict_merges

FIRM_SUPPORT, WEAK_SUPPORT = 0.95, 0.5
"""From the first on a branch is called firm; below the second it is not supported."""
NEAR_ENOUGH = 4
"""A counterpart is near if it differs by at most a quarter of the largest possible difference."""


def firm_branches(tree: Hierarchy) -> list[int]:
    """Return the merges below the root whose support is at least `FIRM_SUPPORT`, largest first.

    Examples
    --------
    >>> firm_branches(Hierarchy([[0, 1], [2, 3], [4, 5]]).with_support([0.96, 0.7, 1.0]))
    [0]
    """
    firm = np.flatnonzero(tree.support[:-1] >= FIRM_SUPPORT)
    sizes = tree.sizes[tree.n_objects :]
    return sorted(firm.tolist(), key=lambda t: (-int(sizes[t]), t))


@dataclass(frozen=True, eq=False)
class Matches:
    """How often the branches of a tree occur in other trees; one entry per merge.

    Attributes
    ----------
    shares : ndarray of shape (N-1,), dtype float64
        Share of the trees that have exactly the branch.
    transfers : ndarray of shape (N-1,), dtype float64
        Transfer support: 1 minus the mean number of objects that must move to make the branch,
        as a share of the largest possible number.
    weakest : ndarray of shape (N-1,), dtype float64
        Share of the trees that have nearly the branch, with a given object on the right side of
        it: the minimum over objects.
    """

    shares: FloatArray
    transfers: FloatArray
    weakest: FloatArray


def match_branches(tree: Hierarchy, trees: Sequence[Hierarchy]) -> Matches:
    """Look for each branch of a tree in others, in O(N^2) time per tree and O(N^2) memory.

    The counterpart of a branch is the cluster that differs from it by the fewest objects (the
    lowest of equals). For a branch of p objects these are at most p - 1, as for any single one of
    its objects, and at most N - p, as for the root. A tree has nearly the branch if the counterpart
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
    """Look for each branch of a tree in others, among the objects that occur in the answers.

    The position of other objects is arbitrary. Merges that only place one of them are found in no
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
    """Return which objects each merge contains: shape (N-1, N), dtype bool."""
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


def consensus_tree(trees: Sequence[Hierarchy], *, min_share: float = 0.5) -> Hierarchy:
    """Return the tree of the clusters that more than `min_share` of the trees have.

    Any two clusters that more than half of the trees have occur together in one of them, so they
    are compatible. The consensus is in general not binary. It is returned as a binary tree whose
    `support` is the share of the trees that have the cluster, and 0 for merges that only make it
    binary; ``min_support=0.5`` hides those in drawings and files. Merges are ordered by size.

    Parameters
    ----------
    trees : sequence of Hierarchy
        Trees of the same objects.
    min_share : float
        At least 0.5, below 1.

    Returns
    -------
    Hierarchy

    Raises
    ------
    InputError
        If there are no trees, or they differ in their number of objects.

    Examples
    --------
    >>> first, second = Hierarchy([[0, 1], [2, 4], [3, 5]]), Hierarchy([[0, 1], [3, 4], [2, 5]])
    >>> consensus_tree([first, first, second, second]).to_newick(min_support=0.5)
    '((0:1,1:1)1:2,2:3,3:3);'
    """
    if not trees:
        raise InputError("expected at least one tree, got none", parameter="trees")
    n_objects = trees[0].n_objects
    for number, tree in enumerate(trees):
        if tree.n_objects != n_objects:
            raise InputError(
                f"expected trees of the same objects, got {n_objects} objects in the first and "
                f"{tree.n_objects} in tree {number}",
                parameter="trees",
            )
    if not 0.5 <= min_share < 1:
        raise InputError(
            f"expected from 0.5 to below 1, got {min_share}; clusters of fewer trees need not be "
            "compatible",
            parameter="min_share",
        )
    counts, example = _count_clusters(trees)
    kept = [key for key, count in counts.items() if count > min_share * len(trees)]
    clusters = []
    for key in kept:
        number, node = example[key]
        clusters.append((trees[number].members(node), counts[key] / len(trees)))
    return _join(clusters, n_objects, trees[0].names)


def _count_clusters(
    trees: Sequence[Hierarchy],
) -> tuple[Counter[int], dict[int, tuple[int, int]]]:
    """Count each cluster by its key, the exclusive or of random 128-bit keys of its objects."""
    generator = random.Random(0)
    of_object = [generator.getrandbits(128) for _ in range(trees[0].n_objects)]
    counts: Counter[int] = Counter()
    example: dict[int, tuple[int, int]] = {}
    for number, tree in enumerate(trees):
        keys = list(of_object)
        for left, right in tree.merges.tolist():
            example.setdefault(keys[left] ^ keys[right], (number, len(keys)))
            keys.append(keys[left] ^ keys[right])
        counts.update(keys[tree.n_objects :])
    return counts, example


def _join(
    clusters: list[tuple[Int32Array, float]], n_objects: int, names: tuple[str, ...] | None
) -> Hierarchy:
    """Build the binary tree of compatible clusters, small ones first."""
    clusters.sort(key=lambda entry: (len(entry[0]), entry[0].tolist()))
    top = np.arange(n_objects)  # the highest node so far over each object
    merges: list[tuple[int, int]] = []
    support: list[float] = []
    for members, share in clusters:
        parts = np.unique(top[members]).tolist()
        node = parts[0]
        for part in parts[1:]:
            merges.append((node, part))
            support.append(0.0)
            node = n_objects + len(merges) - 1
        support[-1] = share
        top[members] = node
    return Hierarchy(np.array(merges).reshape(-1, 2), names=names).with_support(support)
