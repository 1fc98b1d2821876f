"""docs/reproduction.md says what the tables beside it hold."""

from __future__ import annotations

import pytest

from studies.pages.measured import markdown_table, rewrite_parts
from studies.pages.reproduction import KEPT, PAGE, load
from studies.statistics import mean, select


@pytest.fixture(scope="module")
def rows() -> dict:
    return load(KEPT)


def test_figures_on_the_page_are_there() -> None:
    text = PAGE.read_text()
    named = {part.split(")")[0] for part in text.split("](reproduction/")[1:]}

    assert "figure-1.svg" in named
    assert named <= {path.name for path in KEPT.glob("*.svg")}


def test_only_marked_parts_are_made_anew() -> None:
    page = "before\n<!-- measured: a-b -->\nold\n<!-- /measured -->\nafter\n"

    made = rewrite_parts(page, {"a-b": lambda: "new"})

    assert made == page.replace("old", "new")
    with pytest.raises(ValueError, match="no measured part is called 'a-b'; there are: c"):
        rewrite_parts(page, {"c": str})


def test_bars_in_cells_of_a_table_are_escaped() -> None:
    assert markdown_table(("a",), [("|Q|",)]) == "| a |\n| --- |\n| \\|Q\\| |"


def test_means_on_the_page_are_those_of_the_rows(rows) -> None:
    found = select(rows["planted"], method="4-AL", measure="aari", delta=0.2, proportion=0.1)

    line = next(line for line in PAGE.read_text().splitlines() if line.startswith("| 4-AL | 0.1"))
    assert len(found) == 10
    assert line.split("|")[-2].strip().startswith(f"{mean(found):.2f} ±")
