"""Where blocks are split: along the leading eigenvector of the slopes, in all blocks at once."""

from __future__ import annotations

import numpy as np
import pytest

import ordlink as ol
from ordlink._typing import FloatArray
from ordlink.methods.blocks._model import BlockModel
from ordlink.methods.blocks._passes import Answers
from ordlink.methods.blocks._splits import Partition, _best_directions


def _answers_by_chance(n_objects: int, n_answers: int, seed: int = 0) -> Answers:
    rng = np.random.default_rng(seed)
    rows = np.array([rng.permutation(n_objects)[:3] for _ in range(n_answers)])
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=n_objects)
    return Answers.of(comparisons, np.arange(n_objects, dtype=np.int32), test_share=0.0)


def _share_of_largest_eigenvalue(
    answers: Answers, now: Partition, block: int, found: FloatArray
) -> float:
    """Return what a direction reaches in a block, as a share of the most that any could."""
    own = np.flatnonzero(now.labels == block)
    everywhere = np.ones(now.n_blocks, dtype=bool)
    units = np.eye(len(now.labels))[own]
    slopes = now.model.slopes()
    products = [answers.multiply(now.labels, slopes, unit, everywhere) for unit in units]
    centre = np.eye(len(own)) - 1.0 / len(own)
    matrix = centre @ np.array(products)[:, own] @ centre
    vector = found[own]
    return float(vector @ matrix @ vector / (vector @ vector) / np.linalg.eigvalsh(matrix)[-1])


def test_directions_reach_the_largest_eigenvalue_in_each_tried_block() -> None:
    """Of answers by chance: the next eigenvalues are close, so that takes most vectors."""
    answers = _answers_by_chance(300, 20_000)
    labels = np.arange(300) % 3
    now = Partition(labels.astype(np.uint8), BlockModel(np.diag([2.0, 1.0, 0.0]), 0.05))

    found = _best_directions(answers, now, np.array([0, 2]))

    assert not found[labels == 1].any()
    for block in (0, 2):
        assert _share_of_largest_eigenvalue(answers, now, block, found) > 0.99


@pytest.mark.parametrize(("size", "seed"), [(4, 19), (4, 22), (7, 21), (7, 28)])
def test_directions_in_small_blocks_do_not_follow_rounding_errors(size: int, seed: int) -> None:
    """The vectors of a block of n objects span n - 1 dimensions; a larger block takes more.

    With these seeds, what rounding left over passed for a further vector.
    """
    answers = _answers_by_chance(30, 2000, seed)
    labels = (np.arange(30) >= size).astype(np.uint8)
    now = Partition(labels, BlockModel(np.diag([1.0, 0.0]), 0.05))

    found = _best_directions(answers, now, np.array([0, 1]))

    assert _share_of_largest_eigenvalue(answers, now, 0, found) > 0.98
