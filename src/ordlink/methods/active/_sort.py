"""Sorting pairs by questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import Int8Array, Int64Array
from ordlink.oracles import AskOnce

SMALLEST_SAMPLED = 10
"""Groups of at least this many pairs take the median of three as their pivot."""


@dataclass(frozen=True)
class _Group:
    """Pairs whose place among the others is known; as a class, they are equally similar."""

    members: Int64Array
    is_class: bool


def sort_into_classes(asker: AskOnce, pairs: Int64Array) -> list[Int64Array]:
    """Return the pairs in classes of equal similarity, most similar first.

    A class is an increasing list of positions in `pairs`, which are distinct codes. A quicksort
    whose groups are all split at the same time: n pairs take O(log n) batches and about
    1.2 n log2 n questions.
    """
    groups = _make_groups((np.arange(len(pairs)), len(pairs) == 1))
    while not all(group.is_class for group in groups):
        mixed = [group.members for group in groups if not group.is_class]
        split = iter(_split(asker, pairs, mixed, _choose_pivots(asker, pairs, mixed)))
        groups = [part for group in groups for part in ([group] if group.is_class else next(split))]
    return [group.members for group in groups]


def _make_groups(*parts: tuple[Int64Array, bool]) -> list[_Group]:
    """Return the parts that are not empty; a single pair is a class anyway."""
    return [
        _Group(np.sort(members), is_class or len(members) == 1)
        for members, is_class in parts
        if len(members)
    ]


def _split(
    asker: AskOnce, pairs: Int64Array, mixed: list[Int64Array], pivots: Int64Array
) -> list[list[_Group]]:
    """Return each group as what is above, equal to and below its pivot."""
    others = [members[members != pivot] for members, pivot in zip(mixed, pivots, strict=True)]
    sizes = [len(members) for members in others]
    answers = _compare(asker, pairs, np.concatenate(others), np.repeat(pivots, sizes))
    return [
        _make_groups(
            (members[answer > 0], False),
            (np.append(members[answer == 0], pivot), True),
            (members[answer < 0], False),
        )
        for members, pivot, answer in zip(
            others, pivots, np.split(answers, np.cumsum(sizes)[:-1]), strict=True
        )
    ]


def _choose_pivots(asker: AskOnce, pairs: Int64Array, mixed: list[Int64Array]) -> Int64Array:
    """Return the middle one of each small group, the median of three of each large one."""
    pivots = np.array([members[len(members) // 2] for members in mixed])
    sizes = np.array([len(members) for members in mixed])
    large = np.flatnonzero(sizes >= SMALLEST_SAMPLED)
    a = np.array([mixed[number][0] for number in large], dtype=np.int64)
    b = pivots[large]
    c = np.array([mixed[number][-1] for number in large], dtype=np.int64)
    ab, bc = np.split(_compare(asker, pairs, np.append(a, b), np.append(b, c)), 2)
    # Where a and c are on the same side of b, the median is the one of them nearer to b.
    aside = np.flatnonzero(ab * bc < 0)
    ac = _compare(asker, pairs, a[aside], c[aside])
    pivots[large[aside]] = np.where(ac == ab[aside], c[aside], a[aside])
    return pivots


def _compare(asker: AskOnce, pairs: Int64Array, first: Int64Array, second: Int64Array) -> Int8Array:
    return asker.compare_pairs(pairs[first], pairs[second])
