"""Robinson-Foulds distance: how many clusters two trees do not share."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ordlink.hierarchy import Hierarchy
from ordlink.metrics._true_clusters import true_clusters


def robinson_foulds(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> int:
    """Return the number of true clusters that are missing plus that of false ones: lower is better.

    A true cluster is missing if the tree does not have exactly it; a cluster of the tree is false
    if it cuts across a true one (they overlap, and neither holds the other). Single objects and
    the cluster of all objects, which every tree has, do not count.

    Where the truth is a binary tree this is the Robinson-Foulds distance of rooted trees, the
    number of clusters in one of the two trees alone. Where it is not, a binary tree must have
    clusters that the truth says nothing about: they refine it, and are not held against the tree.

    Parameters
    ----------
    truth : Hierarchy, or array_like of int of shape (n_levels, n_objects)
        The true tree, or the true partitions, which must nest.
    tree : Hierarchy
        The tree to judge.

    Returns
    -------
    int
        0 where the tree has all true clusters. O(n_objects * n_true_clusters) time and memory.

    Raises
    ------
    InputError, InputKindError
        If the truth is not one of the tree's objects, or its levels do not nest.

    References
    ----------
    D. F. Robinson, L. R. Foulds: Comparison of phylogenetic trees, Mathematical Biosciences 1981.

    Examples
    --------
    >>> from ordlink.hierarchy import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 4], [3, 5]])
    >>> robinson_foulds(Hierarchy([[0, 1], [2, 3], [4, 5]]), tree)
    2
    >>> robinson_foulds([0, 0, 0, 1], tree)
    0
    """
    return _compare(truth, tree)[0]


def normalised_robinson_foulds(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> float:
    """Return the Robinson-Foulds distance as a share of the clusters: from 0 to 1.

    `robinson_foulds` divided by the number of true clusters plus that of the tree, single objects
    and the cluster of all objects aside; 0 for fewer than three objects, which have one tree.

    Parameters
    ----------
    truth, tree
        As in `robinson_foulds`.

    Returns
    -------
    float

    Examples
    --------
    >>> from ordlink.hierarchy import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 4], [3, 5]])
    >>> normalised_robinson_foulds(Hierarchy([[0, 1], [2, 3], [4, 5]]), tree)
    0.5
    """
    distance, n_clusters = _compare(truth, tree)
    return distance / n_clusters if n_clusters else 0.0


def _compare(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> tuple[int, int]:
    """Return the distance, and the number of clusters of both trees that could count."""
    true = true_clusters(truth, tree)
    proper = true.sizes < tree.n_objects
    true_sizes = true.sizes[proper]
    shared = true.shared_with(tree)[:-1][:, proper]  # the last merge is of all objects
    sizes = tree.sizes[tree.n_objects : -1][:, None]
    whole_mine, whole_true = shared == sizes, shared == true_sizes
    n_missing = len(true_sizes) - int((whole_mine & whole_true).any(axis=0).sum())
    n_false = int(((shared > 0) & ~whole_mine & ~whole_true).any(axis=1).sum())
    return n_missing + n_false, len(true_sizes) + len(sizes)
