"""Every example of the gallery runs, and says so where its data are missing."""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
import requests

FOLDER = Path(__file__).parents[2] / "examples" / "gallery"
EXAMPLES = sorted(FOLDER.glob("plot_*.py"))
SUBJECTS = (
    "car", "zoo", "planted", "choose", "support", "planning", "adaptive", "growing", "r",
)  # fmt: skip


@pytest.fixture(autouse=True)
def no_window(monkeypatch, tmp_path):
    mpl.use("Agg", force=True)
    monkeypatch.chdir(tmp_path)
    yield
    plt.close("all")


def test_every_subject_has_an_example() -> None:
    assert {path.stem for path in EXAMPLES} == {f"plot_{subject}" for subject in SUBJECTS}


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_an_example_runs(path: Path, capsys, monkeypatch, request) -> None:
    if path.stem == "plot_car":
        monkeypatch.setenv("ORDLINK_DATA", str(request.getfixturevalue("data_folder")))

    runpy.run_path(str(path), run_name="__main__")

    assert plt.get_fignums() or capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_the_cars_are_simulated_where_they_are_missing(capsys, monkeypatch, tmp_path) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise requests.ConnectionError("no network")

    monkeypatch.setenv("ORDLINK_DATA", str(tmp_path))
    monkeypatch.setattr("pooch.HTTPDownloader.__call__", refuse)

    runpy.run_path(str(FOLDER / "plot_car.py"), run_name="__main__")

    assert "Simulated answers, since the cars are not here" in capsys.readouterr().out
