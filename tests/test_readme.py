"""What the README shows is true, and it stays one screen."""

from __future__ import annotations

import re
from pathlib import Path

from ordlink.cli import run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_LINES = 80


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_command_prints_what_is_shown(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("animals.csv").write_text(_blocks("csv")[0])
    command, _, shown = _blocks("console")[0].partition("\n")

    code = run(command.split()[2:])

    captured = capsys.readouterr()
    assert code == 0
    assert captured.out + captured.err == shown


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)|src=\"([^\"]+)\"", README)
    missing = [a or b for a, b in links if not (ROOT / (a or b)).exists()]

    assert links
    assert missing == []


def test_it_is_one_screen() -> None:
    assert len(README.splitlines()) <= MOST_LINES


def test_the_two_commands_of_a_checkout_are_named_and_exist() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE)
    named = re.findall(r"`make ([a-z-]+)`", README)

    assert {"demo", "test"} <= set(named) <= set(targets)
