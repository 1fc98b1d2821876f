"""4-AL: the cluster-level similarity computed straight from the quadruplets."""

from collections.abc import Callable
from fractions import Fraction

from tests.reference.linkage import Cluster, Score
from tests.reference.quadruplets import Relation, known


def preference(A: Relation, G1: Cluster, G2: Cluster, G3: Cluster, G4: Cluster) -> Fraction:
    """eq:4--AL-pre: W_Q(G1, G2 || G3, G4)."""
    total = 0
    for i in G1:
        for j in G2:
            for k in G3:
                for l in G4:  # noqa: E741
                    total += known(A, i, j, k, l)
    return Fraction(total, len(G1) * len(G2) * len(G3) * len(G4))


def four_al(A: Relation) -> Score:
    """eq:4--AL: the sum runs over ordered (r, s), so it counts each cluster pair twice."""

    def score(clusters: list[Cluster], p: int, q: int) -> Fraction:
        K = len(clusters)
        total = Fraction(0)
        for r in range(K):
            for s in range(K):
                if r != s:
                    total += preference(A, clusters[p], clusters[q], clusters[r], clusters[s])
        return total / (K * (K - 1))

    return score


def four_al_unit(A: Relation) -> Callable[[list[Cluster]], Fraction]:
    """2 max|A| / (K(K-1)): what one cluster pair can add to a score of eq:4--AL."""
    largest = max((abs(value) for value in A.values()), default=0)

    def unit(clusters: list[Cluster]) -> Fraction:
        K = len(clusters)
        return Fraction(2 * largest, K * (K - 1))

    return unit
