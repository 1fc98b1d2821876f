"""`python -m studies.NAME`: what each of them lists, refuses and tries again."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from studies.quality.groups import GROUPS
from studies.reproduction.experiments import STUDIES
from studies.running import Experiment
from tests.studies.sample_cells import fail_on_odd


@pytest.mark.parametrize(("name", "table"), [("quality", GROUPS), ("reproduction", STUDIES)])
def test_it_lists_what_can_be_run(study, name, table) -> None:
    result = study(name, "--list")

    assert result.code == 0
    assert [line.split()[0] for line in result.out.splitlines()] == list(table)


@pytest.mark.parametrize(
    ("name", "no_such"),
    [
        ("quality", "there is no group 'all'; there are planted, shapes"),
        ("reproduction", "there is no experiment 'all'; there are model, planted"),
    ],
)
def test_a_wrong_call_is_refused_in_one_line(study, name, no_such) -> None:
    for words, message in (
        (("planted",), "give either --quick or --full"),
        (("all", "--quick"), no_such),
        (("--quick", "--processes", "0"), "--processes"),
    ):
        result = study(name, *words)

        assert result.code == 2
        assert message in result.err
        assert len(result.err.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "table", "entry", "page"),
    [
        ("quality", GROUPS, "forms", "quality.html"),
        ("reproduction", STUDIES, "model", "report.html"),
    ],
)
def test_failed_cells_are_named_and_tried_again(
    study, tmp_path: Path, monkeypatch, name, table, entry, page
) -> None:
    mended = tmp_path / "mended"
    cells = tuple({"number": number, "mended": str(mended)} for number in range(4))
    odd = Experiment("odd", 1, fail_on_odd, cells)
    made = (odd,) if name == "quality" else odd
    failing = dataclasses.replace(table[entry], make=lambda *_: (made, ()))
    monkeypatch.setitem(table, entry, failing)
    words = (name, entry, "--quick", "--out", tmp_path / "out", "--processes", "1")

    first = study(*words)
    text = (tmp_path / "out" / page).read_text("utf-8")
    mended.touch()
    second = study(*words)

    assert (first.code, second.code) == (1, 0)
    assert "'number': 3" in first.err and "3 is odd" in first.err
    assert "2 cells failed" in text
    assert "odd: 4 cells, 2 were there" in second.out
    assert "odd" not in second.err
