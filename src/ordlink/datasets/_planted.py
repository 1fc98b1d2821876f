"""The planted model: noisy similarities with a known hierarchy, balanced or of any shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._typing import FloatArray, LabelArray
from ordlink._validate import Seed, check_number, check_whole_number, random_generator
from ordlink.comparisons._base import FrozenArrays
from ordlink.comparisons._pairs import MAX_OBJECTS
from ordlink.datasets._structure import Structure, TrueTree, check_structure
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class PlantedHierarchy(FrozenArrays):
    """A sample from the planted model, with the true tree; arrays are read-only.

    Made by `planted_hierarchy` and `planted_tree`. Objects are numbered cluster by cluster.

    Attributes
    ----------
    similarities, expected_similarities : ndarray of shape (n_objects, n_objects), dtype float64
        w_ij with and without noise, symmetric. The diagonal, which is unused, holds the mean.
    levels : ndarray of shape (depth, n_objects), dtype intp
        Row l-1 is the true partition at depth l, numbered by the clusters' smallest objects:
        2**l clusters in the balanced model; pure clusters nearer to the root stay whole.
    labels : ndarray of shape (n_objects,), dtype intp
        The pure clusters: the last level, or all 0 for depth 0.
    tree : Hierarchy
        A true tree: merges inside the pure clusters first (in a chain, which is arbitrary, as it
        is for a node with more than two branches), then the levels from the bottom up, so that
        cutting it into as many clusters as a row of `levels` has gives that row. Its scores are
        the expected similarities.
    names : tuple of str
        ``G2.07`` is the seventh object of the second pure cluster.
    clusters : tuple of tuple of int
        The objects of every node of the true tree, each node before its branches. A set of
        objects contradicts the truth if it cuts across one.
    """

    similarities: FloatArray
    expected_similarities: FloatArray
    levels: LabelArray
    labels: LabelArray
    tree: Hierarchy
    names: tuple[str, ...]
    clusters: tuple[tuple[int, ...], ...]

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return len(self.labels)

    @property
    def depth(self) -> int:
        """Number of levels L."""
        return len(self.levels)

    def initial_clusters(self, size: int, seed: Seed = 0) -> list[list[int]]:
        """Return a random partition of each pure cluster into groups of `size` objects.

        These are the initial clusters of 4-AL-I3 (size 3) and 4-AL-I5 (size 5): drawn without
        replacement; the remainder of a pure cluster forms a smaller group. Groups are sorted.
        """
        size = check_whole_number(size, "size", lowest=1)
        generator = random_generator(seed)
        groups: list[list[int]] = []
        for cluster in range(int(self.labels[-1]) + 1):
            drawn = generator.permutation(np.flatnonzero(self.labels == cluster)).tolist()
            groups += [sorted(drawn[i : i + size]) for i in range(0, len(drawn), size)]
        return sorted(groups)


def planted_hierarchy(
    *,
    depth: int = 3,
    leaf_size: int | Sequence[int] = 30,
    mean: float = 0.8,
    gap: float = 0.1,
    noise: float = 0.1,
    seed: Seed = 0,
) -> PlantedHierarchy:
    """Return similarities drawn from the planted hierarchical model, with the true hierarchy.

    The objects are split in two, each half in two again, and so on L times, down to 2**L pure
    clusters. For i != j, w_ij = w_ji is normal with standard deviation sigma around
    mu - (L - l_ij) delta, independently for each pair, where l_ij is the level of the smallest
    cluster that holds both: L in the same pure cluster, 0 in different halves.

    Parameters
    ----------
    depth : int
        L, at least 0.
    leaf_size : int or sequence of 2**depth int
        N_0, the size of the pure clusters, each at least 1; a sequence gives each its own.
    mean : float
        mu, the mean similarity within a pure cluster.
    gap : float
        delta, the loss of similarity per level, not negative.
    noise : float
        sigma, the standard deviation, not negative.
    seed : int, numpy.random.Generator or None
        Random seed. The same seed and number of objects give the same noise, whatever the other
        parameters.

    References
    ----------
    D. Ghoshdastidar, M. Perrot, U. von Luxburg: Foundations of Comparison-Based Hierarchical
    Clustering, 2019, section "Planted hierarchical model".

    Examples
    --------
    >>> planted = planted_hierarchy(depth=2, leaf_size=2, mean=0.8, gap=0.2, noise=0.0)
    >>> planted.levels
    array([[0, 0, 0, 0, 1, 1, 1, 1],
           [0, 0, 1, 1, 2, 2, 3, 3]])
    >>> planted.similarities[0].round(1)
    array([0.8, 0.8, 0.6, 0.6, 0.4, 0.4, 0.4, 0.4])
    """
    depth = check_whole_number(depth, "depth", lowest=0)
    nodes: list[Structure] = [*_check_sizes(depth, leaf_size)]
    while len(nodes) > 1:
        nodes = [nodes[i : i + 2] for i in range(0, len(nodes), 2)]
    return _plant(check_structure(nodes[0]), {"depth": depth}, mean, gap, noise, seed)


def planted_tree(
    structure: Structure, *, mean: float = 0.8, gap: float = 0.1, noise: float = 0.1, seed: Seed = 0
) -> PlantedHierarchy:
    """Return similarities drawn from the planted model with a true tree of any shape.

    L is the depth of the deepest pure cluster, and l_ij that of the smallest cluster that holds
    both (0 for the root), but L within a pure cluster, at any depth. All else is as in
    `planted_hierarchy`: a balanced binary tree gives the same distribution. So the expected
    similarities merge in the order of `levels`, from the deepest up.

    Parameters
    ----------
    structure : nested sequences of int
        The root: a list of branches, each the size of a pure cluster or a list of branches, at
        least two in each list. ``[[30, 5], [2, [10, 100]]]`` has five pure clusters,
        ``[20, 20, 20]`` is a star, ``[[[9, 9], 9], 9]`` a chain, a single number no tree at all.
    mean, gap, noise, seed
        As in `planted_hierarchy`.

    Examples
    --------
    >>> planted_tree([2, [1, 1, 2]], mean=0.8, gap=0.2, noise=0.0).similarities[2].round(1)
    array([0.4, 0.4, 0.8, 0.6, 0.6, 0.6])
    """
    truth = check_structure(structure)
    shape = {"clusters_per_level": [len(set(row.tolist())) for row in truth.levels()]}
    return _plant(truth, shape, mean, gap, noise, seed)


def _plant(
    truth: TrueTree, shape: dict[str, Any], mean: float, gap: float, noise: float, seed: Seed
) -> PlantedHierarchy:
    mean = check_number(mean, "mean")
    gap = check_number(gap, "gap", lowest=0)
    noise = check_number(noise, "noise", lowest=0)
    generator = random_generator(seed)
    levels = truth.levels()
    n_objects = levels.shape[1]
    n_separated = np.zeros((n_objects, n_objects))  # L - l_ij: the levels at which i, j are apart
    for level in levels:
        n_separated += level[:, None] != level[None, :]
    expected = mean - gap * n_separated
    similarities = expected.copy()
    for i in range(n_objects - 1):
        similarities[i, i + 1 :] += noise * generator.standard_normal(n_objects - i - 1)
        similarities[i + 1 :, i] = similarities[i, i + 1 :]
    names = _names(truth.sizes)
    merges, merge_levels = truth.merges()
    tree = Hierarchy(
        merges,
        scores=mean - (truth.depth - merge_levels) * gap,
        names=names,
        method="planted",
        parameters={**shape, "leaf_sizes": truth.sizes, "mean": mean, "gap": gap, "noise": noise},
    )
    return PlantedHierarchy(
        similarities=similarities,
        expected_similarities=expected,
        levels=levels,
        labels=truth.labels(),
        tree=tree,
        names=names,
        clusters=truth.clusters(),
    )


def _check_sizes(depth: int, leaf_size: Any) -> list[int]:
    if depth > MAX_OBJECTS.bit_length():
        problem = f"expected at most {MAX_OBJECTS} objects, got 2**{depth} clusters"
        raise InputError(problem, parameter="depth", remedy="choose a smaller depth")
    n_clusters = 2**depth
    if isinstance(leaf_size, Sequence | np.ndarray) and not isinstance(leaf_size, str):
        if len(leaf_size) != n_clusters:
            problem = f"expected {n_clusters} sizes for depth {depth}, got {len(leaf_size)}"
            remedy = "pass one size per pure cluster, or one number for all"
            raise InputError(problem, parameter="leaf_size", remedy=remedy)
        sizes = [
            check_whole_number(size, f"leaf_size, entry {i}", lowest=1)
            for i, size in enumerate(leaf_size)
        ]
    else:
        sizes = [check_whole_number(leaf_size, "leaf_size", lowest=1)] * n_clusters
    if sum(sizes) > MAX_OBJECTS:
        problem = f"expected at most {MAX_OBJECTS} objects, got {sum(sizes)}"
        remedy = "choose a smaller {depth} or {leaf_size}"
        raise InputError(problem, parameter="leaf_size", remedy=remedy)
    return sizes


def _names(sizes: list[int]) -> tuple[str, ...]:
    cluster_digits, object_digits = len(str(len(sizes))), len(str(max(sizes)))
    return tuple(
        f"G{cluster:0{cluster_digits}}.{member:0{object_digits}}"
        for cluster, size in enumerate(sizes, start=1)
        for member in range(1, size + 1)
    )
