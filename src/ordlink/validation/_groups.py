"""The trees of groups of answers, and how far they differ."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._text import counted
from ordlink._typing import AnyArray, FloatArray
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.methods import DEFAULT_METHOD, cluster
from ordlink.metrics import comparison_accuracy, triplet_distance
from ordlink.validation._cross_validation import check_listed


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupComparison:
    """The trees of groups of answers, in the order of their names."""

    groups: tuple[str, ...]
    n_answers: tuple[int, ...]
    trees: tuple[Hierarchy, ...]
    distances: FloatArray
    """Share of the triples of objects that two trees resolve differently; 2/3 if unrelated."""
    accuracies: FloatArray
    """Share of the comparisons of a group (row) that the tree of a group (column) agrees with."""
    warnings: tuple[str, ...]
    """Warnings about the trees, each with its group."""


def compare_groups(
    comparisons: ListedComparisons,
    groups: Sequence[str] | AnyArray,
    method: str = DEFAULT_METHOD,
    **options: Any,
) -> GroupComparison:
    """Return a tree for each group of answers, and how far the trees differ.

    Parameters
    ----------
    groups : sequence of str
        The group of each comparison; "" leaves it out.
    comparisons, method, **options
        As in :func:`ordlink.cluster`.

    Examples
    --------
    >>> import ordlink as ol
    >>> c = ol.Comparisons.from_triplets([[0, 1, 2], [0, 2, 1]], annotators=["ann", "model"])
    >>> compare_groups(c, c.details.annotators).distances.tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    check_listed(comparisons)
    labels = np.asarray(groups, dtype=str)
    if labels.shape != (comparisons.n_rows,):
        problem = f"expected {counted(comparisons.n_rows, 'name')}, one per comparison"
        raise InputError(f"{problem}, got shape {labels.shape}", parameter="groups")
    names = tuple(name for name in np.unique(labels).tolist() if name)
    if len(names) < 2:
        problem = f"expected at least two groups, got {', '.join(map(repr, names)) or 'none'}"
        raise InputError(problem, parameter="groups")
    parts = [comparisons.take(labels == name) for name in names]
    trees, told = [], []
    for name, part in zip(names, parts, strict=True):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", OrdlinkWarning)
            trees.append(cluster(part, method, **options))
        told += [f"{name}: {one.message}" for one in caught]
    return GroupComparison(
        groups=names,
        n_answers=tuple(part.n_answers for part in parts),
        trees=tuple(trees),
        distances=np.array([[triplet_distance(one, other) for other in trees] for one in trees]),
        accuracies=np.array([[comparison_accuracy(part, t) for t in trees] for part in parts]),
        warnings=tuple(told),
    )
