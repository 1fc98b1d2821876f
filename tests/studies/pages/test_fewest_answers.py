"""docs/fewest-answers.md and the page of its cells say what the tables beside them hold."""

from __future__ import annotations

import pytest

from studies.pages.fewest_answers import CELLS, KEPT, PAGE, is_complete, load, rewrite
from studies.quality.groups import GROUPS
from studies.statistics import mean, select

pytestmark = pytest.mark.skipif(not KEPT.is_dir(), reason="no full run is kept")


@pytest.fixture(scope="module")
def rows() -> dict:
    return load(KEPT)


@pytest.mark.parametrize("page", [PAGE, CELLS], ids=lambda page: page.name)
def test_the_page_is_what_the_tables_give(page, rows) -> None:
    text = page.read_text()

    assert rewrite(text, rows) == text


@pytest.mark.parametrize("name", list(GROUPS))
def test_groups_that_are_shown_were_run_in_full(name, rows) -> None:
    assert is_complete(GROUPS[name], rows[name]) or not rows[name]


def test_figures_on_the_page_are_there() -> None:
    named = {part.split(")")[0] for part in PAGE.read_text().split("](fewest-answers/")[1:]}

    assert "quality-planted-aari.svg" in named
    assert named <= {path.name for path in KEPT.glob("*.svg")}


def test_means_on_the_page_are_those_of_the_rows(rows) -> None:
    found = select(
        rows["planted"], method="spectral", measure="aari", delta=0.04, n_answers=205_000
    )

    (line,) = (
        line for line in PAGE.read_text().splitlines() if line.startswith("| 0.04 | 205,000 |")
    )
    assert len(found) == 24
    assert line.split("|")[3].strip() == f"**{mean(found):.2f}**"
