"""The R script reads what the command writes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from ordlink.cli._output import write_data
from ordlink.hierarchy import Hierarchy

SCRIPT = Path(__file__).parents[2] / "examples" / "r" / "tree.R"
NAMES = ["polar bear", "it's", "a,b", "Müller", "😀", "x_y", "plain", 'say "hi"', "(z)"]


def run_r(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["Rscript", "--vanilla", *words], capture_output=True, check=False)


@pytest.fixture(scope="module", autouse=True)
def ape() -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    if run_r("-e", "library(ape)").returncode:
        pytest.skip("R's package ape is not installed")


@pytest.mark.parametrize("has_heights", [True, False])
def test_names_and_clusters_in_r_are_ours(tmp_path: Path, has_heights: bool) -> None:
    merges = [[0, 5], [1, 2], [9, 3], [10, 4], [11, 12], [6, 7], [13, 14], [15, 8]]
    heights = [0.2, 0.1, 0.5, 0.3, 0.6, 0.4, 0.7, 0.9]  # not in the order of the merges
    tree = Hierarchy(merges, names=NAMES, heights=heights if has_heights else None)
    write_data(tree, tmp_path, clusters=None, min_support=None)

    done = run_r(str(SCRIPT), str(tmp_path), "3")

    assert done.returncode == 0, done.stderr.decode()
    rows = [line.split("\t") for line in done.stdout.decode().splitlines()]
    assert [name for _, name in rows] == NAMES
    found = np.array([int(number) for number, _ in rows])
    expected = tree.cut(height=0.6) if has_heights else tree.cut(3)
    assert np.array_equal(found[:, None] == found, expected[:, None] == expected)
    assert (tmp_path / "tree-in-r.pdf").read_bytes().startswith(b"%PDF")
