"""What a tree search maximises, literally: the expected agreement of trees with new answers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

Tree = tuple  # (left, right), or a leaf as an int


def agreement(pair: tuple[int, int], comparison: tuple[int, int, int, int]) -> int:
    """Return 1, -1 or 0: a tree that joins `pair` of three first is right, wrong or silent."""
    i, j, k, l = comparison  # noqa: E741
    first, second = {i, j} == set(pair), {k, l} == set(pair)
    return int(first) - int(second)


def answers(
    form: str, objects: tuple[int, int, int], strength
) -> Iterator[tuple[float, list[tuple[int, int, int, int]]]]:
    """Yield each answer to a question about three objects: its probability and its comparisons.

    A question of one form is drawn at random: a triplet has one of three heads. An answer among
    three is as likely as the two comparisons it consists of, relative to the other answers.
    """

    def beats(e: tuple[int, int], f: tuple[int, int]) -> float:
        return 1 / (1 + math.exp(strength(*f) - strength(*e)))

    if form == "triplet":
        for i in objects:
            j, k = (other for other in objects if other != i)
            yield beats((i, j), (i, k)) / 3, [(i, j, i, k)]
            yield beats((i, k), (i, j)) / 3, [(i, k, i, j)]
        return
    found = []
    for odd in objects:
        i, j = (other for other in objects if other != odd)
        if form == "odd one out":
            chance = beats((i, j), (i, odd)) * beats((i, j), (j, odd))
            found.append((chance, [(i, j, i, odd), (i, j, j, odd)]))
        else:  # most central: `odd` is the centre
            chance = beats((i, odd), (i, j)) * beats((j, odd), (i, j))
            found.append((chance, [(i, odd, i, j), (j, odd, i, j)]))
    total = sum(chance for chance, _ in found)
    for chance, comparisons in found:
        yield chance / total, comparisons


def expected_agreement(form: str, x: int, y: int, z: int, strength) -> float:
    """Return V(xy|z): right minus wrong per comparison, for a tree that joins x and y before z."""
    return sum(
        chance * sum(agreement((x, y), one) for one in comparisons) / len(comparisons)
        for chance, comparisons in answers(form, (x, y, z), strength)
    )


def all_trees(leaves: tuple[int, ...]) -> Iterator[Tree | int]:
    """Yield every binary tree of the leaves."""
    if len(leaves) == 1:
        yield leaves[0]
        return
    first, rest = leaves[0], leaves[1:]
    for size in range(len(rest)):
        for others in itertools.combinations(rest, size):
            mine = (first, *others)
            theirs = tuple(leaf for leaf in rest if leaf not in others)
            for left in all_trees(mine):
                for right in all_trees(theirs):
                    yield left, right


def clusters(tree: Tree | int) -> list[set[int]]:
    """Return the sets of leaves under all nodes, the whole tree last."""
    if not isinstance(tree, tuple):
        return [{tree}]
    left, right = clusters(tree[0]), clusters(tree[1])
    return [*left, *right, left[-1] | right[-1]]


def first_joined(found: list[set[int]], three: tuple[int, int, int]) -> tuple[int, int]:
    """Return the two of three objects whose smallest common cluster is without the third."""
    for x, y in itertools.combinations(three, 2):
        (z,) = set(three) - {x, y}
        if any({x, y} <= cluster and z not in cluster for cluster in found):
            return x, y
    raise AssertionError("a binary tree joins two of any three first")


def total_agreement(found: list[set[int]], n: int, value) -> float:
    """Return the sum over all triples of value(x, y, z) for the topology xy|z of the tree."""
    total = 0.0
    for three in itertools.combinations(range(n), 3):
        x, y = first_joined(found, three)
        (z,) = set(three) - {x, y}
        total += value(x, y, z)
    return total
