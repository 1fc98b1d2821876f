"""The study of questions: its cells run, and its large oracle is the planted model."""

from __future__ import annotations

import numpy as np
import pytest

from studies.questions.__main__ import main
from studies.questions.cells import BUDGETED, question_cell, question_experiments
from studies.questions.oracles import PlantedOracle


@pytest.mark.parametrize("method", BUDGETED)
def test_a_cell_asks_no_more_than_allowed(method: str) -> None:
    (record,) = question_cell(
        shape="planted",
        n_objects=48,
        ratio=2.0,
        error_rate=0.1,
        method=method,
        per_object=30,
        repetition=0,
    )

    assert 0 < record["asked"] <= 30
    assert -0.5 <= record["aari"] <= 1


def test_votes_are_counted_each_time() -> None:
    cell = {"shape": "planted", "n_objects": 16, "ratio": 10.0, "error_rate": 0.0}
    asked = [
        question_cell(**cell, method=method, per_object=None, repetition=0)[0]["asked"]
        for method in ("SL", "SL, votes=3")
    ]

    assert asked[1] == pytest.approx(3 * asked[0])


def test_every_part_has_cells_in_both_grids() -> None:
    for name, full in question_experiments().items():
        assert 0 < len(question_experiments(quick=True)[name].cells) < len(full.cells)


def test_a_bad_number_of_processes_is_refused(capsys) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--out", "x", "--processes", "0"])

    assert left.value.code == 2
    assert "expected at least 1" in capsys.readouterr().err


def test_the_large_oracle_has_normal_noise_that_belongs_to_the_pair() -> None:
    oracle = PlantedOracle(4000, 1.0, seed=3)
    i, j = np.arange(2000), np.arange(2000, 4000)
    level = (oracle.levels[:, i] == oracle.levels[:, j]).sum(axis=0)

    noise = oracle._similarities(i, j) - level

    np.testing.assert_array_equal(noise, oracle._similarities(j, i) - level)
    assert abs(noise.mean()) < 0.1
    assert noise.std() == pytest.approx(1, abs=0.06)
