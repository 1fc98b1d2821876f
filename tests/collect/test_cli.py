"""The command: what it refuses, and what it says when packages are missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ordlink.cli import run


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "error: give either a folder, CSV or study file, or --demo; try"),
        (["--demo", "pictures"], "error: give either a folder, CSV or study file, or --demo"),
        (["nowhere"], "error: nowhere: expected a folder, a .csv file or a study file"),
        (["nowhere.csv"], "error: nowhere.csv: expected a CSV file of stimuli"),
        (["--demo", "--port", "0"], "0 is not in the range"),
        (["--demo", "--database", "mysql://x"], "expected an address like postgresql://"),
    ],
)
def test_wrong_calls_are_refused_in_one_line(
    words: list[str], message: str, capsys, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert run(["collect", *words]) == 2

    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_is_refused(capsys, tmp_path: Path) -> None:
    assert run(["collect", str(tmp_path)]) == 2

    assert "expected at least 3 stimuli, got 0" in capsys.readouterr().err


def test_missing_packages_are_named_with_the_way_to_install_them(capsys, monkeypatch) -> None:
    for name in [name for name in sys.modules if name.startswith("ordlink.collect.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)

    assert run(["collect", "--demo"]) == 2

    error = capsys.readouterr().err
    assert "uvicorn is missing" in error
    assert "pip install 'ordlink[collect]'" in error


def test_a_second_server_in_the_same_folder_is_refused(capsys, tmp_path: Path) -> None:
    from ordlink.collect.database import one_process_only

    with one_process_only(tmp_path / "study.db"):
        assert run(["collect", "--demo", "--data", str(tmp_path)]) == 2

    assert "another ordlink collect runs on this file" in capsys.readouterr().err
