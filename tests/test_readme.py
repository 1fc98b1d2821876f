"""What the README shows is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ordlink as ol
from ordlink.cli import COMMANDS, run

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_the_python_example_runs_and_finds_the_planted_tree(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)

    exec(_blocks("python")[0], {})

    assert capsys.readouterr().out.endswith("\n1.0\n")
    assert ol.Hierarchy.load("tree.json").n_objects == 40


def test_the_command_prints_what_is_shown(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("animals.csv").write_text(_blocks("csv")[0])
    command, _, shown = _blocks("console")[0].partition("\n")

    code = run(command.split()[2:])

    captured = capsys.readouterr()
    assert code == 0
    assert captured.out + captured.err == shown


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    assert f"`ordlink {name}" in README


@pytest.mark.parametrize("name", ol.METHODS)
def test_every_method_is_documented(name: str) -> None:
    assert f"| `{name}` |" in README
