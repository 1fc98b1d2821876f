"""The page and its figures, from made-up rows."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import ordlink as ol
from studies.html import describe_run
from studies.reproduction.experiments import STUDIES
from studies.reproduction.report import write_report
from studies.running._command import Section

pytestmark = pytest.mark.slow  # draws every figure

FINISHED = {"cell": "a", "cell_cpu_seconds": 1.0}


def made_up_rows() -> dict[str, list[dict]]:
    """Rows of every study: two repetitions of plausible values."""
    rng = np.random.default_rng(0)
    planted = [
        {
            "method": method,
            "proportion": None if method in ("SL", "CL", "AL") else p,
            "delta": delta,
            "repetition": repetition,
            "measure": "aari",
            "value": float(np.clip(5 * delta + rng.normal(0, 0.05), 0, 1)),
        }
        for method in ("SL", "CL", "AL", "4K-AL", "4-AL", "4K-AL-act", "4-AL-I3", "4-AL-I5")
        for p in (0.01, 0.02, 1.0)
        for delta in (0.04, 0.12, 0.2)
        for repetition in range(2)
    ]
    standard = [
        {
            "dataset": dataset,
            "method": method,
            "dimension": dimension,
            "proportion": None if method == "AL" else p,
            "repetition": repetition,
            "measure": measure,
            "value": float(scale * (0.55 + rng.normal(0, 0.01))),
        }
        for dataset in ("Zoo", "20news")
        for method, dimension in (
            ("AL", None),
            ("4K-AL", None),
            ("4-AL", None),
            ("tSTE-AL", 2),
            ("tSTE-AL", 5),
        )
        for p in (0.01, 0.05)
        for repetition in range(2)
        for measure, scale in (("dasgupta", 1e6), ("dasgupta_normalised", 1))
    ]
    tree = ol.Hierarchy([[0, 1], [2, 3], [4, 5], [6, 7]], names=list("abcde"))
    car = [
        {
            "method": method,
            "dimension": dimension,
            "tree": tree.to_json(),
            "accuracy": 0.7,
            "class_ari": 0.5,
        }
        for method, dimension in (("4-AL", None), ("tSTE-AL, Euclidean", 2))
    ]
    linkage = [
        {
            "leaf_size": leaf_size,
            "ratio": ratio,
            "method": method,
            "measure": "recovered",
            "value": float(ratio > 2),
            "n_comparisons": 1000,
        }
        for leaf_size in (5, 10)
        for ratio in (0.5, 2.0, 8.0)
        for method in ("SL", "CL")
    ]
    questions = [
        {
            "leaf_size": leaf_size,
            "multiplier": multiplier,
            "measure": "aari",
            "value": min(1.0, multiplier / 8),
            "n_comparisons": int(1000 * multiplier * leaf_size),
        }
        for leaf_size in (32, 64)
        for multiplier in (1.0, 4.0, 16.0)
    ]
    return {
        "model": [],
        "planted": planted,
        "standard": standard,
        "car": car,
        "theory-linkage": linkage,
        "theory-questions": questions,
    }


class Tags(HTMLParser):
    """Collects tags, and checks that they are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.sources: list[str] = []

    def handle_starttag(self, tag, attributes) -> None:
        if tag not in ("img", "meta", "link"):
            self.open.append(tag)
        self.sources += [value for name, value in attributes if name in ("src", "href")]

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    rows = {name: [{**row, **FINISHED} for row in found] for name, found in made_up_rows().items()}
    sections = [Section(STUDIES[name], found) for name, found in rows.items()]
    noted = Section(STUDIES["car"], [], ("Car is left out: <no folder>",))
    return write_report([*sections, noted], folder, grid="a <made-up> grid")


def test_the_page_is_whole_and_holds_everything_itself(report) -> None:
    tags = Tags()

    tags.feed(report.read_text("utf-8"))

    assert tags.open == []
    assert tags.sources and all(source.startswith("data:") for source in tags.sources)


def test_the_page_shows_settings_claims_notes_and_verdicts(report) -> None:
    text = report.read_text("utf-8")

    for study in STUDIES.values():
        assert f'id="{study.name}"' in text
    assert "a &lt;made-up&gt; grid" in text and "&lt;no folder&gt;" in text
    assert "4-AL-I5 is the best method" in text
    assert re.search(r'class="verdict held">held<', text)


def test_every_figure_is_there_as_svg_and_png(report) -> None:
    names = {path.name for path in (report.parent / "figures").iterdir()}

    figures = {
        "figure-S1",
        "figure-1",
        "figure-S2",
        "figure-2",
        "figure-S3",
        "figure-S5",
        "theory-linkage",
        "theory-questions",
    }
    assert {f"{figure}.{kind}" for figure in figures for kind in ("svg", "png")} <= names
    assert {"cars.4-AL.png", "cars.tSTE-AL.Euclidean.2-D.png"} <= names


def test_nothing_run_gives_a_page_that_says_so(tmp_path) -> None:
    page = write_report([Section(STUDIES["planted"], [])], tmp_path, grid="nothing")

    assert "not run" in page.read_text("utf-8")
    assert "nothing to run" in page.read_text("utf-8")


def test_a_run_is_described_with_the_most_repetitions_where_these_differ() -> None:
    rows = [
        {"cell": f"{setting}{repetition}", "repetition": repetition, "cell_cpu_seconds": 30.0}
        for setting, n in (("a", 2), ("b", 3))
        for repetition in range(n)
        for _ in range(2)  # a row for each method
    ]

    even = [row for row in rows if row["repetition"] < 2]
    assert describe_run(rows) == "cells: 5; repetitions: up to 3; 2.5 min of one core"
    assert describe_run(even) == "cells: 4; repetitions: 2; 2.0 min of one core"
