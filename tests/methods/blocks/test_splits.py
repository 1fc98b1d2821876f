"""Where blocks are split: along the leading eigenvector of the slopes, in all blocks at once."""

from __future__ import annotations

import numpy as np

import ordlink as ol
from ordlink.methods.blocks._model import BlockModel
from ordlink.methods.blocks._passes import Answers
from ordlink.methods.blocks._splits import Partition, _best_directions

N_OBJECTS = 300


def test_directions_reach_the_largest_eigenvalue_in_each_tried_block() -> None:
    """Of answers by chance: the next eigenvalues are close, so that takes most vectors."""
    rng = np.random.default_rng(0)
    rows = np.array([rng.permutation(N_OBJECTS)[:3] for _ in range(20_000)])
    comparisons = ol.Comparisons.from_triplets(rows, n_objects=N_OBJECTS)
    answers = Answers.of(comparisons, np.arange(N_OBJECTS, dtype=np.int32), test_share=0.0)
    labels = np.arange(N_OBJECTS) % 3
    model = BlockModel(np.diag([2.0, 1.0, 0.0]), 0.05)
    now = Partition(labels.astype(np.uint8), model)

    found = _best_directions(answers, now, np.array([0, 2]))

    assert not found[labels == 1].any()
    everywhere = np.ones(3, dtype=bool)
    for block in (0, 2):
        own = np.flatnonzero(labels == block)
        units = np.eye(N_OBJECTS)[own]
        products = [
            answers.multiply(now.labels, model.slopes(), unit, everywhere) for unit in units
        ]
        centre = np.eye(len(own)) - 1.0 / len(own)
        matrix = centre @ np.array(products)[:, own] @ centre
        vector = found[own]
        reached = vector @ matrix @ vector / (vector @ vector)
        assert reached > 0.99 * np.linalg.eigvalsh(matrix)[-1]
