"""A method for many objects: a block model that is split down while held-out answers support it."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ordlink._threads import one_blas_thread
from ordlink._typing import BoolArray, FloatArray, Int32Array, Int64Array, Progress
from ordlink._validate import Seed, seed_number
from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.errors import InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition, grow_each_part
from ordlink.methods.blocks._model import BlockModel
from ordlink.methods.blocks._passes import Answers
from ordlink.methods.blocks._splits import (
    FEWEST_OBJECTS,
    MAX_BLOCKS,
    Partition,
    refine,
    split_blocks,
)

MAX_DEPTH = 40
_FIRST_LAPSE_RATE = 0.05
_DIGITS = 3  # of scores: the fit of the strengths is not more exact


def run(
    comparisons: Comparisons,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    seed: Seed = 0,
) -> Hierarchy:
    """Return the tree of a block model of the objects, for up to millions of them.

    Objects of one block are alike: every pair of blocks has a strength x, also each block with
    itself, and P(e beats f) = q + (1 - 2 q) / (1 + exp(x_f - x_e)) for pairs of objects, by their
    blocks, with the lapse rate q. All objects start in one block. In rounds, each block is split
    in two along the leading eigenvector of the likelihood's slopes; Gibbs sampling then moves
    objects between all blocks; a split stays if it predicts held-out answers better, by three
    standard errors. In the end, blocks join by average linkage of their strengths.

    Time is proportional to the number of answers times that of blocks, memory to the number of
    answers plus objects times blocks: there is no table of pairs. Each answer counts as often as it
    was given. Objects of one block are joined one after another, in merges that are marked as tied:
    the answers do not distinguish them.
    """
    if not isinstance(comparisons, ListedComparisons):
        problem = "blocks works on comparisons listed one by one, got all comparisons as ranks"
        raise InputKindError(problem, remedy="use spectral, 4-AL or AddS-AL")
    with one_blas_thread():
        source = partial(Answers.of, comparisons, seed=seed_number(seed))
        n_objects = comparisons.n_objects

        def grow(part: Int64Array, own: InitialPartition) -> tuple[Hierarchy, None]:
            return _grow(source, n_objects, part, own, progress), None

        tree, _ = grow_each_part(comparisons, partition, grow)
    return Hierarchy(tree.merges, scores=tree.scores, tied=tree.tied, names=comparisons.names)


@dataclass(frozen=True)
class _Branch:
    """A set of slots: indistinguishable ones, or two branches that join."""

    first: int  # its smallest slot
    strength: float = np.inf
    members: Int64Array | None = None
    parts: tuple[_Branch, ...] = ()


def _grow(
    source: Callable[..., Answers],
    n_objects: int,
    part: Int64Array,
    partition: InitialPartition,
    progress: Progress | None,
) -> Hierarchy:
    """Return the tree of a part of the objects; answers about others are read, but not copied."""
    root = _Branch(0, members=np.arange(partition.n_slots))
    if partition.n_slots >= FEWEST_OBJECTS:
        slots = np.full(n_objects, -1, dtype=np.int32)
        slots[part] = partition.labels
        root = _branch(source, slots, np.arange(partition.n_slots), 0.0, progress)
    return partition.finish(*_merges_of(root, partition.n_slots), names=None)


def _branch(
    source: Callable[..., Answers],
    slots: Int32Array,
    members: Int64Array,
    level: float,
    progress: Progress | None,
) -> _Branch:
    """Return the branch of these slots, whose mean strength is `level`; `source` lists answers.

    `slots` is the position among the members of each object's slot, -1 for none.
    """
    found, unfinished = _find_blocks(source, slots, progress)
    sizes, strengths = found.sizes, found.model.strengths
    pairs = np.outer(sizes, sizes).astype(np.float64)
    strengths = strengths + (level - float((pairs * strengths).sum() / pairs.sum()))
    branches = []
    for block in range(found.n_blocks):
        own = np.flatnonzero(found.labels == block)
        if unfinished[block] and found.n_blocks == MAX_BLOCKS and len(own) > 1:
            position = np.full(len(members) + 1, -1, dtype=np.int32)
            position[own] = np.arange(len(own), dtype=np.int32)  # and the last one stays -1
            inner = position[slots], members[own], float(strengths[block, block])
            branches.append(_branch(source, *inner, None))
        else:
            branches.append(_Branch(int(members[own[0]]), members=members[own]))
    return _join(branches, strengths, sizes.astype(np.float64))


def _find_blocks(
    source: Callable[..., Answers], slots: Int32Array, progress: Progress | None
) -> tuple[Partition, BoolArray]:
    """Return the blocks that held-out answers support, and which of them might be split further."""
    answers = source(slots)
    labels = np.zeros(answers.n_objects, dtype=np.uint8)
    now = Partition(labels, BlockModel(np.zeros((1, 1)), _FIRST_LAPSE_RATE))
    may_split = np.ones(1, dtype=bool)
    steps = MAX_BLOCKS.bit_length()
    for depth in range(MAX_DEPTH):
        before = now
        now = split_blocks(answers, before, may_split, depth)
        if progress is not None:
            progress(min(depth + 1, steps - 1), steps)
        if now.n_blocks == before.n_blocks:
            break
        may_split = _changed(before, now)
    if now.n_blocks > 1:
        del answers  # before the lists of all answers take as much memory
        now = refine(source(slots, test_share=0.0), now, MAX_DEPTH)
        now, may_split = _without_empty(now, may_split)
    if progress is not None:
        progress(steps, steps)
    return now, may_split


def _changed(before: Partition, now: Partition) -> BoolArray:
    """Return which blocks were split just now: both parts of each."""
    changed = np.zeros(now.n_blocks, dtype=bool)
    changed[before.n_blocks :] = True
    for part in range(before.n_blocks, now.n_blocks):
        came_from = np.bincount(before.labels[now.labels == part], minlength=before.n_blocks)
        changed[int(came_from.argmax())] = True
    return changed


def _without_empty(now: Partition, may_split: BoolArray) -> tuple[Partition, BoolArray]:
    kept = np.flatnonzero(now.sizes)
    labels = np.searchsorted(kept, now.labels).astype(np.uint8)
    model = BlockModel(now.model.strengths[np.ix_(kept, kept)], now.model.lapse_rate)
    return Partition(labels, model), may_split[kept]


def _join(branches: list[_Branch], strengths: FloatArray, sizes: FloatArray) -> _Branch:
    """Return the branch of all blocks, by average linkage."""
    order = np.argsort([branch.first for branch in branches])
    branches = [branches[at] for at in order]
    strengths, sizes = strengths[np.ix_(order, order)].copy(), sizes[order]
    while len(branches) > 1:
        above = np.where(np.triu(np.ones_like(strengths, dtype=bool), 1), strengths, -np.inf)
        p, q = (int(place) for place in np.unravel_index(int(above.argmax()), above.shape))
        joined = _Branch(
            branches[p].first, round(float(above[p, q]), _DIGITS), parts=(branches[p], branches[q])
        )
        mean = (sizes[p] * strengths[p] + sizes[q] * strengths[q]) / (sizes[p] + sizes[q])
        strengths[p], strengths[:, p] = mean, mean
        sizes[p] += sizes[q]
        branches[p] = joined
        del branches[q]
        strengths = np.delete(np.delete(strengths, q, axis=0), q, axis=1)
        sizes = np.delete(sizes, q)
    return branches[0]


def _merges_of(root: _Branch, n_slots: int) -> tuple[Int32Array, FloatArray, BoolArray]:
    """Return the merges: indistinguishable slots first, then joins from the strongest on."""
    joins: list[_Branch] = []
    chains: list[Int64Array] = []
    waiting = [(root.strength, 0, root)]
    number = 0
    while waiting:
        branch = heapq.heappop(waiting)[-1]
        if branch.members is not None:
            chains.append(branch.members)
            continue
        joins.append(branch)
        for part in branch.parts:
            number += 1
            heapq.heappush(waiting, (part.strength, number, part))
    chains.sort(key=lambda members: int(members[0]))
    pairs = np.empty((n_slots - 1, 2), dtype=np.int32)
    n_tied = n_slots - 1 - len(joins)
    pairs[:n_tied, 0] = np.concatenate([np.repeat(m[:1], len(m) - 1) for m in chains])
    pairs[:n_tied, 1] = np.concatenate([members[1:] for members in chains])
    pairs[n_tied:] = np.array(
        [[part.first for part in join.parts] for join in reversed(joins)], dtype=np.int32
    ).reshape(-1, 2)
    scores = np.full(n_slots - 1, np.nan)
    scores[n_tied:] = [join.strength for join in reversed(joins)]
    return pairs, scores, np.arange(n_slots - 1) < n_tied
