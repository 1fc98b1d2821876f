"""The check of the planner, on a tiny grid."""

from __future__ import annotations

import pytest

from ordlink.planning import plan_answers
from ordlink.planning._scenario import simulate_quality
from studies.planning_check import GRID, check_cell, planning_check, smallest_sufficient, summary
from studies.running import Experiment, load_results, run_cell, run_cells

pytestmark = pytest.mark.slow

TINY = {
    "n_objects": 10, "n_clusters": 2, "difficulty": 3.0, "error_rate": 0.1, "target": 0.8,
    "question": "quadruplet", "method": "AddS-AL", "measure": "aari", "n_fresh": 30,
}  # fmt: skip


def test_a_cell_compares_the_number_with_fresh_runs() -> None:
    row = run_cell(Experiment("tiny", 1, check_cell, (TINY,)), TINY)[0]

    assert row["reached"] >= 0.6
    assert row["smallest"] is None or row["ratio"] == row["n_answers"] / row["smallest"] >= 1
    from studies.running import seed_of

    parameters = {name: value for name, value in TINY.items() if name != "n_fresh"}
    plan = plan_answers(**parameters, seed=seed_of("plan", **parameters) % 2**32)
    seed = seed_of("fresh runs", **parameters) % 2**32
    found = [simulate_quality(plan.scenario, plan.n_answers, seed, run) for run in range(30)]
    assert row["n_answers"] == plan.n_answers
    assert row["reached"] == pytest.approx(sum(q >= 0.8 for q in found) / 30)


def test_rates_are_made_monotone_first() -> None:
    assert smallest_sufficient({10: 0.9, 8: 0.9, 6: 0.5}, 0.8) == 8
    assert smallest_sufficient({10: 0.7, 8: 0.95, 6: 0.1}, 0.8) == 8
    assert smallest_sufficient({10: 0.7, 8: 0.8, 6: 0.1}, 0.8) is None


def test_it_runs_goes_on_and_sums_up(tmp_path) -> None:
    hopeless = {**TINY, "difficulty": 0.1, "target": 0.95}
    tiny = Experiment("planning-check", 1, check_cell, (TINY, hopeless))

    first = run_cells(tiny, tmp_path, n_processes=1, progress=False)
    second = run_cells(tiny, tmp_path, n_processes=1, progress=False)

    assert (first.n_run, second.n_run, first.failures) == (2, 0, ())
    text = summary(load_results(tiny, tmp_path))
    assert "1 of 2 settings have a number" in text


def test_the_grid_varies_what_it_should() -> None:
    cells = planning_check().cells

    assert len(cells) == len(GRID) >= 12
    assert {cell["question"] for cell in cells} == {
        "triplet", "quadruplet", "most-central", "odd-one-out"
    }  # fmt: skip
    assert {cell["target"] for cell in cells} == {0.8, 0.9, 0.95}
