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
    expected = ol.validation.branch_support(answers, "AddS-AL", n_bootstrap=20, seed=3)
    tree = ol.Hierarchy.load(out / "tree.json")
    assert np.array_equal(tree.support, expected.support)
    assert tree.parameters["branch_support"] == {
        "n_bootstrap": 20,
        "seed": 3,
        "shares": expected.shares.tolist(),
        "transfers": expected.transfers.tolist(),
    }
    assert tree.to_text() in result.out
    assert "numbers: bootstrap support in percent, from 20 samples (seed 3), shown" in result.out
    assert "collapsed" not in result.out
    assert re.search(r"┬\d", result.out)
    assert (out / "tree.nwk").read_text() == expected.tree.to_newick() + "\n"
    assert (out / "tree.png").read_bytes().startswith(b"\x89PNG")
    with (out / "linkage.csv").open(newline="") as file:
        written = [row["support"] for row in csv.DictReader(file)]
    assert written == ["" if np.isnan(one) else repr(float(one)) for one in tree.support]


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_support_forgives_objects_out_of_place(ordlink, tmp_path: Path) -> None:
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=12, gap=0.3, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, 300, error_rate=0.1, seed=0)
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(["anchor,closer,farther", *(",".join(map(str, r)) for r in rows)]))

    ordlink("cluster", path, "--method", "AddS-AL", "--support", 20, "--out", tmp_path / "out")

    tree = ol.Hierarchy.load(tmp_path / "out/tree.json")
    expected = ol.validation.branch_support(ol.read_comparisons(path), "AddS-AL", n_bootstrap=20)
    assert np.array_equal(tree.support, expected.support)
    assert (expected.support[:-1] > expected.shares[:-1]).any()  # of the exact branch


def test_branches_with_little_support_are_left_out(ordlink, planted_answers: Path) -> None:
    out = planted_answers.parent / "out"
    options = ("--method", "AddS-AL", "--support", 20, "--min-support", 60, "--out", out)

    result = ordlink("cluster", planted_answers, *options)

    assert result.code == 0
    tree = ol.Hierarchy.load(out / "tree.json")
    assert (tree.support < 0.6).any()
    assert tree.to_text(min_support=0.6) in result.out
    n_weak = int((tree.support[:-1] < 0.6).sum())
    assert f"collapsed: {n_weak} of 14 branches, with support below 60" in result.out
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
    about = tree.parameters["branch_support"]
    assert tree.parameters == {**without.parameters, "branch_support": about}
    assert np.isfinite(tree.support).all()


def test_the_consensus_and_the_test_are_those_of_the_library(
    ordlink, planted_answers: Path
) -> None:
    out = planted_answers.parent / "out"
    words = ("cluster", planted_answers, "--method", "AddS-AL", "--support", 20, "--out", out)

    result = ordlink(*words, "--seed", 3, "--consensus", "--test-hierarchy")

    assert result.code == 0
    answers = ol.read_comparisons(planted_answers)
    found = ol.validation.branch_support(answers, "AddS-AL", n_bootstrap=20, seed=3).consensus()
    newick = found.to_newick(min_support=0.5) + "\n"
    assert (out / "consensus.nwk").read_text() == newick
    assert np.array_equal(ol.Hierarchy.load(out / "consensus.json").merges, found.merges)
    assert found.to_text(min_support=0.5) in result.out
    p_value = ol.validation.hierarchy_test(answers, "AddS-AL", seed=3).p_value
    assert f"hierarchy test: p = {p_value:.3f}, evidence of a hierarchy" in result.out


def test_a_tree_is_there_even_if_its_hierarchy_cannot_be_tested(ordlink, tmp_path: Path) -> None:
    answers = tmp_path / "answers.csv"
    answers.write_text("0,1,2\n1,0,2\n0,1,2\n")

    result = ordlink(
        "cluster", answers, "--form", "triplet", "--method", "4-AL", "--test-hierarchy"
    )

    assert result.code == 0
    assert "hierarchy test: " in result.err
    assert "3 objects" in result.out


def test_a_consensus_of_an_earlier_run_goes_and_that_of_others_stays(
    ordlink, planted_answers: Path
) -> None:
    out, other = planted_answers.parent / "out", planted_answers.parent / "other"
    words = ("cluster", planted_answers, "--method", "AddS-AL", "--support", 2)
    ordlink(*words, "--consensus", "--out", out)
    other.mkdir()
    (other / "consensus.nwk").write_text("(a,b);")

    for folder in (out, other):
        assert ordlink(*words, "--out", folder).code == 0

    assert not list(out.glob("consensus.*"))
    assert (other / "consensus.nwk").read_text() == "(a,b);"


def test_people_are_left_out_on_request(ordlink, tmp_path: Path) -> None:
    rows = ["0,1,2,ann", "0,1,3,ann", "2,3,0,bob", "1,2,3,eve", "1,3,0,eve"]
    (tmp_path / "a.csv").write_text("\n".join(["anchor,closer,farther,annotator", *rows]))
    (tmp_path / "b.csv").write_text("\n".join(["anchor,closer,farther,annotator", *rows[:3]]))

    left = ordlink("cluster", tmp_path / "a.csv", "--exclude", "eve")
    without = ordlink("cluster", tmp_path / "b.csv")
    stranger = ordlink("cluster", tmp_path / "a.csv", "--exclude", "zoe")

    first, rest = left.out.split("\n", 1)
    assert first == "excluded on request: eve, with 2 comparisons"
    assert rest == without.out
    assert stranger.code == 2
    assert stranger.err.startswith("error: --exclude: there is no annotator 'zoe'")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--consensus",), "--consensus requires --support"),
        (("--min-support", 50), "--min-support requires --support"),
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
