"""`ordlink report`: the page, what is printed, and what is refused."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ordlink as ol


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Return a file of 60 triplets of three people about eight named things."""
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=4, gap=1.0, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, 60, seed=0)
    lines = [
        ",".join([*(f"thing {i}" for i in row), "abc"[number % 3]])
        for number, row in enumerate(np.asarray(rows).tolist())
    ]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(["anchor,closer,farther,annotator", *lines]) + "\n")
    return path


def test_the_page_holds_command_checksum_and_the_given_date(
    ordlink, answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    out = answers.with_name("report.html")
    words = ("report", answers, "--out", out, "--method", "AddS-AL", "--replicates", 10)

    result = ordlink(*words, "--title", "Eight <things>")

    assert result.code == 0
    assert f"wrote {out}" in result.out
    assert "8 objects, 60 comparisons, AddS-AL" in result.out
    text = out.read_text(encoding="utf-8")
    assert "<h1>Eight &lt;things&gt;</h1>" in text
    assert hashlib.sha256(answers.read_bytes()).hexdigest() in text
    assert "1970-01-02 00:00 UTC" in text
    assert "--title &#x27;Eight &lt;things&gt;&#x27;" in text


def test_pictures_and_people_left_out(ordlink, answers: Path) -> None:
    folder = answers.parent / "pictures"
    folder.mkdir()
    for i in range(7):
        Image.new("RGB", (30, 20), "navy").save(folder / f"thing {i}.png")
    out = answers.with_name("report.html")

    result = ordlink(
        "report", answers, "--out", out, "--method", "AddS-AL", "--quick",
        "--pictures", folder, "--exclude", "b",
    )  # fmt: skip

    assert result.code == 0
    assert "1 object without a picture" in result.err
    text = out.read_text(encoding="utf-8")
    n_pictures = text.count("data:image/jpeg;base64")
    assert n_pictures >= 7 and n_pictures % 7 == 0
    assert "Excluded on request:</strong> b" in text
    assert "50 bootstrap samples" in text
    assert "8 objects, 40 comparisons, AddS-AL" in result.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "missing option '--out'"),
        (("--out", "no/such/folder/r.html"), "there is no folder"),
        (("--out", "."), "expected the name of a file"),
        (("--out", "r.html", "--method", "foo"), "unknown method 'foo'"),
        (("--out", "r.html", "--method", "SL"), "SL needs an oracle"),
        (("--out", "r.html", "--exclude", "zoe"), "there is no annotator 'zoe'"),
        (("--out", "r.html", "--exclude", "b", "--weigh-people"), "at least 3 annotators"),
        (("--out", "r.html", "--replicates", 0), "range"),
        (
            ("--out", "r.html", "--quick", "--replicates", 5),
            "--quick cannot be combined with --replicates",
        ),
        (("--out", "r.html", "--people", "answers.csv"), "--people needs --by"),
        (("--out", "r.html", "--by", "town"), "there is no column 'town'"),
        (("--out", "r.html", "--pictures", "nowhere"), "expected a folder of pictures"),
    ],
)
def test_wrong_calls_are_refused_in_a_line(
    ordlink, answers: Path, monkeypatch: pytest.MonkeyPatch, options: tuple, message: str
) -> None:
    monkeypatch.chdir(answers.parent)

    result = ordlink("report", answers, *options)

    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert not Path("r.html").exists()


def test_a_file_that_is_not_there_is_refused(ordlink, tmp_path: Path) -> None:
    result = ordlink("report", tmp_path / "none.csv", "--out", tmp_path / "r.html")

    assert result.code == 2
    assert "none.csv" in result.err
