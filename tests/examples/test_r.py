"""The R script reads what the command writes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ordlink.cli._output import write_data
from ordlink.datasets import planted_hierarchy, simulate_answers
from ordlink.hierarchy import Hierarchy
from ordlink.metrics import adjusted_rand_index

SCRIPT = Path(__file__).parents[2] / "examples" / "r" / "tree.R"
NAMES = ["polar bear", "it's", "a,b", "Müller", "😀", "x_y", "plain", 'say "hi"', "(z)"]


PAGE = Path(__file__).parents[2] / "docs" / "r.md"


def run_r(*words: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["Rscript", "--vanilla", *words], capture_output=True, check=False, **options
    )


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


@pytest.mark.slow
def test_the_lines_for_reticulate_give_our_tree(tmp_path: Path) -> None:
    if run_r("-e", "library(reticulate)").returncode:
        pytest.skip("R's package reticulate is not installed")
    planted = planted_hierarchy(depth=2, leaf_size=3, gap=1.0, seed=0)
    rows = simulate_answers(planted.similarities, 400, form="triplet", seed=0)
    table = "anchor,closer,farther\n" + "\n".join(",".join(map(str, row)) for row in rows.tolist())
    (tmp_path / "answers.csv").write_text(table + "\n", encoding="utf-8")
    lines = re.findall(r"^```r\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.M)[-1]
    assert lines.startswith("library(reticulate)")
    lines = re.sub(r'use_python\(".*"\)', f'use_python("{sys.executable}", required = TRUE)', lines)
    lines += 'cat("\\n", unlist(tree$cut(4L)$tolist()), dim(Z), length(phylo$tip.label))\n'
    (tmp_path / "program.R").write_text(lines, encoding="utf-8")

    done = run_r("program.R", cwd=tmp_path, env=os.environ | {"RETICULATE_PYTHON": sys.executable})

    assert done.returncode == 0, done.stderr.decode()
    found = [int(word) for word in done.stdout.split()[-15:]]
    assert found[12:] == [11, 4, 12]
    assert adjusted_rand_index(found[:12], planted.levels[-1]) == 1
