"""Merges inside sets without a firm split, by the weaker evidence of their answers."""

from __future__ import annotations

import numpy as np

from ordlink._typing import AnyArray, BoolArray, Int32Array, Int64Array
from ordlink.methods.adaptive._interview import N_COLOURS, Interview
from ordlink.methods.adaptive._sides import find_sides, split_score

LIKELY = 1.0  # standard errors beyond chance from which on a set is split
LARGEST_SET = 256  # a larger one is not looked at
Merge = tuple[float, int, int, int, bool]
"""Score of the split, size of the cluster, slots kept and gone, tied; sorted in order of merges."""
Part = tuple[Int64Array, Int32Array, float]
"""Slots, the answers about them (numbered within the part), the score of the split above."""


def link_unsplit(nodes: Int32Array, interview: Interview) -> tuple[AnyArray, BoolArray]:
    """Return the merges inside the nodes, pairs of slots (kept, gone), and which are arbitrary."""
    triplets = interview.triplets
    triplets = triplets[(nodes[triplets] == nodes[triplets[:, :1]]).all(axis=1)]
    triplets = triplets[np.argsort(nodes[triplets[:, 0]], kind="stable")]
    slots = np.argsort(nodes, kind="stable")
    found, starts = np.unique(nodes[slots], return_index=True)
    bounds = np.searchsorted(nodes[triplets[:, 0]], found)
    merges: list[Merge] = []
    for some, rows in zip(np.split(slots, starts[1:]), np.split(triplets, bounds[1:]), strict=True):
        waiting: list[Part] = [(some, np.searchsorted(some, rows).astype(np.int32), np.inf)]
        while waiting:
            waiting += _split(*waiting.pop(), interview, merges)
    merges.sort()
    kept, gone, tied = (np.array([merge[k] for merge in merges], dtype=np.int64) for k in (2, 3, 4))
    return np.stack([kept, gone], axis=1), tied.astype(np.bool_)


def _split(
    slots: Int64Array,
    triplets: Int32Array,
    above: float,
    interview: Interview,
    merges: list[Merge],
) -> list[Part]:
    """Add the merges of one part; return its two sides if they have to be split further.

    A part that is unlikely to have two sides becomes a chain, its most central objects first.
    """
    n = len(slots)
    score, plus = 0.0, np.zeros(n, dtype=np.bool_)
    if len(triplets) and n <= LARGEST_SET:
        i, a, b = slots[triplets].T
        colours = interview.colours(np.stack([i, i], axis=1), np.stack([a, b], axis=1))
        score = split_score(triplets, colours, n, N_COLOURS)
        plus = find_sides(triplets, n).evidence > 0
    score = min(score, above)
    if score < LIKELY or plus.all() or not plus.any():
        wins = np.bincount(triplets[:, 1], minlength=n) - np.bincount(triplets[:, 2], minlength=n)
        chain = slots[np.argsort(-wins, kind="stable")]
        kept = np.minimum.accumulate(chain)
        for k in range(1, n):
            two = sorted((int(kept[k - 1]), int(chain[k])))
            merges.append((score, k + 1, *two, n > 2))  # type: ignore[arg-type]
        return []
    parts: list[Part] = []
    for side in (np.flatnonzero(plus), np.flatnonzero(~plus)):
        inside = np.isin(triplets, side).all(axis=1)
        local = np.searchsorted(side, triplets[inside]).astype(np.int32)
        parts.append((slots[side], local, score))
    kept_slot, gone_slot = sorted(int(part[0][0]) for part in parts)
    merges.append((score, n, kept_slot, gone_slot, False))
    return parts
