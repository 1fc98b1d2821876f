"""Support of branches by literal sets: the share of trees, transfers, the weakest object."""

from collections.abc import Sequence
from fractions import Fraction

Clusters = Sequence[frozenset[int]]


def support(branch: frozenset[int], trees: Sequence[Clusters], n_objects: int) -> tuple:
    """Share, transfer support and share for the weakest object of a branch.

    The clusters of each tree come in the order of its merges; of equally near ones the first is
    the counterpart.
    """
    most = min(len(branch) - 1, n_objects - len(branch))
    found, moved = 0, Fraction(0)
    right = dict.fromkeys(range(n_objects), 0)
    for clusters in trees:
        nearest = min(clusters, key=lambda cluster: len(cluster ^ branch))
        distance = len(nearest ^ branch)
        found += distance == 0
        moved += Fraction(min(distance, most), max(most, 1))
        for i in right:
            right[i] += 4 * distance <= most and (i in nearest) == (i in branch)
    n_trees = len(trees)
    return (
        Fraction(found, n_trees),
        1 - moved / n_trees,
        Fraction(min(right.values()), n_trees),
    )
