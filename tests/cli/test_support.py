"""Support of branches on the command line: on the text tree, in all files, and left out."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest

import ordlink as ol


def test_support_is_shown_and_written(ordlink, planted_answers: Path) -> None:
    out = planted_answers.parent / "out"

    result = ordlink(
        "cluster", planted_answers, "--method", "AddS-AL", "--support", 20, "--seed", 3,
        "--out", out,
    )  # fmt: skip

    assert result.code == 0
    answers = ol.read_comparisons(planted_answers)
    expected = ol.trust.branch_support(answers, "AddS-AL", n_replicates=20, seed=3)
    tree = ol.Hierarchy.load(out / "tree.json")
    assert np.array_equal(tree.support, expected.support)
    assert tree.to_text() in result.out
    assert re.search(r"┬\d", result.out)
    assert (out / "tree.nwk").read_text() == expected.tree.to_newick() + "\n"
    assert (out / "tree.png").read_bytes().startswith(b"\x89PNG")
    with (out / "linkage.csv").open(newline="") as file:
        written = [row["support"] for row in csv.DictReader(file)]
    assert written == ["" if np.isnan(one) else repr(float(one)) for one in tree.support]


def test_branches_with_little_support_are_left_out(ordlink, planted_answers: Path) -> None:
    out = planted_answers.parent / "out"
    options = ("--method", "AddS-AL", "--support", 20, "--min-support", 60, "--out", out)

    result = ordlink("cluster", planted_answers, *options)

    assert result.code == 0
    tree = ol.Hierarchy.load(out / "tree.json")
    assert (tree.support < 0.6).any()
    assert tree.to_text(min_support=0.6) in result.out
    assert (out / "tree.nwk").read_text() == tree.to_newick(min_support=0.6) + "\n"


def test_an_embedding_with_a_seed_of_its_own_gets_support(ordlink, planted_answers: Path) -> None:
    out = planted_answers.parent / "out"
    options = ("--method", "tSTE-AL", "--metric", "euclidean", "--seed", 5, "--out", out)
    ordlink("cluster", planted_answers, *options)
    without = ol.Hierarchy.load(out / "tree.json")

    result = ordlink("cluster", planted_answers, *options, "--support", 3)

    assert result.code == 0
    tree = ol.Hierarchy.load(out / "tree.json")
    assert np.array_equal(tree.merges, without.merges)
    assert tree.parameters == without.parameters
    assert np.isfinite(tree.support).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--min-support", 50), "--min-support goes with --support"),
        (("--support", 5, "--min-support", 0.5), "pass --min-support 50"),
        (("--support", 5, "--min-support", 101), "range"),
        (("--support", 0), "range"),
        (("--support", "many"), "not a valid integer"),
    ],
)
def test_wrong_options_are_refused(
    ordlink, planted_answers: Path, options: tuple, message: str
) -> None:
    result = ordlink("cluster", planted_answers, *options)

    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err


def test_describe_says_how_far_answers_agree(ordlink, tmp_path: Path) -> None:
    rows = ["anchor,closer,farther", *["0,1,2"] * 3, "0,2,1", "0,2,3", "0,3,1"]
    (tmp_path / "a.csv").write_text("\n".join(rows) + "\n")

    result = ordlink("describe", tmp_path / "a.csv")

    assert result.code == 0
    agreement = "repeats that agree      50.0% of answers to the same question, mean over 1 q"
    assert agreement in result.out
    assert "circular triads         100.0% of 1 (25% by chance)" in result.out
