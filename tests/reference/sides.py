"""The two-class model of a split, literally: sums over the sides of the three objects."""

from __future__ import annotations

import itertools
import math


def chance(answer: tuple[int, int, int], side: dict[int, int], rates: tuple[float, float]) -> float:
    """Return P(i is closer to a than to b), given the sides (+1 or -1) of the three objects."""
    i, a, b = answer
    if side[a] == side[b]:
        return 0.5
    own = rates[0] if side[i] > 0 else rates[1]
    return own if side[a] == side[i] else 1 - own


def evidence(answers, belief, rates: tuple[float, float]) -> list[float]:
    """Return, for each object, the sum of log P(answer | +) - log P(answer | -)."""
    total = [0.0] * len(belief)
    for answer in answers:
        for x in answer:
            given = {+1: 0.0, -1: 0.0}
            for sides in itertools.product((1, -1), repeat=3):
                side = dict(zip(answer, sides, strict=True))
                weight = math.prod((1 + side[y] * belief[y]) / 2 for y in answer if y != x)
                given[side[x]] += weight * chance(answer, side, rates)
            total[x] += math.log(given[1]) - math.log(given[-1])
    return total


def log_likelihood(answers, belief, rates: tuple[float, float]) -> float:
    """Return the sum of log P(answer), averaged over the sides of the objects."""
    total = 0.0
    for answer in answers:
        found = 0.0
        for sides in itertools.product((1, -1), repeat=3):
            side = dict(zip(answer, sides, strict=True))
            weight = math.prod((1 + side[y] * belief[y]) / 2 for y in answer)
            found += weight * chance(answer, side, rates)
        total += math.log(found)
    return total


def choices(answers, belief) -> list[list[float]]:
    """Return the expected numbers of choices of the (own, other) side, of sides + and -."""
    counts = [[0.0, 0.0], [0.0, 0.0]]
    for answer in answers:
        i, a, b = answer
        for sides in itertools.product((1, -1), repeat=3):
            side = dict(zip(answer, sides, strict=True))
            if side[a] != side[b]:
                weight = math.prod((1 + side[y] * belief[y]) / 2 for y in answer)
                counts[int(side[i] < 0)][int(side[a] != side[i])] += weight
    return counts
