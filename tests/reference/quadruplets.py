"""Answers (i, j, k, l), read as w_ij > w_kl, turned into the signed relation A over pairs."""

import random
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

Pair = tuple[int, int]
# A[e, f] > 0 where e beat f. Antisymmetric, both directions are held; unknown and tied are absent.
Relation = dict[tuple[Pair, Pair], int]


def pair(i: int, j: int) -> Pair:
    """The unordered pair {i, j}."""
    assert i != j
    return (i, j) if i < j else (j, i)


def pairs(n_objects: int) -> list[Pair]:
    """Every unordered pair."""
    return list(combinations(range(n_objects), 2))


def relation(
    answers: Iterable[Sequence[int]], counts: Sequence[int] | None = None, repeats: str = "majority"
) -> Relation:
    """A from answers with multiplicities; ``repeats`` is "majority" or "net"."""
    rows = [tuple(int(x) for x in row) for row in answers]
    net: Relation = {}
    for (i, j, k, l), count in zip(rows, counts or [1] * len(rows), strict=True):  # noqa: E741
        winner, loser = pair(i, j), pair(k, l)
        assert winner != loser
        net[winner, loser] = net.get((winner, loser), 0) + int(count)
        net[loser, winner] = net.get((loser, winner), 0) - int(count)
    if repeats == "net":
        return {ef: value for ef, value in net.items() if value != 0}
    assert repeats == "majority"
    return {ef: 1 if value > 0 else -1 for ef, value in net.items() if value != 0}


def known(A: Relation, i: int, j: int, k: int, l: int) -> int:  # noqa: E741
    """I[(i,j,k,l) in Q] - I[(k,l,i,j) in Q], whichever way round the pairs are written."""
    return A.get((pair(i, j), pair(k, l)), 0)


def from_similarities(
    similarities: np.ndarray, proportion: float = 1.0, seed: int = 0
) -> list[tuple[int, int, int, int]]:
    """Each unordered pair of pairs once, with probability ``proportion``; ties say nothing."""
    w = np.asarray(similarities).tolist()
    generator = random.Random(seed)
    answers = []
    for (i, j), (k, l) in combinations(pairs(len(w)), 2):  # noqa: E741
        if generator.random() >= proportion:
            continue
        if w[i][j] > w[k][l]:
            answers.append((i, j, k, l))
        elif w[i][j] < w[k][l]:
            answers.append((k, l, i, j))
    return answers
