"""Settings of all tests: Hypothesis without deadlines (first calls compile or import), seeded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("ordlink", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ordlink")


def pytest_configure(config: pytest.Config) -> None:
    """Turn ordlink's warnings into errors; said here and not in pyproject.toml, because there it
    would import the package before coverage is measured.
    """
    config.addinivalue_line("filterwarnings", "error::ordlink.errors.OrdlinkWarning")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder with real data, or skip the test where there is none."""
    folder = Path(os.environ.get("ORDLINK_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not (folder / "car").is_dir():
        pytest.skip(f"real data not found in {folder}; set ORDLINK_DATA to its folder")
    return folder
