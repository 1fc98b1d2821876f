"""`compare`: what it prints and writes is what `compare_methods` finds."""

from __future__ import annotations

import csv
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import ordlink as ol
from ordlink.cli import compare as module
from ordlink.validation import compare_methods

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")

FAST = "4-AL,AddS-AL,4K-AL no self,SOE-AL 2-D"


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Return a file of 200 triplets about 8 objects, counted from 1."""
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=4, gap=1.0, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, 200, error_rate=0.1, seed=0) + 1
    path = tmp_path / "<answers>.csv"
    lines = [",".join(map(str, row)) for row in rows.tolist()]
    path.write_text("\n".join(["anchor,closer,farther", *lines, ""]))
    return path


@pytest.fixture
def found(answers: Path):
    comparisons = ol.read_comparisons(answers, one_based=True)
    return compare_methods(comparisons, FAST.split(","), n_folds=3, n_repetitions=2, seed=1)


@pytest.fixture
def words(answers: Path) -> tuple[object, ...]:
    settings = ("--folds", 3, "--repetitions", 2, "--seed", 1)
    return ("compare", answers, "--one-based", "--methods", FAST, *settings)


class _Page(HTMLParser):
    """Tags that are open, texts of the cells, and what the page would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        self.loaded += [value for name, value in attrs if name in ("src", "href") and value]
        if tag in ("td", "th"):
            self.cells.append("")
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs) -> None:
        pass

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


def test_the_table_has_the_best_first_and_marks_the_recommended(ordlink, words, found) -> None:
    result = ordlink(*words)

    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0] == "8 objects, 200 comparisons, 3 folds by answers, 2 times"
    assert lines[1].split()[-2:] == ["agrees", "seconds"]
    taken = [scores.label for scores in found.scores].index(found.recommended)
    for line, scores, share in zip(lines[2:], found.scores, found.agreement[taken], strict=False):
        mark = "*" if scores.label == found.recommended else " "
        assert line.startswith(f"{mark} {scores.label} ")
        held_out = scores.held_out
        assert f"{held_out.accuracy:.3f} ± {held_out.accuracy_error:.3f}" in line
        assert f"{scores.difference:.3f} ± {scores.difference_error:.3f}" in line
        assert f"{held_out.revenue:.3f} ± {held_out.revenue_error:.3f}" in line
        assert f" {scores.in_sample_accuracy:.3f} " in line
        assert line.split()[-2] == f"{share:.2f}"
    assert lines[2 + len(found.scores)] == f"* recommended: {found.reason}"
    assert lines[3 + len(found.scores)].startswith("  agrees: share of the triples")
    assert 0 < found.agreement.min() < 1
    assert all(line.startswith("warning: ") for line in result.err.splitlines())


def test_the_files_hold_what_was_found(ordlink, words, found, tmp_path: Path) -> None:
    table, page = tmp_path / "methods.csv", tmp_path / "methods.html"

    result = ordlink(*words, "--csv", table, "--html", page)

    assert result.code == 0
    assert f"wrote {table}\nwrote {page}\n" in result.out
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["candidate"] for row in rows] == [scores.label for scores in found.scores]
    taken = [scores.label for scores in found.scores].index(found.recommended)
    shares = [float(row["agreement_with_recommended"]) for row in rows]
    assert shares == found.agreement[:, taken].tolist()
    assert shares[taken] == 1
    for row, scores in zip(rows, found.scores, strict=True):
        expected = scores.as_row()
        for name in set(expected) - {"candidate", "seconds"}:
            assert float(row[name]) == expected[name]
        assert row["recommended"] == str(int(scores.label == found.recommended))
        assert float(row["seconds"]) > 0
    text = page.read_text(encoding="utf-8")
    parsed = _Page(text)
    assert parsed.open == []
    assert parsed.loaded == ["data:,"]
    assert "&lt;answers&gt;.csv" in text
    for (i, scores), (j, _) in [
        (one, other) for one in enumerate(found.scores) for other in enumerate(found.scores)
    ]:
        label = scores.label
        held_out = scores.held_out
        assert f"{held_out.accuracy:.3f} ± {held_out.accuracy_error:.3f}" in parsed.cells
        assert f"{found.agreement[i, j]:.2f}" in parsed.cells
        assert f"<title>{label}: {held_out.accuracy:.3f}" in text
    assert f"{found.recommended} (recommended)" in parsed.cells


