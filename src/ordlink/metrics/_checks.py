"""Checks that the metrics share."""

from __future__ import annotations

from ordlink.errors import InputKindError
from ordlink.hierarchy import Hierarchy


def check_tree(tree: object, order: str) -> None:
    """Raise InputKindError, which says the order of the arguments, if this is no tree."""
    if not isinstance(tree, Hierarchy):
        raise InputKindError(f"tree: expected a Hierarchy, got {type(tree).__name__}; {order}.")
