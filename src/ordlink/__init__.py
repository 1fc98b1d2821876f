"""Hierarchical clustering from comparisons: no features, no scores, only answers.

Start with :class:`Comparisons` or :func:`read_comparisons`, then :func:`cluster`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ordlink.comparisons import Comparisons, ListedComparisons, RankedComparisons, concatenate
from ordlink.comparisons.files import read_comparisons, write_comparisons
from ordlink.hierarchy import Hierarchy
from ordlink.methods import METHODS, cluster

if TYPE_CHECKING:
    from ordlink import comparisons, datasets, errors, linkage, metrics, oracles, similarity
    from ordlink.estimator import OrdinalClustering

__version__ = "0.1.0"

__all__ = [
    "METHODS",
    "Comparisons",
    "Hierarchy",
    "ListedComparisons",
    "OrdinalClustering",
    "RankedComparisons",
    "__version__",
    "cluster",
    "comparisons",
    "concatenate",
    "datasets",
    "errors",
    "linkage",
    "metrics",
    "oracles",
    "read_comparisons",
    "similarity",
    "write_comparisons",
]

# Imported on first use: scikit-learn alone takes most of a second.
_LAZY = {"OrdinalClustering": "ordlink.estimator", "datasets": "", "metrics": ""}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'ordlink' has no attribute {name!r}")
    module = _LAZY[name]
    return (
        getattr(importlib.import_module(module), name)
        if module
        else importlib.import_module(f"ordlink.{name}")
    )


def __dir__() -> list[str]:
    return __all__
