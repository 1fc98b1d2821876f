"""Objects renumbered by their order in the answers, independent of their original numbers.

Sums in another order are rounded differently, which can change the tree. So that renumbering the
objects only renumbers the tree, the order depends on the answers alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ordlink._typing import Int32Array
from ordlink.comparisons import ListedComparisons, n_pairs, pair_ids, pair_members
from ordlink.hierarchy import Hierarchy

_SEED = 20190104
_AT_ONCE = 1 << 16


def order_of_appearance(comparisons: ListedComparisons) -> Int32Array:
    """Return the objects in the order in which the answers first name them.

    Those that first appear together are ordered by the comparisons that they win and lose; objects
    that no answer distinguishes stay in the order of their numbers.

    >>> from ordlink import Comparisons
    >>> order_of_appearance(Comparisons.from_triplets([[3, 1, 2], [1, 3, 0]]))[-1]
    np.int32(0)
    """
    n, n_rows = comparisons.n_objects, comparisons.n_rows
    bits = 52 - n_rows.bit_length()  # whole numbers whose sums are exact in any order
    marks = np.floor(np.random.default_rng(_SEED).random(n_rows) * 2.0**bits)
    first = np.full(n, n_rows)
    sums = np.zeros((2, n))  # of the marks of the comparisons won, and lost: hardly ever equal
    low_high = np.triu_indices(n, 1)
    for side, pairs in enumerate((comparisons.winners, comparisons.losers)):
        by_pair = np.bincount(pairs, marks, minlength=n_pairs(n))
        for objects in low_high:
            sums[side] += np.bincount(objects, by_pair, minlength=n)
        for begin in range(0, n_rows, _AT_ONCE):
            if first.max() < begin:  # mostly, all objects are named soon
                break
            rows = np.arange(begin, min(begin + _AT_ONCE, n_rows))
            for members in pair_members(pairs[rows], n):
                np.minimum.at(first, members, rows)
    return np.lexsort((*sums, first)).astype(np.int32)


def new_pair_ids(order: Int32Array) -> Int32Array:
    """Return the id of each pair of objects once object ``order[k]`` is called k."""
    n = len(order)
    new_number = np.argsort(order).astype(np.int32)
    low, high = np.triu_indices(n, 1)
    return pair_ids(new_number[low], new_number[high], n)


def permute_objects(comparisons: ListedComparisons, order: Int32Array) -> ListedComparisons:
    """Return the comparisons in which object ``order[k]`` is called k, without names."""
    ids = new_pair_ids(order)
    return replace(
        comparisons,
        winners=ids[comparisons.winners],
        losers=ids[comparisons.losers],
        names=None,
        distinct=comparisons.tally.majority is None,
    )


def restore_objects(
    tree: Hierarchy, order: Int32Array, names: Sequence[str] | None = None
) -> Hierarchy:
    """Return the tree in which k is object ``order[k]`` again."""
    nodes = np.concatenate([order, np.arange(len(order), 2 * len(order) - 1)])
    return Hierarchy(nodes[tree.merges], scores=tree.scores, tied=tree.tied, names=names)
