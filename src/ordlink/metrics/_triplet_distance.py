"""Triplet distance: of how many three objects two trees join different ones first."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ordlink.hierarchy import Hierarchy
from ordlink.metrics._true_clusters import true_clusters


def triplet_distance(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> float:
    """Return the share of the triples of objects that the tree resolves in another way.

    Of three objects a binary tree joins two first. Where the truth is not binary it leaves some
    triples open, since three branches meet at one node; these do not count, whatever the tree
    does. Random relabelling of the leaves gives 2/3 on average.

    Parameters
    ----------
    truth : Hierarchy, or array_like of int of shape (n_levels, n_objects)
        The true tree, or the true partitions, which must nest.
    tree : Hierarchy
        The tree to judge.

    Returns
    -------
    float
        From 0 to 1; 0 where the truth resolves no triple, as for fewer than three objects.
        O(n_objects^2) time and memory.

    Raises
    ------
    InputError, InputKindError
        If the truth is not one of the tree's objects, or its levels do not nest.

    References
    ----------
    D. E. Critchlow, D. K. Pearl, C. Qian: The triples distance for rooted bifurcating phylogenetic
    trees, Systematic Biology 1996.

    Examples
    --------
    >>> from ordlink.hierarchy import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 4], [3, 5]])
    >>> triplet_distance(Hierarchy([[0, 1], [2, 3], [4, 5]]), tree)
    0.5
    >>> triplet_distance([0, 0, 1, 1], tree)
    0.5
    """
    true = true_clusters(truth, tree)
    upper = np.triu_indices(tree.n_objects, 1)
    true_nodes, nodes = true.lca[upper], tree.lca_ranks()[upper]
    # i and j are joined before k where k lies outside the smallest cluster that holds them. So
    # each pair is joined before N - |cluster| others, and in both trees before N - |union|.
    outside_true = tree.n_objects - true.sizes[true_nodes].astype(np.int64)
    in_mine_alone = tree.sizes[tree.n_objects :][nodes] - true.shared_with(tree)[nodes, true_nodes]
    n_resolved = int(outside_true.sum())
    return int(in_mine_alone.sum()) / n_resolved if n_resolved else 0.0
