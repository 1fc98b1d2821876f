"""Pages of docs/ say what the tables beside them hold."""

from __future__ import annotations

from types import ModuleType

import pytest

from studies.calibration.cells import calibration_experiments
from studies.pages import fewest_questions, reproduction, trust
from studies.questions.cells import question_experiments

pytestmark = pytest.mark.slow  # draws every figure

EXPERIMENTS = {
    fewest_questions: question_experiments(),
    reproduction: reproduction.experiments(),
    trust: calibration_experiments(),
}


@pytest.fixture(scope="module", params=EXPERIMENTS, ids=lambda module: module.PAGE.name)
def page(request) -> ModuleType:
    """Return the module that makes a page, if a full run is kept."""
    if not request.param.KEPT.is_dir():
        pytest.skip("no full run is kept")
    return request.param


@pytest.fixture(scope="module")
def rows(page) -> dict:
    return page.load(page.KEPT)


def test_the_page_is_what_the_tables_give(page, rows) -> None:
    text = page.PAGE.read_text()

    assert page.rewrite(text, rows) == text


def test_the_full_run_was_done(page, rows) -> None:
    n_cells = {name: len({row["cell"] for row in found}) for name, found in rows.items()}

    assert n_cells == {name: len(one.cells) for name, one in EXPERIMENTS[page].items()}


def test_the_figure_of_the_calibration_is_there() -> None:
    assert "trust/calibration.svg" in trust.PAGE.read_text()
    assert (trust.KEPT / "calibration.svg").is_file()
