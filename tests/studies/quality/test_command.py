"""`python -m studies.quality`: what it lists, runs, goes on with, and refuses."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from studies.quality.groups import GROUPS
from studies.running import Experiment, load_results
from tests.studies.sample_cells import fail_on_odd

pytestmark = pytest.mark.slow


def test_it_lists_the_groups(study) -> None:
    result = study("quality", "--list")

    assert result.code == 0
    assert [line.split()[0] for line in result.out.splitlines()] == list(GROUPS)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("planted",), "give either --quick or --full"),
        (("all", "--quick"), "there is no group 'all'; there are planted, shapes"),
        (("--quick", "--processes", "0"), "--processes"),
    ],
)
def test_a_wrong_call_is_refused_in_one_line(study, words, message) -> None:
    result = study("quality", *words)

    assert result.code == 2
    assert message in result.err
    assert len(result.err.splitlines()) == 1


def test_a_group_gives_a_page_figures_and_results(study, tmp_path: Path, monkeypatch) -> None:
    whole = GROUPS["shapes"].make("quick", None)[0]
    tiny = tuple(
        dataclasses.replace(
            experiment, cells=tuple(c for c in experiment.cells if c["shape"] == "tiny")[:1]
        )
        for experiment in whole
    )
    small = dataclasses.replace(GROUPS["shapes"], make=lambda *_: (tiny, ("a note",)))
    monkeypatch.setitem(GROUPS, "shapes", small)
    words = ("quality", "shapes", "--quick", "--out", tmp_path, "--processes", "1")

    first, second = study(*words), study(*words)

    assert (first.code, second.code) == (0, 0)
    assert "a note" in first.err
    assert "quality-shapes: 1 cells, 1 were there" in second.out
    assert (tmp_path / "figures" / "quality-shapes-aari.svg").is_file()
    assert "a note" in (tmp_path / "quality.html").read_text("utf-8")
    methods = {row["method"] for row in load_results(tiny[0], tmp_path / "results")}
    assert len(methods) == 16


def test_failed_cells_are_named_and_tried_again(study, tmp_path: Path, monkeypatch) -> None:
    mended = tmp_path / "mended"
    cells = tuple({"number": number, "mended": str(mended)} for number in range(4))
    odd = Experiment("odd", 1, fail_on_odd, cells)
    monkeypatch.setitem(
        GROUPS, "forms", dataclasses.replace(GROUPS["forms"], make=lambda *_: ((odd,), ()))
    )
    words = ("quality", "forms", "--quick", "--out", tmp_path / "out", "--processes", "1")

    first = study(*words)
    page = (tmp_path / "out" / "quality.html").read_text("utf-8")
    mended.touch()
    second = study(*words)

    assert (first.code, second.code) == (1, 0)
    assert "'number': 3" in first.err and "3 is odd" in first.err
    assert "2 cells failed" in page
    assert "odd: 4 cells, 2 were there" in second.out
    assert "odd" not in second.err
