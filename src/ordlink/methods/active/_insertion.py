"""The exact tree by insertion, about log2 N triplets per object (Emamjomeh-Zadeh and Kempe)."""

from __future__ import annotations

import numpy as np

from ordlink._typing import AnyArray, FloatArray, Int64Array, Progress
from ordlink._validate import Seed, check_number, random_generator
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition
from ordlink.oracles import AskOnce, Oracle

LOWEST_ERROR = 1e-4  # an answer may always be wrong
_INTERNAL = -1
LEAST_GAIN = 0.02  # information, in nats, for which a question is still worth asking
_TRIES = 8  # of different objects, before the next best question is taken


def run_insertion(
    oracle: Oracle,
    partition: InitialPartition,
    *,
    progress: Progress | None = None,
    error_rate: float = 0.0,
    certainty: float = 0.99,
    seed: Seed = 0,
) -> Hierarchy:
    """Return the tree into which the objects are inserted one by one, in random order.

    The places for a new object i are the edges of the tree so far. A triplet of i, an object a of
    the left branch and an object b of the right branch of some node tells places apart: if i is
    in the left branch, {i, a} is the most similar of the three pairs; in the right branch {i, b};
    outside {a, b}; the two other pairs are equally alike. Each question is the one with the largest
    expected information about the place, given the answers so far, until the likeliest place has
    probability `certainty`.

    Without wrong answers it takes about 1.1 log2 N triplets per object (Emamjomeh-Zadeh and Kempe,
    SODA 2018, which has the bound N log2 N and the noisy form with a posterior of places).
    `error_rate` is the share of wrong answers to tolerate; 5 % about doubles the number.
    Triplets determine which merges are above which, but not the order of merges in different
    branches: small clusters come first. Scores are NaN.
    """
    error = max(check_number(error_rate, "error_rate", lowest=0, highest=0.45), LOWEST_ERROR)
    certainty = check_number(certainty, "certainty", lowest=0.5, highest=0.999999)
    rng = random_generator(seed)
    asker = AskOnce(oracle)
    clusters = partition.clusters()
    order = rng.permutation(partition.n_slots)
    tree, ties = GrowingTree(int(order[0])), _Ties()
    for done, slot in enumerate(order[1:].tolist(), start=1):
        if done == 1:
            tree.insert(slot, 0)
            continue
        place = _Search(tree, slot, error, ties).run(asker, clusters, certainty, rng)
        tree.insert(slot, place)
        if progress is not None:
            progress(done, partition.n_slots - 1)
    pairs = tree.merges()
    nothing = np.full(len(pairs), np.nan), np.zeros(len(pairs), dtype=np.bool_)
    return partition.finish(pairs.astype(np.int32), *nothing, names=asker.names).with_origin(
        "insertion", {"n_questions": asker.n_questions}
    )


class GrowingTree:
    """A binary tree as its nodes in postorder: left branch, right branch, node.

    Attributes
    ----------
    slots : ndarray of shape (n_nodes,)
        The slot of each leaf, -1 for inner nodes.
    sizes : ndarray of shape (n_nodes,)
        Number of nodes of the subtree, which are the node itself and those before it.
    """

    def __init__(self, slot: int) -> None:
        self.slots: Int64Array = np.array([slot])
        self.sizes: Int64Array = np.array([1])

    def insert(self, slot: int, place: int) -> None:
        """Make a leaf the sibling of the node at this place."""
        start = place - self.sizes[place] + 1
        above = np.arange(len(self.sizes)) - self.sizes + 1 <= start
        self.sizes[place + 1 :][above[place + 1 :]] += 2
        self.slots = np.insert(self.slots, place + 1, [slot, _INTERNAL])
        self.sizes = np.insert(self.sizes, place + 1, [1, self.sizes[place] + 2])

    def inner(self) -> tuple[Int64Array, Int64Array, Int64Array]:
        """Return the inner nodes, and the roots of their left and right branches."""
        nodes = np.flatnonzero(self.slots == _INTERNAL)
        return nodes, nodes - 1 - self.sizes[nodes - 1], nodes - 1

    def merges(self) -> Int64Array:
        """Return the merges as pairs of slots (kept, gone), small clusters first."""
        smallest = self.slots.copy()
        nodes, left, right = self.inner()
        pairs = np.empty((len(nodes), 2), dtype=np.int64)
        for row, (v, a, b) in enumerate(zip(nodes, left, right, strict=True)):
            pairs[row] = sorted((smallest[a], smallest[b]))
            smallest[v] = pairs[row, 0]
        return pairs[np.argsort(self.sizes[nodes], kind="stable")]


class _Ties:
    """How often an oracle says 0 where two pairs are equally alike in the tree."""

    def __init__(self) -> None:
        self._n_said, self._n_not_said = 0.5, 0.5

    @property
    def rate(self) -> float:
        return self._n_said / (self._n_said + self._n_not_said)

    def count(self, answer: int) -> None:
        """Note the answer to a question whose pairs turned out to be equally alike."""
        if answer:
            self._n_not_said += 1
        else:
            self._n_said += 1


