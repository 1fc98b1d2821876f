"""ARI by its contingency table, AARI, and Dasgupta's cost through sets of leaves.

A tree is its list of merges (node ids, as ``agglomerate`` returns them).
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np

Merges = Sequence[Sequence[int]]


def leaves(merges: Merges) -> list[set[int]]:
    """The set of objects under every node; the objects' own nodes come first."""
    under = [{i} for i in range(len(merges) + 1)]
    for left, right in merges:
        under.append(under[left] | under[right])
    return under


def cut(merges: Merges, n_clusters: int) -> list[int]:
    """Labels after the first N - n_clusters merges, numbered by the clusters' smallest objects."""
    n = len(merges) + 1
    under = leaves(merges)
    alive = set(range(n))
    for t in range(n - n_clusters):
        alive -= set(merges[t])
        alive.add(n + t)
    clusters = sorted((under[node] for node in alive), key=min)
    return [label for i in range(n) for label, members in enumerate(clusters) if i in members]


def ari(first: Sequence[int], second: Sequence[int]) -> Fraction:
    """The adjusted Rand index; 1 for two equal trivial partitions, where it would be 0 / 0."""
    n = len(first)
    assert len(second) == n
    both = in_first = in_second = 0
    for a in set(first):
        in_first += comb(sum(x == a for x in first), 2)
    for b in set(second):
        in_second += comb(sum(y == b for y in second), 2)
    for a in set(first):
        for b in set(second):
            both += comb(sum(x == a and y == b for x, y in zip(first, second, strict=True)), 2)
    expected = Fraction(in_first * in_second, max(comb(n, 2), 1))
    most = Fraction(in_first + in_second, 2)
    if most == expected:
        return Fraction(1)
    return (both - expected) / (most - expected)


def aari(levels: Sequence[Sequence[int]], merges: Merges) -> Fraction:
    """Mean ARI over the true levels; the tree is cut into as many clusters as the level has."""
    rows = np.asarray(levels).tolist()
    total = sum((ari(row, cut(merges, len(set(row)))) for row in rows), Fraction(0))
    return total / len(rows)


def dasgupta_cost(merges: Merges, similarities: np.ndarray) -> Fraction:
    """Sum over unordered pairs of w_ij times the size of the smallest cluster that holds both."""
    w = np.asarray(similarities).tolist()
    under = leaves(merges)
    cost = Fraction(0)
    for i, j in combinations(range(len(merges) + 1), 2):
        cost += Fraction(w[i][j]) * min(len(s) for s in under if i in s and j in s)
    return cost
