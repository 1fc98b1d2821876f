"""Branches of a tree against the planted one, and how well support tells them apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordlink._typing import BoolArray
from ordlink.hierarchy import Hierarchy
from ordlink.validation._support import members_of

PLANTED, INSIDE, JOINS, CONFLICTS = "planted", "inside", "joins", "conflicts"
"""Kinds of branches; only those of the last kind contradict the planted tree."""


def kinds_of_branches(tree: Hierarchy, clusters: BoolArray) -> list[str]:
    """Return the kind of each branch but the root, in the order of the merges.

    A branch is `planted` if it is a planted cluster. It `conflicts` if, for some planted cluster,
    it is neither inside, nor contains it, nor is disjoint from it. The others fit: `inside` a pure
    cluster, where the planted tree says nothing, or one that `joins` several but not all branches
    of a planted cluster, as in any binary tree of a star.

    Parameters
    ----------
    tree : Hierarchy
        The tree.
    clusters : ndarray of shape (n_clusters, N), dtype bool
        Which objects each planted cluster holds, the root and the pure clusters included.

    Examples
    --------
    >>> clusters = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 0, 0, 1, 1]], dtype=bool)
    >>> kinds_of_branches(Hierarchy([[0, 1], [2, 5], [3, 4], [6, 7]]), clusters)
    ['inside', 'planted', 'planted']
    >>> kinds_of_branches(Hierarchy([[0, 1], [2, 3], [4, 6], [5, 7]]), clusters)
    ['inside', 'conflicts', 'conflicts']
    """
    branches = members_of(tree)[:-1].astype(np.int64)
    known = clusters.astype(np.int64)
    shared = branches @ known.T
    sizes, true_sizes = branches.sum(axis=1)[:, None], known.sum(axis=1)
    contains = shared == true_sizes
    within = shared == sizes
    conflicts = ((shared > 0) & ~contains & ~within).any(axis=1)
    planted = (contains & within).any(axis=1)
    kinds = np.select(
        [conflicts, planted, contains.any(axis=1)], [CONFLICTS, PLANTED, JOINS], default=INSIDE
    )
    return [str(kind) for kind in kinds]


def separation(higher: Sequence[float], lower: Sequence[float]) -> float:
    """Return the AUC: how often a value of the first kind is above one of the second.

    Ties count one half. NaN where there is no value of either kind.

    Examples
    --------
    >>> separation([0.9, 0.5], [0.5, 0.1])
    0.875
    """
    from scipy.stats import rankdata

    n_higher, n_lower = len(higher), len(lower)
    if not n_higher or not n_lower:
        return float("nan")
    ranks = rankdata(np.concatenate([higher, lower]))
    above = ranks[:n_higher].sum() - n_higher * (n_higher + 1) / 2
    return float(above / (n_higher * n_lower))
