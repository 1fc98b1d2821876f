"""Trees of parts that were never compared with each other, and the one tree that they make up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordlink._typing import Int64Array
from ordlink.comparisons import ListedComparisons, find_named, find_parts
from ordlink.hierarchy import Hierarchy


def list_parts(
    comparisons: ListedComparisons, clusters: Sequence[Sequence[int]] = ()
) -> list[Int64Array]:
    """Return the objects of each part, large parts first, equal ones by their first objects.

    Parts without a comparison are left out.

    Parameters
    ----------
    comparisons : ListedComparisons
        Each links the objects that it names.
    clusters : sequence of sequences of int
        Initial clusters; each links its objects.
    """
    part_of = find_parts(comparisons)
    for cluster in clusters:
        linked = part_of[list(cluster)]
        part_of[np.isin(part_of, linked)] = linked.min()
    of_named = np.unique(part_of[find_named(comparisons)])
    parts = [np.flatnonzero(part_of == part) for part in of_named]
    return sorted(parts, key=lambda part: (-len(part), int(part[0])))


def join_trees(parts: Sequence[Int64Array], trees: Sequence[Hierarchy]) -> Hierarchy:
    """Return the tree of all parts: they join last, in their order, which means nothing.

    From the root down, parts are taken apart side by side: the weakest merge of all that are left
    comes first.

    Parameters
    ----------
    parts : sequence of ndarrays
        The objects of each part.
    trees : sequence of Hierarchy
        The tree of each part, its objects numbered as they come there.
    """
    n_objects = sum(len(part) for part in parts)
    order = _from_the_root_down(trees)[::-1]
    merges = np.zeros((n_objects - 1, 2), dtype=np.int32)
    scores = np.full(n_objects - 1, np.nan)
    tied = np.ones(n_objects - 1, dtype=bool)
    nodes = [
        np.concatenate([part, np.zeros(len(part) - 1, dtype=np.int64)]) for part in parts
    ]  # of each part's own nodes in the whole tree
    for row, (which, own) in enumerate(order):
        tree = trees[which]
        merges[row] = nodes[which][tree.merges[own]]
        scores[row], tied[row] = tree.scores[own], tree.tied[own]
        nodes[which][len(parts[which]) + own] = n_objects + row
    whole = int(nodes[0][-1])
    for row, part in enumerate(nodes[1:], start=len(order)):
        merges[row] = whole, part[-1]
        whole = n_objects + row
    return Hierarchy(merges, scores=scores, tied=tied)


def _from_the_root_down(trees: Sequence[Hierarchy]) -> list[tuple[int, int]]:
    """Return (part, merge) of all merges, those of one part in their order."""
    left = {which: len(tree.merges) - 1 for which, tree in enumerate(trees)}
    order = []
    while left:
        weakest = min(left, key=lambda which: (*_rank(trees[which], left[which]), which))
        order.append((weakest, left[weakest]))
        left[weakest] -= 1
        if left[weakest] < 0:
            del left[weakest]
    return order


def _rank(tree: Hierarchy, merge: int) -> tuple[int, float]:
    """Return the place of a merge: from the root down, merges inside initial clusters come last.

    These have no score and are not tied; before them come merges of which nothing is known.
    """
    score = float(tree.scores[merge])
    if not np.isnan(score):
        return 0, score
    return (1, 0.0) if tree.tied[merge] else (2, 0.0)
