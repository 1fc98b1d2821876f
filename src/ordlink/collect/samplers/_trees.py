"""The tree of answers, and trees of resampled answers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ordlink.comparisons import ListedComparisons
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import METHODS, cluster

_EMBEDDING = {"n_components": 3, "metric": "euclidean", "seed": 0}
"""Options of methods that embed; these were best over all trees that were tried."""


def tree_options(method: str) -> dict[str, Any]:
    """Return the options with which a study's tree is built, as the method takes them.

    Examples
    --------
    >>> tree_options("AddS-AL")
    {}
    """
    known = METHODS[method].options
    return {name: value for name, value in _EMBEDDING.items() if name in known}


def grow(comparisons: ListedComparisons, method: str) -> Hierarchy:
    """Return the tree of comparisons, made with the options of `tree_options`, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        return cluster(comparisons, method, **tree_options(method))


def bootstrap_trees(
    comparisons: ListedComparisons, method: str, n_trees: int, rng: np.random.Generator
) -> list[Hierarchy]:
    """Return trees of answers drawn with replacement, whole answers at a time."""
    answers, rows_of = np.unique(comparisons.answer_ids, return_inverse=True)
    order = np.argsort(rows_of, kind="stable")
    starts = np.searchsorted(rows_of[order], np.arange(len(answers) + 1))
    lengths = np.diff(starts)
    trees = []
    for _ in range(n_trees):
        drawn = np.sort(rng.integers(0, len(answers), len(answers)))
        within = np.arange(lengths[drawn].sum()) - np.repeat(
            np.cumsum(lengths[drawn]) - lengths[drawn], lengths[drawn]
        )
        rows = order[np.repeat(starts[drawn], lengths[drawn]) + within]
        trees.append(grow(comparisons.take(rows), method))
    return trees
