"""Bad files: each gives one InputError with file, line, what was expected and what to do."""

from __future__ import annotations

import re

import numpy as np
import pytest

from ordlink.comparisons import Comparisons
from ordlink.errors import InputError, InputKindError
from ordlink.io import read_comparisons, read_in_chunks, write_comparisons


def refused(path, **options) -> str:
    with pytest.raises(InputError) as caught:
        read_comparisons(path, **options)
    message = str(caught.value)
    assert message.startswith(str(path)), message
    return message


def file_of(tmp_path, content, extension="csv"):
    path = tmp_path / f"answers.{extension}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_missing_file_and_a_folder(tmp_path):
    folder = tmp_path / "answers.csv"
    folder.mkdir()

    for extension in ("csv", "tsv", "parquet", "npz", "jsonl"):
        assert "no such file" in refused(tmp_path / f"missing.{extension}")
        assert "no file in this folder ends in .csv" in refused(folder, format=extension)
    assert "no such file" in refused(tmp_path / "a\0b.csv")


def test_an_unknown_extension_lists_the_known_ones(tmp_path):
    for name in ("answers.docx", "answers"):
        message = refused(tmp_path / name)

        assert ".csv, .tsv, .parquet, .npz, .jsonl, .ndjson" in message


TABLE_ERRORS = [
    ("", {}, "the file is empty"),
    ("\n \n", {}, "no answers"),
    ("# only a comment\n", {}, "no answers"),
    ("anchor,closer,farther\n", {}, "no answers"),
    ("0 1 2\n", {}, r"line 1: expected at least 3 columns, got 1; .*commas"),
    ("0,1\n", {}, "line 1: expected at least 3 columns, got 2"),
    ("0,1,2,3,4\n", {}, "line 1: expected 3 or 4 columns of objects, got 5"),
    ("0,1,2,3\n", {"form": "triplet"}, "line 1: expected 3 columns of objects"),
    ("0,1,2\n", {"form": "quadruplet"}, "line 1: expected 4 columns of objects"),
    ("0,1,2\n3,4\n", {"form": "triplet"}, "line 2: expected 3 columns"),
    ("# a\n\n0,1,2\n\n \n0,1,2,3\n", {"form": "triplet"}, "line 6: expected 3 columns"),
    ('x,y,z\n"a\nb",c,d\n1,2\n', {"form": "triplet"}, "line 4: expected 3 columns"),
    ("0,1,2\n0,7x,2\n", {"form": "triplet"}, "line 2: object '7x' is not a whole number"),
    ("7x,0,2\n0,1,2\n", {"form": "triplet"}, "line 1: object '7x' is not a whole number"),
    ("0,1,2\ncat,1,2\n", {"form": "triplet"}, "line 2: object 'cat' is not a whole number"),
    ("0,1,0x2\n1,0,0x2\n", {"form": "triplet"}, "line 1: object '0x2' is not a whole number"),
    ("0,1,2\n\n0,,2\n", {"form": "triplet"}, "line 3: the cell of object 2 is empty"),
    ("cat,dog,bee\ncat,,bee\n", {"form": "triplet"}, "line 2: the cell of object 2 is empty"),
    ("0,1,2\n0,1,2.5\n", {"form": "triplet"}, "line 2: object 2.5 is not a whole number"),
    ("0,1,2\n0,1,-3\n", {"form": "triplet"}, "line 2: object -3 is below 0"),
    ("0,1,2\n0,1,nan\n", {"form": "triplet"}, "line 2: the cell of object 3 is empty"),
    ("0,1,3\n", {"form": "triplet", "n_objects": 3}, r"line 1: object 3 .*3 objects \(0 to 2\)"),
    ("0,1,3\n", {"form": "triplet", "names": ["a", "b", "c"]}, "line 1: object 3 is out of range"),
    ("0,1,2\n", {"form": "triplet", "one_based": True}, "line 1: object 0 is below 1"),
    ("1,2,3\n", {"form": "triplet"}, "pass one_based=True"),
    ("0,1,2000000000\n", {"form": "triplet"}, "line 1: object 2000000000 is beyond"),
    ("0,1," + "9" * 30 + "\n", {"form": "triplet"}, "line 1: object 1e.30 is far too large"),
    ("0,1," + "9" * 5000 + "\n", {"form": "triplet"}, "line 1: object inf is far too large"),
    ("0,1,1\n", {"form": "triplet"}, "line 1: .* names an object twice"),
    ("0,0,1,2\n", {}, "line 1: .* pairs an object with itself"),
    ("0,1,1,0\n", {}, "line 1: .* compares a pair with itself"),
    (
        "cat,dog,bee\ncat,dgo,bee\n",
        {"form": "triplet", "names": ["cat", "dog", "bee"]},
        "line 2: object 'dgo' is not among the names",
    ),
    (
        "0,1,2\n0,x,2\n",
        {"form": "triplet", "names": ["cat", "dog", "bee"]},
        "line 2: object 'x' is not a whole number",
    ),
    (
        "cat,dog,bee\n",
        {"form": "triplet", "names": ["cat", "dog", "bee", "cat"]},
        "two objects are named 'cat'",
    ),
    (
        "0,1,2\n",
        {"form": "triplet", "names": ["a"], "n_objects": 3},
        "expected 3 names, one per object, got 1",
    ),
    ("head,winner,loser,rt\n0,1,2,fast\n", {}, "line 2: the response time 'fast'"),
    ("head,winner,loser,count\n0,1,2,1\n0,1,2,0\n", {}, "line 3: the count 0"),
    ("head,winner,loser,count\n0,1,2,1.5\n", {}, "line 2: the count '1.5'"),
    ("head,winner,loser,count\n0,1,2,\n", {}, "line 2: the cell of count is empty"),
    ("i,j,k,l,answer\n0,1,0,2,left\n", {}, "line 2: the answer 'left'"),
    ("i,j,k,l,answer\n0,1,0,2,3000000000\n", {}, "line 2: the answer 3000000000"),
    ("a,b,c,answer\n0,1,2,1\n", {"form": "triplet"}, "line 1: the column 'answer'"),
    ("A,B,C,eval,worker\n0,1,2,1,w\n", {}, "line 1: the columns 'A', .*form=quadruplet"),
    (",a,b,c\n0,1,2,3\n", {}, "line 1: column 1 has no name"),
    ("head,winner,loser\n0,1,2\n", {"form": "odd-one-out"}, "line 1: the columns are named"),
    ("head,anchor,winner,loser\n0,1,2,3\n", {}, "line 1: two columns are the anchor"),
    ("anchor,closer,farther,central,other_1,other_2\n0,1,2,0,1,2\n", {}, "fit the forms"),
    ("a,b,c\n0,1,2\n", {"columns": ["a", "b", "d"]}, "line 1: there is no column 'd'"),
    ("a,b,c\n0,1,2\n", {"columns": ["a", "b", "b"]}, "chosen twice"),
    ("a,b,c\n0,1,2\n", {"columns": ["a", "b", "c"]}, "three things"),
    ("a,b,c\n0,1,2\n", {"columns": ["a", "b"]}, "2 columns were chosen"),
    ("a,b,c\n0,1,2\n", {"columns": ["a", "b", "c"], "form": "quadruplet"}, "has? 4|have 4"),
    ("a,b,c\n0,1,2\n", {"columns": ["a", "b", "c"], "header": False}, "needs a header"),
    ('0,"1,2\n0,1,2\n', {"form": "triplet"}, "line 1: expected at least 3|quotation"),
]


