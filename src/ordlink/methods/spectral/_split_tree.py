"""A tree from splits: firm clusters joined from below, and split further from above."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from ordlink._typing import BoolArray, FloatArray, Int32Array, Int64Array, LabelArray
from ordlink.methods.spectral._firm_clusters import Blocks, number_by_first
from ordlink.methods.spectral._pair_strengths import PairStrengths
from ordlink.methods.spectral._splits import CLEAR, LIKELY, best_split

ERRORS = 2.0
"""So many standard errors are added to a strength before splits are put in order."""
_LEAST_SPREAD = 0.1
"""Variance of strengths between clusters, at least."""


@dataclass(frozen=True)
class Branch:
    """A set of objects and how it falls in two."""

    first: int  # its smallest object
    strength: float = np.nan  # mean strength across, NaN if nothing is known of it
    rank: tuple[bool, float] = (True, np.inf)  # splits of lower rank come first, from the root down
    tied: bool = False  # no answer supports this split, or another equally well
    parts: tuple[Branch, ...] = ()  # its two parts


def build_tree(
    posterior: PairStrengths, labels: LabelArray
) -> tuple[Int32Array, FloatArray, BoolArray]:
    """Return merges as `InitialPartition.finish` takes them: pairs, scores, tie marks."""
    labels = number_by_first(labels)
    clusters = [
        _split_down(posterior, np.flatnonzero(labels == label))
        for label in range(int(labels.max()) + 1)
    ]
    return _merges_of(_join(clusters, Blocks.of(posterior, labels)))


def _join(clusters: list[Branch], blocks: Blocks) -> Branch:
    """Return the branch of all clusters, by average linkage weighted by precision.

    Clusters come in the order of their smallest objects, and so do equally good choices.
    """
    mean, prior = blocks.mean, 1.0 / max(blocks.spread(), _LEAST_SPREAD)
    branches = list(clusters)
    while len(branches) > 1:
        means = (blocks.totals + prior * mean) / (blocks.precisions + prior)
        above = np.where(np.triu(np.ones_like(means, dtype=bool), 1), means, -np.inf)
        p, q = (int(place) for place in np.unravel_index(int(above.argmax()), above.shape))
        strength, precision = means[p, q], blocks.precisions[p, q]
        blind = precision <= 0.0
        rank = _rank_of(strength, np.inf if blind else precision**-0.5)
        branches[p] = _join_two(
            branches[p],
            branches.pop(q),
            strength=np.nan if blind else strength,
            rank=rank,
            tied=bool(blind or np.count_nonzero(above == strength) > 1),
        )
        blocks = blocks.unite(p, q)
    return branches[0]


def _rank_of(strength: float, error: float) -> tuple[bool, float]:
    """Return the rank of a clear split: the less is known of its strength, the later it comes."""
    return False, strength + ERRORS * error


def _join_two(
    a: Branch, b: Branch, *, strength: float, rank: tuple[bool, float], tied: bool = False
) -> Branch:
    low, high = (a, b) if a.first < b.first else (b, a)
    return Branch(low.first, float(strength), rank, tied, (low, high))


def _split_down(posterior: PairStrengths, members: Int64Array) -> Branch:
    """Return the branch of a set, split down to single objects, without recursion."""
    done: dict[int, Branch] = {}
    # Each set is looked at twice: to split it, then to join what became of its parts.
    waiting: list[tuple[int, Int64Array, tuple[float, tuple[bool, float], int, int] | None]] = []
    number = 0
    waiting.append((number, members, None))
    while waiting:
        name, chosen, split_into = waiting.pop()
        if split_into is not None:
            strength, rank, a, b = split_into
            done[name] = _join_two(done.pop(a), done.pop(b), strength=strength, rank=rank)
            continue
        if len(chosen) == 1:
            done[name] = Branch(int(chosen[0]))
            continue
        split = best_split(posterior, chosen, LIKELY)
        if split is None:
            done[name] = _chain(chosen)
            continue
        clear = split.value(CLEAR) > 0.0
        rank = _rank_of(split.across, split.error) if clear else (True, split.within)
        waiting.append((name, chosen, (split.across, rank, number + 1, number + 2)))
        waiting.append((number + 1, chosen[split.side], None))
        waiting.append((number + 2, chosen[~split.side], None))
        number += 2
    return done[0]


def _chain(members: Int64Array) -> Branch:
    """Return a branch of indistinguishable objects, joined one after another."""
    branch = Branch(int(members[0]))
    for item in members[1:]:
        branch = _join_two(
            branch, Branch(int(item)), strength=np.nan, rank=(True, np.inf), tied=True
        )
    return branch


def _merges_of(root: Branch) -> tuple[Int32Array, FloatArray, BoolArray]:
    """Return the merges, the last of which is the split that comes first from the root down."""
    order: list[Branch] = []
    waiting = [(root.rank, root.first, 0, root)]
    number = 0
    while waiting:
        branch = heapq.heappop(waiting)[-1]
        if not branch.parts:
            continue
        order.append(branch)
        for part in branch.parts:
            number += 1
            heapq.heappush(waiting, (part.rank, part.first, number, part))
    order.reverse()
    pairs = np.array([[p.first for p in b.parts] for b in order], dtype=np.int32).reshape(-1, 2)
    strengths = np.array([b.strength for b in order])
    return pairs, strengths, np.array([b.tied for b in order], dtype=bool)
