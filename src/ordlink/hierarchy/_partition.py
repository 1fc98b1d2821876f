"""Clusters of a tree: those that the answers support best, or those of the merge order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ordlink._html import Shown
from ordlink._text import counted
from ordlink._typing import FloatArray, LabelArray
from ordlink._validate import check_number, check_whole_number
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy._linkage import DISSIMILARITY, node_heights

if TYPE_CHECKING:
    from ordlink.hierarchy._hierarchy import Hierarchy

MOST_SUGGESTED = 12  # clusters
FEW = 2  # at most so many objects, and one of 20, are set aside together,
SHARE = 10  # and in all one of so many
ASIDE = -1
"""The label of objects that are set aside."""


@dataclass(frozen=True, eq=False)
class Partition(Shown):
    """Clusters of a tree that need not be a cut by merge order."""

    labels: LabelArray
    """Cluster of each object, 0 for the largest; -1 for outliers that are set aside: at most two
    objects at a time that split off above the clusters."""
    n_clusters: int
    evidence: FloatArray
    """For 2, 3, ... clusters, the log-likelihood gain of the best partition over the best one with
    one cluster less; empty for a cut by merge order."""
    reason: str  # why so many clusters, in one sentence
    nodes: tuple[int, ...] = field(default=())  # the node of each cluster, in the order of labels

    @property
    def set_aside(self) -> list[int]:
        """Objects that belong to no cluster."""
        return np.flatnonzero(self.labels == ASIDE).tolist()

    @property
    def sizes(self) -> list[int]:
        """Number of objects in each cluster."""
        return [int((self.labels == number).sum()) for number in range(self.n_clusters)]


def partition(tree: Hierarchy, n_clusters: int | None = None) -> Partition:
    """Return the clusters of the tree that the answers support best.

    A partition into k clusters consists of splits from the root down. Those with the most evidence
    (see `evidence`) are found by dynamic programming. A cut by merge order often starts with single
    outliers. Here one or two objects that split off above most others are set aside, up to a tenth
    of all objects. A tree without evidence, as one from similarities or an oracle, is cut by merge
    order.

    Parameters
    ----------
    n_clusters : int, optional
        By default the number from 2 to 12 after which the evidence for one more cluster drops by
        the largest factor; a tree without evidence needs a number.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]], evidence=[0, 0, 0, 9, 8])
    >>> found = tree.partition()
    >>> found.n_clusters, found.labels.tolist()
    (3, [0, 0, 1, 1, 2, 2])
    """
    n = tree.n_objects
    if n_clusters is not None:
        has = f"the tree has {counted(n, 'object')}"
        n_clusters = check_whole_number(n_clusters, "n_clusters", lowest=1, highest=n, remedy=has)
    if not tree.has_evidence:
        if n_clusters is None:
            raise InputError(
                "this tree has no evidence from answers that suggests a number of clusters",
                parameter="n_clusters",
                remedy="give a number",
            )
        return _by_merge_order(tree, n_clusters)
    small = min(FEW, n // (2 * SHARE))
    largest = min(n, max(n_clusters or 0, MOST_SUGGESTED + 1))
    best = _Best(tree, small, largest)
    if n_clusters is not None and best.value(n_clusters) == -np.inf:
        best = _Best(tree, 0, largest)  # only with the smallest clusters
    gains = np.diff([best.value(number) for number in range(1, largest + 1)])
    gains = gains[np.isfinite(gains)]
    reason = "as requested"
    if n_clusters is None:
        n_clusters, reason = suggest(gains[:MOST_SUGGESTED])
    return _numbered(tree, best.nodes(n_clusters), gains, reason)


def cut(
    tree: Hierarchy, n_clusters: int | None = None, *, height: float | None = None
) -> LabelArray:
    """Return the partition into `n_clusters` clusters, or that at a height.

    For the clusters that the answers support best, see `partition`. Labels of shape (N,), dtype
    intp, number the clusters by their smallest object.

    Parameters
    ----------
    n_clusters : int, optional
        The first N - n_clusters merges make the clusters.
    height : float, optional
        Instead: merges at no more than this dissimilarity make them. The tree needs `heights`.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> Hierarchy([[1, 2], [0, 3], [4, 5]]).cut(3)
    array([0, 1, 1, 2])
    >>> Hierarchy([[1, 2], [0, 3], [4, 5]], heights=[0.1, 0.2, 0.7]).cut(height=0.5)
    array([0, 1, 1, 0])
    """
    if n_clusters is not None and height is not None:
        problem = "expected a number of clusters or a height, got both"
        raise InputKindError(problem, remedy="pass {n_clusters:4} or {height:0.5}")
    if height is not None:
        limit = check_number(height, "height", lowest=0)
        at = node_heights(tree, DISSIMILARITY)
        above = np.append(at[tree.parents[:-1]], np.inf)
        return tree.label_clusters(np.flatnonzero((at <= limit) & (above > limit)))
    has = f"the tree has {counted(tree.n_objects, 'object')}"
    n_clusters = check_whole_number(
        n_clusters, "n_clusters", lowest=1, highest=tree.n_objects, remedy=has
    )
    return tree.label_clusters(tree.cut_nodes(n_clusters))


def levels(tree: Hierarchy, n_clusters: Sequence[int]) -> LabelArray:
    """Return one `cut` per entry of `n_clusters`, as the rows of a (n_levels, N) array."""
    given: object = n_clusters
    if isinstance(given, str) or not isinstance(given, Iterable):
        problem = f"expected several numbers of clusters, such as [2, 4], got {n_clusters!r}"
        raise InputKindError(problem, parameter="n_clusters", remedy="for one, use cut")
    cuts = [cut(tree, k) for k in n_clusters]
    return np.array(cuts, dtype=np.intp).reshape(len(cuts), tree.n_objects)


def _by_merge_order(tree: Hierarchy, n_clusters: int) -> Partition:
    nodes = tree.cut_nodes(n_clusters).tolist()
    return _numbered(tree, nodes, np.empty(0), "as requested, by merge order")


def _numbered(tree: Hierarchy, nodes: list[int], gains: FloatArray, reason: str) -> Partition:
    """Return clusters, the largest first, then by their smallest object."""
    members = {node: tree.members(node) for node in nodes}
    nodes = sorted(nodes, key=lambda node: (-len(members[node]), int(members[node][0])))
    labels = np.full(tree.n_objects, ASIDE, dtype=np.intp)
    for number, node in enumerate(nodes):
        labels[members[node]] = number
    return Partition(labels, len(nodes), gains, reason, tuple(nodes))


class _Best:
    """The most evidence for each number of clusters, from the leaves up."""

    def __init__(self, tree: Hierarchy, small: int, largest: int) -> None:
        self.tree = tree
        n = tree.n_objects
        self._kept = _above_most(tree, small, n // SHARE)
        alone = np.array([-np.inf, 0.0])
        self._values: list[FloatArray] = [alone] * n
        self._left: list[LabelArray] = [np.zeros(2, dtype=np.intp)] * n
        for merge, (one, two) in enumerate(tree.merges.tolist()):
            kept = self._kept.get(n + merge)
            if kept is None:
                value, left = self._combine(one, two, min(int(tree.sizes[n + merge]), largest))
                value[2:] += tree.evidence[merge]
            else:
                value, left = self._values[kept], self._left[kept]
            self._values.append(value)
            self._left.append(left)

    def value(self, n_clusters: int) -> float:
        """Return the evidence for so many clusters of all objects; -inf where there are none."""
        values = self._values[-1]
        return float(values[n_clusters]) if n_clusters < len(values) else -np.inf

    def _combine(self, one: int, two: int, most: int) -> tuple[FloatArray, LabelArray]:
        """Return the best sums over both sides, and how many clusters are on the first."""
        first, second = self._values[one], self._values[two]
        value, left = np.full(most + 1, -np.inf), np.zeros(most + 1, dtype=np.intp)
        value[1] = 0.0
        few, many = sorted((first, second), key=len)
        for number in range(1, len(few)):
            last = min(len(many) - 1, most - number)
            sums = few[number] + many[1 : last + 1]
            places = slice(number + 1, number + last + 1)
            better = sums > value[places]
            value[places][better] = sums[better]
            left[places][better] = number if few is first else np.arange(1, last + 1)[better]
        return value, left

    def nodes(self, n_clusters: int) -> list[int]:
        """Return the nodes of the clusters."""
        n = self.tree.n_objects
        found, waiting = [], [(2 * n - 2, n_clusters)]
        while waiting:
            node, number = waiting.pop()
            if number == 1:
                found.append(node)
                continue
            one, two = self.tree.merges[node - n].tolist()
            if node in self._kept:
                waiting.append((self._kept[node], number))
            else:
                on_left = int(self._left[node][number])
                waiting += [(one, on_left), (two, number - on_left)]
        return found


def _above_most(tree: Hierarchy, small: int, most: int) -> dict[int, int]:
    """Return nodes near the root that a small side leaves, and the side that is kept of each."""
    n, sizes = tree.n_objects, tree.sizes
    kept: dict[int, int] = {}
    node, n_aside = 2 * n - 2, 0
    while node >= n:
        one, two = sorted(tree.merges[node - n].tolist(), key=lambda part: -int(sizes[part]))
        if 2 * sizes[one] < n:
            break
        if sizes[two] <= small and n_aside + sizes[two] <= most:
            kept[node] = one
            n_aside += int(sizes[two])
        node = one
    return kept


def suggest(gains: FloatArray) -> tuple[int, str]:
    """Return the number of clusters after which the evidence falls most, and the reason."""
    if not len(gains) or gains[0] <= 0:
        return 1, "the answers do not support any split"
    later = np.append(gains[1:], 0.0)[: MOST_SUGGESTED - 1]
    gains = gains[: MOST_SUGGESTED - 1]
    ratios = gains / np.maximum(later, np.log(len(gains) + 1.0))  # a small gain is no gain
    number = 2 + int(np.argmax(ratios))
    here, beyond = gains[number - 2], later[number - 2]
    return number, (
        f"the evidence for {counted(number, 'cluster')} instead of {number - 1} is {here:,.0f}, "
        f"for one more {beyond:,.0f} (logarithms of likelihood ratios)"
    )
