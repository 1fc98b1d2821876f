"""Compiling that takes long is announced, once, on stderr."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
import numpy as np
sys.stderr.isatty = lambda: {terminal}
import ordlink._kernels as jit
jit.SAY_AFTER_SECONDS = {seconds}
import ordlink as ol
matrix = np.add.outer(np.arange(9.0), np.arange(9.0) ** 2)
ol.Comparisons.from_similarities(matrix + matrix.T, 0.5, seed=0)
"""


def _stderr(cache: Path, seconds: float, *, terminal: bool = True) -> str:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(seconds=seconds, terminal=terminal)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    ).stderr


def test_compiling_is_announced_once_and_only_when_it_happens(tmp_path: Path) -> None:
    first, again = (_stderr(tmp_path, 0.0) for _ in range(2))

    assert first.count("compiling for this machine") == 1
    assert again == ""


def test_quick_compiling_is_not_announced(tmp_path: Path) -> None:
    assert _stderr(tmp_path, 1000.0) == ""


def test_nothing_is_announced_into_a_pipe(tmp_path: Path) -> None:
    assert _stderr(tmp_path, 0.0, terminal=False) == ""
