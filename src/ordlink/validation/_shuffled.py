"""Trees of objects in random order, so that ties are decided by chance."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ordlink._typing import Int32Array
from ordlink.comparisons import ListedComparisons
from ordlink.errors import OrdlinkWarning
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import initial_partition, permute_objects, restore_objects
from ordlink.methods import InitialClusters, cluster


def grow_shuffled(
    comparisons: ListedComparisons,
    method: str,
    rng: np.random.Generator,
    *,
    initial_clusters: InitialClusters = None,
    **options: Any,
) -> Hierarchy:
    """Return a method's tree with the objects in random order, in their own numbers again.

    Ties go to the objects that come first. In the order of a file, trees of few answers would
    agree by their ties alone, and would predict well where objects are listed by category.
    There are no warnings: gaps and ties in a part of the answers say nothing about the whole.
    """
    initial_partition(comparisons.n_objects, initial_clusters)  # errors name the original numbers
    order = random_order(comparisons.n_objects, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        tree = cluster(
            permute_objects(comparisons, order),
            method,
            initial_clusters=relabel_clusters(initial_clusters, order),
            **options,
        )
    return restore_objects(tree, order, comparisons.names)


def random_order(n_objects: int, rng: np.random.Generator) -> Int32Array:
    """Return the objects in random order."""
    return rng.permutation(n_objects).astype(np.int32)


def relabel_clusters(clusters: InitialClusters, order: Int32Array) -> list[list[int]] | None:
    """Return initial clusters once object ``order[k]`` is called k."""
    if clusters is None:
        return None
    new_number = np.argsort(order)
    return [new_number[np.asarray(cluster, dtype=np.intp)].tolist() for cluster in clusters]
