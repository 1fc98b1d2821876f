"""`ordlink grow`: where new objects went, how sure, and bad input."""

from __future__ import annotations

import pytest

import ordlink as ol
from ordlink.cli import run

NEW = "eel,dog,ant\ndog,eel,cat\neel,dog,cat\nfly,ant,dog\n"


@pytest.fixture
def tree(tmp_path):
    path = tmp_path / "tree.json"
    ol.Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"]).save(path)
    return path


def test_new_objects_are_placed_and_written(tree, tmp_path, capsys) -> None:
    answers = tmp_path / "new.csv"
    answers.write_text(NEW)

    code = run(["grow", str(tree), str(answers), "--form", "triplet", "--out", str(tmp_path / "o")])

    output = capsys.readouterr()
    assert code == 0
    assert "eel: beside dog (probability" in output.out
    assert "fewer than 3 answers about 'fly': their position is arbitrary" in output.err
    assert ol.Hierarchy.load(tmp_path / "o/tree.json").names[-2:] == ("eel", "fly")
    assert (tmp_path / "o/places.csv").read_text().startswith("object,beside,probability")


def test_answers_about_known_objects_update_the_tree(tree, tmp_path, capsys) -> None:
    answers = tmp_path / "new.csv"
    answers.write_text("ant,cat,bee\nant,dog,bee\ncat,ant,bee\ndog,ant,bee\n")

    assert run(["grow", str(tree), str(answers), "--form", "triplet"]) == 0

    assert "no new objects; the tree changed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y,z\n", "no object of the answers is in the tree; check that the names"),
        ("0,1,5\n", "the tree has names, and the new objects have none"),
    ],
)
def test_bad_answers_are_refused_in_one_line(tree, tmp_path, capsys, text, message) -> None:
    answers = tmp_path / "new.csv"
    answers.write_text(text)

    code = run(["grow", str(tree), str(answers), "--form", "triplet"])

    assert code == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
