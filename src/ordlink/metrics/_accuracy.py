"""Share of comparisons that a tree agrees with."""

from __future__ import annotations

import numpy as np

from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_tree


def comparison_accuracy(tree: Hierarchy, comparisons: Comparisons) -> float:
    """Return the share of comparisons that the tree agrees with.

    The tree agrees with (i, j, k, l), "i and j are more alike than k and l", where the lowest
    cluster that holds i and j was merged before the lowest one that holds k and l. It says
    nothing where both are the same cluster, which counts one half; so a tree that knows nothing
    scores about 0.5. A comparison that was given several times counts as many times.

    For triplets (i, j, k) the two clusters both hold i, hence one lies inside the other, and the
    rule depends on the shape of the tree alone: i and j are closer than i and k where they meet
    below. Merge order decides only for pairs in different branches.

    Judge a tree on comparisons that were not used to build it.

    Parameters
    ----------
    tree : Hierarchy
        The tree to judge.
    comparisons : ListedComparisons
        Comparisons of the same objects.

    Returns
    -------
    float
        From 0 to 1. O(n_objects^2 + n_comparisons) time and memory.

    Raises
    ------
    InputError
        If there are no comparisons, or they are of another number of objects.
    InputKindError
        If the comparisons are not listed.

    Examples
    --------
    >>> from ordlink.comparisons import Comparisons
    >>> from ordlink.hierarchy import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> answers = Comparisons.from_quadruplets([[0, 1, 2, 3], [0, 2, 0, 1], [0, 2, 1, 3]])
    >>> comparison_accuracy(tree, answers)
    0.5
    """
    check_tree(tree, "the tree comes first, then the comparisons")
    if not isinstance(comparisons, ListedComparisons):
        raise InputKindError(
            f"comparisons: expected listed comparisons, got {type(comparisons).__name__}; "
            "sample some of them, for instance with Comparisons.from_similarities(similarities, "
            "0.1)."
        )
    if comparisons.n_objects != tree.n_objects:
        raise InputError(
            f"comparisons: expected {tree.n_objects} objects as in the tree, got "
            f"{comparisons.n_objects}; pass the comparisons of the tree's objects."
        )
    quadruplets, counts = comparisons.quadruplets, comparisons.counts
    if not len(quadruplets):
        raise InputError("comparisons: expected at least one comparison, got none.")
    ranks = tree.lca_ranks()
    i, j, k, left = quadruplets.T
    order = np.sign(ranks[k, left].astype(np.int64) - ranks[i, j])  # +1 agrees, 0 silent
    return float(np.average((1 + order) / 2, weights=counts))