def test_dots_lie_where_the_accuracies_are(ordlink, words, found, tmp_path: Path) -> None:
    ordlink(*words, "--html", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")

    dots = [float(x) for x in re.findall(r'<circle cx="([0-9.]+)"', text)]
    ticks = [
        (float(x), float(value))
        for x, value in re.findall(
            r'<text x="([0-9.]+)" y="\d+" text-anchor="middle".*?>(.*?)<', text
        )
    ]
    (x0, first), (x1, last) = ticks[0], ticks[-1]
    assert first < last
    for x, scores in zip(dots, found.scores, strict=True):
        value = first + (x - x0) / (x1 - x0) * (last - first)
        assert value == pytest.approx(scores.held_out.accuracy, abs=1e-3)
        assert 0 < x < 640


def test_a_folder_gets_the_recommended_tree_too(ordlink, words, found, tmp_path: Path) -> None:
    result = ordlink(*words, "--out", tmp_path / "out")

    assert result.code == 0
    tree = ol.Hierarchy.load(tmp_path / "out" / "tree.json")
    assert tree.merges.tolist() == found.tree.merges.tolist()
    assert tree.names == tuple("12345678")
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"comparison.csv", "comparison.html", "tree.nwk", "tree.png"} <= written


def test_folds_by_people_are_said_to_be_so(ordlink, answers: Path) -> None:
    header, *rows = answers.read_text().splitlines()
    people = [f"{row},{'abc'[number % 3]}" for number, row in enumerate(rows)]
    answers.write_text("\n".join([f"{header},annotator", *people, ""]))
    words = ("compare", answers, "--one-based", "--methods", "4-AL")

    enough, too_few = ordlink(*words, "--folds", 3), ordlink(*words, "--folds", 4)

    assert enough.out.splitlines()[0] == "8 objects, 200 comparisons, 3 folds by people"
    assert too_few.out.splitlines()[0] == "8 objects, 200 comparisons, 4 folds by answers"
    assert "agrees:" not in enough.out


def test_what_is_left_out_is_said(ordlink, answers: Path, monkeypatch) -> None:
    monkeypatch.setattr("ordlink.validation._candidates.LONGEST_SECONDS", 0.0)

    result = ordlink("compare", answers, "--one-based", "--folds", 2)

    assert result.code == 0
    assert "AddS-AL is the only method compared" in result.out
    assert "left out: spectral: 3 trees of 8 objects and 200 comparisons would take" in result.out


def test_processes_start_only_where_there_is_much_to_do(answers: Path) -> None:
    few = ol.read_comparisons(answers, one_based=True)
    many = ol.Comparisons.from_triplets([[0, 1, 2]] * 30_000, n_objects=60)

    assert module._n_processes(few, ["4-AL"], 6) == 1
    assert module._n_processes(many, ["4-AL"], 6) == 1
    assert module._n_processes(many, ["spectral"], 6) == module.n_threads()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--methods", "4-AL,5-AL"), "unknown method '5-AL'"),
        (("--methods", "SL"), "SL needs an oracle and cannot be evaluated on answers"),
        (("--methods", "4-AL,4-AL"), "4-AL is listed twice"),
        (("--methods", "4-AL", "--folds", 1), "--folds"),
        (("--methods", "4-AL", "--folds", 900), "one answer for each of 900 folds, got 200"),
        (
            ("--methods", "4-AL", "--csv", "no/such/folder/x.csv"),
            "there is no folder no/such/folder",
        ),
        (("--methods", "4-AL", "--html", ""), "--html: expected the name of a file, got ''"),
    ],
)
def test_wrong_calls_are_refused(ordlink, answers: Path, more, message: str) -> None:
    result = ordlink("compare", answers, "--one-based", *more)

    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: ")
    assert message in result.err
    assert "Traceback" not in result.err


def test_an_unreadable_file_is_refused(ordlink, tmp_path: Path) -> None:
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)))

    for path in (tmp_path / "none.csv", tmp_path / "binary.csv", tmp_path):
        result = ordlink("compare", path, "--form", "triplet")

        assert (result.code, result.out) == (2, "")
        assert result.err.startswith("error: ")
        assert len(result.err.splitlines()) == 1
