"""docs/best-tree.md says what the tables beside it hold."""

from __future__ import annotations

import numpy as np
import pytest

from studies.pages.best_tree import (
    KEPT,
    PAGE,
    best_other,
    by_method,
    difference,
    is_near_the_best,
    load,
    rewrite,
)
from studies.quality.best import best_experiments
from studies.quality.methods import DEFAULT


def _rows(method: str, values: list[float]) -> list[dict]:
    return [
        {"dataset": "Car", "fold": fold, "method": method, "measure": "held_out", "value": value}
        for fold, value in enumerate(values)
    ]


@pytest.mark.skipif(not KEPT.is_dir(), reason="no full run is kept")
def test_the_page_is_what_the_tables_give() -> None:
    text = PAGE.read_text()

    assert rewrite(text, load(KEPT)) == text


@pytest.mark.skipif(not KEPT.is_dir(), reason="no full run is kept")
@pytest.mark.parametrize("name", list(best_experiments()))
def test_tables_are_those_of_a_full_run(name) -> None:
    experiment = best_experiments()[name]
    rows = [row for row in load(KEPT)[name.split("-")[0]] if row["methods"] in experiment.name]

    assert len({row["cell"] for row in rows}) in (0, len(experiment.cells))


def test_differences_are_paired_by_fold() -> None:
    rows = _rows(DEFAULT, [0.7, 0.8, 0.9]) + _rows("4-AL", [0.6, 0.8, 0.8]) + _rows("4K-AL", [0.5])

    values = by_method(rows, "fold")

    assert set(values) == {DEFAULT, "4-AL"}  # not on all folds
    assert best_other(values) == "4-AL"
    gain, error = difference(values, "4-AL")
    assert gain == pytest.approx(0.2 / 3)
    assert error == pytest.approx(np.std([0.1, 0.0, 0.1], ddof=1) / np.sqrt(3))


def test_a_method_is_near_the_best_of_the_others_within_one_standard_error() -> None:
    values = {
        "4-AL": np.array([0.70, 0.80]),
        "4K-AL": np.array([0.69, 0.80]),  # behind by 0.005 +- 0.005
        "AddS-AL": np.array([0.68, 0.79]),  # behind by 0.015 +- 0.005
    }

    near = [method for method in values if is_near_the_best(values, method)]

    assert near == ["4-AL", "4K-AL"]
