"""Hierarchical clustering from comparisons: no features, no scores, only answers.

Start with :class:`Comparisons` or :func:`read_comparisons`, then :func:`cluster`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordlink import (
        comparisons,
        datasets,
        errors,
        hierarchy,
        io,
        linkage,
        methods,
        metrics,
        oracles,
        planning,
        plotting,
        report,
        validation,
    )
    from ordlink.comparisons import Comparisons, ListedComparisons, RankedComparisons, concatenate
    from ordlink.estimator import OrdinalClustering
    from ordlink.hierarchy import Hierarchy
    from ordlink.io import read_answers, read_comparisons, read_in_chunks, write_comparisons
    from ordlink.methods import METHODS, cluster

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
    "hierarchy",
    "io",
    "linkage",
    "methods",
    "metrics",
    "oracles",
    "planning",
    "plotting",
    "read_answers",
    "read_comparisons",
    "read_in_chunks",
    "report",
    "validation",
    "write_comparisons",
]

# Where the public names live. All are imported on first use, so that `import ordlink` and the
# command line's help are instant. Names that are not here are subpackages.
_HOME = {"Hierarchy": "hierarchy", "OrdinalClustering": "estimator"}
_HOME |= dict.fromkeys(("METHODS", "cluster"), "methods")
_HOME |= dict.fromkeys(
    ("read_answers", "read_comparisons", "read_in_chunks", "write_comparisons"), "io"
)
_HOME |= dict.fromkeys(
    ("Comparisons", "ListedComparisons", "RankedComparisons", "concatenate"), "comparisons"
)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'ordlink' has no attribute {name!r}")
    home = importlib.import_module(f"ordlink.{_HOME.get(name, name)}")
    value = getattr(home, name) if name in _HOME else home
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
