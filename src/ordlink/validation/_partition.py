"""The clusters of a tree that the answers support best, whatever the order of merges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._text import counted
from ordlink._typing import BoolArray, FloatArray, LabelArray
from ordlink._validate import check_whole_number
from ordlink.comparisons import ListedComparisons
from ordlink.hierarchy import Hierarchy
from ordlink.validation._cross_validation import check_listed, check_tree

MOST_SUGGESTED = 12  # clusters
FEW = 2  # at most so many objects, and one of 20, are set aside together,
SHARE = 10  # and in all one of so many


@dataclass(frozen=True, eq=False)
class Partition:
    """Clusters of a tree that need not be a cut by merge order."""

    labels: LabelArray
    """Cluster of each object, 0 for the largest; -1 for outliers that are set aside: at most two
    objects at a time that split off above the clusters."""
    n_clusters: int
    evidence: FloatArray
    """For 2, 3, ... clusters, the log-likelihood gain of the best partition over the best one with
    one cluster less."""
    reason: str  # why so many clusters, in one sentence

    @property
    def set_aside(self) -> list[int]:
        """Objects that belong to no cluster."""
        return np.flatnonzero(self.labels < 0).tolist()


def best_partition(
    comparisons: ListedComparisons, tree: Hierarchy, n_clusters: int | None = None
) -> Partition:
    """Return the partition into clusters of the tree that the answers support best.

    The evidence for a split is its log-likelihood gain: how much more likely the answers are if
    pairs within its two sides are more similar than pairs across, with a lapse rate. A partition
    into k clusters consists of splits from the root down; those with the most evidence are found by
    dynamic programming. A cut by merge order often starts with single outliers. Here one or two
    objects that split off above most others are set aside, up to a tenth of all objects.

    Parameters
    ----------
    comparisons : ListedComparisons
        The answers.
    tree : Hierarchy
        Their tree, of the same objects.
    n_clusters : int, optional
        By default the number from 2 to 12 after which the evidence for one more cluster drops by
        the largest factor.

    Examples
    --------
    >>> import ordlink as ol
    >>> planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=5, gap=1.0, noise=0.1, seed=0)
    >>> rows = ol.datasets.simulate_answers(planted.similarities, 2000, seed=0)
    >>> c = ol.Comparisons.from_triplets(rows)
    >>> best_partition(c, ol.cluster(c, "4-AL"), 4).labels.tolist()
    [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3]
    """
    check_listed(comparisons)
    n = check_tree(tree, comparisons.n_objects).n_objects
    if n_clusters is not None:
        n_clusters = check_whole_number(n_clusters, "n_clusters", lowest=1, highest=n)
    small = min(FEW, n // (2 * SHARE))
    largest = min(n, max(n_clusters or 0, MOST_SUGGESTED + 1))
    best = _Best(tree, split_evidence(comparisons, tree), small, largest)
    if n_clusters is not None and not np.isfinite(best.values[n_clusters]):
        best = _Best(tree, best.evidence, 0, largest)  # only with the smallest clusters
    gains = np.diff(best.values[1 : largest + 1])
    gains = gains[np.isfinite(gains)]
    reason = "as requested"
    if n_clusters is None:
        n_clusters, reason = _suggest(gains[:MOST_SUGGESTED])
    return Partition(best.labels(n_clusters), n_clusters, gains, reason)


def split_evidence(comparisons: ListedComparisons, tree: Hierarchy) -> FloatArray:
    """Return the evidence of the answers for each merge of a tree, (N - 1,).

    A comparison is about the merge where the two objects of one of its pairs meet, if the other
    pair is inside one of the two clusters: right if that pair won. With r right and w wrong
    comparisons, r > w and p = r / (r + w), the evidence is r log(2p) + w log(2(1 - p)).
    """
    n = tree.n_objects
    first, last = tree_intervals(tree)
    ranks = tree.lca_ranks().astype(np.int64)
    i, j, k, other = comparisons.quadruplets.T
    won, lost = n + ranks[i, j], n + ranks[k, other]
    counts = np.ones(len(won)) if comparisons.counts is None else comparisons.counts

    def above(one: LabelArray, two: LabelArray) -> BoolArray:
        inside = (first[one] <= first[two]) & (last[two] <= last[one])
        return np.asarray(inside & (one != two))

    agrees, differs = above(lost, won), above(won, lost)
    right = np.bincount(lost[agrees] - n, counts[agrees], n - 1)
    wrong = np.bincount(won[differs] - n, counts[differs], n - 1)
    total = np.maximum(right + wrong, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = right * np.log(2 * right / total)
        found += np.where(wrong > 0, wrong * np.log(2 * wrong / total), 0.0)
    return np.where(right > wrong, found, 0.0)


def tree_intervals(tree: Hierarchy) -> tuple[LabelArray, LabelArray]:
    """Return where the leaves under each node begin and end in the order of leaves."""
    n = tree.n_objects
    first = np.empty(2 * n - 1, dtype=np.intp)
    first[tree.leaf_order] = np.arange(n)
    last = first + 1
    for merge, (one, two) in enumerate(tree.merges.tolist()):
        first[n + merge] = min(first[one], first[two])
        last[n + merge] = max(last[one], last[two])
    return first, last


class _Best:
    """The most evidence for each number of clusters, from the leaves up."""

    def __init__(self, tree: Hierarchy, evidence: FloatArray, small: int, largest: int) -> None:
        self.tree, self.evidence = tree, evidence
        n = tree.n_objects
        self._kept = _above_most(tree, small, n // SHARE)
        alone = np.full(largest + 1, -np.inf)
        alone[1] = 0.0
        self._values: list[FloatArray] = [alone] * n
        self._left: list[LabelArray] = [np.zeros(largest + 1, dtype=np.intp)] * n
        for merge, (one, two) in enumerate(tree.merges.tolist()):
            value, left = alone.copy(), np.zeros(largest + 1, dtype=np.intp)
            kept = self._kept.get(n + merge)
            if kept is not None:
                value[2:] = self._values[kept][2:]
            else:
                self._combine(value, left, one, two)
                value[2:] += evidence[merge]
            self._values.append(value)
            self._left.append(left)

    @property
    def values(self) -> FloatArray:
        """The evidence for 0, 1, 2, ... clusters of all objects; -inf where there are none."""
        return self._values[-1]

    def _combine(self, value: FloatArray, left: LabelArray, one: int, two: int) -> None:
        """Set the best sums over both sides, and how many clusters are on the first."""
        first, second = self._values[one], self._values[two]
        largest = len(value) - 1
        of_first = min(int(self.tree.sizes[one]), largest)
        of_second = min(int(self.tree.sizes[two]), largest)
        for on_left in range(1, of_first + 1):
            most = min(of_second, largest - on_left)
            if most < 1 or not np.isfinite(first[on_left]):
                continue
            sums = first[on_left] + second[1 : most + 1]
            places = np.arange(on_left + 1, on_left + most + 1)
            better = sums > value[places]
            value[places[better]] = sums[better]
            left[places[better]] = on_left

    def labels(self, n_clusters: int) -> LabelArray:
        """Return the clusters, the largest first, then by their first object; -1: set aside."""
        n = self.tree.n_objects
        clusters, waiting = [], [(2 * n - 2, n_clusters)]
        while waiting:
            node, number = waiting.pop()
            if number == 1:
                clusters.append(np.sort(self.tree.members(node)))
                continue
            one, two = self.tree.merges[node - n].tolist()
            if node in self._kept:
                waiting.append((self._kept[node], number))
            else:
                on_left = int(self._left[node][number])
                waiting += [(one, on_left), (two, number - on_left)]
        labels = np.full(n, -1, dtype=np.intp)
        clusters.sort(key=lambda members: (-len(members), int(members[0])))
        for number, members in enumerate(clusters):
            labels[members] = number
        return labels


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


def _suggest(gains: FloatArray) -> tuple[int, str]:
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
