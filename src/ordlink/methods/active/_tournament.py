"""A knock-out tournament that replays as little as possible when contestants change."""

from __future__ import annotations

import numpy as np

from ordlink._typing import AnyArray, BoolArray, Int8Array, Int64Array
from ordlink.oracles import AskOnce

EMPTY = -1  # code of a place without a contestant, and the champion of a branch without any
UNKNOWN = 2  # a change of strength in an unknown direction; -1 is weaker, 0 as strong, +1 stronger


class Tournament:
    """Finds the most similar of a row of pairs; of equals, the first.

    A binary tree over places 0, 1, ..., n-1 (`pairs`: their codes, EMPTY for none). Each node knows
    the champion below it, the outcome of its match, and whether another pair is as strong. When
    pairs are exchanged, only matches above them can change, level by level in one batch each; and
    of these only those that the old outcome does not decide: a loser that became weaker loses
    again.
    """

    def __init__(self, asker: AskOnce, pairs: Int64Array) -> None:
        self._asker = asker
        size = 1 << max(len(pairs) - 1, 0).bit_length()
        self._size = size
        self._pairs = np.full(size, EMPTY, dtype=np.int64)
        self._pairs[: len(pairs)] = pairs
        # Node 1 is the root, node v has the branches 2v and 2v+1, place p is node size + p.
        self._champion = np.full(2 * size, EMPTY, dtype=np.int64)
        self._champion[size:] = np.where(self._pairs == EMPTY, EMPTY, np.arange(size))
        self._outcome = np.zeros(2 * size, dtype=np.int8)
        self._shared = np.zeros(2 * size, dtype=np.bool_)
        self._change = np.zeros(2 * size, dtype=np.int8)
        first = size // 2
        while first:
            nodes = np.arange(first, 2 * first)
            nothing_decided = np.zeros(len(nodes), dtype=np.bool_)
            self._settle(nodes, self._play(nodes, self._outcome[nodes], nothing_decided))
            first //= 2

    @property
    def champion(self) -> int:
        """Place of the champion, -1 if no pair is left."""
        return int(self._champion[1])

    @property
    def is_tied(self) -> bool:
        """Whether another pair is as strong as the champion."""
        return bool(self._shared[1])

    def pairs(self, places: AnyArray) -> Int64Array:
        """Return the codes of the pairs at these positions."""
        return self._pairs[places]

    def exchange(self, places: AnyArray, pairs: Int64Array, changes: AnyArray) -> None:
        """Replace pairs and replay the matches that this may change.

        `changes` is +1 where the new pair is strictly more alike than the old one, -1 where it is
        strictly less alike or there is none (EMPTY).
        """
        self._pairs[places] = pairs
        nodes = np.asarray(places) + self._size
        self._champion[nodes[pairs == EMPTY]] = EMPTY
        self._change[nodes] = changes
        nodes = np.sort(nodes)
        while len(nodes) and nodes[0] > 1:
            parents = nodes >> 1
            parents = np.append(parents[:1], parents[1:][parents[1:] != parents[:-1]])
            differs = self._replay(parents)
            self._change[nodes] = 0
            nodes = parents[differs]
        self._change[nodes] = 0

    def _replay(self, nodes: Int64Array) -> BoolArray:
        """Update nodes after their branches; return which of them changed."""
        old = self._outcome[nodes]
        left, right = self._change[2 * nodes], self._change[2 * nodes + 1]
        outcome, decided = _outcomes_without_asking(old, left, right)
        outcome = self._play(nodes, outcome, decided)
        self._change[nodes] = _changes_of_champion(old, outcome, left, right)
        return np.logical_or(self._settle(nodes, outcome), self._change[nodes])

    def _play(self, nodes: Int64Array, outcome: Int8Array, decided: BoolArray) -> Int8Array:
        """Return the outcomes of matches; a side without an opponent wins."""
        no_left = self._champion[2 * nodes] == EMPTY
        no_right = self._champion[2 * nodes + 1] == EMPTY
        outcome = np.where(no_right, np.int8(1), np.where(no_left, np.int8(-1), outcome))
        ask = np.flatnonzero(~(decided | no_left | no_right))
        if len(ask):
            left, right = self._champion[2 * nodes[ask]], self._champion[2 * nodes[ask] + 1]
            outcome[ask] = self._asker.compare_pairs(self._pairs[left], self._pairs[right])
        return outcome

    def _settle(self, nodes: Int64Array, outcome: Int8Array) -> BoolArray:
        """Write champions and shared strength; return where they differ from before."""
        winner = 2 * nodes + (outcome < 0)
        champion = self._champion[winner]
        shared = (outcome == 0) | self._shared[winner]
        differs: BoolArray = champion != self._champion[nodes]
        differs |= shared != self._shared[nodes]
        self._champion[nodes], self._shared[nodes] = champion, shared
        self._outcome[nodes] = outcome
        return differs


def _outcomes_without_asking(
    old: Int8Array, left: Int8Array, right: Int8Array
) -> tuple[Int8Array, BoolArray]:
    """Return the outcomes that follow from the old ones and the branches' changes, and where."""
    known = (left != UNKNOWN) & (right != UNKNOWN)
    left_gains = known & (left >= 0) & (right <= 0)
    left_loses = known & (left <= 0) & (right >= 0)
    unchanged = left_gains & left_loses
    outcome = np.where(unchanged, old, left_gains.astype(np.int8) - left_loses.astype(np.int8))
    return outcome, unchanged | (left_gains & (old >= 0)) | (left_loses & (old <= 0))


def _changes_of_champion(
    old: Int8Array, new: Int8Array, left: Int8Array, right: Int8Array
) -> Int8Array:
    """Return how each node's champion's strength changed, given how its branches' did."""
    before, after = np.where(old < 0, right, left), np.where(new < 0, right, left)
    # Where the winning side stayed, or either match was a draw, one side's change tells.
    change = np.where(new == 0, before, after)
    crossed = old * new < 0
    weaker = after <= 0
    stronger = (before >= 0) & (before != UNKNOWN)
    by_crossing = np.where(weaker, -1, np.where(stronger, 1, UNKNOWN))
    return np.where(crossed, by_crossing, change).astype(np.int8)
