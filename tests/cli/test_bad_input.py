"""Bad input: exit code 2 and one message with file, place and remedy; never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest

import ordlink as ol
from tests.waiting import PATIENCE

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
        (b"0,1,2\n0,1,1\n", [], ["answers.csv", "line 2", "twice", "--skip-repeats"]),
        (b"cat,dog,bee\ncat,dgo,bee\n", ["--names", "NAMES"], ["line 2", "dgo"]),
        (b"0,1,2\n", ["--names", "missing.txt"], ["missing.txt"]),
        (b"0,1,2\n", ["--method", "5-AL"], ["unknown method", "4-AL"]),
        (b"0,1,2\n", ["--method", "SL"], ["SL asks its own questions", "not a file", "4-AL"]),
        (b"0,1,2\n", ["--method", "AL"], ["AL needs known similarities", "not a file", "4-AL"]),
        (b"0,1,2\n", ["--self-comparisons"], ["--self-comparisons works with 4K-AL"]),
        (b"0,1,2\n", ["--out", ""], ["--out: expected the name of a folder"]),
        (b"0,1,2\n", ["--initial-clusters", "gone.csv"], ["gone.csv", "check the path"]),
        (b"0,1,2\n", ["--pictures", "gone", "--out", "x"], ["gone", "check the path"]),
        (b"0,1,2\n", ["--pictures", "gone"], ["--pictures requires --out"]),
        (b"0,1,2\nx,1,2\n", [], ["--header"]),
        (b"0,1,2\n0," + 90 * b"x" + b",2\n", [], ["...'"]),
        (b"0,1,2\n0,1,7300\n", [], ["only 4 objects of 7,301", "--n-objects 7301"]),
        (b"0,1,2\n", ["--n-objects", "1"], ["there is 1 object ("]),
        (b"0,1,2\n", ["--clusters", "9"], ["--clusters", "at most 3", "got 9"]),
        (b"0,1,2\n", ["--clusters", "0"], ["--clusters"]),
        (b"0,1,2\n", ["--initial-clusters", "OVERLAP"], ["OVERLAP, line 2", "'1'", "overlap"]),
        (b"0,1,2\n", ["--initial-clusters", "UNKNOWN"], ["UNKNOWN", "line 1", "'7'"]),
        (b"0,1,2\n", ["--out", "NOFOLDER"], ["NOFOLDER", "--out"]),
        (b"a,\xc3\xbc,c\na,\xe9,c\n", [], ["answers.csv", "UTF-8"]),
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
    for python_word in ("=True", "form=", "format=", "n_objects", "ListedComparisons"):
        assert python_word not in result.err
    assert [line[:7] for line in result.err.splitlines()] == ["error: "]
    assert len(max(result.err.split(), key=len)) < 70
    assert not Path("x").exists()


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


@pytest.mark.parametrize("name", ["a", "a.csv.docx"])
def test_an_unknown_extension_is_refused(ordlink, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(GOOD)

    result = ordlink("cluster", tmp_path / name, "--form", "triplet")

    assert result.code == 2
    for text in ("csv", "parquet", "pass --format"):
        assert text in result.err


@pytest.mark.parametrize(
    "words",
    [
        ["cluster", "a.csv", "--names", "a.xlsx"],
        ["simulate", "--table", "a.xlsx", "--answers", "5", "--out", "x"],
    ],
)
def test_a_spreadsheet_is_to_be_saved_as_csv(ordlink, tmp_path: Path, monkeypatch, words) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(GOOD)
    Path("a.xlsx").write_bytes(b"PK\3\4")

    result = ordlink(*words)

    assert result.code == 2
    assert result.err == "error: a.xlsx: this is a spreadsheet; save it as CSV\n"


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


@pytest.mark.parametrize(
    ("path", "expected"),
    [("nothing.csv", "no such file; check the path"), ("src", "no file in this folder ends in")],
)
def test_a_file_that_cannot_be_read_is_refused(ordlink, path: str, expected: str) -> None:
    result = ordlink("cluster", path, "--form", "triplet")

    assert result.code == 2
    assert f"{path}: {expected}" in result.err


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write everywhere"
)
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


def test_damaged_similarities_are_refused(ordlink, tmp_path: Path) -> None:
    """The header of a .npy file is Python text, and parsing it raises what parsers raise."""
    ol.Hierarchy([[0, 1], [2, 3]]).save(tmp_path / "tree.json")
    np.save(tmp_path / "w.npy", np.ones((3, 3)))
    content = (tmp_path / "w.npy").read_bytes()

    for damaged in (
        content.replace(b"}", b"("),  # tokenize.TokenError
        content.replace(b"(3, 3)", b"(3, [)"),
        content[:-3],
        b"",
    ):
        (tmp_path / "w.npy").write_bytes(damaged)
        result = ordlink("evaluate", tmp_path / "tree.json", "--similarities", tmp_path / "w.npy")

        assert result.code == 2
        assert result.err.startswith(f"error: {tmp_path / 'w.npy'}")


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
        ["simulate", "--out", "x", "--answers", "5", "--seed", "-1"],
        ["simulate", "--out", "x", "--answers", "99999999999"],
        ["simulate", "--out", "x", "--proportion", "0.5", "--leaf-size", "100"],
        ["demo", "--out", "x", "--seed", "-1"],
        ["evaluate", "tree.json", "--classes", "x", "--levels", "2"],
        ["evaluate", "tree.json", "--classes", "x", "--form", "triplet"],
        ["evaluate", "tree.json", "--classes", "x", "--zero-based"],
        ["evaluate", "tree.json", "--classes", "x", "--format", "csv"],
        ["evaluate", "tree.json", "--classes", "x", "--skip-repeats"],
        ["cluster"],
        ["nonsense"],
        ["cluster", "a.csv", "--nonsense"],
    ],
)
def test_a_wrong_call_is_refused(ordlink, tmp_path: Path, monkeypatch, words: list[str]) -> None:
    monkeypatch.chdir(tmp_path)

    result = ordlink(*words)

    assert result.code == 2
    assert [line[:7] for line in result.err.splitlines()] == ["error: "]
    assert not Path("x").exists()


def test_a_wrong_option_is_refused_with_the_way_to_help(ordlink) -> None:
    result = ordlink("cluster", "a.csv", "--clusters", "0")

    assert result.err == (
        "error: invalid value for '--clusters': 0 is not in the range x>=1; "
        "try 'ordlink cluster --help'\n"
    )


@pytest.mark.parametrize("cell", ["", "NA", "nan", "inf", "1,5"])
def test_a_missing_feature_is_named_with_line_and_column(ordlink, tmp_path, cell: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f'name,Size,legs\nant,1,6\nbee,"{cell}",6\ncat,9,4\n')

    result = ordlink("simulate", "--table", path, "--answers", 9, "--out", tmp_path / "x")

    assert result.code == 2
    assert f"{path}, line 3, column 'Size': expected a number" in result.err
    assert not (tmp_path / "x").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [["--help"], ["cluster", "--help"]])
def test_a_full_disk_behind_stdout_is_one_line(tmp_path: Path, words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ordlink", *words],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot write the output (No space left on device)")
    assert len(done.stderr.splitlines()) == 1


def test_a_reader_that_has_gone_is_no_error(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "ordlink", "--help"],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (0, b"")


INTERRUPTED = "interrupted; no half-written file was left"


def test_ctrl_c_ends_a_waiting_program_with_one_line(tmp_path: Path) -> None:
    """As a person would: the program waits for stdin, Ctrl-C, exit code 130."""
    program = (
        # Under nohup, a child inherits that Ctrl-C is ignored.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import io, os, sys\n"
        "class Telling(io.RawIOBase):\n"
        "    def readable(self): return True\n"
        "    def readinto(self, room):\n"
        "        print('waiting', flush=True)\n"
        "        return os.readv(0, [room])\n"
        "sys.stdin = io.TextIOWrapper(io.BufferedReader(Telling()))\n"
        "from ordlink.cli import main\n"
        "main(['cluster', '-', '--out', 'out'])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130
    assert err.strip() == INTERRUPTED
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("module", ["click", "ordlink.cli._app", "ordlink.cli.cluster"])
def test_ctrl_c_while_modules_are_loaded_is_one_line(tmp_path: Path, module: str) -> None:
    program = (
        "import sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        "import ordlink.cli\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "ordlink.cli.main(['cluster', 'a.csv'])"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr.strip()) == (130, INTERRUPTED)


def test_ctrl_c_while_drawing_leaves_nothing(ordlink, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "a.csv").write_text(GOOD)

    def interrupt(_figure: object, file: BinaryIO, **_options: object) -> None:
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", interrupt)

    result = ordlink("cluster", tmp_path / "a.csv", "--form", "triplet", "--out", tmp_path / "out")

    assert result.code == 130
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("report", "a.csv", "--out", "a.csv"),
        ("compare", "a.csv", "--csv", "./a.csv"),
        ("compare", "a.csv", "--html", "a.csv"),
        ("plan", "--answers", "a.csv", "--csv", "a.csv"),
        ("cluster", "linkage.csv", "--out", "."),
        ("compare", "linkage.csv", "--out", "."),
    ],
)
def test_answers_are_never_written_over(ordlink, tmp_path: Path, monkeypatch, words) -> None:
    monkeypatch.chdir(tmp_path)
    text = "anchor,closer,farther\n" + "0,1,2\n1,0,2\n2,1,0\n" * 20
    for name in ("a.csv", "linkage.csv"):
        Path(name).write_text(text)

    result = ordlink(*words)

    assert result.code == 2
    assert "the output would overwrite an input file" in result.err
    assert Path("a.csv").read_text() == Path("linkage.csv").read_text() == text


@pytest.mark.parametrize(
    "words",
    [
        ("cluster", "{answers}", "--out", "{place}/results"),
        ("compare", "{answers}", "--out", "{place}/results"),
        ("compare", "{answers}", "--csv", "{place}/table.csv"),
        ("compare", "{answers}", "--html", "{place}/page.html"),
        ("report", "{answers}", "--out", "{place}/report.html"),
        ("plan", "--objects", "10", "--csv", "{place}/curve.csv"),
        ("plan", "--objects", "10", "--png", "{place}/curve.png"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    ordlink, tmp_path: Path, monkeypatch, words: tuple[str, ...]
) -> None:
    """A full or read-only disk, or /proc, where permissions say that all is well."""
    answers = tmp_path / "answers.csv"
    answers.write_text("anchor,closer,farther\n0,1,2\n")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)

    result = ordlink(*(word.format(answers=answers, place=tmp_path) for word in words))

    assert result.code == 2
    assert result.out == ""
    assert result.err.count("\n") == 1
    assert str(tmp_path) in result.err
    assert "Read-only file system" in result.err
    assert "choose another" in result.err
    assert list(tmp_path.iterdir()) == [answers]


def test_a_picture_that_cannot_be_read_leaves_the_files_of_an_earlier_tree(
    ordlink, tmp_path: Path
) -> None:
    answers, out, pictures = tmp_path / "a.csv", tmp_path / "out", tmp_path / "pictures"
    answers.write_text(GOOD)
    pictures.mkdir()
    (pictures / "0.jpg").write_bytes(b"no picture")
    first = ordlink("cluster", answers, "--form", "triplet", "--clusters", 2, "--out", out)
    assert first.code == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}

    result = ordlink(
        "cluster", answers, "--form", "triplet", "--method", "AddS-AL", "--out", out,
        "--pictures", pictures,
    )  # fmt: skip

    assert result.code == 2
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_too_few_answers_for_the_folds_are_told_by_their_file(ordlink, tmp_path: Path) -> None:
    path = tmp_path / "three.csv"
    path.write_text("anchor,closer,farther\n0,1,2\n1,2,0\n2,1,3\n")

    result = ordlink("compare", path)

    assert result.code == 2
    assert "three.csv: expected at least one answer for each of 5 folds, got 3" in result.err
    assert len(result.err.splitlines()) == 1


def test_table_and_page_need_two_names(ordlink, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(GOOD)
    both = tmp_path / "both"

    result = ordlink("compare", tmp_path / "a.csv", "--csv", both, "--html", both)

    assert result.code == 2
    assert "choose two names" in result.err
    assert not both.exists()


def test_a_missing_cell_is_left_out_and_told(ordlink, tmp_path: Path) -> None:
    rows = ["lion,tiger,hawk", "hawk,NaN,tuna", "tuna,hawk,lion", "tiger,lion,tuna"]
    rows += [f"hawk,{other},lion" for other in ("tuna", "tiger")]
    (tmp_path / "a.csv").write_text("\n".join(["anchor,closer,farther", *rows]))

    result = ordlink("cluster", tmp_path / "a.csv")

    assert result.code == 0
    assert "1 of 6 rows skipped: a cell is missing" in result.err
    assert "NaN" not in result.out
