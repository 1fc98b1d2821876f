"""`python -m studies.quality`: what it runs and resumes."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from studies.quality.groups import GROUPS
from studies.running import load_results

pytestmark = pytest.mark.slow


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
