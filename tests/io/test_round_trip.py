"""What is written is read back the same, in every format."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordlink.comparisons import AnswerDetails, Comparisons, ListedComparisons, n_pairs
from ordlink.errors import InputError, InputKindError
from ordlink.io import read_comparisons, write_comparisons

EXTENSIONS = ("csv", "tsv", "parquet", "npz", "jsonl", "ndjson")
TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=8)
NAME = TEXT.filter(lambda name: name.strip() and all(ord(c) >= 32 and ord(c) != 127 for c in name))


@st.composite
def any_comparisons(draw) -> ListedComparisons:
    n_objects = draw(st.sampled_from([0, 3, 4, 60, 65_535]))
    n_rows = draw(st.integers(0, 5)) if n_objects else 0
    pair = st.integers(0, max(0, n_pairs(n_objects) - 1))
    rows = st.tuples(pair, pair).filter(lambda ids: ids[0] != ids[1])
    ids = np.array(draw(st.lists(rows, min_size=n_rows, max_size=n_rows)), dtype=np.int32)
    ids = ids.reshape(-1, 2)

    def column(cells, dtype):
        entries = draw(st.none() | st.lists(cells, min_size=n_rows, max_size=n_rows))
        if entries is None:
            return None
        array = np.empty(n_rows, dtype=dtype)
        array[:] = entries
        return array

    int32 = st.integers(-(2**31), 2**31 - 1)
    details = AnswerDetails(
        answers=column(int32, np.int32),
        annotators=column(TEXT, object),
        times=column(TEXT, object),
        response_times=column(st.floats(), np.float64),
        chose_first=column(st.sampled_from([0.0, 1.0, np.nan]), np.float64),
    )
    names = None
    if n_objects < 100 and draw(st.booleans()):
        names = tuple(draw(st.lists(NAME, min_size=n_objects, max_size=n_objects)))
    return ListedComparisons(
        n_objects=n_objects,
        winners=ids[:, 0].copy(),
        losers=ids[:, 1].copy(),
        names=names,
        counts=column(st.integers(1, 2**31 - 1), np.int32),
        details=details if details.columns else None,
    )


@pytest.mark.parametrize("extension", EXTENSIONS)
@settings(max_examples=60, deadline=None)
@given(comparisons=any_comparisons())
def test_reading_gives_back_what_was_written(tmp_path_factory, extension, comparisons):
    path = tmp_path_factory.mktemp("round") / f"answers.{extension}"

    write_comparisons(comparisons, path)

    assert read_comparisons(path) == comparisons


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_repeated_names_and_objects_never_named_survive(tmp_path, extension):
    names = ["frog", "frog", 'a "b", c', "ünï\u2028x", "# 1", " sp "]
    comparisons = Comparisons.from_triplets([[0, 1, 2]], names=names)
    path = tmp_path / f"answers.{extension}"

    write_comparisons(comparisons, path)

    assert read_comparisons(path).names == tuple(names)


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_many_blocks_are_put_together_in_order(tmp_path, extension, monkeypatch):
    monkeypatch.setattr("ordlink.io._own.BLOCK_ROWS", 7)
    monkeypatch.setattr("ordlink.io._own.CHECKED_ROWS", 3)
    rows = np.argsort(np.random.default_rng(0).random((50, 9)), axis=1)[:, :3]
    comparisons = Comparisons.from_odd_one_out(rows, annotators=range(50))
    path = tmp_path / f"answers.{extension}"

    write_comparisons(comparisons, path)

    assert read_comparisons(path) == comparisons


def test_line_breaks_in_cells_survive_parsing_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("ordlink.io._text._BLOCK_BYTES", 64)
    annotators = [f"line\nbreak,\r\n{number}" for number in range(50)]
    comparisons = Comparisons.from_triplets([[0, 1, 2]] * 50, annotators=annotators)
    path = tmp_path / "answers.csv"

    write_comparisons(comparisons, path)

    assert read_comparisons(path) == comparisons


def test_text_files_open_in_pandas_style(tmp_path):
    comparisons = Comparisons.from_quadruplets([[0, 1, 2, 3]], annotators=["x,y"])
    path = tmp_path / "answers.csv"

    write_comparisons(comparisons, path)
    lines = path.read_text().splitlines()

    assert lines == [
        "# ordlink-comparisons 1",
        "# n_objects: 4",
        "# n_rows: 1",
        "i,j,k,l,annotator",
        '0,1,2,3,"x,y"',
    ]


def test_our_rows_without_the_header_lines_are_still_read(tmp_path):
    comparisons = Comparisons.from_most_central([[0, 1, 2], [3, 0, 1]], counts=[2, 3])
    path = tmp_path / "answers.csv"
    write_comparisons(comparisons, path)
    rows = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    path.write_text("\n".join(rows))

    assert read_comparisons(path) == comparisons


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("# ordlink-comparisons 2\n# n_objects: 3", "written by a newer ordlink"),
        ("# ordlink-comparisons 0\n# n_objects: 3", "damaged"),
        ("# ordlink-comparisons one\n# n_objects: 3", "damaged"),
        ("# ordlink-comparisons 1", "neither objects nor n_objects"),
        ("# ordlink-comparisons 1\n# n_objects: 3\n# n_objects: 3", "twice"),
        ("# ordlink-comparisons 1\n# n_objects: -1", "n_objects is -1"),
        ("# ordlink-comparisons 1\n# n_objects: 99999999", "n_objects is 99999999"),
        ("# ordlink-comparisons 1\n# n_objects: true", "n_objects is True"),
        (
            '# ordlink-comparisons 1\n# n_objects: 3\n# objects: ["a", "b"]',
            "expected 3 names, one per object, got 2",
        ),
        ('# ordlink-comparisons 1\n# objects: ["a", "b", 3]', "not a list of names"),
        ('# ordlink-comparisons 1\n# objects: ["a", "b", ""]', "empty"),
        ('# ordlink-comparisons 1\n# objects: ["a", "b", "\\ud800"]', "control characters"),
        ('# ordlink-comparisons 1\n# objects: ["a", "b', "JSON"),
        ("# ordlink-comparisons 1\n# objects: " + "[" * 100_000, "JSON"),
        ("# ordlink-comparisons 1\n# n_objects: 3\n# n_rows: 2", "says 2 rows"),
        ('# ordlink-comparisons 1\n# n_objects: 3\n# n_rows: "2"', "n_rows"),
    ],
)
def test_damaged_headers_are_refused(tmp_path, header, message):
    path = tmp_path / "answers.csv"
    path.write_text(f"{header}\ni,j,k,l\n0,1,0,2\n")

    with pytest.raises(InputError, match=message) as caught:
        read_comparisons(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("0,1,0,3,1", "line 4: object 3 is out of range"),
        ("0,1,0,-2,1", "line 4: object -2"),
        ("0,1,0,x,1", "line 4: the object l 'x'"),
        ("0,1,0,,1", "line 4: the cell of object l is empty"),
        ("0,1,0,1,1", "line 4: .* compares a pair with itself"),
        ("0,1,2,2,1", "line 4: .* pairs an object with itself"),
        ("0,1,0,2,0", "line 4: the count 0"),
        ("0,1,0,2", "line 4: expected 5 columns"),
    ],
)
def test_damaged_rows_of_our_own_files_are_refused_with_their_line(tmp_path, row, message):
    path = tmp_path / "answers.csv"
    path.write_text(f"# ordlink-comparisons 1\n# n_objects: 3\ni,j,k,l,count\n{row}\n")

    with pytest.raises(InputError, match=message):
        read_comparisons(path)


def test_the_line_is_right_in_a_later_block(tmp_path, monkeypatch):
    monkeypatch.setattr("ordlink.io._own.CHECKED_ROWS", 2)
    path = tmp_path / "answers.csv"
    good = "0,1,0,2\n" * 5
    path.write_text(f"# ordlink-comparisons 1\n# n_objects: 3\ni,j,k,l\n{good}0,1,0,7\n")

    with pytest.raises(InputError, match="line 9: object 7 is out of range"):
        read_comparisons(path)


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"form": "triplet"}, "leave out form"),
        ({"one_based": True}, "leave out one_based"),
        ({"columns": ["i", "j", "k", "l"]}, "leave out columns"),
        ({"n_objects": 7}, "n_objects: the file has 3 objects"),
        ({"names": ["a", "b"]}, "names: expected 3 names, one per object, got 2"),
        ({"names": ["a", "b", "z"]}, "lists other names of its objects"),
    ],
)
def test_our_own_files_refuse_options_that_contradict_them(tmp_path, extension, options, message):
    path = tmp_path / f"answers.{extension}"
    write_comparisons(Comparisons.from_triplets([["a", "b", "c"]]), path)

    with pytest.raises(InputError, match=message):
        read_comparisons(path, **options)


def test_names_can_be_given_to_our_own_file_without_names(tmp_path):
    path = tmp_path / "answers.csv"
    write_comparisons(Comparisons.from_triplets([[0, 1, 2]]), path)

    assert read_comparisons(path, names=["a", "b", "c"]).names == ("a", "b", "c")


def test_newer_versions_are_refused_in_every_format(tmp_path, monkeypatch):
    comparisons = Comparisons.from_triplets([[0, 1, 2]])
    for extension in EXTENSIONS:
        path = tmp_path / f"answers.{extension}"
        with monkeypatch.context() as context:
            context.setattr("ordlink.io._own.VERSION", 2)
            write_comparisons(comparisons, path)

        with pytest.raises(InputError, match="written by a newer ordlink"):
            read_comparisons(path)


def test_files_of_version_1_stay_readable(tmp_path):
    """Written by hand after docs/file-format.md; this must never break."""
    path = tmp_path / "answers.jsonl"
    header = {"ordlink-comparisons": 1, "objects": ["a", "b", "c"]}
    row = {"i": 0, "j": 1, "k": 0, "l": 2, "count": 2, "answer": 4, "response_time": None}
    path.write_text(json.dumps(header) + "\n" + json.dumps(row) + "\n")

    comparisons = read_comparisons(path)

    assert comparisons.names == ("a", "b", "c")
    assert comparisons.quadruplets.tolist() == [[0, 1, 0, 2]]
    assert comparisons.counts.tolist() == [2]
    assert comparisons.details.answers.tolist() == [4]
    assert np.isnan(comparisons.details.response_times).all()


def test_comparisons_that_are_not_listed_cannot_be_written(tmp_path):
    similarities = np.arange(9.0).reshape(3, 3)
    ranked = Comparisons.from_similarities(similarities + similarities.T)

    with pytest.raises(InputKindError, match="write a sample"):
        write_comparisons(ranked, tmp_path / "answers.csv")


@pytest.mark.parametrize("annotator", ["a\0b", "\ud800"])
@pytest.mark.parametrize("extension", EXTENSIONS)
def test_text_that_no_file_can_hold_is_refused(tmp_path, annotator, extension):
    comparisons = Comparisons.from_triplets([[0, 1, 2]], annotators=[annotator])
    path = tmp_path / f"answers.{extension}"

    with pytest.raises(InputError, match="cannot be written"):
        write_comparisons(comparisons, path)
    assert not path.exists()
