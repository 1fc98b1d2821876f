"""The methods by name, and `cluster`, which runs them."""

from __future__ import annotations

from ordlink.linkage import InitialClusters
from ordlink.methods._cluster import (
    METHODS,
    Method,
    cluster,
    find_method,
    method_for,
    repeatable,
    warn_of_ties,
)

__all__ = [
    "METHODS",
    "InitialClusters",
    "Method",
    "cluster",
    "find_method",
    "method_for",
    "repeatable",
    "warn_of_ties",
]
