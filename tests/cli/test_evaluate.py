"""`evaluate`: every line of a file goes to the right object, or the file is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import ordlink as ol

NAMES = ["ant", "bee", "cat", "dog"]
OTHERS = [
    "Fowlkes-Mallows, classes",
    "dendrogram purity, classes",
    "Robinson-Foulds, classes (0 best)",
    "triplet distance, classes (0 best)",
]
"""What is said of classes besides the adjusted Rand index."""


def _scores(out: str) -> dict[str, float]:
    return {name.strip(): float(value) for name, value in _cells(out)}


def _cells(out: str) -> list[list[str]]:
    return [line.rsplit(maxsplit=1) for line in out.splitlines()]


@pytest.fixture
def tree_file(tmp_path: Path) -> Path:
    """Return a tree with the clusters {ant, bee} and {cat, dog}."""
    path = tmp_path / "tree.json"
    ol.Hierarchy([[0, 1], [2, 3], [4, 5]], names=NAMES).save(path)
    return path


@pytest.fixture
def numbered_tree_file(tmp_path: Path) -> Path:
    """Return the same tree without names."""
    path = tmp_path / "numbered.json"
    ol.Hierarchy([[0, 1], [2, 3], [4, 5]]).save(path)
    return path


@pytest.fixture
def evaluate_classes(ordlink, tmp_path: Path):
    """Return a function that evaluates a tree against a file of classes with this text."""

    def evaluate(tree: Path, text: str, name: str = "classes.csv"):
        (tmp_path / name).write_text(text)
        result = ordlink("evaluate", tree, "--classes", tmp_path / name)
        return result, _scores(result.out)

    return evaluate


@pytest.mark.parametrize(
    "text",
    [
        "x\nx\ny\ny\n",
        "ant,x\nbee,x\ncat,y\ndog,y\n",
        "dog,y\nant,x\ncat,y\nbee,x\n",
        "Name,class\ndog,y\nant,x\ncat,y\nbee,x\n",
        "object;class\ndog;y\nant;x\ncat;y\nbee;x\n",
        "object,name,cluster\n3,dog,1\n0,ant,0\n2,cat,1\n1,bee,0\n",
    ],
)
def test_classes_are_put_in_the_order_of_the_tree(evaluate_classes, tree_file, text: str) -> None:
    result, scores = evaluate_classes(tree_file, text)

    assert (result.code, result.err) == (0, "")
    assert list(scores.values()) == [1, 1, 1, 0, 0]
    assert list(scores)[1:] == OTHERS


def test_wrong_classes_score_low(evaluate_classes, tree_file) -> None:
    _, scores = evaluate_classes(tree_file, "dog,x\nant,x\ncat,y\nbee,y\n")

    assert list(scores.values()) == [-0.5, 0, 0.5, 1, 1]
    assert list(scores)[1:] == OTHERS


@pytest.mark.parametrize(
    "text", ["0,x\n1,x\n2,y\n3,y\n", "3,y\n1,x\n2,y\n0,x\n", "object,class\n3,y\n1,x\n2,y\n0,x\n"]
)
def test_objects_without_names_are_numbers(evaluate_classes, numbered_tree_file, text: str) -> None:
    result, scores = evaluate_classes(numbered_tree_file, text)

    assert result.code == 0
    assert scores["ARI, class (2 clusters)"] == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ant,x\nbee,x\ncta,y\ndog,y\n", ["line 3", "'cta'", "did you mean 'cat'?"]),
        ("name,class\nant,x\nbee,x\ncat,y\ndoog,y\n", ["line 5", "'doog'", "did you mean 'dog'?"]),
        ("animal,class\nant,x\nbee,x\ncat,y\ndog,y\n", ["line 1", "'animal'", "header"]),
        ("ant,x\nbee,x\ncat,y\n", ["1 object of the tree has no line: 'dog'"]),
        ("ant,x\n", ["3 objects of the tree have no line: 'bee', 'cat', 'dog'"]),
        ("ant,x\nbee,x\ncat,y\ndog,y\nant,y\n", ["line 5", "'ant' already has a line, line 1"]),
        ("class\nx\nx\ny\ny\n", ["4 objects", "got 5", "'class'", "header"]),
        ("x\nx\ny\n", ["4 objects", "got 3"]),
        ("name\nant\nbee\ncat\ndog\n", ["no column of classes"]),
        ("name,class\nant,x\nbee\n", ["line 3", "2 filled columns"]),
        ("name,class\n", ["is empty"]),
        ("0,x\n1,x\n2,y\n3,y\n", ["line 1", "'0' is not an object of the tree"]),
        (90 * "x" + ",x\nbee,x\ncat,y\ndog,y\n", ["line 1", "xxx...'"]),
    ],
)
def test_classes_of_other_objects_are_refused(
    evaluate_classes, tree_file, text: str, expected: list[str]
) -> None:
    result, _ = evaluate_classes(tree_file, text)

    assert (result.code, result.out) == (2, "")
    assert "classes.csv" in result.err
    for words in expected:
        assert words in result.err


def test_names_for_a_tree_without_names_are_refused(evaluate_classes, numbered_tree_file) -> None:
    result, _ = evaluate_classes(numbered_tree_file, "ant,x\nbee,x\ncat,y\ndog,y\n")

    assert result.code == 2
    assert "'ant' is not an object of the tree: it has no names, objects are 0 to 3" in result.err


def test_objects_that_share_a_name_are_told_apart_by_their_order(
    evaluate_classes, tmp_path: Path
) -> None:
    tree = tmp_path / "frogs.json"
    ol.Hierarchy([[0, 1], [2, 3], [4, 5]], names=["frog", "frog", "cat", "dog"]).save(tree)

    in_order, scores = evaluate_classes(tree, "frog,x\nfrog,x\ncat,y\ndog,y\n")
    shuffled, _ = evaluate_classes(tree, "frog,x\ncat,y\nfrog,x\ndog,y\n")
    too_many, _ = evaluate_classes(tree, "frog,x\nfrog,x\ncat,y\ndog,y\nfrog,x\n")

    assert (in_order.code, shuffled.code, too_many.code) == (0, 2, 2)
    assert scores["ARI, class (2 clusters)"] == 1
    assert "line 2: expected 'frog', got 'cat'" in shuffled.err
    assert "line 5: 'frog' already has a line" in too_many.err


def test_the_clusters_of_a_tree_agree_with_it(ordlink, tmp_path: Path, planted_answers) -> None:
    out = tmp_path / "out"
    ordlink("cluster", planted_answers, "--clusters", 4, "--out", out)

    result = ordlink("evaluate", out / "tree.json", "--classes", out / "clusters.csv")

    assert result.out.splitlines()[0].split() == ["ARI,", "cluster", "(4", "clusters)", "1.0000"]


def test_every_score_has_a_line_of_its_own(evaluate_classes, tree_file, ordlink) -> None:
    text = "name,kind,kind,size\nant,x,a,1\nbee,x,b,1\ncat,y,a,1\ndog,y,b,2\n"

    result, scores = evaluate_classes(tree_file, text)

    assert result.code == 0
    assert list(scores) == [
        "ARI, kind (column 2) (2 clusters)",
        "ARI, kind (column 3) (2 clusters)",
        "ARI, size (2 clusters)",
        "AARI, classes",
        "Fowlkes-Mallows, classes",
        "dendrogram purity, classes",
    ]
    assert scores["ARI, kind (column 2) (2 clusters)"] == 1
    assert scores["ARI, kind (column 3) (2 clusters)"] == -0.5
    assert result.err.splitlines() == [
        "warning: Robinson-Foulds and triplet distance are left out: the columns of classes in "
        f"{tree_file.with_name('classes.csv')} are not nested"
    ]


def test_the_other_measures_of_classes_are_those_of_the_library(
    evaluate_classes, tmp_path: Path
) -> None:
    rng = np.random.default_rng(5)
    tree = ol.Hierarchy(_random_merges(12, rng), names=[f"n{i}" for i in range(12)])
    tree.save(tmp_path / "tree.json")
    fine = rng.integers(5, size=12)
    levels = np.array([fine // 2, fine])
    rows = zip(tree.names, *levels.tolist(), strict=True)
    text = "name,coarse,fine\n" + "".join(f"{name},{a},{b}\n" for name, a, b in rows)

    result, scores = evaluate_classes(tmp_path / "tree.json", text)

    assert (result.code, result.err) == (0, "")
    m = ol.metrics
    expected = {
        "AARI, classes": m.aari(levels, tree),
        "Fowlkes-Mallows, classes": np.mean([m.fowlkes_mallows(one, tree) for one in levels]),
        "dendrogram purity, classes": np.mean([m.dendrogram_purity(one, tree) for one in levels]),
        "Robinson-Foulds, classes (0 best)": m.normalised_robinson_foulds(levels, tree),
        "triplet distance, classes (0 best)": m.triplet_distance(levels, tree),
    }
    assert list(scores)[2:] == list(expected)
    for name, value in expected.items():
        assert scores[name] == pytest.approx(value, abs=5.1e-5)


def test_a_true_tree_counts_whole_unless_levels_are_known(ordlink, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    tree, truth = (ol.Hierarchy(_random_merges(8, rng)) for _ in range(2))
    tree.save(tmp_path / "tree.json")
    truth.save(tmp_path / "truth.json")
    planted = ol.Hierarchy(truth.merges, method="planted", parameters={"depth": 2})
    planted.save(tmp_path / "planted.json")
    words = ("evaluate", tmp_path / "tree.json", "--truth")

    whole = _scores(ordlink(*words, tmp_path / "truth.json").out)
    asked = _scores(ordlink(*words, tmp_path / "truth.json", "--levels", 2).out)

    m = ol.metrics
    levels = truth.levels([2, 4])
    assert asked == _scores(ordlink(*words, tmp_path / "planted.json").out)
    for scores, true, cuts in ((whole, truth, [2, 4, 8]), (asked, levels, [2, 4])):
        expected = {
            "AARI, truth": m.aari(truth, tree, n_levels=len(cuts)),
            "Fowlkes-Mallows, truth": m.fowlkes_mallows(truth, tree, n_clusters=cuts).mean(),
            "Robinson-Foulds, truth (0 best)": m.normalised_robinson_foulds(true, tree),
            "triplet distance, truth (0 best)": m.triplet_distance(true, tree),
        }
        if true is truth:
            expected["cophenetic correlation, truth"] = m.cophenetic_correlation(truth, tree)
        else:
            purities = [m.dendrogram_purity(level, tree) for level in levels]
            expected["dendrogram purity, truth"] = np.mean(purities)
        assert {name for name in scores if not name.startswith("ARI")} == set(expected)
        for name, value in expected.items():
            assert scores[name] == pytest.approx(value, abs=5.1e-5)


def test_values_stand_under_each_other(ordlink, tmp_path: Path, tree_file: Path) -> None:
    np.save(tmp_path / "w.npy", 1e6 * (np.arange(16).reshape(4, 4) + np.arange(16).reshape(4, 4).T))

    result = ordlink(
        "evaluate", tree_file, "--truth", tree_file, "--similarities", tmp_path / "w.npy"
    )

    assert len({len(line) for line in result.out.splitlines()}) == 1
    assert len(result.out.splitlines()) >= 8


@pytest.mark.parametrize("n_objects", [1, 2])
def test_tiny_trees_are_scored(ordlink, tmp_path: Path, n_objects: int) -> None:
    ol.Hierarchy(np.array([[0, 1]])[: n_objects - 1]).save(tmp_path / "t.json")
    (tmp_path / "classes.csv").write_text("x\n" * n_objects)
    np.save(tmp_path / "w.npy", np.ones((n_objects, n_objects)))

    result = ordlink(
        "evaluate", tmp_path / "t.json", "--classes", tmp_path / "classes.csv",
        "--similarities", tmp_path / "w.npy",
    )  # fmt: skip

    assert (result.code, result.err) == (0, "")
    assert "triplet distance, classes (0 best)" in result.out
    assert "nan" not in result.out


def _random_merges(n_objects: int, rng: np.random.Generator) -> list[list[int]]:
    nodes, merges = list(range(n_objects)), []
    while len(nodes) > 1:
        pair = sorted(int(node) for node in rng.choice(nodes, 2, replace=False))
        nodes = [node for node in nodes if node not in pair] + [n_objects + len(merges)]
        merges.append(pair)
    return merges


def test_the_planted_levels_are_compared_unless_others_are_asked_for(
    ordlink, tmp_path: Path, tree_file: Path
) -> None:
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=4, seed=0)
    planted.tree.save(tmp_path / "truth.json")
    words = ("evaluate", tmp_path / "truth.json", "--truth", tmp_path / "truth.json")

    assert "4 clusters" not in ordlink(*words).out
    assert "4 clusters" in ordlink(*words, "--levels", 2).out
    assert "4 clusters" in ordlink("evaluate", tree_file, "--truth", tree_file).out
    too_many = ordlink(*words, "--levels", 4)
    assert too_many.code == 2
    assert "--levels: " in too_many.err
    assert "at most 3 levels (8 clusters)" in too_many.err


def test_a_truth_of_other_objects_is_refused(ordlink, tmp_path: Path, tree_file: Path) -> None:
    names = ["ant", "bee", "dog", "cat"]
    ol.Hierarchy([[0, 1], [2, 3], [4, 5]], names=names).save(tmp_path / "truth.json")

    result = ordlink("evaluate", tree_file, "--truth", tmp_path / "truth.json")

    assert result.code == 2
    assert f"{tmp_path / 'truth.json'}: object 2 is 'dog', but 'cat' in {tree_file}" in result.err


def test_a_cost_that_is_left_out_is_mentioned(ordlink, tmp_path: Path, tree_file: Path) -> None:
    np.save(tmp_path / "w.npy", -np.ones((4, 4)))
    np.save(tmp_path / "positive.npy", np.ones((4, 4)) - 3 * np.eye(4))

    result = ordlink("evaluate", tree_file, "--similarities", tmp_path / "w.npy")
    positive = ordlink("evaluate", tree_file, "--similarities", tmp_path / "positive.npy")

    assert result.code == 0
    assert [name.strip() for name, _ in _cells(result.out)] == [
        "Dasgupta's cost",
        "Moseley-Wang revenue",
    ]
    assert result.err.startswith("warning: the normalised cost is left out")
    assert positive.err == ""
    tree = ol.Hierarchy.load(tree_file)
    different = np.arange(16.0).reshape(4, 4)
    different += different.T
    np.save(tmp_path / "different.npy", different)
    scores = _scores(
        ordlink("evaluate", tree_file, "--similarities", tmp_path / "different.npy").out
    )
    assert list(_scores(positive.out)) == list(scores)[:3]
    assert scores["Moseley-Wang revenue"] == ol.metrics.moseley_wang_revenue(different, tree)
    assert scores["cophenetic correlation"] == pytest.approx(
        ol.metrics.cophenetic_correlation(different, tree), abs=5.1e-5
    )


def _write_triplets(path: Path, first: int, n_objects: int, n_answers: int) -> None:
    """Write triplets about the objects 1 to n_objects - 1, the first of which is `first`."""
    rng = np.random.default_rng(0)
    rows = np.argsort(rng.random((n_answers, n_objects - 1)), axis=1)[:, :3] + first
    np.savetxt(path, rows, fmt="%d", delimiter=",", header="anchor,closer,farther", comments="")


def test_answers_are_read_with_the_options_of_cluster(ordlink, tmp_path, tree_file) -> None:
    (tmp_path / "a.txt").write_text("x,y,z\n1,2,3\n3,4,1\n")
    words = ("evaluate", tree_file, "--answers", tmp_path / "a.txt")
    reading = ("--format", "csv", "--form", "triplet", "--columns", "x,y,z", "--header")

    result = ordlink(*words, *reading, "--one-based")
    shifted = ordlink(*words, *reading, "--zero-based")

    assert _scores(result.out) == {"comparisons predicted": 1, "comparison revenue (-1 to 1)": 1}
    assert shifted.code == 2
    assert "object 4 is out of range" in shifted.err
    assert "--n-objects" not in shifted.err


@pytest.mark.parametrize("command", ["cluster", "describe", "evaluate"])
def test_answers_that_seem_to_count_from_one_are_refused(ordlink, tmp_path, command: str) -> None:
    """Objects 1 to 7 of 8: the names would silently be shifted by one."""
    names = [f"animal {i}" for i in range(8)]
    (tmp_path / "names.txt").write_text("\n".join(names))
    ol.Hierarchy([[0, 1], *([8 + i, 2 + i] for i in range(6))], names=names).save(
        tmp_path / "tree.json"
    )
    many, few, named = (tmp_path / name for name in ("many.csv", "few.csv", "named.csv"))
    _write_triplets(many, 1, 8, 100)
    _write_triplets(few, 1, 8, 20)
    text = many.read_text().replace("\n", ",\n").split("\n", 1)[1]
    rows = [[f"animal {cell}" for cell in line.split(",")[:3]] for line in text.splitlines()]
    named.write_text("anchor,closer,farther\n" + "".join(",".join(r) + "\n" for r in rows))

    def call(path: Path, *words: str):
        if command == "evaluate":
            return ordlink(command, tmp_path / "tree.json", "--answers", path, *words)
        return ordlink(command, path, "--names", tmp_path / "names.txt", *words)

    refused = call(many)
    assert refused.code == 2
    assert f"{many}: object 0 is never named" in refused.err
    assert "numbered from 1 to 8?" in refused.err
    assert "--one-based, or --zero-based" in refused.err
    for path, *words in ((many, "--one-based"), (many, "--zero-based"), (few,), (named,)):
        assert call(path, *words).code == 0


def test_answers_about_other_objects_do_not_mention_options(ordlink, tmp_path, tree_file) -> None:
    ordlink("simulate", "--depth", 1, "--leaf-size", 3, "--answers", 9, "--out", tmp_path / "six")
    ordlink("simulate", "--depth", 1, "--leaf-size", 2, "--answers", 9, "--out", tmp_path / "four")

    six, four = (
        ordlink("evaluate", tree_file, "--answers", tmp_path / folder / "answers.csv")
        for folder in ("six", "four")
    )

    assert (six.code, four.code) == (2, 2)
    for result, words in ((six, "the file has 6 objects"), (four, "the file lists other names")):
        assert "the tree: " in result.err
        assert words in result.err
        assert "--" not in result.err


def test_named_answers_for_a_tree_without_names_are_warned_about(
    ordlink, tmp_path: Path, numbered_tree_file: Path
) -> None:
    (tmp_path / "a.csv").write_text("anchor,closer,farther\nant,bee,cat\ndog,cat,ant\n")

    result = ordlink("evaluate", numbered_tree_file, "--answers", tmp_path / "a.csv")

    assert _scores(result.out) == {"comparisons predicted": 1, "comparison revenue (-1 to 1)": 1}
    assert "'ant' is taken as object 0" in result.err


def test_json_holds_every_score_and_fowlkes_mallows_for_each_cut(
    ordlink, tmp_path: Path, planted_answers: Path
) -> None:
    for method, folder in (("4-AL", "one"), ("AddS-AL", "two")):
        ordlink("cluster", planted_answers, "--method", method, "--out", tmp_path / folder)
    trees = [tmp_path / folder / "tree.json" for folder in ("one", "two")]
    file = tmp_path / "scores.json"

    result = ordlink("evaluate", trees[0], "--truth", trees[1], "--json", file)

    assert result.code == 0
    assert f"wrote {file}" in result.out
    content = json.loads(file.read_text())
    tree, truth = map(ol.Hierarchy.load, trees)
    cuts = list(range(2, 16))
    expected = ol.metrics.fowlkes_mallows(truth, tree, n_clusters=cuts)
    assert content["fowlkes_mallows"]["truth"] == [
        {"n_clusters": k, "value": value} for k, value in zip(cuts, expected.tolist(), strict=True)
    ]
    assert expected.min() < 1
    for name, value in content["scores"].items():
        assert re.search(rf"^{re.escape(name)} +{value:.4f}$", result.out, re.MULTILINE)


def test_scores_are_not_written_over_what_is_scored(ordlink, tree_file) -> None:
    before = tree_file.read_text()

    result = ordlink("evaluate", tree_file, "--truth", tree_file, "--json", tree_file)

    assert result.code == 2
    assert "the output would overwrite an input file" in result.err
    assert tree_file.read_text() == before


def test_large_trees_are_compared_by_ari_alone(tmp_path, ordlink, monkeypatch):
    monkeypatch.setattr("ordlink.cli.evaluate.MOST_COMPARED", 5)
    monkeypatch.setattr("ordlink.cli.evaluate.MOST_SCORED", 5)
    ol.Hierarchy([[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]).save(tmp_path / "tree.json")
    (tmp_path / "answers.csv").write_text("0,1,2\n")
    words = ("evaluate", tmp_path / "tree.json")

    result = ordlink(*words, "--truth", tmp_path / "tree.json")
    assert "ARI" in result.out
    assert "triplet distance" not in result.out
    assert "at most 5 objects" in result.err
    refused = ordlink(*words, "--answers", tmp_path / "answers.csv", "--form", "triplet")
    assert refused.code == 2
    assert "limited to 5 objects" in refused.err
