"""Questions and answers about triplets of slots, within a budget, in rounds."""

from __future__ import annotations

import numpy as np

from ordlink._typing import AnyArray, BoolArray, Int8Array, Int32Array, Int64Array, Progress
from ordlink.comparisons import Comparisons, ListedComparisons
from ordlink.errors import BudgetExhaustedError
from ordlink.linkage import InitialPartition
from ordlink.oracles import Oracle
from ordlink.oracles._base import ask, known_to
from ordlink.oracles._questions import QuestionLog, Questions, pair_codes

N_COLOURS = 4
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def ahead(rows: AnyArray, answers: Int8Array) -> Int32Array:
    """Return the rows with the more similar pair first, without those that got no answer."""
    swapped = np.where((answers > 0)[:, None], rows, rows[:, [2, 3, 0, 1]])
    return np.asarray(swapped[answers != 0], dtype=np.int32)


class Interview:
    """Asks an oracle in rounds and keeps the answers as rows (i, a, b): i is closer to a than to b.

    The rows name slots of the initial partition; a question about a slot names one of its objects
    at random. No question is asked twice.
    """

    def __init__(
        self,
        oracle: Oracle,
        partition: InitialPartition,
        budget: int,
        rng: np.random.Generator,
        progress: Progress | None,
    ) -> None:
        self.n_slots = partition.n_slots
        self.budget, self.n_rounds = budget, 0
        self.reserved = 0  # questions of the budget that are kept for later
        self.triplets: Int32Array = np.empty((0, 3), dtype=np.int32)
        self._oracle, self.rng, self._progress = oracle, rng, progress
        self._asked, self._pairs = QuestionLog(), QuestionLog()  # about slots
        self._members = np.argsort(partition.labels, kind="stable").astype(np.int32)
        self._sizes = partition.sizes
        self._starts = np.cumsum(partition.sizes) - partition.sizes
        self._answered = [np.empty((0, 4), dtype=np.int32)]  # by object, in the order asked

    @property
    def n_questions(self) -> int:
        """Number of questions so far."""
        return len(self._asked)

    @property
    def n_left(self) -> int:
        """Number of questions left in the budget, without those that are reserved."""
        return max(self.budget - self.reserved - self.n_questions, 0)

    def ask_triplets(self, triplets: AnyArray) -> bool:
        """Ask in one round whether each i is closer to a or to b; return whether any was new."""
        i, a, b = triplets.T
        rows, answers = self.ask(triplets[(i != a) & (i != b) & (a != b)][:, [0, 1, 0, 2]])
        codes = np.unique(pair_codes(rows[:, [0, 2]], rows[:, [1, 3]], self.n_slots))
        self._pairs.add(codes, np.ones(len(codes), dtype=np.int8))
        first, second = rows[:, :2], rows[:, 2:]
        # In standard form either object of a pair may be the one that both pairs share.
        i = np.where((first[:, 0] == second[:, 0]) | (first[:, 0] == second[:, 1]), *first.T)
        a, b = first.sum(axis=1) - i, second.sum(axis=1) - i
        closer = answers > 0
        told = np.stack([i, np.where(closer, a, b), np.where(closer, b, a)], axis=1)
        self.triplets = np.concatenate([self.triplets, told[answers != 0]])
        return len(rows) > 0

    def ask(self, quadruplets: AnyArray) -> tuple[Int32Array, Int8Array]:
        """Ask what is new, as far as the budget goes; return those rows in standard form."""
        questions = Questions.of(quadruplets, self.n_slots)
        keys, first = np.unique(questions.keys, return_index=True)
        new = np.sort(first[~self._asked.lookup(keys)[1]])
        if len(new) > self.n_left:
            new = np.sort(self.rng.permutation(new)[: self.n_left])
        rows, keys = questions.quadruplets[new], questions.keys[new]
        if not len(rows):
            return rows, np.zeros(0, dtype=np.int8)
        picks = (self.rng.random(rows.shape) * self._sizes[rows]).astype(np.int64)
        objects = self._members[self._starts[rows] + picks]
        self.n_rounds += 1
        try:
            answers = ask(self._oracle, objects)
        except BudgetExhaustedError:  # of the oracle itself: what it answered is kept
            known = known_to(self._oracle, objects)
            rows, keys, objects = rows[known], keys[known], objects[known]
            answers = ask(self._oracle, objects)
            self.budget = self.n_questions + len(keys)
        self._asked.add(keys, answers)
        self._answered.append(ahead(objects, answers))
        if self._progress is not None:
            self._progress(self.n_questions, self.budget)
        return rows, answers

    def comparisons(self) -> ListedComparisons:
        """Return all answers so far, about objects."""
        rows = np.concatenate(self._answered)
        return Comparisons.from_quadruplets(rows, n_objects=len(self._members))

    def ask_at_random(self, n_questions: int, question: str) -> None:
        """Ask random questions in one round."""
        rows = self.rng.integers(0, self.n_slots, size=(max(n_questions, 0), 4))
        if question == "triplet":
            rows[:, 2] = rows[:, 0]
        i, j, k, l = rows.T  # noqa: E741
        same = ((i == k) & (j == l)) | ((i == l) & (j == k))
        self.ask(rows[(i != j) & (k != l) & ~same].astype(np.int32))

    def is_new_pair(self, i: AnyArray, j: AnyArray) -> BoolArray:
        """Return which pairs of different slots were never asked about."""
        known = self._pairs.lookup(pair_codes(i, j, self.n_slots))[1]
        return np.asarray((i != j) & ~known)

    def colours(self, i: AnyArray, j: AnyArray) -> Int64Array:
        """Return the colour of each pair, 0 to N_COLOURS - 1: random, but always the same."""
        mixed = pair_codes(i, j, self.n_slots).astype(np.uint64) * _MULTIPLIER
        return ((mixed >> np.uint64(40)) % np.uint64(N_COLOURS)).astype(np.int64)
