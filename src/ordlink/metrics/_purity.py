"""Dendrogram purity: whether objects of one class meet in clusters of that class."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.metrics._checks import check_tree
from ordlink.metrics._labels import check_labels


def dendrogram_purity(labels: ArrayLike, tree: Hierarchy) -> float:
    """Return the expected purity of the cluster in which two objects of one class meet.

    Two objects of the same class are drawn at random; the value is the mean share of that class
    in the smallest cluster that holds both. It is 1 exactly where every class is a cluster.

    Parameters
    ----------
    labels : array_like of int of shape (n_objects,)
        The class of each object. For several levels, judge them one by one.
    tree : Hierarchy
        The tree to judge.

    Returns
    -------
    float
        Above 0, at most 1; 1 where no two objects share a class. O(n_objects * n_classes) time
        and memory.

    Raises
    ------
    InputError, InputKindError
        If the labels are not one whole number per object.

    References
    ----------
    K. A. Heller, Z. Ghahramani: Bayesian hierarchical clustering, ICML 2005.

    Examples
    --------
    >>> from ordlink.hierarchy import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]])
    >>> dendrogram_purity([0, 0, 1, 1], tree), dendrogram_purity([0, 1, 0, 1], tree)
    (1.0, 0.5)
    """
    check_tree(tree, "the labels come first, then the tree")
    rows = check_labels(labels, tree.n_objects)
    if len(rows) > 1:
        raise InputError(
            f"labels: expected one label per object, got {len(rows)} rows of labels; judge the "
            "levels one by one."
        )
    classes = np.unique(rows[0], return_inverse=True)[1].ravel()
    counts = np.zeros((2 * tree.n_objects - 1, classes.max() + 1), dtype=np.int32)
    counts[np.arange(tree.n_objects), classes] = 1
    purity, n_pairs = 0.0, 0
    for t, (left, right) in enumerate(tree.merges.tolist()):
        merged = counts[left] + counts[right]
        counts[tree.n_objects + t] = merged
        meeting = counts[left].astype(np.int64) * counts[right]  # pairs of each class
        purity += float(meeting @ merged) / int(tree.sizes[tree.n_objects + t])
        n_pairs += int(meeting.sum())
    return purity / n_pairs if n_pairs else 1.0
