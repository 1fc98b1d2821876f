"""Checks that the metrics share."""

from __future__ import annotations

from ordlink.comparisons import Comparisons
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy


def check_tree(tree: object, order: str) -> None:
    """Raise InputKindError, which says the order of the arguments, if this is no tree."""
    if not isinstance(tree, Hierarchy):
        raise InputKindError(f"tree: expected a Hierarchy, got {type(tree).__name__}; {order}.")


def check_comparisons(comparisons: object, tree: Hierarchy) -> None:
    """Raise unless these are comparisons, at least one, of the objects of the tree."""
    if not isinstance(comparisons, Comparisons):
        raise InputKindError(
            f"comparisons: expected Comparisons, got {type(comparisons).__name__}; make them with "
            "Comparisons.from_triplets, from_quadruplets or from_similarities."
        )
    if comparisons.n_objects != tree.n_objects:
        raise InputError(
            f"comparisons: expected {tree.n_objects} objects as in the tree, got "
            f"{comparisons.n_objects}; pass the comparisons of the tree's objects."
        )
    if not comparisons.n_comparisons:
        raise InputError("comparisons: expected at least one comparison, got none.")


def check_same_objects(truth: Hierarchy, tree: Hierarchy) -> None:
    """Raise InputError unless two trees are of the same objects in the same order."""
    if truth.n_objects != tree.n_objects:
        raise InputError(
            f"truth: expected {tree.n_objects} objects as in the tree, got {truth.n_objects}; "
            "compare trees of the same objects."
        )
    if truth.names is not None and tree.names is not None and truth.names != tree.names:
        i = next(i for i, name in enumerate(truth.names) if name != tree.names[i])
        raise InputError(
            f"truth: expected the same objects in the same order as in the tree, got "
            f"{truth.names[i]!r} for object {i}, which is {tree.names[i]!r} in the tree; "
            "put the objects of one of them in the order of the other."
        )
