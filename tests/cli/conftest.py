"""Running commands in process, and small files to run them on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import ordlink as ol
from ordlink.cli import run


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def ordlink(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Return a function that runs the command line with the given words."""

    def call(*words: object) -> Result:
        capsys.readouterr()
        code = run([str(word) for word in words])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


@pytest.fixture
def planted_answers(tmp_path: Path) -> Path:
    """Return a file of 3,000 triplets about 16 objects in 4 clusters."""
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=4, gap=0.5, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, 3000, seed=0)
    path = tmp_path / "answers.csv"
    np.savetxt(path, rows, fmt="%d", delimiter=",", header="anchor,closer,farther", comments="")
    return path
