"""What the commands do when all is well."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ordlink as ol
from ordlink.cli import COMMANDS
from tests.candidates import FAST, only_candidates


def test_demo_prints_summary_tree_and_scores_and_writes_the_files(ordlink, tmp_path: Path) -> None:
    result = ordlink("demo", "--out", tmp_path / "demo")

    assert result.code == 0
    for text in ("objects                 100", "comparisons", "gorilla", "ARI", "Dasgupta's cost"):
        assert text in result.out
    written = {path.name for path in (tmp_path / "demo").iterdir()}
    assert {"tree.pdf", "tree.svg", "tree.png", "tree.nwk", "tree.json", "linkage.csv"} <= written
    assert (tmp_path / "demo" / "tree.png").read_bytes().startswith(b"\x89PNG")
    assert ol.Hierarchy.load(tmp_path / "demo" / "tree.json").n_objects == 100


def test_cluster_writes_the_tree_that_it_prints(ordlink, planted_answers: Path) -> None:
    out = planted_answers.parent / "out"

    result = ordlink("cluster", planted_answers, "--clusters", 4, "--out", out)

    assert result.code == 0
    tree = ol.Hierarchy.load(out / "tree.json")
    assert tree.to_text(n_clusters=4) in result.out
    assert tree.method == "auto"
    with (out / "clusters.csv").open() as file:
        labels = [int(row["cluster"]) for row in csv.DictReader(file)]
    assert (
        labels == (tree.partition(4).labels + 1).tolist() == [1] * 4 + [2] * 4 + [3] * 4 + [4] * 4
    )
    with (out / "linkage.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [[int(row["cluster_1"]), int(row["cluster_2"])] for row in rows] == tree.merges.tolist()
    assert [float(row["score"]) for row in rows] == tree.scores.tolist()


@pytest.mark.parametrize("method", ["4-AL", "4K-AL", "AddS-AL"])
def test_every_passive_method_runs(ordlink, planted_answers: Path, method: str) -> None:
    result = ordlink("cluster", planted_answers, "--method", method)

    assert result.code == 0
    assert method in result.out


def test_answers_come_from_stdin(ordlink, planted_answers: Path, monkeypatch) -> None:
    from_file = ordlink("cluster", planted_answers, "--method", "4-AL")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(planted_answers.read_bytes())))

    from_stdin = ordlink("cluster", "-", "--method", "4-AL")

    assert from_stdin == from_file


def test_names_one_based_and_initial_clusters(ordlink, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1,2,3\n2,1,4\n3,4,1\n")
    (tmp_path / "names.txt").write_text("ant\nbee\ncat\ndog\n")
    (tmp_path / "start.csv").write_text("bee,dog\n1,3\n")

    result = ordlink(
        "cluster", tmp_path / "a.csv", "--form", "triplet", "--one-based",
        "--names", tmp_path / "names.txt", "--initial-clusters", tmp_path / "start.csv",
        "--out", tmp_path / "out",
    )  # fmt: skip

    assert result.code == 0
    merges = ol.Hierarchy.load(tmp_path / "out" / "tree.json").merges.tolist()
    assert sorted(merges[:2]) == [[0, 2], [1, 3]]


def test_describe_counts_what_is_there(ordlink, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("i,j,k,l\n0,1,2,3\n2,3,0,1\n0,1,2,3\n")

    result = ordlink("describe", tmp_path / "a.csv")

    assert result.code == 0
    assert "objects                 4" in result.out
    assert "repeated                2" in result.out
    assert "warning: 1 of 1 comparisons were answered both ways" in result.err


@pytest.mark.parametrize("extension", ["csv", "tsv", "jsonl", "parquet", "npz"])
def test_describe_says_that_a_file_has_no_rows(ordlink, tmp_path: Path, extension: str) -> None:
    path = tmp_path / f"a.{extension}"
    ol.write_comparisons(ol.Comparisons.from_triplets([], n_objects=4), path)

    result = ordlink("describe", path)

    assert result.code == 0
    assert "objects                 4" in result.out
    assert "comparisons             0" in result.out
    assert "pairs never compared    6 of 6" in result.out
    for text in ("repeats that agree", "circular triads", "nan"):
        assert text not in result.out


def test_describe_refuses_a_table_of_nothing_but_a_header(ordlink, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("anchor,closer,farther\n")

    result = ordlink("describe", tmp_path / "a.csv")

    assert result.code == 2
    assert result.out == ""
    assert "there are no answers in this file" in result.err


def test_simulate_cluster_evaluate_work_together(ordlink, tmp_path: Path) -> None:
    made = ordlink(
        "simulate", "--depth", 2, "--leaf-size", 6, "--gap", 0.5, "--proportion", 0.2,
        "--out", tmp_path / "p",
    )  # fmt: skip
    words = ("--method", "4-AL", "--out", tmp_path / "r")
    clustered = ordlink("cluster", tmp_path / "p" / "answers.csv", *words)

    result = ordlink(
        "evaluate", tmp_path / "r" / "tree.json", "--truth", tmp_path / "p" / "truth.json",
        "--classes", tmp_path / "p" / "classes.csv",
        "--similarities", tmp_path / "p" / "similarities.npy",
        "--answers", tmp_path / "p" / "answers.csv",
    )  # fmt: skip

    assert (made.code, clustered.code, result.code) == (0, 0, 0)
    scores = dict(line.rsplit(maxsplit=1) for line in result.out.splitlines())
    assert list(scores)[:8] == [
        "ARI, level_1 (2 clusters)",
        "ARI, level_2 (4 clusters)",
        "AARI, classes",
        "ARI, level_1 (2 clusters supported best)",
        "ARI, level_2 (4 clusters supported best)",
        "ARI, truth (2 clusters)",
        "ARI, truth (4 clusters)",
        "AARI, truth",
    ]
    assert {scores[name] for name in list(scores)[:8]} == {"1.0000"}
    tree = ol.Hierarchy.load(tmp_path / "r" / "tree.json")
    cost = ol.metrics.dasgupta_cost(np.load(tmp_path / "p" / "similarities.npy"), tree)
    assert float(scores["Dasgupta's cost"]) == pytest.approx(cost, abs=1e-3)
    assert float(scores["comparisons predicted"]) > 0.8


@pytest.mark.parametrize("form", ["triplet", "most-central", "odd-one-out", "quadruplet"])
@pytest.mark.parametrize("file_format", ["csv", "tsv", "parquet", "npz", "jsonl"])
def test_simulated_answers_of_every_form_and_format_are_read_back(
    ordlink, tmp_path: Path, form: str, file_format: str
) -> None:
    (tmp_path / "table.csv").write_text(
        "name,class,a,b\n" + "".join(f"thing {i},{i % 2},{1 + i % 2},{i}\n" for i in range(8))
    )
    made = ordlink(
        "simulate", "--table", tmp_path / "table.csv", "--form", form, "--answers", 200,
        "--errors", 0.1, "--metric", "euclidean", "--format", file_format, "--out", tmp_path / "s",
    )  # fmt: skip

    result = ordlink("describe", tmp_path / "s" / f"answers.{file_format}")

    assert (made.code, result.code) == (0, 0)
    assert "answers                 200" in result.out
    assert (tmp_path / "s" / "classes.csv").read_text().startswith("name,class\nthing 0,0\n")


def test_every_command_has_help_with_an_example(ordlink) -> None:
    for name in COMMANDS:
        result = ordlink(name, "--help")

        assert result.code == 0
        assert f"ordlink {name}" in result.out.split("Example", 1)[1]


def test_help_lists_every_command(ordlink) -> None:
    result = ordlink("--help")

    assert result.code == 0
    for name, summary in COMMANDS.items():
        assert name in result.out
        assert summary.split(":")[0] in " ".join(result.out.split())


def test_nothing_but_the_result_is_written_when_piped(planted_answers: Path) -> None:
    """The program itself, as a process: no progress on stderr, tree on stdout."""
    done = subprocess.run(
        [sys.executable, "-m", "ordlink", "cluster", str(planted_answers)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert all(line.startswith("warning: ") for line in done.stderr.splitlines())
    assert done.stdout.startswith("16 objects, 3,000 comparisons, auto")


def test_a_terminal_without_unicode_gets_ascii(planted_answers: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ordlink", "cluster", str(planted_answers), "--method", "4-AL"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=True,
    )

    assert done.stdout.isascii()


def test_describe_prints_the_paragraphs_of_the_report(ordlink, planted_answers: Path) -> None:
    words = ("--methods-text", "--method", "AddS-AL", "--quick")

    with only_candidates(*FAST):
        result = ordlink("describe", planted_answers, *words)
    refused = ordlink("describe", planted_answers, "--quick")

    assert result.code == 0
    assert result.out.startswith(
        "Methods. Participants gave 3,000 answers about 16 stimuli. In each"
    )
    assert "\n\nResults. The answers showed significant hierarchical structure" in result.out
    assert "Perrot, M., Esser, P." in result.out
    assert refused.code == 2
    assert "require --methods-text" in refused.err
