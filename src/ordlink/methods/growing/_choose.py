"""Questions about the places of new objects, to an oracle, in rounds."""

from __future__ import annotations

import numpy as np

from ordlink._typing import AnyArray, FloatArray, Int32Array, Int64Array, Progress
from ordlink.errors import BudgetExhaustedError
from ordlink.hierarchy import Hierarchy
from ordlink.methods.growing._places import Noise, Places, fit_noise
from ordlink.oracles import AskOnce

PER_ROUND = 3  # questions about one object
RELIABILITY = 0.85  # of an answer, as far as the choice of questions is concerned
_OBJECTS_FOR_NOISE = 20
_TRIES = 4


def ask_about_places(
    tree: Hierarchy,
    asker: AskOnce,
    numbers: Int64Array,
    budget: int,
    certainty: float,
    rng: np.random.Generator,
    progress: Progress | None,
) -> None:
    """Ask about the objects from N on; `numbers` has the oracle's number of every object.

    A question is about an inner node v, the new object i, and objects a and b of its two branches:
    is i closer to a or to b; or, is a closer to i or to b? The one with the largest expected
    information about the place is asked. An oracle with a budget of its own may end it.
    """
    n, m = tree.n_objects, len(numbers) - tree.n_objects
    places, noise = Places(tree), Noise()
    known = np.flatnonzero(numbers[:n] >= 0)
    branches = _Branches(places, known)
    rows: list[list[list[int]]] = [[] for _ in range(m)]
    differences = [np.empty((0, places.n_nodes)) for _ in range(m)]
    left, n_asked = budget, 0
    while left > 0:
        wanted: list[tuple[int, tuple[int, ...]]] = []
        for k in rng.permutation(m).tolist():
            probabilities = places.probabilities(differences[k], noise)
            if probabilities.max() < certainty:
                asked = {tuple(row) for row in rows[k]}
                some = branches.questions(probabilities, n + k, asked, rng)
                wanted += [(k, row) for row in some]
        wanted = wanted[:left]
        if not wanted:
            break
        questions = np.array([row for _, row in wanted], dtype=np.int32)
        try:
            answers = asker.compare(numbers[questions].astype(np.int32))
        except BudgetExhaustedError:
            break
        left, n_asked = left - len(wanted), n_asked + len(wanted)
        for (k, row), answer in zip(wanted, answers.tolist(), strict=True):
            rows[k].append(list(row))
            if answer:
                won: Int32Array = np.array([row if answer > 0 else (*row[2:], *row[:2])])
                new = places.differences(won, n + k)
                differences[k] = np.concatenate([differences[k], new])
        noise = fit_noise(places, [each for each in differences[:_OBJECTS_FOR_NOISE] if len(each)])
        if progress is not None:
            progress(n_asked, budget)


class _Branches:
    """The inner nodes of a tree, with the objects of both branches that can be asked about."""

    def __init__(self, places: Places, known: Int64Array) -> None:
        self._places = places
        tree = places.tree
        n = tree.n_objects
        order = tree.leaf_order[np.isin(tree.leaf_order, known)]
        self._order = order
        rank = np.empty(n, dtype=np.int64)
        rank[tree.leaf_order] = np.arange(n)
        starts, ends = (np.empty(2 * n - 1, dtype=np.int64) for _ in range(2))
        starts[:n], ends[:n] = rank, rank + 1
        for t, two in enumerate(tree.merges.tolist()):
            starts[n + t], ends[n + t] = starts[two].min(), ends[two].max()
        before = np.searchsorted(rank[order], np.arange(n + 1))
        self._first, self._last = before[starts], before[ends]
        self._merges = tree.merges

    def questions(
        self,
        probabilities: FloatArray,
        i: int,
        asked: set[tuple[int, ...]],
        rng: np.random.Generator,
    ) -> list[tuple[int, ...]]:
        """Return the next questions about object i."""
        below = self._places.below(probabilities)
        left, right = self._merges.T
        masses = np.stack([below[left], below[right]], axis=1)
        rest = np.maximum(1 - masses.sum(axis=1, keepdims=True), 0.0)
        outside = np.concatenate([masses, rest], axis=1)
        filled = (self._last > self._first)[self._merges].all(axis=1)
        gains = np.stack([_information(outside[:, order]) for order in _KINDS]) * filled
        gains *= 0.7 + 0.3 * rng.random(gains.shape)
        found: list[tuple[int, ...]] = []
        for best in np.argsort(-gains, axis=None)[: PER_ROUND * _TRIES].tolist():
            kind, v = divmod(best, len(self._merges))
            if len(found) == PER_ROUND or gains[kind, v] <= 0.0:
                break
            a, b = (self._draw(node, rng) for node in self._merges[v].tolist())
            row = ((i, a, i, b), (a, i, a, b), (b, i, b, a))[kind]
            if row not in asked and row not in found:
                found.append(row)
        return found

    def _draw(self, node: int, rng: np.random.Generator) -> int:
        return int(self._order[rng.integers(self._first[node], self._last[node])])


_KINDS = ([0, 1, 2], [0, 2, 1], [1, 2, 0])
"""Left, right and outside in the order of the expected answers yes, no, either, by kind."""


def _information(masses: AnyArray) -> FloatArray:
    """Return the information to expect; masses of places that answer yes, no, either."""
    yes = masses @ np.array([RELIABILITY, 1 - RELIABILITY, 0.5])
    return _entropy(yes) - masses @ _entropy(np.array([RELIABILITY, RELIABILITY, 0.5]))


def _entropy(p: AnyArray) -> FloatArray:
    return np.asarray(-p * np.log(p) - (1 - p) * np.log(1 - p))
