"""Answers about two planted clusters."""

from __future__ import annotations

import ordlink as ol


def planted_answers(
    n: int = 12, n_answers: int = 300, seed: int = 0, error_rate: float = 0.0
) -> ol.ListedComparisons:
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=n // 2, gap=0.2, seed=seed)
    rows = ol.datasets.simulate_answers(
        planted.similarities, n_answers, form="quadruplet", error_rate=error_rate, seed=seed
    )
    return ol.Comparisons.from_quadruplets(rows, n_objects=n)
