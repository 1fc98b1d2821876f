"""The answers by object, and passes over them on several threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordlink._threads import in_threads, run_parts, split_range
from ordlink._typing import AnyArray, BoolArray, Float32Array, FloatArray, Int32Array, Int64Array
from ordlink.comparisons import ListedComparisons
from ordlink.methods.blocks._model import BlockModel, number_pairs

TEST_SHARE, MOST_TESTED = 0.1, 2_000_000  # of the answers of a part, to judge splits
_OBJECTS_PER_THREAD = 500
_NOTHING = np.empty(0, dtype=np.int32)


@dataclass(frozen=True)
class Answers:
    """Lists of the answers about each object, those held out apart; see `_kernels.py`."""

    starts: Int64Array  # (3 n_objects + 1,)
    others: Int32Array  # (n_mentions, 3)
    weights: Int32Array  # (n_mentions,), empty if each answer counts once
    tested: Int32Array  # (n_tested, 5): rows (i, j, k, l) that are held out, and their count
    marks: AnyArray  # (n_objects,), uint64: random bits of each object

    @classmethod
    def of(
        cls,
        comparisons: ListedComparisons,
        slots: Int32Array,
        *,
        test_share: float = TEST_SHARE,
        seed: int = 0,
    ) -> Answers:
        """Return the answers between slots: object o is in slot ``slots[o]``, -1 for none."""
        from ordlink.methods.blocks._kernels import count_mentions, count_used, fill_lists

        n_slots, n_used = int(slots.max()) + 1, comparisons.n_rows
        counts = _NOTHING if comparisons.counts is None else comparisons.counts
        details = comparisons.details
        answers = _NOTHING if details is None or details.answers is None else details.answers
        pairs = comparisons.winners, comparisons.losers
        if test_share * n_used > MOST_TESTED and slots.min() < 0:
            n_used = count_used(*pairs, slots)
        below = int(min(test_share, MOST_TESTED / max(n_used, 1)) * 2.0**63)
        mentions, marks = np.zeros(3 * n_slots, dtype=np.int64), np.zeros(n_slots, dtype=np.uint64)
        n_tested = count_mentions(*pairs, answers, slots, below, mentions, marks)
        starts = np.concatenate([[0], np.cumsum(mentions)])
        others = np.empty((int(starts[-1]), 3), dtype=np.int32)
        weights = np.empty(len(others) if len(counts) else 0, dtype=np.int32)
        tested = np.empty((n_tested, 5), dtype=np.int32)
        place = starts[:-1].copy()
        fill_lists(*pairs, counts, answers, slots, below, place, others, weights, tested)
        return cls(starts, others, weights, tested, marks + np.uint64(seed % 2**63))

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return len(self.marks)

    @property
    def _lists(self) -> tuple[AnyArray, AnyArray, AnyArray]:
        return self.starts, self.others, self.weights

    def count(self, labels: AnyArray, n_blocks: int) -> Int64Array:
        """Return how often each pair of blocks beat each other one."""
        from ordlink.methods.blocks._kernels import count_answers

        pair_of = number_pairs(n_blocks)
        parts = split_range(self.n_objects, smallest=_OBJECTS_PER_THREAD)
        counts = np.zeros((len(parts), pair_of.max() + 1, pair_of.max() + 1), dtype=np.int64)

        def count(part: int) -> None:
            objects = parts[part].start, parts[part].stop
            count_answers(*objects, *self._lists, labels, pair_of, counts[part])

        run_parts(count, len(parts))
        return np.asarray(counts.sum(axis=0) // 2)

    def count_tested(self, labels: AnyArray, n_blocks: int) -> Int64Array:
        """Return the same of the answers that are held out."""
        from ordlink.methods.blocks._kernels import count_tested

        pair_of = number_pairs(n_blocks)
        counts = np.zeros((pair_of.max() + 1, pair_of.max() + 1), dtype=np.int64)
        count_tested(self.tested, labels, pair_of, counts)
        return counts

    def draw(
        self, labels: AnyArray, model: BlockModel, sweep: int, shares: Float32Array | None = None
    ) -> tuple[AnyArray, float]:
        """Draw each object's block from its posterior; return the share of unambiguous ones, too.

        Posteriors are added to `shares`.
        """
        from ordlink.methods.blocks._kernels import draw_labels

        n, n_blocks = self.n_objects, model.n_blocks
        prior = np.log((np.bincount(labels, minlength=n_blocks) + 0.5) / (n + 0.5 * n_blocks))
        tables = (number_pairs(n_blocks), *model.tables())
        drawn = np.empty_like(labels)
        kept = np.empty((0, n_blocks), dtype=np.float32) if shares is None else shares
        unclear: list[int] = []

        def draw(first: int, last: int) -> None:
            lists = (*self._lists, labels, *tables, prior, self.marks)
            given: tuple[Any, ...] = (first, last, *lists, sweep, drawn, kept)
            unclear.append(draw_labels(*given))

        in_threads(draw, n, smallest=_OBJECTS_PER_THREAD)
        return drawn, 1.0 - sum(unclear) / n

    def multiply(
        self, labels: AnyArray, slopes: FloatArray, vector: FloatArray, blocks: BoolArray
    ) -> FloatArray:
        """Return the product of a vector and the slopes of pairs inside blocks; 0 in others."""
        from ordlink.methods.blocks._kernels import multiply

        pair_of = number_pairs(int(labels.max()) + 1)
        product, near = np.zeros(self.n_objects), vector.astype(np.float32)  # half the memory
        in_threads(
            lambda first, last: multiply(
                first, last, *self._lists, labels, pair_of, slopes, blocks, near, product
            ),
            self.n_objects,
            smallest=_OBJECTS_PER_THREAD,
        )
        return product
