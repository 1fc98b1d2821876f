"""Clusters that the answers support best: printed, written, drawn and evaluated alike."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import ordlink as ol

N = 41  # two planted clusters of 20, and an object like no other


@pytest.fixture
def outlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    truth = ol.datasets.planted_hierarchy(depth=1, leaf_size=20, gap=0.6, noise=0.1, seed=0)
    near = np.full((N, N), -5.0)
    near[:40, :40] = truth.similarities
    rows = ol.datasets.simulate_answers(near, 3000, error_rate=0.02, seed=0)
    c = ol.Comparisons.from_triplets(rows, names=[f"x{i}" for i in range(N)], n_objects=N)
    ol.io.write_comparisons(c, tmp_path / "answers.csv")
    return tmp_path / "answers.csv"


def test_what_is_set_aside_is_named_left_empty_and_read_back(ordlink, outlier: Path) -> None:
    words = ["--method", "AddS-AL", "--clusters", "auto", "--out", "out"]
    result = ordlink("cluster", outlier, *words)

    assert result.code == 0
    assert "2 clusters of 20, 20 objects: the evidence for 2 clusters" in result.out
    assert "set aside: x40" in result.out
    with Path("out/clusters.csv").open() as file:
        cells = [row["cluster"] for row in csv.DictReader(file)]
    assert sorted(set(cells)) == ["", "1", "2"]
    assert cells[40] == ""
    scored = ordlink("evaluate", "out/tree.json", "--classes", "out/clusters.csv")
    assert scored.code == 0
    scores = dict(line.rsplit(maxsplit=1) for line in scored.out.splitlines())
    assert scores["ARI, cluster (2 clusters supported best)"] == "1.0000"


def test_a_tree_file_is_drawn_with_the_same_clusters(ordlink, outlier: Path) -> None:
    ordlink("cluster", outlier, "--method", "AddS-AL", "--out", "out")

    result = ordlink("plot", "out/tree.json", "--clusters", "auto", "--out", "f.svg")

    assert result.code == 0
    assert "set aside: x40" in result.out
    text = Path("f.svg").read_text()
    for shown in ("1 (20)", "2 (20)", "grey names, set aside: x40", "judged less alike"):
        assert shown in text


def test_without_clusters_a_number_is_suggested(ordlink, outlier: Path) -> None:
    result = ordlink("cluster", outlier, "--method", "AddS-AL")

    assert "suggested: --clusters 2, since the evidence" in result.out
    assert ordlink("cluster", outlier, "--clusters", "some").code == 2


def test_a_first_tree_is_written_while_the_default_method_runs(
    ordlink, outlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ordlink.cli import cluster as module

    seen: list[str | None] = []
    build = module.cluster

    def watched(data, method, **options):
        path = Path("out/tree.json")
        seen.append(ol.Hierarchy.load(path).method if path.exists() else None)
        return build(data, "AddS-AL", initial_clusters=None)

    monkeypatch.setattr(module, "cluster", watched)
    result = ordlink("cluster", outlier, "--out", "out")

    assert result.code == 0
    assert seen == [None, "AddS-AL"]
    assert "first tree, by AddS-AL: wrote tree.json" in result.err
    assert "Ctrl-C: the best so far" in result.err


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_many_objects_have_no_first_tree_since_its_table_would_not_fit(
    ordlink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ordlink.methods._memory.available_memory", lambda: 8e7)
    rows = np.random.default_rng(0).integers(0, 800, (3_000, 3)) * 3 + [0, 1, 2]
    c = ol.Comparisons.from_triplets(rows, n_objects=2_400)
    ol.io.write_comparisons(c, tmp_path / "answers.parquet")

    result = ordlink("cluster", "answers.parquet", "--out", "out")

    assert result.code == 0
    assert "first tree" not in result.err
    assert ol.Hierarchy.load("out/tree.json").method == "blocks"
