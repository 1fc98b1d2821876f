"""Measures of trees as literal loops over pairs, triples and sets of leaves.

A tree is its list of merges (node ids, as ``agglomerate`` returns them); a truth is the list of its
clusters as sets of objects.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations

from tests.reference.metrics import Merges, leaves

Clusters = Iterable[frozenset[int]]


def lca(clusters: Clusters, i: int, j: int) -> frozenset[int]:
    """The smallest cluster that holds both objects."""
    return min((c for c in clusters if i in c and j in c), key=len)


def clusters_of(merges: Merges) -> list[frozenset[int]]:
    """The clusters of at least two objects."""
    return [frozenset(under) for under in leaves(merges)[len(merges) + 1 :]]


def clusters_of_levels(levels: Sequence[Sequence[int]]) -> list[frozenset[int]]:
    """The clusters of at least two objects of nested partitions, with that of all objects."""
    found = {frozenset(range(len(levels[0])))}
    for row in levels:
        found |= {frozenset(i for i, x in enumerate(row) if x == label) for label in set(row)}
    return [cluster for cluster in found if len(cluster) > 1]


def revenue(merges: Merges, rows: Iterable[Sequence[int]]) -> int:
    """Sum over comparisons (i, j, k, l) of |lca(k, l)| - |lca(i, j)|."""
    clusters = clusters_of(merges)
    return sum(len(lca(clusters, k, m)) - len(lca(clusters, i, j)) for i, j, k, m in rows)


def robinson_foulds(truth: Sequence[frozenset[int]], merges: Merges) -> int:
    """True clusters that the tree lacks, plus its clusters that cut across a true one."""
    n = len(merges) + 1
    mine = {c for c in clusters_of(merges) if len(c) < n}
    true = {c for c in truth if len(c) < n}
    false = {c for c in mine if any(c & t and c - t and t - c for t in true)}
    return len(true - mine) + len(false)


def joined_first(clusters: Clusters, triple: Iterable[int]) -> frozenset[int] | None:
    """The two of three objects that have a cluster without the third."""
    for i, j, k in ((a, b, c) for a, b, c in _each_last(tuple(triple))):
        if any(i in c and j in c and k not in c for c in clusters):
            return frozenset((i, j))
    return None


def _each_last(triple: tuple[int, ...]) -> list[tuple[int, int, int]]:
    a, b, c = triple
    return [(a, b, c), (a, c, b), (b, c, a)]


def triplet_distance(truth: Sequence[frozenset[int]], merges: Merges) -> Fraction:
    """Share of the triples resolved by the truth that the tree resolves in another way."""
    mine = clusters_of(merges)
    resolved = different = 0
    for triple in combinations(range(len(merges) + 1), 3):
        first = joined_first(truth, triple)
        if first is not None:
            resolved += 1
            different += first != joined_first(mine, triple)
    return Fraction(different, max(resolved, 1))


def dendrogram_purity(labels: Sequence[int], merges: Merges) -> Fraction:
    """Mean share of the class in the smallest cluster, over pairs of one class."""
    clusters = clusters_of(merges)
    shares = []
    for i, j in combinations(range(len(labels)), 2):
        if labels[i] == labels[j]:
            meeting = lca(clusters, i, j)
            same = sum(labels[k] == labels[i] for k in meeting)
            shares.append(Fraction(same, len(meeting)))
    return sum(shares, Fraction(0)) / len(shares) if shares else Fraction(1)
