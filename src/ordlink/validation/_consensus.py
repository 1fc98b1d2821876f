"""Majority-rule consensus: the clusters that more than half of the trees have."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np

from ordlink._typing import Int32Array
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy


def consensus_tree(trees: Sequence[Hierarchy], *, min_share: float = 0.5) -> Hierarchy:
    """Return the tree of the clusters that more than `min_share` of the trees have.

    Any two clusters that more than half of the trees have are both in one of these, so they fit
    together. The consensus is in general not binary. It comes as a binary tree whose `support`
    is the share of the trees that have the cluster, and 0 for the merges that are there only to
    make it binary; drawings and files leave those out with ``min_support=0.5``. Merges are
    ordered by size, since the trees agree about no other order.

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
        If there are no trees, or they are of different numbers of objects.

    Examples
    --------
    >>> first, second = Hierarchy([[0, 1], [2, 4], [3, 5]]), Hierarchy([[0, 1], [3, 4], [2, 5]])
    >>> consensus_tree([first, first, second, second]).to_newick(min_support=0.5)
    '((0:1,1:1)1:2,2:3,3:3);'
    """
    if not trees:
        raise InputError("trees: expected at least one tree, got none.")
    n_objects = trees[0].n_objects
    for number, tree in enumerate(trees):
        if tree.n_objects != n_objects:
            raise InputError(
                f"trees: expected trees of the same objects, got {n_objects} objects in the first "
                f"and {tree.n_objects} in tree {number}; leave out other trees."
            )
    if not 0.5 <= min_share < 1:
        raise InputError(
            f"min_share: expected from 0.5 to below 1, got {min_share}; clusters of fewer trees "
            "need not fit together."
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
    """Count each cluster, known by a number that two clusters share with chance 2^-128.

    Objects have random numbers, and a cluster the exclusive or of those of its objects.
    """
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
    """Build the binary tree of clusters that fit together, the small ones first."""
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
