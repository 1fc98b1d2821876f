"""`ordlink compare-groups`: trees of groups, and their disagreement."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ordlink as ol
from ordlink.cli.compare_groups import _folder_name
from ordlink.errors import InputError
from ordlink.validation import compare_groups


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Return answers of two people to one tree, and of a model to another."""
    first = ol.datasets.planted_hierarchy(depth=2, leaf_size=3, gap=0.6, seed=0).similarities
    order = np.random.default_rng(0).permutation(12)
    rows, who = [], []
    for name, w in (("ann", first), ("bob", first), ("lab/model", first[np.ix_(order, order)])):
        rows += ol.datasets.simulate_answers(w, 800, seed=len(rows)).tolist()
        who += [name] * 800
    path = tmp_path / "answers.csv"
    ol.write_comparisons(ol.Comparisons.from_triplets(rows, annotators=who), path)
    return path


def test_trees_of_groups_and_their_distances_are_printed(ordlink, answers: Path) -> None:
    out = answers.parent / "groups"

    words = ("--by", "annotator", "--method", "4-AL", "--out", out)
    result = ordlink("compare-groups", answers, *words)

    assert result.code == 0
    trees = {
        name: ol.Hierarchy.load(out / folder / "tree.json")
        for name, folder in (("ann", "ann"), ("bob", "bob"), ("lab/model", "lab-model"))
    }
    for tree in trees.values():
        assert tree.to_text() in result.out
    table = result.out.split("(0.67 by chance)\n")[1].splitlines()[:4]
    assert table[0].split() == ["ann", "bob", "lab/model"]
    for line, one in zip(table[1:], trees.values(), strict=True):
        expected = [ol.metrics.triplet_distance(one, other) for other in trees.values()]
        assert [float(cell) for cell in line.split()[1:]] == np.round(expected, 2).tolist()


def test_a_model_is_compared_with_everybody_else(ordlink, answers: Path) -> None:
    result = ordlink("compare-groups", answers, "--by", "annotator", "--group", "lab/model")

    assert result.code == 0
    assert "lab/model: 800 answers, auto" in result.out
    assert "others: 1,600 answers, auto" in result.out


def test_each_tree_predicts_its_own_group_best(answers: Path) -> None:
    comparisons = ol.read_comparisons(answers)

    found = compare_groups(comparisons, comparisons.details.annotators, "4-AL")

    assert found.groups == ("ann", "bob", "lab/model")
    assert found.n_answers == (800, 800, 800)
    assert found.accuracies[2].argmax() == 2
    assert found.distances[0, 1] < found.distances[0, 2] > 0.3
    one = comparisons.take(comparisons.details.annotators == "bob")
    assert np.array_equal(found.trees[1].merges, ol.cluster(one, "4-AL").merges)
    assert found.accuracies[0, 1] == ol.metrics.comparison_accuracy(
        comparisons.take(comparisons.details.annotators == "ann"), found.trees[1]
    )


def test_groups_of_any_column_are_tested(ordlink, tmp_path: Path) -> None:
    trials, people = tmp_path / "trials.csv", tmp_path / "people.csv"
    rows = []
    for number in range(12):
        closer, farther = ("b", "c") if number % 2 else ("c", "b")
        told = [f"a,{closer},{farther}", f"d,{closer},{farther}", f"b,{'cd'[number % 2]},a"]
        rows += [f"p{number},{'xy'[number % 2]},{one}\n" for one in told]
    trials.write_text("participant,condition,anchor,closer,farther\n" + "".join(rows))
    table = "".join(f"{'mf'[i % 2]},p{i}\n" for i in range(12))
    people.write_text("sex,id\n" + table)

    inside = ordlink("compare-groups", trials, "--by", "condition", "--method", "AddS-AL")
    beside = ordlink("compare-groups", trials, "--by", "sex", "--people", people)
    people.write_text("sex,id\n" + table + "f,p0\n")
    double = ordlink("compare-groups", trials, "--by", "sex", "--people", people)
    people.write_text("sex,id\n" + table.replace("p3", "p99"))
    absent = ordlink("compare-groups", trials, "--by", "sex", "--people", people)

    assert (inside.code, beside.code, double.code, absent.code) == (0, 0, 2, 2)
    assert "x: 18 answers, AddS-AL" in inside.out and "f: 18 answers" in beside.out
    for result in (inside, beside):
        assert "difference between groups: p = 0.0" in result.out
        assert "p11" in result.out.split("of a person that the tree of a group agrees with")[1]
    assert "'p0' has several values of 'sex': 'm' and 'f'" in double.err
    assert "no column names all 12 people of the answers" in absent.err


def test_warnings_name_their_group(ordlink, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "anchor,closer,farther,annotator\na,b,c,x\nb,a,c,x\na,b,c,y\na,c,b,y\nd,a,b,x\n"
    )

    result = ordlink("compare-groups", path, "--by", "annotator")

    assert result.code == 0
    assert "warning: y: " in result.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--by", "age"), "there is no column 'age'; the columns are"),
        (
            ("--by", "annotator", "--group", "zoe"),
            "no annotator 'zoe'; expected one of",
        ),
        (("--by", "annotator", "--method", "5-AL"), "unknown method"),
        ((), "--by"),
    ],
)
def test_bad_input_is_refused(ordlink, answers: Path, words, message) -> None:
    result = ordlink("compare-groups", answers, *words)

    assert (result.code, result.out) == (2, "")
    assert message in result.err


def test_files_without_groups_are_refused(ordlink, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("anchor,closer,farther\na,b,c\n")
    nobody = ordlink("compare-groups", path, "--by", "annotator")
    path.write_text("anchor,closer,farther,annotator\na,b,c,ann\n")
    alone = ordlink("compare-groups", path, "--by", "annotator")
    many = "".join(f"a,b,c,p{i}\n" for i in range(13))
    path.write_text("anchor,closer,farther,annotator\n" + many)
    crowd = ordlink("compare-groups", path, "--by", "annotator")

    assert (nobody.code, alone.code, crowd.code) == (2, 2, 2)
    assert "there is no column 'annotator'; add a column" in nobody.err
    assert "expected at least two groups, got 'ann'" in alone.err
    assert "expected at most 12 groups, got 13; choose some with --group" in crowd.err


def test_folders_of_groups_have_names_that_every_system_allows() -> None:
    taken: set[str] = set()
    names = [_folder_name(one, taken) for one in ("Con", "control", "nul.1", "a:b", "A-B", "??")]

    assert names == ["group-Con", "control", "group-nul.1", "a-b", "A-B-2", "group"]


def test_one_name_per_comparison_is_expected() -> None:
    comparisons = ol.Comparisons.from_triplets([[0, 1, 2], [1, 0, 2]])

    with pytest.raises(InputError, match="groups: expected 2 names, one per comparison"):
        compare_groups(comparisons, ["a"])
