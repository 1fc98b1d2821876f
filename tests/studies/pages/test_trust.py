"""docs/trust.md says what the tables beside it hold."""

from __future__ import annotations

import pytest

from studies.calibration.cells import calibration_experiments
from studies.pages.trust import KEPT, PAGE, load, rewrite

pytestmark = pytest.mark.skipif(not KEPT.is_dir(), reason="no full run is kept")


@pytest.fixture(scope="module")
def rows() -> dict:
    return load(KEPT)


def test_the_page_is_what_the_tables_give(rows) -> None:
    text = PAGE.read_text()

    assert rewrite(text, rows) == text
    assert "trust/calibration.svg" in text
    assert (KEPT / "calibration.svg").is_file()


@pytest.mark.parametrize("name", list(calibration_experiments()))
def test_the_full_run_was_done(name, rows) -> None:
    wanted = calibration_experiments()[name].cells

    assert len({row["cell"] for row in rows[name]}) == len(wanted)
