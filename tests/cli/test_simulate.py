"""`simulate`: answers as ordered, and only the truth that belongs to them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ordlink as ol

TABLE = "name,size,legs\nant,1,6\nbee,2,6\ncat,9,4\ndog,12,4\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("errors", [0.0, 0.5, 1.0])
def test_errors_are_made_as_often_as_asked_for(ordlink, errors: float) -> None:
    words = ("--answers", 2000, "--errors", errors, "--form", "triplet", "--out", "s")
    assert ordlink("simulate", "--depth", 1, "--leaf-size", 5, *words).code == 0

    similarities = np.load("s/similarities.npy")
    i, j, k, m = ol.read_comparisons("s/answers.csv").quadruplets.T
    wrong = similarities[i, j] < similarities[k, m]
    assert wrong.mean() == pytest.approx(errors, abs=0.05)


def test_a_tree_without_levels_has_no_classes(ordlink) -> None:
    result = ordlink("simulate", "--depth", 0, "--answers", 50, "--out", "s")

    assert result.code == 0
    assert "classes.csv" not in result.out
    assert {path.name for path in Path("s").iterdir()} == {
        "answers.csv",
        "truth.json",
        "similarities.npy",
    }
    scored = ordlink("evaluate", "s/truth.json", "--truth", "s/truth.json")
    assert scored.code == 2
    assert "s/truth.json: this tree was planted without levels" in scored.err


def test_the_truth_of_an_earlier_run_does_not_stay(ordlink) -> None:
    Path("table.csv").write_text(TABLE)
    ordlink("simulate", "--answers", 50, "--out", "s")
    assert Path("s/truth.json").exists()
    assert Path("s/classes.csv").exists()

    result = ordlink("simulate", "--table", "table.csv", "--answers", 50, "--out", "s")

    assert result.code == 0
    assert not Path("s/truth.json").exists()
    assert not Path("s/classes.csv").exists()
    for name in ("truth.json", "classes.csv"):
        assert f"removed {name}, left by an earlier run" in result.out


def test_truth_and_classes_of_the_user_stay(ordlink) -> None:
    Path("table.csv").write_text(TABLE)
    Path("classes.csv").write_text("animal,kind\nant,insect\n")
    ol.Hierarchy([[0, 1], [2, 3]], method="4-AL").save("truth.json")

    assert ordlink("simulate", "--table", "table.csv", "--answers", 50, "--out", ".").code == 0
    assert Path("classes.csv").exists()
    assert Path("truth.json").exists()


def test_too_many_answers_are_refused_before_room_is_taken(ordlink) -> None:
    result = ordlink("simulate", "--answers", 99_999_999_999, "--out", "s")

    assert result.code == 2
    assert "--answers: expected at most 100,000,000 answers, got 99,999,999,999" in result.err
    assert not Path("s").exists()
