"""The page of the bench of quality, from made-up rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from studies.quality.groups import GROUPS
from studies.quality.methods import OURS
from studies.quality.page import N_SHOWN, write_page
from studies.running._command import Section
from tests.studies.quality.test_bars import people
from tests.studies.quality.test_tables import rows_of
from tests.studies.reproduction.test_report import Tags

FINISHED = {"cell": "a", "cell_cpu_seconds": 1.0}
CURVE = {n * 1000: min(1.0, n / 40) for n in range(2, 40, 2)}


def planted(method: str, scale: float) -> list[dict]:
    curve = {n: scale * value for n, value in CURVE.items()}
    return rows_of(method, curve) + rows_of(method, curve, "held_out")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quality")
    rows = planted(OURS, 1.0) + planted("4-AL", 0.5) + planted("SOE-AL 2-D, cosine", 0.98)
    asked = people({("Car", OURS): 0.69, ("Car", "4-AL"): 0.7, ("faces", "4-AL"): 0.7})
    sections = [
        Section(GROUPS["planted"], [{**row, **FINISHED} for row in rows]),
        Section(GROUPS["people"], [{**row, **FINISHED} for row in asked], ("no <faces>",)),
        Section(GROUPS["forms"], []),
    ]
    return write_page(sections, folder, grid="a <made-up> grid")


def test_the_page_is_whole_and_holds_everything_itself(page) -> None:
    tags = Tags()

    tags.feed(page.read_text("utf-8"))

    assert tags.open == []
    assert tags.sources and all(source.startswith("data:") for source in tags.sources)


def test_the_page_shows_bars_answers_needed_margins_notes_and_seconds(page) -> None:
    text = page.read_text("utf-8")

    assert "a &lt;made-up&gt; grid" in text and "no &lt;faces&gt;" in text
    assert '<td class="verdict held">met</td>' in text
    assert '<td class="verdict not">not met</td>' not in text.split("Car: held-out")[0]
    assert "<td>4-AL</td><td>more than 38,000</td>" in text
    assert f"{len(CURVE) - N_SHOWN} more" in text
    assert "<td>balanced, delta 0.1, 2,000</td><td>0.050</td><td>0.049</td>" in text
    assert "<td>balanced, delta 0.1, 38,000</td>" in text  # the best cell, folded away
    assert "0.690 ± 0.012" in text
    assert "Seconds of one core" in text
    assert "nothing to run" in text


def test_every_curve_is_there_as_svg_and_png(page) -> None:
    names = {path.name for path in (page.parent / "figures").iterdir()}

    assert names == {
        f"quality-{figure}.{kind}"
        for figure in ("needed", "planted-aari", "planted-held_out")
        for kind in ("svg", "png")
    }


def test_nothing_run_gives_a_page_that_says_so(tmp_path) -> None:
    page = write_page([Section(GROUPS["planted"], [])], tmp_path, grid="nothing")

    assert "not run" in page.read_text("utf-8")
