"""Cophenetic correlation: whether pairs merge in the order of their similarity."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ordlink.comparisons import check_similarities
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_same_objects, check_tree


def cophenetic_correlation(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> float:
    """Return the correlation between dissimilarity and the height at which pairs are merged.

    Pearson's correlation over all pairs. The height of merge t is t + 1, as in
    `Hierarchy.linkage`: methods on comparisons know an order and no distances.

    Parameters
    ----------
    truth : array_like of shape (n_objects, n_objects) or Hierarchy
        Known similarities (symmetric, the diagonal is ignored), or another tree, whose pairs are
        the more similar the earlier they are merged.
    tree : Hierarchy
        The tree to judge.

    Returns
    -------
    float
        From -1 to 1; 1 where the heights are a linear function of the dissimilarities.

    Raises
    ------
    InputError, InputKindError
        If there are fewer than three objects or all similarities are equal, so that there is
        nothing to correlate, or the truth is not one of the tree's objects.

    References
    ----------
    R. R. Sokal, F. J. Rohlf: The comparison of dendrograms by objective methods, Taxon 1962.

    Examples
    --------
    >>> from ordlink.hierarchy import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3]])
    >>> round(cophenetic_correlation([[0, 3, 1], [3, 0, 2], [1, 2, 0]], tree), 3)
    0.866
    """
    check_tree(tree, "the truth comes first, then the tree")
    if isinstance(truth, Hierarchy):
        check_same_objects(truth, tree)
        dissimilarities = truth.lca_ranks().astype(np.float64)
    else:
        dissimilarities = -check_similarities(truth, n_objects=tree.n_objects)
    if tree.n_objects < 3:
        raise InputError(
            f"tree: expected at least three objects, got {tree.n_objects}; fewer have one pair at "
            "most, and nothing to correlate."
        )
    upper = np.triu_indices(tree.n_objects, 1)
    far = dissimilarities[upper]
    if far.min() == far.max():
        raise InputError(
            f"truth: expected similarities that differ, got {-far[0]} for all pairs; there is "
            "nothing to correlate."
        )
    far = far - far[0]  # so that a large common offset costs no digits
    return float(np.corrcoef(far, tree.lca_ranks()[upper])[0, 1])
