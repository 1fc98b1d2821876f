"""Files that an earlier version wrote: they are still read, or refused in a clear line."""

from __future__ import annotations

import json
import pickle
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ordlink as ol
from ordlink.cli import run
from tests.golden.files import FORMATS, example_answers

KEPT = Path(__file__).parent / "kept"


@pytest.fixture(scope="module")
def fields() -> dict[str, Any]:
    """Return what the kept tree is made of, as plain JSON."""
    content: dict[str, Any] = json.loads((KEPT / "tree-fields.json").read_text(encoding="utf-8"))
    return content


def assert_kept_tree(tree: ol.Hierarchy, fields: dict[str, Any]) -> None:
    assert tree.merges.tolist() == fields["merges"]
    np.testing.assert_array_equal(tree.scores, fields["scores"])
    assert tree.tied.tolist() == fields["tied"]
    np.testing.assert_array_equal(tree.support, fields["support"])
    assert tree.names == tuple(fields["names"])
    assert tree.method == fields["method"]
    assert tree.parameters == fields["parameters"]


def test_a_kept_tree_is_loaded_with_all_it_holds(fields: dict[str, Any]) -> None:
    assert_kept_tree(ol.Hierarchy.load(KEPT / "tree.json"), fields)


def test_a_kept_pickle_is_the_tree_or_refused_in_a_clear_line(fields: dict[str, Any]) -> None:
    """A pickle names the modules of its version; where these moved, the error must say so."""
    try:
        tree = pickle.loads((KEPT / "tree.pickle").read_bytes())
    except (ol.errors.OrdlinkError, ImportError, AttributeError) as error:
        assert "ordlink" in str(error)
        assert "\n" not in str(error)
    else:
        assert isinstance(tree, ol.Hierarchy)
        assert_kept_tree(tree, fields)


@pytest.mark.parametrize("extension", FORMATS)
def test_kept_answers_are_read_with_all_they_hold(extension: str) -> None:
    path = KEPT / f"answers.{extension}"
    expected = example_answers()["full"]

    read = ol.read_comparisons(path)
    chunks = list(ol.read_in_chunks(path, rows_per_chunk=4))

    assert read == expected
    assert read.names == expected.names
    assert ol.concatenate(chunks).quadruplets.tolist() == expected.quadruplets.tolist()


def test_the_command_line_builds_a_tree_of_kept_answers(tmp_path: Path) -> None:
    for extension in FORMATS:
        answers = str(KEPT / f"answers.{extension}")
        assert run(["cluster", answers, "--out", str(tmp_path / extension)]) == 0

    trees = [ol.Hierarchy.load(tmp_path / extension / "tree.json") for extension in FORMATS]
    assert all(tree == trees[0] for tree in trees)


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_the_server_opens_a_kept_study_and_shows_its_answers(tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="the extra ordlink[collect] is not installed")
    from tests.golden.study import show_study

    before = (KEPT / "study.db").read_bytes()

    shown = show_study()

    assert (KEPT / "study.db").read_bytes() == before  # only a copy was opened
    with sqlite3.connect(KEPT / "study.db") as connection:
        stored = connection.execute(
            "SELECT participant_id, seconds FROM answer JOIN serving USING (participant_id, number)"
            " WHERE role = 'main' AND NOT undone AND choice != '' ORDER BY answer.id"
        ).fetchall()
    path = tmp_path / "answers.csv"
    path.write_text(shown["answers-of-everybody.csv"], encoding="utf-8")
    details = ol.read_comparisons(path).details
    assert len(stored) > 25
    assert details.annotators.tolist() == [f"P{person}" for person, _ in stored]
    assert details.response_times.tolist() == [seconds for _, seconds in stored]
    assert "P3" not in shown["answers.csv"]  # who was excluded
    assert '"n_answers": ' in shown["tree.txt"]