class _Search:
    """The posterior of the places of one new object.

    A question (v, kind) is about node v, objects a and b of its branches, and the new object i.
    Kind 0 compares {i, a} with {i, b}, kind 1 {i, a} with {a, b}, kind 2 {i, b} with {a, b}. The
    places are in three classes: the left branch, the right one, and outside; `_OUTCOMES` has the
    expected answer of each class, 0 where the two pairs are equally alike.
    """

    _OUTCOMES = np.array([[1, -1, 0], [1, 0, -1], [0, 1, -1]])

    def __init__(self, tree: GrowingTree, slot: int, error: float, ties: _Ties) -> None:
        self._tree, self._slot, self._error, self._ties = tree, slot, error, ties
        self._posterior: FloatArray = np.full(len(tree.sizes), 1 / len(tree.sizes))
        self._nodes, self._left, self._right = tree.inner()
        self._leaves = np.flatnonzero(tree.slots != _INTERNAL)
        self._asked: set[tuple[int, int, int]] = set()
        # rows: classes (expected answer +1, -1, 0), columns: answers (+1, -1, 0)
        tie, rest = ties.rate, (1 - ties.rate) / 2
        self._chances = np.array(
            [[1 - 2 * error, error, error], [error, 1 - 2 * error, error], [rest, rest, tie]]
        )

    def run(
        self, asker: AskOnce, clusters: list[list[int]], certainty: float, rng: np.random.Generator
    ) -> int:
        """Ask until a place is certain, or no question is left; return the likeliest place."""
        answers: list[tuple[int, int, int]] = []
        while self._posterior.max() < certainty:
            question = self._choose(rng)
            if question is None:
                break
            row, kind, a, b = question
            objects = [int(rng.choice(clusters[x])) for x in (self._slot, a, b)]
            i, a, b = objects
            pairs = [(i, a, i, b), (i, a, a, b), (i, b, a, b)]
            answer = int(asker.compare(np.array([pairs[kind]], dtype=np.int32))[0])
            answers.append((row, kind, answer))
            self._learn(row, kind, answer)
        place = int(self._posterior.argmax())
        for row, kind, answer in answers:
            if self._OUTCOMES[kind, self._class_of(row, place)] == 0:
                self._ties.count(answer)
        return place

    def _choose(self, rng: np.random.Generator) -> tuple[int, int, int, int] | None:
        """Return the question that tells most, (row, kind, a, b), and was not asked before."""
        masses = self._masses()
        gains = np.stack([self._information(masses[:, classes]) for classes in _PERMUTATIONS])
        for place in np.argsort(-gains, axis=None, kind="stable")[: 4 * _TRIES].tolist():
            kind, row = divmod(place, len(self._nodes))
            if gains[kind, row] < LEAST_GAIN:
                break
            for _ in range(_TRIES):
                a, b = (self._leaf(branch[row], rng) for branch in (self._left, self._right))
                if (kind, a, b) not in self._asked:
                    self._asked.add((kind, a, b))
                    return row, kind, a, b
        return None

    def _masses(self) -> FloatArray:
        """Return the probabilities of left, right and outside of every inner node."""
        total = np.append(0.0, np.cumsum(self._posterior))
        left, right = (
            total[branch + 1] - total[branch + 1 - self._tree.sizes[branch]]
            for branch in (self._left, self._right)
        )
        return np.stack([left, right, np.maximum(total[-1] - left - right, 0.0)], axis=1)

    def _information(self, masses: FloatArray) -> FloatArray:
        """Return the expected information of an answer; masses of the classes +1, -1, 0."""
        outcome = masses @ self._chances
        noise = (self._chances * np.log(self._chances)).sum(axis=1)
        gain: FloatArray = masses @ noise - (outcome * np.log(outcome + 1e-300)).sum(axis=1)
        return gain

    def _learn(self, row: int, kind: int, answer: int) -> None:
        column = {1: 0, -1: 1, 0: 2}
        chances = [self._chances[column[int(x)], column[answer]] for x in self._OUTCOMES[kind]]
        factors = np.full(len(self._posterior), chances[2])
        for branch, chance in zip((self._left[row], self._right[row]), chances, strict=False):
            factors[branch - self._tree.sizes[branch] + 1 : branch + 1] = chance
        self._posterior *= factors
        self._posterior /= self._posterior.sum()

    def _class_of(self, row: int, place: int) -> int:
        """Return 0, 1 or 2: the place is in the left branch of the node, the right one, outside."""
        for number, branch in enumerate((self._left[row], self._right[row])):
            if branch - self._tree.sizes[branch] < place <= branch:
                return number
        return 2

    def _leaf(self, root: int, rng: np.random.Generator) -> int:
        first, last = np.searchsorted(
            self._leaves, [root - self._tree.sizes[root] + 1, root + 1], side="left"
        )
        return int(self._tree.slots[self._leaves[rng.integers(first, last)]])


_PERMUTATIONS: list[AnyArray] = [np.array([0, 1, 2]), np.array([0, 2, 1]), np.array([1, 2, 0])]
"""The classes (left, right, outside) in the order +1, -1, 0 of each kind of question."""
