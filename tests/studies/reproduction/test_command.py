"""`python -m studies.reproduction`: what it runs, resumes, and leaves out."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from ordlink.errors import MissingDataError
from studies.reproduction import experiments as studies
from studies.reproduction.experiments import STUDIES
from studies.reproduction.standard import Source
from studies.running import Experiment
from tests.studies.sample_cells import fail_on_odd


def test_one_experiment_gives_a_page_and_figures(study, tmp_path: Path) -> None:
    result = study("reproduction", "model", "--full", "--out", tmp_path / "out")

    assert result.code == 0
    assert (tmp_path / "out" / "report.html").is_file()
    assert (tmp_path / "out" / "figures" / "figure-S1.svg").is_file()


def test_data_that_is_not_there_is_left_out_with_a_note(monkeypatch) -> None:
    def missing(*_, **__):
        raise MissingDataError("no network")

    monkeypatch.setattr(studies, "fetch_car", missing)
    monkeypatch.setitem(studies.standard.DATASETS, "20news", Source(missing))

    car, car_notes = STUDIES["car"].make("quick", None)
    standard, notes = STUDIES["standard"].make("quick", None)

    assert car is None and car_notes == ("Car is left out: no network",)
    assert {cell["dataset"] for cell in standard.cells} == {"Zoo", "Glass"}
    assert notes == ("20news is left out: no network",)


@pytest.mark.parametrize("name", ["planted", "standard", "theory-linkage", "theory-questions"])
def test_the_quick_grid_is_a_part_of_the_full_one(name, monkeypatch) -> None:
    monkeypatch.setitem(studies.standard.DATASETS, "20news", Source(lambda _: None))

    quick, _ = STUDIES[name].make("quick", None)
    full, _ = STUDIES[name].make("full", None)

    assert (quick.name, quick.version) == (full.name, full.version)
    assert all(cell in full.cells for cell in quick.cells)
    assert len(quick.cells) < len(full.cells) / 3


def test_an_interrupted_run_says_how_to_resume(study, tmp_path: Path, monkeypatch) -> None:
    experiment = Experiment("odd", 1, fail_on_odd, ({"number": 2, "mended": ""},))
    failing = dataclasses.replace(STUDIES["model"], make=lambda *_: (experiment, ()))
    monkeypatch.setitem(STUDIES, "model", failing)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("studies.running._command.run_cells", interrupted)

    result = study("reproduction", "model", "--quick", "--out", tmp_path / "out")

    assert result.code == 130
    assert "odd: 0 of 1 cells are saved in" in result.err
    assert "the same command runs the others" in result.err
