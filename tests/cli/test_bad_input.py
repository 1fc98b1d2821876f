"""Bad input: exit code 2 and one message with file, place and remedy; never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import BinaryIO

import pytest

GOOD = "0,1,2\n1,0,2\n2,1,3\n3,2,0\n"


@pytest.mark.parametrize(
    ("content", "words", "expected"),
    [
        (b"", [], ["answers.csv", "empty"]),
        (b"0,1,2\n0,1\n", [], ["answers.csv", "line 2", "column"]),
        (b"0,1,2,3,4\n", [], ["answers.csv", "column"]),
        (b"0,1,2\n0,x,2\n", [], ["answers.csv", "line 2", "x"]),
        (b"0,1,2\n0,1.5,2\n", [], ["answers.csv", "line 2", "1.5", "whole number"]),
        (b"0,1,2\n0,-1,2\n", [], ["answers.csv", "line 2", "-1"]),
        (b"0,1,2\n0,,2\n", [], ["answers.csv", "line 2"]),
        (b"0,1,2\n0,1,7\n", ["--n-objects", "3"], ["answers.csv", "line 2", "7", "3 objects"]),
        (b"0,1,2\n0,1,3\n", ["--n-objects", "3"], ["line 2", "--one-based"]),
        (b"1,2,3\n3,2,1\n", [], ["answers.csv", "--one-based"]),
        (b"0,1,2\n", ["--one-based"], ["answers.csv", "line 1", "0"]),
        (b"0,1,2\n0,1,1\n", [], ["answers.csv", "line 2", "twice"]),
        (b"cat,dog,bee\ncat,dgo,bee\n", ["--names", "NAMES"], ["line 2", "dgo"]),
        (b"0,1,2\n", ["--names", "missing.txt"], ["missing.txt"]),
        (b"0,1,2\n", ["--method", "5-AL"], ["unknown method", "4-AL"]),
        (b"0,1,2\n", ["--method", "SL"], ["SL", "oracle"]),
        (b"0,1,2\n", ["--method", "AL"], ["AL", "similarities"]),
        (b"0,1,2\n", ["--clusters", "9"], ["--clusters 9", "3 objects"]),
        (b"0,1,2\n", ["--clusters", "0"], ["--clusters"]),
        (b"0,1,2\n", ["--initial-clusters", "OVERLAP"], ["initial cluster", "overlap"]),
        (b"0,1,2\n", ["--initial-clusters", "UNKNOWN"], ["UNKNOWN", "line 1", "'7'"]),
        (b"0,1,2\n", ["--out", "NOFOLDER"], ["NOFOLDER", "--out"]),
        ("0,1,2\n0,2,1\n".encode("utf-16"), [], ["answers.csv", "UTF-8"]),
        (bytes(range(256)) * 20, [], ["answers.csv"]),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", [], ["answers.csv"]),
    ],
)
def test_a_bad_file_of_triplets_is_refused(
    ordlink, tmp_path: Path, monkeypatch, content: bytes, words: list[str], expected: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("answers.csv").write_bytes(content)
    Path("NAMES").write_text("cat\ndog\nbee\n")
    Path("OVERLAP").write_text("0,1\n1,2\n")
    Path("UNKNOWN").write_text("0,7\n")
    Path("NOFOLDER").write_text("a file, not a folder")

    result = ordlink("cluster", "answers.csv", "--form", "triplet", *words)

    assert result.code == 2
    assert "Traceback" not in result.err
    for text in expected:
        assert text in result.err
    messages = [line for line in result.err.splitlines() if line.startswith(("error", "Error"))]
    assert len(messages) == 1


@pytest.mark.parametrize(
    ("row", "expected"),
    [("0,0,1,2", "with itself"), ("0,1,1,0", "with itself"), ("0,1,2", "column")],
)
def test_a_bad_quadruplet_is_refused(ordlink, tmp_path: Path, row: str, expected: str) -> None:
    (tmp_path / "q.csv").write_text(f"0,1,2,3\n{row}\n")

    result = ordlink("cluster", tmp_path / "q.csv")

    assert result.code == 2
    assert "q.csv, line 2" in result.err
    assert expected in result.err


def test_three_columns_without_a_form_ask_for_one(ordlink, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(GOOD)

    result = ordlink("cluster", tmp_path / "a.csv")

    assert result.code == 2
    for form in ("--form", "triplet", "most-central", "odd-one-out"):
        assert form in result.err


@pytest.mark.parametrize("name", ["a.xlsx", "a", "a.csv.txt"])
def test_an_unknown_extension_is_refused(ordlink, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(GOOD)

    result = ordlink("cluster", tmp_path / name, "--form", "triplet")

    assert result.code == 2
    assert "csv" in result.err
    assert "parquet" in result.err


@pytest.mark.parametrize("file_format", ["parquet", "npz", "jsonl", "csv"])
def test_a_truncated_file_is_refused(ordlink, tmp_path: Path, file_format: str) -> None:
    assert (
        ordlink("simulate", "--answers", 50, "--format", file_format, "--out", tmp_path).code == 0
    )
    path = tmp_path / f"answers.{file_format}"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) - 3])

    result = ordlink("cluster", path)

    assert result.code == 2
    assert path.name in result.err


@pytest.mark.parametrize("path", ["nothing.csv", "."])
def test_a_file_that_cannot_be_read_is_refused(ordlink, path: str) -> None:
    result = ordlink("cluster", path, "--form", "triplet")

    assert result.code == 2
    assert path in result.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_refused(ordlink, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(GOOD)
    (tmp_path / "locked").mkdir(mode=0o500)

    result = ordlink(
        "cluster", tmp_path / "a.csv", "--form", "triplet", "--out", tmp_path / "locked" / "x"
    )

    assert result.code == 2
    assert "locked" in result.err


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ("0,1,2\n1,0,nan\n2,nan,0\n", "finite"),
        ("0,1,2\n1,0,inf\n2,inf,0\n", "finite"),
        ("0,1,2\n1,0,3\n2,4,0\n", "symmetric"),
        ("0,1,2\n1,0\n2,4,0\n", "line 2"),
        ("0,1\n1,0\n", "3 objects"),
        ("a,b,c\n0,1,2\n1,0,3\n2,3,0\n", "line 1"),
        ("", "empty"),
    ],
)
def test_bad_similarities_are_refused(ordlink, tmp_path: Path, matrix: str, expected: str) -> None:
    (tmp_path / "a.csv").write_text(GOOD.splitlines()[0] + "\n")
    assert ordlink("cluster", tmp_path / "a.csv", "--form", "triplet", "--out", tmp_path).code == 0
    (tmp_path / "w.csv").write_text(matrix)

    result = ordlink("evaluate", tmp_path / "tree.json", "--similarities", tmp_path / "w.csv")

    assert result.code == 2
    assert "w.csv" in result.err
    assert expected in result.err


@pytest.mark.parametrize(
    ("content", "expected"),
    [("{", "tree.json"), ("", "tree.json"), ('{"format": "other"}', "tree.json"), ("[]", "tree")],
)
def test_a_bad_tree_is_refused(ordlink, tmp_path: Path, content: str, expected: str) -> None:
    (tmp_path / "tree.json").write_text(content)
    (tmp_path / "classes.csv").write_text("a\nb\n")

    result = ordlink("evaluate", tmp_path / "tree.json", "--classes", tmp_path / "classes.csv")

    assert result.code == 2
    assert expected in result.err


@pytest.mark.parametrize("classes", ["", "a\n", "ant,a\nbee\n", "\0"])
def test_bad_classes_are_refused(ordlink, tmp_path: Path, classes: str) -> None:
    (tmp_path / "a.csv").write_text("anchor,closer,farther\n0,1,2\n")
    ordlink("cluster", tmp_path / "a.csv", "--out", tmp_path)
    (tmp_path / "classes.csv").write_text(classes)

    result = ordlink("evaluate", tmp_path / "tree.json", "--classes", tmp_path / "classes.csv")

    assert result.code == 2
    assert "classes.csv" in result.err


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "tree.json"],
        ["simulate", "--out", "x"],
        ["simulate", "--out", "x", "--answers", "5", "--proportion", "0.1"],
        ["simulate", "--out", "x", "--proportion", "0.1", "--form", "triplet"],
        ["simulate", "--out", "x", "--proportion", "2"],
        ["simulate", "--out", "x", "--answers", "5", "--table", "missing.csv"],
        ["simulate", "--out", "x", "--answers", "5", "--depth", "-1"],
        ["cluster"],
        ["nonsense"],
        ["cluster", "a.csv", "--nonsense"],
    ],
)
def test_a_wrong_call_is_refused(ordlink, tmp_path: Path, monkeypatch, words: list[str]) -> None:
    monkeypatch.chdir(tmp_path)

    result = ordlink(*words)

    assert result.code == 2
    assert "Traceback" not in result.err
    assert "rror" in result.err


def test_ctrl_c_ends_a_waiting_program_with_one_line(tmp_path: Path) -> None:
    """As a person would: the program waits for stdin, Ctrl-C, exit code 130."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ordlink", "cluster", "-", "--out", "out"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "out").exists() and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert err.strip() == "interrupted; no half-written file was left"
    assert list((tmp_path / "out").iterdir()) == []


def test_ctrl_c_while_writing_leaves_only_whole_files(ordlink, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "a.csv").write_text(GOOD)

    def interrupt(_figure: object, file: BinaryIO, **_options: object) -> None:
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", interrupt)

    result = ordlink("cluster", tmp_path / "a.csv", "--form", "triplet", "--out", tmp_path / "out")

    assert result.code == 130
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "tree.json",
        "tree.nwk",
        "linkage.csv",
    }
