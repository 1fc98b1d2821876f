"""Checks that the metrics share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ordlink._typing import AnyArray, FloatArray
from ordlink.comparisons import Comparisons, check_similarities
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy


def check_tree(tree: object) -> None:
    """Raise InputKindError, which gives the order of the arguments, if this is no tree."""
    if not isinstance(tree, Hierarchy):
        raise InputKindError(
            f"expected a Hierarchy, got {type(tree).__name__}",
            parameter="tree",
            remedy="the truth comes first, then the tree",
        )


def check_truth(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> AnyArray | Hierarchy:
    """Return a true tree of the same objects, or labels of shape (n_levels, n_objects)."""
    check_tree(tree)
    if not isinstance(truth, Hierarchy):
        return _check_labels(truth, tree.n_objects)
    if truth.n_objects != tree.n_objects:
        raise InputError(
            f"expected {tree.n_objects} objects as in the tree, got {truth.n_objects}",
            parameter="truth",
        )
    if truth.names is not None and tree.names is not None and truth.names != tree.names:
        i = next(i for i, name in enumerate(truth.names) if name != tree.names[i])
        raise InputError(
            f"expected the same objects in the same order as in the tree, got {truth.names[i]!r} "
            f"for object {i}, which is {tree.names[i]!r} in the tree",
            parameter="truth",
            remedy="reorder the objects of one of the trees with restrict",
        )
    return truth


def _check_labels(truth: ArrayLike, n_objects: int) -> AnyArray:
    try:
        labels: AnyArray = np.atleast_2d(np.asarray(truth))
    except ValueError as error:
        raise InputError(
            f"expected rows with one label for each of the {n_objects} objects, got rows of "
            "different lengths",
            parameter="truth",
        ) from error
    if labels.size and labels.dtype.kind not in "iu":
        raise InputKindError(
            f"expected labels that are whole numbers, or a Hierarchy, got {labels.dtype}",
            parameter="truth",
            remedy="number the classes, for instance with numpy.unique(..., return_inverse=True)",
        )
    if labels.ndim != 2 or labels.shape[1] != n_objects:
        raise InputError(
            f"expected labels of shape (n_levels, {n_objects}), one column per object of the "
            f"tree, got shape {labels.shape}",
            parameter="truth",
        )
    if not len(labels):
        raise InputError("expected at least one level, got none", parameter="truth")
    return labels


def check_matrix(similarities: ArrayLike, tree: Hierarchy) -> FloatArray:
    """Return the similarities of the tree's objects."""
    check_tree(tree)
    return check_similarities(similarities, n_objects=tree.n_objects)


def check_comparisons(comparisons: object, tree: Hierarchy) -> None:
    """Raise unless these are comparisons, at least one, of the objects of the tree."""
    check_tree(tree)
    if not isinstance(comparisons, Comparisons):
        raise InputKindError(
            f"expected Comparisons, got {type(comparisons).__name__}",
            parameter="comparisons",
            remedy="make them with Comparisons.from_triplets, from_quadruplets or "
            "from_similarities",
        )
    if comparisons.n_objects != tree.n_objects:
        raise InputError(
            f"expected {tree.n_objects} objects as in the tree, got {comparisons.n_objects}",
            parameter="comparisons",
        )
    if not comparisons.n_comparisons:
        raise InputError("expected at least one comparison, got none", parameter="comparisons")
