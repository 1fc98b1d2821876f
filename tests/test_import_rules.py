"""The rules on imports, and that a broken one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.import_rules import problems


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("linkage/_average.py", "from numba import njit"),
        ("report/_page.py", "import matplotlib.pyplot"),
        ("cli/cluster.py", "from fastapi import FastAPI"),
        ("cli/cluster.py", "from ordlink.validation._support import branch_support"),
    ],
)
def test_an_import_that_breaks_a_rule_is_told(tmp_path: Path, file: str, line: str) -> None:
    path = tmp_path / file
    path.parent.mkdir()
    path.write_text(line + "\n")

    assert len(problems(tmp_path)) == 1


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("linkage/_kernels_average.py", "from numba import njit"),
        ("plotting/_figure.py", "import matplotlib.pyplot"),
        ("collect/app.py", "from fastapi import FastAPI"),
        ("cli/cluster.py", "from ordlink.cli._options import seed_option"),
        ("cli/cluster.py", "from ordlink._text import counted"),
    ],
)
def test_an_import_where_it_belongs_is_not_told(tmp_path: Path, file: str, line: str) -> None:
    path = tmp_path / file
    path.parent.mkdir()
    path.write_text(line + "\n")

    assert problems(tmp_path) == []