@pytest.mark.parametrize(("content", "options", "message"), TABLE_ERRORS)
def test_bad_tables(tmp_path, content, options, message):
    found = refused(file_of(tmp_path, content), **options)

    assert re.search(message, found), found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b,c,d\na,ü,é,d\n".encode() + b"a,\xe9,b,c\n", "line 3: the byte 0xe9 is not UTF-8"),
        ("0,1,2,3\n".encode("utf-16") + b"0", "UTF-16"),
        (b"0,1,2,3\n0,1,\0,3\n", "line 2: found a NUL byte"),
        (bytes(range(1, 256)) * 50, "not UTF-8"),
        (np.random.default_rng(0).bytes(5000), "NUL|not UTF-8"),
    ],
)
@pytest.mark.parametrize("extension", ["csv", "tsv", "jsonl"])
def test_text_in_other_encodings_and_no_text(tmp_path, content, extension, message):
    assert re.search(message, refused(file_of(tmp_path, content, extension)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("\n\n", "no answers|expected 3 or 4 columns"),
        ("[0, 1, 2]\n", "line 1: expected a JSON object .*got list"),
        ('{"anchor": 0, "closer": 1, "farther": 2}\n7\n', "line 2: expected a JSON object"),
        ('{"anchor": 0, "closer": 1, "far', "line 1: .*truncated"),
        ('{"anchor": 0, "anchor": 1}', "line 1: .*'anchor' occurs twice"),
        ('{"anchor": 0, "closer": 1, "farther": NaN}', "line 1: .*NaN"),
        ('{"anchor": 0, "closer": 1, "farther": true}', "line 1: .*'farther', got true"),
        ('{"anchor": 0, "closer": 1, "farther": [2]}', "line 1: .*'farther', got "),
        ('{"anchor": 0, "closer": 1, "farther": null}', "line 1: the cell of object 3 is empty"),
        ('{"anchor": 0, "closer": 1, "farther": 1.5}', "line 1: object 1.5 is not a whole"),
        ('{"anchor": 0, "closer": 1, "farther": 1e400}', "line 1: object 'inf'"),
        ('{"anchor": 0, "closer": 1, "farther": "x"}', "line 1: object 'x' is not a whole"),
        ('{"anchor": 0, "closer": 1, "farther": 99999999999999999999}', "line 1: .*too large"),
        ('{"anchor": 0, "closer": 1, "farther": ' + "9" * 5000 + "}", "line 1: .*digits"),
        ('{"anchor": 0, "closer": 1}', "line 1: expected 3 or 4 columns"),
        (
            '{"anchor": 0, "closer": 1, "farther": 2}\n\n{"anchor": 0, "closer": 1}',
            "line 3: the cell of object 3 is empty",
        ),
        ('{"anchor": "\\ud800", "closer": "b", "farther": "c"}', "line 1: .*Unicode"),
        ("[" * 100_000, "line 1: .*recursion"),
    ],
)
def test_bad_json_lines(tmp_path, content, message):
    found = refused(file_of(tmp_path, content, "jsonl"))

    assert re.search(message, found), found


