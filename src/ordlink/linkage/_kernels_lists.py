"""Lists of the nearest clusters of each cluster, by exact scores of sign features.

All scores are whole numbers divided by whole numbers, `number / weight`, and are compared exactly.
Seen from cluster r, cluster x comes before y if W(r, x) > W(r, y), or if both are equal and the
slot of x (the order of the smallest objects) is smaller. That is the tie rule: of the pairs {r, x}
with equal scores, the one with the smallest x comes first in the order of (smaller, larger slot).
"""

from __future__ import annotations

from typing import NamedTuple

from ordlink._kernels import kernel
from ordlink._typing import FloatArray, Int32Array, Int64Array


class Clusters(NamedTuple):
    """The clusters; a merged cluster keeps the smaller slot."""

    sums: Int32Array  # (n_slots, d): sums of the features of each cluster's objects
    sizes: Int64Array  # (n_slots,): number of objects
    parents: Int32Array  # (n_slots,): the slot itself, or one that it was merged into


class Lists(NamedTuple):
    """The nearest clusters of each cluster, best first; the last column is the bound.

    Whatever the list of r leaves out comes after the bound of r. A bound with a weight is an
    entry like the others; without one (0), its score is only an upper bound, and an equal score
    proves nothing.
    """

    # (n_slots, length + 1): `numbers / weights`, rounded once: equal quotients give equal scores
    scores: FloatArray
    numbers: Int64Array  # (n_slots, length + 1): <sum F_r, sum F_x> and |r| |x|
    weights: Int64Array
    slots: Int32Array  # (n_slots, length + 1): the slot of x when it was listed
    counts: Int32Array  # (n_slots,): number of entries


@kernel
def compare_scores(a: int, b: int, c: int, d: int) -> int:
    """Return the sign of a / b - c / d, exactly; b and d are positive.

    Rounding keeps the order of quotients, so only equal floats need a closer look: the two
    continued fractions are compared term by term, which cannot overflow.
    """
    first, second = a / b, c / d
    if first != second:
        return 1 if first > second else -1
    if a == c and b == d:
        return 0
    sign = 1
    while True:
        whole, other = a // b, c // d
        if whole != other:
            return sign if whole > other else -sign
        a -= whole * b
        c -= other * d
        if a == 0 or c == 0:
            if a == c:
                return 0
            return sign if a > 0 else -sign
        a, b, c, d = b, a, d, c
        sign = -sign


@kernel
def dot(p: int, q: int, sums: Int32Array) -> int:
    """Return <sum F_p, sum F_q>: at most d N^2 / 4 in size, so even float64 holds it exactly."""
    total = 0
    for k in range(sums.shape[1]):
        total += int(sums[p, k]) * int(sums[q, k])
    return total


@kernel
def is_before_entry(number: int, weight: int, slot: int, r: int, place: int, lists: Lists) -> bool:
    """Tell whether a score comes before an entry (or the bound) of the list of r."""
    score, other = number / weight, float(lists.scores[r, place])
    if score != other:
        return score > other
    if lists.weights[r, place] == 0:
        return False
    order = compare_scores(number, weight, lists.numbers[r, place], lists.weights[r, place])
    return order > 0 or (order == 0 and slot < int(lists.slots[r, place]))


@kernel
def move(r: int, source: int, place: int, lists: Lists) -> None:
    """Copy an entry within the list of r."""
    lists.scores[r, place] = lists.scores[r, source]
    lists.numbers[r, place] = lists.numbers[r, source]
    lists.weights[r, place] = lists.weights[r, source]
    lists.slots[r, place] = lists.slots[r, source]


@kernel
def insert(number: int, weight: int, slot: int, r: int, lists: Lists) -> None:
    """Insert an entry at its position in the list of r, if it comes before the bound.

    If the list is full, the last of the entries becomes the bound.
    """
    length = lists.slots.shape[1] - 1
    if not is_before_entry(number, weight, slot, r, length, lists):
        return
    place = lists.counts[r]
    if place < length:
        lists.counts[r] += 1
    while place > 0 and is_before_entry(number, weight, slot, r, place - 1, lists):
        move(r, place - 1, place, lists)
        place -= 1
    lists.scores[r, place] = number / weight
    lists.numbers[r, place] = number
    lists.weights[r, place] = weight
    lists.slots[r, place] = slot
