"""`cluster`: its options reach the method, its files say what the tree is."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ordlink as ol
from ordlink.cli._console import warnings_as_lines
from ordlink.errors import OrdlinkWarning

NAMES = "ant\nbee\ncat\nrobin\n"
ANSWERS = "anchor,closer,farther\n0,1,2\n2,3,0\n1,0,3\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch) -> Path:
    """Return the current folder, with answers about four animals."""
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(ANSWERS)
    Path("names.txt").write_text(NAMES)
    return tmp_path


def test_repeats_reach_the_method(ordlink, here: Path) -> None:
    """Asked three times against once: by majority one answer, by net count two."""
    rows = ["0,1,2,3"] * 3 + ["2,3,0,1"] + ["0,2,0,1"]
    Path("q.csv").write_text("i,j,k,l\n" + "\n".join(rows) + "\n")

    for repeats in ("majority", "net"):
        how = ("--method", "4-AL", "--repeats", repeats, "--out", repeats)
        assert ordlink("cluster", "q.csv", *how).code == 0

    majority, net = (ol.Hierarchy.load(f"{name}/tree.json") for name in ("majority", "net"))
    assert majority.parameters == {"repeats": "majority"}
    assert net.parameters == {"repeats": "net"}
    assert majority.scores.tolist() != net.scores.tolist()


@pytest.fixture
def crowd(here: Path) -> ol.Comparisons:
    """Return answers of three careful people and one who guesses, which are in crowd.csv too."""
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=4, gap=1.0, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, 400, seed=0)
    rows[3::8] = rows[3::8][:, [0, 2, 1]]  # every other answer of eve, turned around
    answers = ol.Comparisons.from_triplets(rows, annotators=["ann", "bob", "cat", "eve"] * 100)
    ol.write_comparisons(answers, "crowd.csv")
    return answers


def test_people_are_weighed_on_request(ordlink, crowd: ol.ListedComparisons) -> None:
    result = ordlink("cluster", "crowd.csv", "--weigh-people", "--out", "weighed")

    weights = ol.validation.annotator_weights(crowd)
    expected = ol.validation.weighting_effect(crowd, weights).tree_with
    assert result.code == 0
    assert "8 objects, 400 comparisons, 4-AL" in result.out
    assert f"annotator weights: {weights['eve']:.2f} (eve) to" in result.out
    found = ol.Hierarchy.load("weighed/tree.json")
    assert found.merges.tolist() == expected.merges.tolist()
    assert found.scores.tolist() == expected.scores.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--method", "4K-AL"), "--weigh-people works with 4-AL, AddS-AL"),
        (("--repeats", "majority"), "omit --repeats"),
        (("--support", 10), "--support cannot be combined with --weigh-people"),
    ],
)
def test_what_does_not_go_with_weights_is_refused(
    ordlink, crowd: ol.ListedComparisons, options: tuple, message: str
) -> None:
    result = ordlink("cluster", "crowd.csv", "--weigh-people", *options)

    assert result.code == 2
    assert message in result.err


def test_self_comparisons_reach_the_method(ordlink, here: Path, planted_answers: Path) -> None:
    for flag in ("--self-comparisons", "--no-self-comparisons"):
        words = ("cluster", planted_answers, "--method", "4k-al", flag, "--out", flag[2:])
        assert ordlink(*words).code == 0

    included, left_out = (
        ol.Hierarchy.load(f"{name}/tree.json")
        for name in ("self-comparisons", "no-self-comparisons")
    )
    assert included.parameters == {"self_comparisons": True}
    assert left_out.parameters == {"self_comparisons": False}
    assert included.scores.tolist() != left_out.scores.tolist()


def test_rows_that_repeat_an_object_are_left_out_on_demand(ordlink, here: Path) -> None:
    Path("checks.csv").write_text(ANSWERS + "3,3,1\n")

    refused = ordlink("cluster", "checks.csv")
    result = ordlink("cluster", "checks.csv", "--skip-repeats")

    assert refused.code == 2
    assert result.out == ordlink("cluster", "a.csv").out
    assert "1 of 4 rows repeats an object" in result.err


def test_the_linkage_table_says_which_merges_were_tied(ordlink, here: Path) -> None:
    Path("one.csv").write_text("i,j,k,l\n0,1,2,3\n")
    assert ordlink("cluster", "one.csv", "--method", "4-AL", "--out", "out").code == 0

    tree = ol.Hierarchy.load("out/tree.json")
    with Path("out/linkage.csv").open() as file:
        tied = [row["tied"] == "1" for row in csv.DictReader(file)]
    assert tied == tree.tied.tolist()
    assert any(tied)


@pytest.mark.parametrize(
    "text", ["ant;robin\n1;2\n", "ant\trobin\n1\t2\n", "ant, robin\n\nbee,2\n"]
)
def test_initial_clusters_may_be_separated_by_semicolons_and_tabs(
    ordlink, here: Path, text: str
) -> None:
    Path("start.txt").write_text(text)

    result = ordlink(
        "cluster", "a.csv", "--names", "names.txt", "--initial-clusters", "start.txt",
        "--out", "out",
    )  # fmt: skip

    assert result.code == 0
    merges = ol.Hierarchy.load("out/tree.json").merges.tolist()
    assert sorted(merges[:2]) == [[0, 3], [1, 2]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ant,bee\n\nbee,cat\n", "start.csv, line 3: 'bee' is already in the cluster on line 1"),
        ("ant,bee\n\n1,cat\n", "start.csv, line 3: 'bee' is already in the cluster on line 1"),
        ("ant,bee\nrobin,robin\n", "start.csv, line 2: 'robin' is listed twice"),
        ("ant,robbin\n", "start.csv, line 1: 'robbin' is not one of the 4 objects, 0 to 3"),
        ("ant,robbin\n", "did you mean 'robin'?"),
        ("ant,-1\n", "'-1' is not one of"),
        ("ant,\u0663\n", "is not one of"),
        ("ant," + 90 * "9" + "\n", "999...' is not one of"),
        ("", "start.csv: the file is empty"),
    ],
)
def test_bad_initial_clusters_are_refused(ordlink, here: Path, text: str, expected: str) -> None:
    Path("start.csv").write_text(text)

    result = ordlink(
        "cluster", "a.csv", "--names", "names.txt", "--initial-clusters", "start.csv",
        "--out", "out",
    )  # fmt: skip

    assert result.code == 2
    assert expected in result.err
    assert not Path("out").exists()


def test_many_objects_that_are_never_named_may_be_meant(ordlink, here: Path) -> None:
    Path("gaps.csv").write_text("anchor,closer,farther\n0,1,1000\n")

    result = ordlink("cluster", "gaps.csv", "--n-objects", 1001, "--method", "AddS-AL")

    assert result.code == 0
    assert "998 of 1001 objects are never compared" in result.err


def test_a_file_that_counts_from_one_gives_a_tree_that_does(ordlink, here: Path) -> None:
    Path("one.csv").write_text("anchor,closer,farther\n1,2,3\n3,4,1\n2,1,4\n")
    Path("classes.csv").write_text("4,y\n1,x\n2,x\n3,y\n")

    ordlink("cluster", "one.csv", "--one-based", "--clusters", 2, "--out", "out")

    tree = ol.Hierarchy.load("out/tree.json")
    assert tree.merges.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert tree.names == ("1", "2", "3", "4")
    scored = ("--classes", "classes.csv", "--answers", "one.csv")
    for words in (scored, (*scored, "--one-based")):
        result = ordlink("evaluate", "out/tree.json", *words)
        lines = [line for line in result.out.splitlines() if "(0 best)" not in line]
        assert {"ARI,", "comparisons"} <= {line.split()[0] for line in lines}
        assert {line.split()[-1] for line in lines} == {"1.0000"}


def test_what_the_seed_has_an_effect_on_is_said(ordlink, here: Path) -> None:
    help_text = " ".join(ordlink("cluster", "--help").out.split())

    drawn = "for --support, --test-hierarchy, --weigh-people and all methods but 4K-AL, 4-AL"
    assert drawn in help_text
    assert ordlink("cluster", "a.csv", "--seed", 7).code == 0


# --- the folder ---------------------------------------------------------------------------------


def test_a_run_that_fails_makes_no_folder(ordlink, here: Path) -> None:
    Path("bad.csv").write_text("anchor,closer,farther\n0,1,1\n")

    assert ordlink("cluster", "bad.csv", "--out", "new/deep").code == 2
    assert not Path("new").exists()


def test_an_interrupted_run_leaves_no_empty_folder(ordlink, here: Path, monkeypatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ordlink.plotting.save_plots", interrupt)

    assert ordlink("cluster", "a.csv", "--out", "new/deep").code == 130
    assert not Path("new").exists()


def test_a_folder_below_a_file_is_refused_before_any_work(ordlink, here: Path) -> None:
    result = ordlink("cluster", "no such file.csv", "--out", "a.csv/out")

    assert result.code == 2
    assert result.err == "error: a.csv/out: a.csv is a file; choose another folder with --out\n"


def test_clusters_of_an_earlier_run_do_not_stay_beside_a_new_tree(ordlink, here: Path) -> None:
    ordlink("cluster", "a.csv", "--clusters", 2, "--out", "out")
    assert Path("out/clusters.csv").exists()

    result = ordlink("cluster", "a.csv", "--out", "out")

    assert not Path("out/clusters.csv").exists()
    assert "removed clusters.csv, left by an earlier run" in result.out


def test_a_file_of_the_user_stays(ordlink, here: Path) -> None:
    Path("clusters.csv").write_text("my own notes\n")

    assert ordlink("cluster", "a.csv", "--out", ".").code == 0
    assert Path("clusters.csv").read_text() == "my own notes\n"


# --- pictures -----------------------------------------------------------------------------------


@pytest.fixture
def drawn(monkeypatch) -> list[object]:
    """Return the list of pictures that are drawn at the leaves."""
    import ordlink.plotting

    pictures: list[object] = []
    save_plots = ordlink.plotting.save_plots

    def keep(*words: object, **options: object) -> object:
        pictures.extend(options["pictures"] or ())  # type: ignore[call-overload]
        return save_plots(*words, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("ordlink.plotting.save_plots", keep)
    return pictures


def _paint(*files: str) -> None:
    Path("images").mkdir()
    for number, file in enumerate(files):
        colour = (250, 10 * number, 130)
        Image.new("RGB", (30, 20), colour).save(Path("images") / file)


@pytest.mark.parametrize(
    ("words", "files", "expected"),
    [
        (["--names", "names.txt"], ["ant.png", "bee.jpg", "cat.webp", "robin.PNG", "0.png"], None),
        ([], ["0.png", "1.jpg", "2.jpeg", "3.png"], None),
        (["--names", "names.txt"], ["0.png", "1.jpg", "2.jpeg", "3.png"], None),
        (["--names", "names.txt"], ["3.png", "cat.png"], [None, None, "cat.png", None]),
    ],
)
def test_pictures_are_found_by_name_or_number(
    ordlink, here: Path, drawn, words: list[str], files: list[str], expected
) -> None:
    _paint(*files)

    result = ordlink("cluster", "a.csv", *words, "--pictures", "images", "--out", "out")

    assert result.code == 0
    assert [picture and picture.name for picture in drawn] == (expected or files[:4])
    assert ("3 objects without a picture" in result.err) == (expected is not None)
    image = np.asarray(Image.open("out/tree.png").convert("RGB")).reshape(-1, 3)
    pinkish = (image[:, 0] > 240) & (image[:, 1] < 60) & (abs(image[:, 2].astype(int) - 130) < 20)
    assert pinkish.sum() > 1000


@pytest.mark.parametrize("words", [[], ["--names", "names.txt"]])
def test_numbers_of_pictures_count_as_those_of_the_answers(
    ordlink, here: Path, drawn, words: list[str]
) -> None:
    Path("one.csv").write_text("anchor,closer,farther\n1,2,3\n3,4,1\n")
    _paint("1.png", "2.png", "3.png", "4.png")
    words = ["--one-based", *words, "--pictures", "images", "--out", "o"]

    assert ordlink("cluster", "one.csv", *words).code == 0
    assert [picture.name for picture in drawn] == ["1.png", "2.png", "3.png", "4.png"]


def test_a_folder_without_pictures_of_the_objects_is_refused(ordlink, here: Path) -> None:
    _paint("house.png")

    result = ordlink("cluster", "a.csv", "--pictures", "images", "--out", "out")

    assert result.code == 2
    assert "use names like '0.jpg'" in result.err
    assert not Path("out").exists()


# --- warnings -----------------------------------------------------------------------------------


def test_warnings_of_others_are_let_through(capsys) -> None:
    with pytest.warns(DeprecationWarning, match="of another library"), warnings_as_lines():
        warnings.warn("ours", OrdlinkWarning, stacklevel=1)
        warnings.warn("of another library", DeprecationWarning, stacklevel=1)

    assert capsys.readouterr().err == "warning: ours\n"


def test_a_number_of_one_takes_the_singular(ordlink, here: Path) -> None:
    Path("one.csv").write_text("anchor,closer,farther\n0,1,2\n")

    assert ordlink("cluster", "one.csv").out.startswith("3 objects, 1 comparison, auto\n")
