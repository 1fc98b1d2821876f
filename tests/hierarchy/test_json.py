"""The file format: round trips, and a message for every broken file."""

from __future__ import annotations

import json
import os
import stat

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from tests.strategies import hierarchies

TREE = Hierarchy(
    [[0, 1], [2, 3]],
    scores=[0.5, np.nan],
    tied=[False, True],
    names=["熊", "it's", "熊"],
    method="4-AL",
    parameters={"seed": 0},
)
ARCHIVED = """{"format": "ordlink-hierarchy", "version": 1, "n_objects": 3,
 "names": ["熊", "it's", "熊"], "merges": [[0, 1], [3, 2]], "scores": [0.5, null],
 "tied": [false, true], "method": "4-AL", "parameters": {"seed": 0}}"""


@given(hierarchies())
def test_writing_and_reading_back_gives_the_same_tree(tree):
    again = Hierarchy.from_json(tree.to_json())

    assert again == tree
    assert (again.method, again.parameters) == (tree.method, tree.parameters)


def test_file_of_version_1_is_still_read():
    tree = Hierarchy.from_json(ARCHIVED)

    assert tree == TREE
    assert tree.method == "4-AL"
    assert tree.parameters == {"seed": 0}


def test_text_is_strict_json_with_null_for_nan():
    content = json.loads(TREE.to_json(), parse_constant=pytest.fail)

    assert content == json.loads(ARCHIVED)


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_saved_file_loads(tmp_path, kind):
    path = tmp_path / "tree.json"
    TREE.save(kind(path))

    assert Hierarchy.load(kind(path)) == TREE
    assert [entry.name for entry in tmp_path.iterdir()] == ["tree.json"]


def test_byte_order_mark_is_skipped(tmp_path):
    path = tmp_path / "tree.json"
    path.write_text(ARCHIVED, encoding="utf-8-sig")

    assert Hierarchy.load(path) == TREE


def test_interrupted_save_keeps_the_old_file_and_leaves_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "tree.json"
    path.write_text("old")

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        TREE.save(path)

    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_saving_through_a_link_writes_the_file_it_points_to(tmp_path):
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    TREE.save(tmp_path / "link.json")

    assert (tmp_path / "link.json").is_symlink()
    assert Hierarchy.load(tmp_path / "real.json") == TREE


def test_saved_file_may_be_read_by_whom_the_umask_allows(tmp_path):
    old = os.umask(0o022)
    try:
        TREE.save(tmp_path / "tree.json")
    finally:
        os.umask(old)

    assert stat.S_IMODE((tmp_path / "tree.json").stat().st_mode) == 0o644


