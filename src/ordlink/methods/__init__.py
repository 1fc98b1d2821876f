"""The methods by name, and `cluster`, which runs them."""

from __future__ import annotations

from ordlink.linkage import InitialClusters
from ordlink.methods._cluster import (
    DEFAULT_METHOD,
    QUICK_METHOD,
    build_tree,
    cluster,
    method_for,
    repeatable,
    warn_of_ties,
)
from ordlink.methods._table import METHODS, Method, find_method

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "QUICK_METHOD",
    "InitialClusters",
    "Method",
    "build_tree",
    "cluster",
    "find_method",
    "method_for",
    "repeatable",
    "warn_of_ties",
]
