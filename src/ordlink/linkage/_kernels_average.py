"""Average linkage on a similarity matrix, greedy, with the tie rule."""

from __future__ import annotations

import numpy as np

from ordlink._kernels import kernel
from ordlink._typing import BoolArray, FloatArray, Int32Array, Int64Array

TIE_RELATIVE = 1e-9
"""Scores closer than this share of the best one are equal."""
TIE_OF_UNIT = 1e-13
"""Scores closer than this share of the unit are equal: the noise of rounding around 0."""


@kernel
def scan_row(
    p: int, sums: FloatArray, sizes: Int64Array, best_of: FloatArray, at: Int32Array
) -> None:
    """Find the best partner q > p of cluster p."""
    best_of[p] = -np.inf
    at[p] = -1
    for q in range(p + 1, sizes.shape[0]):
        if sizes[q] > 0:
            score = sums[p, q] / (sizes[p] * sizes[q])
            if score > best_of[p]:
                best_of[p] = score
                at[p] = q


@kernel
def average_linkage(
    sums: FloatArray,
    sizes: Int64Array,
    unit: float,
    pairs: Int32Array,
    scores: FloatArray,
    tied: BoolArray,
    first: int,
    last: int,
    best_of: FloatArray,
    at: Int32Array,
) -> None:
    """Do merges first..last-1 of average linkage; state lives in the arrays between calls.

    Clusters are slots in the order of their smallest objects; a merged cluster keeps the smaller
    slot, so slot order is the tie rule's order. `sums[p, q]` is the sum of similarities between
    two clusters: sums of whole numbers stay exact, and so do their ties. Each row keeps its best
    partner and is rescanned only when that partner changes: O(N^2) typically, O(N^3) at worst.
    """
    n = sizes.shape[0]
    for t in range(first, last):
        if t == 0:
            for p in range(n):
                scan_row(p, sums, sizes, best_of, at)
        best = -np.inf
        for p in range(n):
            if sizes[p] > 0 and best_of[p] > best:
                best = best_of[p]
        bound = best - (TIE_RELATIVE * abs(best) + TIE_OF_UNIT * unit)
        p = 0
        while not (sizes[p] > 0 and best_of[p] >= bound):
            p += 1
        q, score, n_candidates = -1, 0.0, 0
        for r in range(p + 1, n):
            if sizes[r] > 0:
                candidate = sums[p, r] / (sizes[p] * sizes[r])
                if candidate >= bound:
                    n_candidates += 1
                    if q < 0:
                        q, score = r, candidate
            if sizes[r] > 0 and best_of[r] >= bound:
                n_candidates += 1
        pairs[t, 0], pairs[t, 1] = p, q
        scores[t] = score
        tied[t] = n_candidates > 1
        for r in range(n):
            if sizes[r] > 0:
                sums[p, r] += sums[q, r]
                sums[r, p] = sums[p, r]
        sizes[p] += sizes[q]
        sizes[q] = 0
        for r in range(q):
            if sizes[r] > 0 and r != p:
                if at[r] == q or at[r] == p:
                    scan_row(r, sums, sizes, best_of, at)
                elif r < p:
                    candidate = sums[r, p] / (sizes[r] * sizes[p])
                    if candidate > best_of[r]:
                        best_of[r] = candidate
                        at[r] = p
        scan_row(p, sums, sizes, best_of, at)