def test_saving_where_it_is_impossible_names_the_path(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"no/tree\.json: there is no folder .*no; create"):
        TREE.save(tmp_path / "no" / "tree.json")
    with pytest.raises(InputError, match="is a folder; give the path of a file"):
        TREE.save(tmp_path)
    with pytest.raises(InputError, match="cannot be written"):
        TREE.save(f"{tmp_path}/a\0b")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(InputError, match=r"cannot be written \(.*\); choose"):
        TREE.save(tmp_path / "tree.json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (ARCHIVED[:90].encode(), r"line 2, column \d+: this is not JSON .* truncated"),
        (ARCHIVED.encode("utf-16"), "in UTF-16; save it again as UTF-8"),
        (ARCHIVED.encode("utf-16-le"), "binary data"),
        (b"\x89PNG\r\n\x1a\n\0\0", "binary data"),
        (b"\0\1\2", "binary data"),
        ("köpfe".encode("latin-1"), "another encoding"),
        (b"a,b,c\n1,2,3\n", "line 1, column 1: this is not JSON"),
        (b"[1, 2]", 'other JSON, not a saved tree; .*"ordlink-hierarchy"'),
        (b'{"format": "other"}', "other JSON, not a saved tree"),
        (b'{"format": NaN}', "NaN is not JSON"),
        (b"[" * 100_000, "not a saved tree"),
        (b"1" * 10_000, "not a saved tree"),
        (ARCHIVED.replace('n": 1', 'n": 2').encode(), "version 2, but this ordlink reads .* 1"),
        (ARCHIVED.replace('n": 1', 'n": "1"').encode(), "version '1'"),
        (ARCHIVED.replace('n": 1', 'n": true').encode(), "version True"),
    ],
)
def test_broken_and_foreign_files_are_refused_by_name(tmp_path, content, message):
    path = tmp_path / "tree.json"
    path.write_bytes(content)

    with pytest.raises(InputError, match=rf"tree\.json.*{message}"):
        Hierarchy.load(path)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("n_objects", 4, "a tree of 4 objects has .* got 2 merges"),
        ("n_objects", 0, "a tree of 0 objects"),
        ("names", ["a", "b"], "names: expected 3 names, one per object, got 2"),
        ("names", ["a", "b", 3], "'names' must be a list of texts or null"),
        ("merges", [[0, 1], [0, 2]], "merge 1 joins node 0, which was already joined"),
        ("merges", [[0, 1], [2]], "'merges' must be a list of pairs"),
        ("merges", [[0, True], [2, 3]], "'merges' must be a list of pairs"),
        ("merges", [[0, 1], [2, 10**30]], "merges: expected whole numbers"),
        ("merges", "no", "'merges' must be a list of pairs"),
        ("scores", [1, "2"], "scores: expected numbers"),
        ("scores", [1], "scores: expected one entry per merge"),
        ("tied", [0, 1], "tied: expected True or False"),
        ("tied", [True], "tied: expected one entry per merge"),
        ("method", 4, "method: expected the name"),
        ("parameters", [], "parameters: expected a dict"),
    ],
)
def test_wrong_fields_are_refused(field, value, message):
    content = json.loads(ARCHIVED) | {field: value}

    with pytest.raises(InputError, match=f"the JSON text: .*{message}"):
        Hierarchy.from_json(json.dumps(content))


@pytest.mark.parametrize("field", sorted(json.loads(ARCHIVED)))
def test_missing_fields_are_refused(field):
    content = json.loads(ARCHIVED)
    del content[field]

    with pytest.raises(InputError, match="the JSON text: "):
        Hierarchy.from_json(json.dumps(content))


@given(st.data())
def test_damaged_text_gives_a_tree_or_a_clean_error(data):
    text = list(ARCHIVED)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 5))] = data.draw(
            st.sampled_from(["", "9", '"', "[", "]", "-", "null", "1e999", "\\ud800", "\x00"])
        )

    try:
        tree = Hierarchy.from_json("".join(text))
    except InputError as error:
        assert "the JSON text" in str(error)
    else:
        assert Hierarchy.from_json(tree.to_json()) == tree


def test_missing_files_and_folders_are_refused_by_name(tmp_path):
    with pytest.raises(InputError, match=r"no\.json: there is no such file"):
        Hierarchy.load(tmp_path / "no.json")
    with pytest.raises(InputError, match="cannot be read"):
        Hierarchy.load(tmp_path)


def test_parameters_nested_too_deep_are_refused():
    deep: list = []
    for _ in range(900):
        deep = [deep]

    with pytest.raises(InputError, match="nested more than 20 deep"):
        Hierarchy([[0, 1]], parameters={"a": deep})
    text = Hierarchy([[0, 1]]).to_json().replace("{}", '{"a": ' + "[" * 900 + "]" * 900 + "}")
    with pytest.raises(InputError, match="nested more than 20 deep"):
        Hierarchy.from_json(text)


def test_trees_of_too_many_objects_are_refused(monkeypatch):
    text = Hierarchy([[0, 1], [2, 3]]).to_json()
    monkeypatch.setattr("ordlink.hierarchy._json.MOST_OBJECTS", 2)

    with pytest.raises(InputError, match="at most 2 objects, got 3"):
        Hierarchy.from_json(text)


def test_files_that_are_too_large_for_a_tree_are_refused(tmp_path):
    path = tmp_path / "tree.json"
    with path.open("wb") as file:
        file.truncate(33 << 20)

    with pytest.raises(InputError, match="at most 32 MB"):
        Hierarchy.load(path)
