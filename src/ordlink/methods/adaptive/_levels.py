"""The tree of splits while it grows: which node each slot is in on each level, and what to ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ordlink._typing import BoolArray, FloatArray, Int32Array, Int64Array
from ordlink.methods.adaptive._interview import N_COLOURS, Interview
from ordlink.methods.adaptive._sides import find_sides, refine_sides, split_score

NOWHERE = -1
FIRST_LOOK, NEXT_LOOK = 5, 3  # questions per object of the sample before there are sides, and after
SAMPLE, SAMPLE_SHARE, LARGEST_SAMPLE = 64, 8, 256  # objects that a split is looked for in
SMALLEST_SPLIT = 3
FIRM = 3.5  # standard errors beyond chance that make a split firm
SURE = 0.8  # |belief| of the objects that others are compared with
MOST_PER_ROUND = 6  # questions about one object in one node
_AHEAD = 0.6  # share of the questions that an object is expected to need, asked in one round
_PATIENCE = 4.0  # times the expected number, after which an object goes to the likelier side
_STILL_OUT = 0.2  # a node is looked at once so few objects are still undecided above it
_DRAWS = 12


@dataclass
class Node:
    """A set of slots; a firm split has two children."""

    level: int
    children: tuple[int, int] | None = None
    n_looks: int = 0  # questions so far per object of the sample
    score: float = 0.0  # standard errors by which two sides predicted answers better than chance
    rates: FloatArray = field(default_factory=lambda: np.full(2, 0.7))

    @property
    def information(self) -> float:
        """Expected evidence of one answer about the side of an object."""
        right = float(self.rates.mean())
        return max((2 * right - 1) * float(np.log(right / (1 - right))), 0.05)


class Level:
    """Where each slot is on one level, and how sure it is of its side of the split there."""

    def __init__(self, n_slots: int, node: int = NOWHERE) -> None:
        self.node: Int32Array = np.full(n_slots, node, dtype=np.int32)
        self.evidence: FloatArray = np.zeros(n_slots)
        self.n_asked: Int64Array = np.zeros(n_slots, dtype=np.int64)
        self.sampled: BoolArray = np.zeros(n_slots, dtype=np.bool_)

    @property
    def belief(self) -> FloatArray:
        """P(+) - P(-) of each slot."""
        return np.tanh(self.evidence / 2)

    def move(self, slots: BoolArray, nodes: Int32Array | int) -> None:
        """Put slots into other nodes, where nothing is known about them yet."""
        self.node[slots] = nodes if np.isscalar(nodes) else nodes[slots]  # type: ignore[index]
        self.evidence[slots], self.n_asked[slots], self.sampled[slots] = 0.0, 0, False

    def members(self, nodes: Int64Array) -> dict[int, Int64Array]:
        """Return the slots of each of these nodes."""
        chosen = np.flatnonzero(np.isin(self.node, nodes))
        chosen = chosen[np.argsort(self.node[chosen], kind="stable")]
        found, starts = np.unique(self.node[chosen], return_index=True)
        return dict(zip(found.tolist(), np.split(chosen, starts[1:]), strict=False))


class SplitTree:
    """Splits, found level by level; all levels advance at the same time.

    In each round, some objects of a node without sides are compared with each other, until their
    sides predict answers better than chance (`FIRM`). Then every object i of the node is asked
    about: is i closer to a or to b, objects known to be on either side? It moves to a child once
    its evidence exceeds the threshold. All answers within a node count, whenever they were given.
    """

    def __init__(self, interview: Interview, rng: np.random.Generator) -> None:
        self._interview, self._rng = interview, rng
        self.nodes = [Node(0)]
        self.levels = [Level(interview.n_slots, 0)]

    def learn(self, n_before: int, threshold: float) -> None:
        """Update sides and places after a round; rows from `n_before` on are new."""
        for depth, level in enumerate(self.levels):  # grows while it runs
            rows, nodes, is_new = self._answers_within(level, n_before)
            self._look_for_sides(level, rows, nodes, np.unique(nodes[is_new]))
            if not (is_split := self._is_split(level)).any():
                continue
            self._update_sides(level, rows, nodes, is_split)
            if depth + 1 == len(self.levels):
                self.levels.append(Level(len(level.node)))
            self._send_down(depth, is_split, threshold)

    def _answers_within(
        self, level: Level, n_before: int
    ) -> tuple[Int32Array, Int32Array, BoolArray]:
        """Return the answers about three slots of one node, the nodes, and which are new."""
        triplets = self._interview.triplets
        nodes = level.node[triplets[:, 0]]
        within = nodes != NOWHERE
        for option in (1, 2):
            within &= nodes == level.node[triplets[:, option]]
        rows = np.flatnonzero(within)
        return triplets[rows], nodes[rows], rows >= n_before

    def _look_for_sides(
        self, level: Level, rows: Int32Array, nodes: Int32Array, changed: Int32Array
    ) -> None:
        """Look for sides in nodes that have none and got answers; firm ones get children."""
        open_nodes = [v for v in changed.tolist() if self.nodes[v].children is None]
        of_sample = np.isin(nodes, open_nodes) & level.sampled[rows].all(axis=1)
        rows, nodes = rows[of_sample], nodes[of_sample]
        order = np.argsort(nodes, kind="stable")
        starts = np.searchsorted(nodes[order], open_nodes, side="left")
        ends = np.searchsorted(nodes[order], open_nodes, side="right")
        for v, start, end in zip(open_nodes, starts, ends, strict=True):
            own = rows[order[start:end]]
            slots, numbers = np.unique(own, return_inverse=True)
            if len(slots) < SMALLEST_SPLIT:
                continue
            local: Int32Array = numbers.reshape(own.shape).astype(np.int32)
            sides = find_sides(local, len(slots))
            if sides.belief @ level.belief[slots] < 0:
                sides = sides.flipped()
            level.evidence[slots] = sides.evidence
            node = self.nodes[v]
            node.rates = sides.rates[0]
            i, a, b = own.T
            colours = self._interview.colours(np.stack([i, i], axis=1), np.stack([a, b], axis=1))
            node.score = split_score(local, colours, len(slots), N_COLOURS)
            if node.score > FIRM:
                first = len(self.nodes)
                self.nodes += [Node(node.level + 1), Node(node.level + 1)]
                node.children = first, first + 1

    def _is_split(self, level: Level) -> BoolArray:
        has_children = np.array([node.children is not None for node in self.nodes] + [False])
        return has_children[level.node]  # NOWHERE is the last one

    def _update_sides(
        self, level: Level, rows: Int32Array, nodes: Int32Array, is_split: BoolArray
    ) -> None:
        chosen = is_split[rows[:, 0]]
        rows, nodes = rows[chosen], nodes[chosen]
        rates = np.array([node.rates for node in self.nodes])
        sides = refine_sides(rows, nodes, level.belief, rates, 3)
        level.evidence[is_split] = sides.evidence[is_split]
        level.n_asked = np.bincount(rows[:, 0], minlength=len(is_split))
        for v in np.unique(nodes).tolist():
            self.nodes[v].rates = sides.rates[v]

    def _send_down(self, depth: int, is_split: BoolArray, threshold: float) -> None:
        """Put every decided slot into a child; below a slot that moved, everything restarts."""
        level = self.levels[depth]
        children = np.array([node.children or (NOWHERE, NOWHERE) for node in self.nodes])
        place = np.where(level.evidence > 0, *children[level.node].T)
        place = np.where(is_split & self._is_decided(level, threshold), place, NOWHERE)
        moved = place != self.levels[depth + 1].node
        self.levels[depth + 1].move(moved, place.astype(np.int32))
        for below in self.levels[depth + 2 :]:
            below.move(moved, NOWHERE)

    def _is_decided(self, level: Level, threshold: float) -> BoolArray:
        information = np.array([node.information for node in self.nodes] + [1.0])[level.node]
        enough = _PATIENCE * (1 + threshold / information)
        return (np.abs(level.evidence) >= threshold) | (level.n_asked >= enough)

    def questions(self, threshold: float, most_looks: int) -> Int64Array:
        """Return what to ask next, rows (i, a, b); none if nothing is left to find out."""
        rows: list[Int64Array] = [np.empty((0, 3), dtype=np.int64)]
        n_out = np.zeros(len(self.nodes), dtype=np.int64)  # undecided slots above each node
        for level in self.levels:
            sizes = np.bincount(level.node[level.node != NOWHERE], minlength=len(self.nodes))
            ready = [
                v
                for v in np.flatnonzero((sizes >= SMALLEST_SPLIT) & (n_out <= _STILL_OUT * sizes))
                if self.nodes[v].children is None and self.nodes[v].n_looks < most_looks
            ]
            for v, slots in level.members(np.array(ready, dtype=np.int64)).items():
                rows.append(self._look(level, self.nodes[v], slots))
            is_split = self._is_split(level)
            unsure = np.flatnonzero(is_split & ~self._is_decided(level, threshold))
            rows.append(self._ask_for_side(level, unsure, is_split, threshold))
            n_out = np.zeros(len(self.nodes), dtype=np.int64)
            for v, count in enumerate(np.bincount(level.node[unsure]).tolist()):
                if count:
                    n_out[list(self.nodes[v].children or ())] = count
        return np.concatenate(rows)

    def _look(self, level: Level, node: Node, slots: Int64Array) -> Int64Array:
        """Compare the objects of a sample with each other: at random, then across its sides."""
        size = int(np.clip(len(slots) // SAMPLE_SHARE, SAMPLE, LARGEST_SAMPLE))
        if (missing := size - int(level.sampled[slots].sum())) > 0:  # some came later, or left
            others = slots[~level.sampled[slots]]
            level.sampled[self._rng.permutation(others)[:missing]] = True
        sample = slots[level.sampled[slots]]
        if len(sample) < SMALLEST_SPLIT:
            return np.empty((0, 3), dtype=np.int64)
        n_each = max(NEXT_LOOK, node.n_looks // 3) if node.n_looks else FIRST_LOOK
        low = high = sample
        if node.n_looks:
            order = sample[np.argsort(level.evidence[sample], kind="stable")]
            low, high = order[: len(order) // 2], order[len(order) // 2 :]
        node.n_looks += n_each
        i = np.repeat(sample, n_each)
        a = self._draw(i, lambda i: self._rng.choice(high, len(i)))
        colour = self._interview.colours(i, a)
        b = self._draw(i, lambda i: self._rng.choice(low, len(i)), colour)
        return np.stack([i, a, b], axis=1)

    def _ask_for_side(
        self, level: Level, unsure: Int64Array, is_split: BoolArray, threshold: float
    ) -> Int64Array:
        """Ask objects whether they are closer to a or to b, sure objects of either side."""
        information = np.array([node.information for node in self.nodes])[level.node[unsure]]
        missing = np.maximum(threshold - np.abs(level.evidence[unsure]), 0.0)
        counts = np.clip(np.ceil(_AHEAD * missing / information), 1, MOST_PER_ROUND)
        i = np.repeat(unsure, counts.astype(np.int64))
        options = []
        for sign in (1, -1):
            sure = np.flatnonzero(is_split & (sign * level.belief > SURE))
            sure = sure[np.argsort(level.node[sure], kind="stable")]
            sizes = np.bincount(level.node[sure], minlength=len(self.nodes))
            starts = np.cumsum(sizes) - sizes
            i = i[sizes[level.node[i]] > 0]
            options.append((sure, sizes, starts))

        def draw_from(option: int) -> Callable[[Int64Array], Int64Array]:
            sure, sizes, starts = options[option]

            def draw(i: Int64Array) -> Int64Array:
                v = level.node[i]
                picks = (self._rng.random(len(i)) * sizes[v]).astype(np.int64)
                return np.asarray(sure[starts[v] + picks])

            return draw

        return np.stack([i, self._draw(i, draw_from(0)), self._draw(i, draw_from(1))], axis=1)

    def _draw(
        self,
        i: Int64Array,
        draw: Callable[[Int64Array], Int64Array],
        colour: Int64Array | None = None,
    ) -> Int64Array:
        """Draw an option for each i, if possible one never paired with i, and of a given colour."""
        options = draw(i)
        for _ in range(_DRAWS):
            fits = self._interview.is_new_pair(i, options)
            if colour is not None:
                fits &= self._interview.colours(i, options) == colour
            again = np.flatnonzero(~fits)
            if not len(again):
                break
            options[again] = draw(i[again])
        return options