@pytest.mark.parametrize("extension", ["parquet", "npz"])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.99])
def test_truncated_binary_files(tmp_path, extension, share):
    path = tmp_path / f"answers.{extension}"
    write_comparisons(Comparisons.from_triplets([[0, 1, 2], [1, 2, 0]], annotators="ab"), path)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])

    assert re.search("truncated|empty", refused(path))


@pytest.mark.parametrize("extension", ["csv", "tsv", "jsonl"])
def test_every_truncation_of_our_own_text_files_is_noticed(tmp_path, extension):
    path = tmp_path / f"answers.{extension}"
    write_comparisons(Comparisons.from_triplets([[0, 1, 2], [1, 2, 0]]), path)
    content = path.read_bytes()

    first_line = content.index(b"\n") + 1
    last_row = content.rstrip(b"\n").rindex(b"\n") + 1
    for length in (first_line, last_row - 1, last_row, last_row + 3):
        path.write_bytes(content[:length])
        refused(path)


def test_text_files_named_as_binary_ones(tmp_path):
    for extension in ("parquet", "npz"):
        assert "not readable" in refused(file_of(tmp_path, "0,1,2,3\n", extension))


def test_pickles_are_never_loaded(tmp_path):
    path = tmp_path / "answers.npz"
    np.savez(path, anchor=np.array([{}, []], dtype=object))

    assert "pickles" in refused(path)


def test_arrays_of_other_kinds_and_shapes(tmp_path):
    path = tmp_path / "answers.npz"
    zeros = np.zeros(3, dtype=int)

    for arrays, message in (
        ({"a": np.zeros((3, 3), dtype=bool)}, "holds bool"),
        ({"a": np.zeros((3, 3), dtype=complex)}, "holds complex"),
        ({"a": np.zeros((2, 3, 4))}, "one-dimensional"),
        ({"a": np.float64(3)}, "one-dimensional"),
        ({"i": zeros, "j": zeros, "k": zeros, "l": np.zeros(2)}, "equal length"),
        ({"a": np.array([[0, 1, np.nan]])}, "three things"),
    ):
        np.savez(path, **arrays)
        assert message in refused(path)
    assert "row 0: the cell of object 3 is empty" in refused(path, form="triplet")


def test_an_array_header_that_announces_too_much(tmp_path):
    """The announced size is compared with what is there before any memory is taken."""
    import io
    import zipfile

    path = tmp_path / "answers.npz"
    content = io.BytesIO()
    header = {"descr": "<i8", "fortran_order": False, "shape": (10**15, 3)}
    np.lib.format.write_array_header_1_0(content, header)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", content.getvalue())

    assert "announces 3000000000000000 entries" in refused(path)


