"""Files appear whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import numpy as np
import pytest

from ordlink.comparisons import Comparisons
from ordlink.errors import InputError
from ordlink.io import read_comparisons, write_comparisons

EXTENSIONS = ("csv", "tsv", "parquet", "npz", "jsonl")


@pytest.fixture
def comparisons():
    return Comparisons.from_triplets([[0, 1, 2], [2, 1, 0]], annotators=["a", "b"])


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize("interruption", [KeyboardInterrupt, MemoryError, OSError(28, "No space")])
def test_an_interruption_leaves_what_was_there(
    tmp_path, comparisons, extension, interruption, monkeypatch
):
    path = tmp_path / f"answers.{extension}"
    path.write_text("before")

    def interrupted(*_):
        raise interruption

    monkeypatch.setattr("ordlink.io._own.FileHeader.of", interrupted)
    with pytest.raises((KeyboardInterrupt, MemoryError, InputError)):
        write_comparisons(comparisons, path)

    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_an_interruption_halfway_leaves_nothing(tmp_path, comparisons, extension, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_comparisons(comparisons, tmp_path / f"answers.{extension}")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_places_that_cannot_be_written(tmp_path, comparisons, extension):
    folder = tmp_path / f"folder.{extension}"
    folder.mkdir()
    file = tmp_path / "file"
    file.write_text("")

    for path, message in (
        (tmp_path / "missing" / f"answers.{extension}", "create it first"),
        (folder, "is a folder"),
        (file / f"answers.{extension}", "create it first"),
        (tmp_path / f"{'a' * 300}.{extension}", "cannot be written"),
        (tmp_path / f"a\0b.{extension}", "cannot be written"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            write_comparisons(comparisons, path)
        assert str(caught.value).startswith(str(path))
    assert list(folder.iterdir()) == []


def test_a_device_is_written_to_and_not_replaced(comparisons):
    write_comparisons(comparisons, os.devnull, format="csv")

    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere"
)
def test_a_folder_that_is_read_only(tmp_path, comparisons):
    tmp_path.chmod(0o500)

    with pytest.raises(InputError, match="cannot be written"):
        write_comparisons(comparisons, tmp_path / "answers.csv")


def test_permission_denied_is_an_input_error(tmp_path, comparisons, monkeypatch):
    def denied(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.replace", denied)
    with pytest.raises(InputError, match="Permission denied"):
        write_comparisons(comparisons, tmp_path / "answers.csv")
    assert list(tmp_path.iterdir()) == []


def test_unknown_extensions_are_refused(tmp_path, comparisons):
    with pytest.raises(InputError, match=r"\.csv, \.tsv, \.parquet"):
        write_comparisons(comparisons, tmp_path / "answers.txt")


def test_a_link_stays_a_link_and_permissions_stay(tmp_path, comparisons):
    target = tmp_path / "target.csv"
    target.write_text("before")
    target.chmod(0o640)
    link = tmp_path / "link.csv"
    link.symlink_to(target)

    write_comparisons(comparisons, link)

    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert read_comparisons(target) == comparisons


def test_new_files_get_the_usual_permissions(tmp_path, comparisons):
    path, usual = tmp_path / "answers.csv", tmp_path / "usual"
    usual.write_text("")

    write_comparisons(comparisons, path)

    assert path.stat().st_mode == usual.stat().st_mode


def test_writing_leaves_the_comparisons_untouched(tmp_path, comparisons):
    before = comparisons.take(np.arange(len(comparisons)))

    for extension in EXTENSIONS:
        write_comparisons(comparisons, tmp_path / f"answers.{extension}")

    assert comparisons == before
