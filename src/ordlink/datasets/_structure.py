"""True trees of any shape: nested lists whose leaves are the sizes of the pure clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from ordlink._typing import FloatArray, Int32Array, LabelArray
from ordlink._validate import Seed, check_whole_number, random_generator
from ordlink.comparisons._pairs import MAX_OBJECTS
from ordlink.errors import InputError, InputKindError

Structure: TypeAlias = "int | Sequence[Structure]"
"""A pure cluster, given by its size, or a list of branches."""


def caterpillar(sizes: Sequence[int]) -> Structure:
    """Return a chain for `planted_tree`: each pure cluster joins all those before it.

    Examples
    --------
    >>> caterpillar([5, 10, 20])
    [[5, 10], 20]
    """
    if not len(sizes):
        raise InputError("expected at least one pure cluster, got none", parameter="sizes")
    structure: Structure = sizes[0]
    for size in sizes[1:]:
        structure = [structure, size]
    return structure


def random_structure(
    n_clusters: int, *, smallest: int = 2, largest: int = 100, max_children: int = 2, seed: Seed = 0
) -> Structure:
    """Return an unbalanced tree for `planted_tree`, drawn at random.

    A row of pure clusters is cut at random places into 2 to `max_children` parts, each part again,
    and so on until every part is one cluster.

    Parameters
    ----------
    n_clusters : int
        Number of pure clusters, at least 1.
    smallest, largest : int
        Bounds of their sizes, which are log-uniform.
    max_children : int
        Largest number of branches of a node, at least 2; all numbers are equally likely.
    seed : int, numpy.random.Generator or None
        Random seed.

    Examples
    --------
    >>> random_structure(5, smallest=2, largest=50, max_children=3, seed=1)
    [[10, 43], [3, 43], 5]
    """
    n_clusters = check_whole_number(n_clusters, "n_clusters", lowest=1)
    smallest = check_whole_number(smallest, "smallest", lowest=1)
    largest = check_whole_number(largest, "largest", lowest=smallest)
    max_children = check_whole_number(max_children, "max_children", lowest=2)
    generator = random_generator(seed)
    logarithms = generator.uniform(math.log(smallest), math.log(largest + 1), n_clusters)
    sizes = np.minimum(np.exp(logarithms), largest).astype(int).tolist()

    def split(part: list[int]) -> Structure:
        if len(part) == 1:
            return part[0]
        n_children = int(generator.integers(2, min(max_children, len(part)) + 1))
        places = generator.choice(len(part) - 1, n_children - 1, replace=False) + 1
        bounds = [0, *sorted(places.tolist()), len(part)]
        return [split(part[start:stop]) for start, stop in pairwise(bounds)]

    return split(sizes)


@dataclass(frozen=True, eq=False)
class TrueTree:
    """A checked structure: the depth and parent (-1 for the root) of its nodes, parents first.

    `leaves` are the nodes that are pure clusters, from left to right, with their `sizes`.
    """

    depths: LabelArray
    parents: LabelArray
    leaves: LabelArray
    sizes: list[int]

    @property
    def depth(self) -> int:
        """Number of levels: the depth of the deepest pure cluster."""
        return int(self.depths.max())

    def labels(self) -> LabelArray:
        """Return the pure cluster of each object."""
        return np.repeat(np.arange(len(self.sizes), dtype=np.intp), self.sizes)

    def levels(self) -> LabelArray:
        """Return the partition at each depth from 1 on; pure clusters above it stay whole."""
        labels = self.labels()
        levels = np.empty((self.depth, len(labels)), dtype=np.intp)
        at_level = self.leaves
        for level in range(self.depth, 0, -1):
            at_level = np.where(self.depths[at_level] > level, self.parents[at_level], at_level)
            # A node comes before those to its right: numbers go by the smallest object.
            levels[level - 1] = np.unique(at_level, return_inverse=True)[1][labels]
        return levels

    def clusters(self) -> tuple[tuple[int, ...], ...]:
        """Return the objects under each node."""
        n_nodes, past = len(self.depths), np.cumsum(self.sizes)
        first, stop = np.full(n_nodes, past[-1]), np.zeros(n_nodes, dtype=int)
        first[self.leaves], stop[self.leaves] = past - self.sizes, past
        for node in range(n_nodes - 1, 0, -1):
            above = self.parents[node]
            first[above] = min(first[above], first[node])
            stop[above] = max(stop[above], stop[node])
        return tuple(
            tuple(range(*ends)) for ends in zip(first.tolist(), stop.tolist(), strict=True)
        )

    def merges(self) -> tuple[Int32Array, FloatArray]:
        """Return the merges of a true binary tree and the level of the cluster that each makes.

        Pure clusters come first, then nodes from the deepest level up; each is merged as a chain.
        """
        merges: list[tuple[int, int]] = []
        merge_levels: list[int] = []
        n_objects = sum(self.sizes)

        def chain(parts: list[int], level: int) -> int:
            made = parts[0]
            for part in parts[1:]:
                merges.append((made, part))
                merge_levels.append(level)
                made = n_objects + len(merges) - 1
            return made

        made: dict[int, int] = {}
        start = 0
        for leaf, size in zip(self.leaves.tolist(), self.sizes, strict=True):
            made[leaf] = chain(list(range(start, start + size)), self.depth)
            start += size
        children: dict[int, list[int]] = {}
        for node, parent in enumerate(self.parents.tolist()):
            children.setdefault(parent, []).append(node)
        del children[-1]
        for node in sorted(children, key=lambda node: (-self.depths[node], node)):
            made[node] = chain([made[child] for child in children[node]], int(self.depths[node]))
        rows = np.array(merges, dtype=np.int32).reshape(-1, 2)
        return rows, np.array(merge_levels, dtype=np.float64)


def check_structure(structure: Any) -> TrueTree:
    """Return the tree that nested lists of sizes describe; an error says where they are wrong."""
    nodes: list[tuple[int, int]] = []  # the depth and the parent of each
    sizes: dict[int, int] = {}  # of the leaves
    waiting: list[tuple[Any, str, int, int]] = [(structure, "structure", 0, -1)]
    while waiting:
        part, where, depth, parent = waiting.pop()
        node = len(nodes)
        nodes.append((depth, parent))
        if isinstance(part, str | dict | set) or not hasattr(part, "__len__"):
            try:
                sizes[node] = check_whole_number(part, where, lowest=1)
            except InputKindError as error:
                expected = "expected the size of a pure cluster or a list of branches"
                raise InputKindError(f"{expected}, got {part!r}", parameter=where) from error
            continue
        if len(part) < 2:
            problem = f"expected at least two branches, got {part!r}"
            remedy = "a pure cluster is given by its size alone, without brackets"
            raise InputError(problem, parameter=where, remedy=remedy)
        inside = [(child, f"{where}[{i}]", depth + 1, node) for i, child in enumerate(part)]
        waiting += reversed(inside)
    if sum(sizes.values()) > MAX_OBJECTS:
        problem = f"expected at most {MAX_OBJECTS} objects, got {sum(sizes.values())}"
        raise InputError(problem, parameter="structure", remedy="choose smaller clusters")
    depths, parents = np.array(nodes, dtype=np.intp).T
    return TrueTree(depths, parents, np.array(list(sizes), dtype=np.intp), list(sizes.values()))