def test_damaged_arrays_of_our_own_files(tmp_path):
    path = tmp_path / "answers.npz"
    comparisons = Comparisons.from_triplets([[0, 1, 2], [1, 2, 0]], annotators="ab", counts=[1, 2])
    write_comparisons(comparisons, path)
    with np.load(path) as loaded:
        valid = dict(loaded)

    for name, array, message in (
        ("winners", np.array([0, 3], dtype=np.int32), "row 1: the pair 3 of winners is out of"),
        ("winners", np.array([-1, 0], dtype=np.int32), "row 0: the pair -1"),
        ("winners", np.array([0.0, 1.0]), "dtype float64"),
        ("winners", np.array([0], dtype=np.int32), "1 winners and 2 losers"),
        ("losers", valid["winners"], "row 0: compares a pair with itself"),
        ("count", np.array([0, 1]), "row 0: the count 0"),
        ("count", np.array([2**40, 1]), "'count' does not fit"),
        ("annotator", np.array([0, 2], dtype=np.int32), "'annotator' does not fit"),
        ("annotator_texts", np.array([1, 2]), "'annotator' does not fit"),
        ("header", np.array("{"), "JSON"),
        ("header", np.array([1.5]), "JSON|header"),
    ):
        np.savez(path, **{**valid, name: array})
        assert message.split("|")[0] in refused(path) or "header" in refused(path)


def test_parquet_columns_that_hold_no_objects(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "answers.parquet"
    numbers = pa.array([0, 1])
    for column, message in (
        (pa.array([[1], [2]]), "holds list"),
        (pa.array([True, False]), "holds bool"),
        (pa.array([2, None]), "row 1: the cell of object 3 is empty"),
        (pa.array([2.0, 0.5]), "row 1: object 0.5 is not a whole number"),
        (pa.array([2, 2**64 - 1], pa.uint64()), "row 1: object 1.84467440737e+19 is far too"),
    ):
        pq.write_table(pa.table({"anchor": numbers, "closer": [1, 0], "farther": column}), path)
        assert message in refused(path)


@pytest.mark.parametrize("extension", ["parquet", "npz"])
def test_a_flipped_bit_in_our_binary_files_never_changes_the_comparisons(tmp_path, extension):
    path = tmp_path / f"answers.{extension}"
    rows = np.argsort(np.random.default_rng(0).random((200, 9)), axis=1)[:, :3]
    comparisons = Comparisons.from_triplets(rows)
    write_comparisons(comparisons, path)
    content = path.read_bytes()
    n_refused = 0

    for at in range(0, len(content), 5):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        try:
            assert read_comparisons(path, format=extension).quadruplets.tolist() == (
                comparisons.quadruplets.tolist()
            )
        except InputError:
            n_refused += 1

    assert n_refused > 50


def test_n_objects_must_be_positive(tmp_path):
    for n_objects, error in (
        (0, InputError),
        (-3, InputError),
        (True, InputKindError),
        (4.5, InputError),
        ("4", InputKindError),
    ):
        with pytest.raises(error, match="n_objects"):
            read_comparisons(file_of(tmp_path, "0,1,2,3\n"), n_objects=n_objects)


@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        ("1,2,3\n", {"form": "triplet"}, "<one_based True>, or <n_objects 4>"),
        ("0,1,2\n", {}, "pass <form > as one of these"),
        ("0,1,1\n", {"form": "triplet"}, "<skip_repeated True>"),
        ("a,b,c\n0,1,2\n", {"columns": ["a"], "header": False}, "<columns > or <header False>"),
    ],
)
def test_remedies_name_parameters_as_the_caller_does(tmp_path, content, options, expected):
    with pytest.raises(InputError) as caught:
        read_comparisons(file_of(tmp_path, content), **options)

    assert expected in caught.value.render(lambda parameter, value: f"<{parameter} {value}>")
    assert "--" not in str(caught.value)


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (lambda **given: read_in_chunks("answers.csv", **given), "read_in_chunks() got"),
        (lambda **given: Comparisons.from_quadruplets([[0, 1, 2, 3]], **given), "from_quadruplets"),
    ],
)
def test_a_misspelt_keyword_names_the_function_and_the_likely_one(function, given):
    with pytest.raises(InputKindError) as caught:
        function(onebased=True)

    assert str(caught.value).startswith(given)
    assert "'onebased'; did you mean 'one_based'?" in str(caught.value)
