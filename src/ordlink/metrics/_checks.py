"""Checks that the metrics share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ordlink._text import quoted
from ordlink._typing import AnyArray, FloatArray
from ordlink.comparisons import Comparisons, check_similarities
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy


def check_tree(tree: object) -> None:
    """Raise InputKindError, which shows the argument order, if this is not a tree."""
    if not isinstance(tree, Hierarchy):
        problem = f"expected a Hierarchy, got {type(tree).__name__}"
        remedy = "the truth comes first, then the tree"
        raise InputKindError(problem, parameter="tree", remedy=remedy)


def check_truth(truth: ArrayLike | Hierarchy, tree: Hierarchy) -> AnyArray | Hierarchy:
    """Return a true tree of the same objects, or labels of shape (n_levels, n_objects)."""
    check_tree(tree)
    if not isinstance(truth, Hierarchy):
        return _check_labels(truth, tree.n_objects)
    if truth.n_objects != tree.n_objects:
        problem = f"expected {tree.n_objects} objects as in the tree, got {truth.n_objects}"
        raise InputError(problem, parameter="truth")
    if truth.names is not None and tree.names is not None and truth.names != tree.names:
        i = next(i for i, name in enumerate(truth.names) if name != tree.names[i])
        got = f"{truth.names[i]!r} for object {i}, which is {tree.names[i]!r} in the tree"
        problem = f"expected the same objects in the same order as in the tree, got {got}"
        remedy = "reorder the objects of one of the trees with restrict"
        raise InputError(problem, parameter="truth", remedy=remedy)
    return truth


def _check_labels(truth: ArrayLike, n_objects: int) -> AnyArray:
    try:
        labels: AnyArray = np.atleast_2d(np.asarray(truth))
    except ValueError as error:
        expected = f"expected rows with one label for each of the {n_objects} objects"
        raise InputError(f"{expected}, got rows of different lengths", parameter="truth") from error
    if labels.size and labels.dtype.kind not in "iu":
        problem = f"expected labels that are whole numbers, or a Hierarchy, got {labels.dtype}"
        remedy = "number the classes, for instance with numpy.unique(..., return_inverse=True)"
        raise InputKindError(problem, parameter="truth", remedy=remedy)
    if labels.ndim != 2 or labels.shape[1] != n_objects:
        expected = f"labels of shape (n_levels, {n_objects}), one column per object of the tree"
        raise InputError(f"expected {expected}, got shape {labels.shape}", parameter="truth")
    if not len(labels):
        raise InputError("expected at least one level, got none", parameter="truth")
    return labels


def check_matrix(similarities: ArrayLike, tree: Hierarchy) -> FloatArray:
    """Return the similarities of the tree's objects."""
    check_tree(tree)
    return check_similarities(similarities, n_objects=tree.n_objects)


def check_comparisons(comparisons: object, tree: Hierarchy) -> Hierarchy:
    """Return the tree with its objects in the order of the comparisons, matched by their names.

    Raise unless these are comparisons, at least one, of the objects of the tree.
    """
    check_tree(tree)
    if not isinstance(comparisons, Comparisons):
        problem = f"expected Comparisons, got {type(comparisons).__name__}"
        remedy = "make them with Comparisons.from_triplets or another of its functions"
        raise InputKindError(problem, parameter="comparisons", remedy=remedy)
    if comparisons.n_objects != tree.n_objects:
        problem = f"expected {tree.n_objects} objects as in the tree, got {comparisons.n_objects}"
        raise InputError(problem, parameter="comparisons")
    if not comparisons.n_comparisons:
        raise InputError("expected at least one comparison, got none", parameter="comparisons")
    names, known = comparisons.names, tree.names
    if names is None or known is None or names == known:
        return tree
    if sorted(names) != sorted(known) or len(set(names)) < len(names):
        other = next((name for name in names if name not in known), names[0])
        raise InputError(
            f"expected the names of the tree, each once, got {quoted(other)}",
            parameter="comparisons",
            remedy="give both the same names",
        )
    place = {name: i for i, name in enumerate(known)}
    return tree.restrict([place[name] for name in names])
