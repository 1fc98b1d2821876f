"""Comparisons with some pairs of objects left out."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import squareform

from ordlink._typing import AnyArray, BoolArray, FloatArray
from ordlink.comparisons import Comparisons, ListedComparisons, RankedComparisons
from ordlink.methods.adds import adds_similarity_of_chunks


def keep_pairs(comparisons: Comparisons, kept: BoolArray) -> Comparisons:
    """Return what is said about the kept pairs alone; nothing is said about the others.

    Answers are kept where all their pairs are: that an answer "most central" compared two kept
    pairs as it did says something about the third one too. In a ranking, the pairs left out are
    tied with each other between the lower and the upper half of the others, which says as much
    for as against them.
    """
    if isinstance(comparisons, ListedComparisons):
        lost = ~(kept[comparisons.winners] & kept[comparisons.losers])
        answers = np.unique(comparisons.answer_ids, return_inverse=True)[1].ravel()
        return comparisons.take(np.bincount(answers, weights=lost)[answers] == 0)
    assert isinstance(comparisons, RankedComparisons)
    among_kept = comparisons.ranks[kept]
    ranks = 2 * comparisons.ranks.astype(np.int64)
    middle = np.sort(among_kept)[len(among_kept) // 2] if among_kept.size else 0
    ranks[~kept] = 2 * int(middle) - 1
    return RankedComparisons(
        n_objects=comparisons.n_objects, ranks=dense(ranks), names=comparisons.names
    )


def wins_among(comparisons: Comparisons, kept: BoolArray) -> tuple[FloatArray, int]:
    """Return wins minus losses of each kept pair against other kept pairs; 0 for the others.

    The second value is the number of comparisons among kept pairs.
    """
    part = keep_pairs(comparisons, kept)
    if isinstance(part, ListedComparisons):
        return adds_similarity_of_chunks([part]), part.n_comparisons
    assert isinstance(comparisons, RankedComparisons)
    ranks = comparisons.ranks
    n_tied = np.bincount(ranks[kept], minlength=int(ranks.max(initial=0)) + 1)
    below_minus_above = 2 * np.cumsum(n_tied) - n_tied - n_tied.sum()
    by_pair = np.where(kept, below_minus_above[ranks], 0)
    wins = squareform(by_pair.astype(np.float64), checks=False)
    return wins, int(n_tied.sum() ** 2 - (n_tied**2).sum()) // 2


def dense(ranks: AnyArray) -> AnyArray:
    """Return the ranks without gaps, as int32."""
    return np.unique(ranks, return_inverse=True)[1].ravel().astype(np.int32)
