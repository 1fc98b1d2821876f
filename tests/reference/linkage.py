"""Agglomerative clustering (alg:hc) with every cluster pair scored afresh at every step."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

Cluster = tuple[int, ...]
# score(clusters, p, q): similarity of clusters[p] and clusters[q], given all current clusters.
Score = Callable[[list[Cluster], int, int], float | Fraction]
Unit = float | Fraction | Callable[[list[Cluster]], float | Fraction]

RELATIVE_TOLERANCE = Fraction(1, 10**9)
UNIT_TOLERANCE = Fraction(1, 10**13)


def agglomerate(
    n_objects: int,
    score: Score,
    initial_clusters: Sequence[Sequence[int]] | None = None,
    unit: Unit = 1,
) -> tuple[list[tuple[int, int]], list[float], list[bool]]:
    """Merges (node ids), their scores, and whether a tie decided them.

    Leaf i is node i, merge t makes node n_objects + t. ``unit`` is the natural scale of a score,
    a number or a function of the current clusters. Scores are compared exactly, as fractions.
    """
    merges: list[tuple[int, int]] = []
    scores: list[float] = []
    tied: list[bool] = []
    node = {(i,): i for i in range(n_objects)}  # cluster (sorted objects) -> its node

    def merge(left: Cluster, right: Cluster, value: float | Fraction, was_tied: bool) -> Cluster:
        assert min(left) < min(right)
        merges.append((node.pop(left), node.pop(right)))
        scores.append(float(value))
        tied.append(was_tied)
        union = tuple(sorted(left + right))
        node[union] = n_objects + len(merges) - 1
        return union

    for objects in sorted(sorted(cluster) for cluster in initial_clusters or []):
        chain = (objects[0],)
        for i in objects[1:]:
            chain = merge(chain, (i,), float("nan"), False)

    while len(node) > 1:
        clusters = sorted(node, key=min)
        value = {
            (p, q): Fraction(score(clusters, p, q))
            for p in range(len(clusters))
            for q in range(p + 1, len(clusters))
        }
        best = max(value.values())
        scale = Fraction(unit(clusters) if callable(unit) else unit)
        tolerance = RELATIVE_TOLERANCE * abs(best) + UNIT_TOLERANCE * scale
        # Clusters are in the order of their smallest objects, so the first (p, q) wins.
        candidates = [pq for pq in value if value[pq] >= best - tolerance]
        p, q = candidates[0]
        merge(clusters[p], clusters[q], value[p, q], len(candidates) > 1)

    return merges, scores, tied


def single(similarities: np.ndarray) -> Score:
    """SL: the largest similarity across the two clusters."""
    w = np.asarray(similarities).tolist()

    def score(clusters: list[Cluster], p: int, q: int) -> Fraction:
        return max(Fraction(w[i][j]) for i in clusters[p] for j in clusters[q])

    return score


def complete(similarities: np.ndarray) -> Score:
    """CL: the smallest similarity across the two clusters."""
    w = np.asarray(similarities).tolist()

    def score(clusters: list[Cluster], p: int, q: int) -> Fraction:
        return min(Fraction(w[i][j]) for i in clusters[p] for j in clusters[q])

    return score


def average(similarities: np.ndarray) -> Score:
    """AL: the mean similarity across the two clusters, exact whatever the similarities are."""
    w = np.asarray(similarities).tolist()

    def score(clusters: list[Cluster], p: int, q: int) -> Fraction:
        total = Fraction(0)
        for i in clusters[p]:
            for j in clusters[q]:
                total += Fraction(w[i][j])
        return total / (len(clusters[p]) * len(clusters[q]))

    return score


def largest(similarities: np.ndarray) -> float:
    """The largest |w_ij|, i != j: the unit of a score of SL, CL and AL on a matrix."""
    w = np.asarray(similarities).tolist()
    n = len(w)
    return max((abs(w[i][j]) for i in range(n) for j in range(n) if i != j), default=0)


def ranks(similarities: np.ndarray) -> np.ndarray:
    """Each w_ij replaced by how many smaller values there are among all w_kl, k < l.

    What an oracle lets SL and CL see: order and exact ties, never the size of a difference.
    """
    w = np.asarray(similarities).tolist()
    n = len(w)
    values = {w[k][l] for k in range(n) for l in range(k + 1, n)}  # noqa: E741
    rank = np.zeros((n, n), dtype=np.int64)
    for i in range(n):
        for j in range(n):
            if i != j:
                rank[i, j] = sum(value < w[i][j] for value in values)
    return rank
