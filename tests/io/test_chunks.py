"""Files read some rows at a time give what the whole file gives."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest

from ordlink.comparisons import Comparisons, concatenate, summarise_chunks
from ordlink.errors import InputError, InputKindError
from ordlink.io import read_comparisons, read_in_chunks, write_comparisons
from ordlink.methods.adds import adds_similarity, adds_similarity_of_chunks

EXTENSIONS = ("csv", "tsv", "parquet", "npz", "jsonl")
CHUNK_SIZES = (1, 7, 50, 10_000)


def random_answers(seed: int, n_answers: int = 60, n_objects: int = 9) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.argsort(rng.random((n_answers, n_objects)), axis=1)[:, :3]


def assert_same(chunks, whole) -> None:
    """The chunks are the whole, with the same answers; concatenating would number them anew."""
    chunks = list(chunks)
    for chunk in chunks:
        assert (chunk.n_objects, chunk.names) == (whole.n_objects, whole.names)
    for name in ("winners", "losers", "counts", "details"):
        parts = [getattr(chunk, name) for chunk in chunks]
        expected = getattr(whole, name)
        if expected is None:
            assert all(part is None for part in parts)
        elif name == "details":
            for column, entries in expected.columns.items():
                read = np.concatenate([part.columns[column] for part in parts])
                np.testing.assert_array_equal(read, entries)
        else:
            np.testing.assert_array_equal(np.concatenate(parts), expected)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Pieces span several blocks of the file."""
    monkeypatch.setattr("ordlink.io._source.BLOCK_BYTES", 100)
    monkeypatch.setattr("ordlink.io._text._SAMPLE_BYTES", 150)


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize("rows_per_chunk", CHUNK_SIZES)
def test_chunks_of_our_own_files_are_the_whole(tmp_path, monkeypatch, extension, rows_per_chunk):
    monkeypatch.setattr("ordlink.io._own.BLOCK_ROWS", 16)
    rng = np.random.default_rng(0)
    whole = Comparisons.from_odd_one_out(
        random_answers(1),
        n_objects=11,
        names=[f'ö{number}, "x"' for number in range(11)],
        counts=rng.integers(1, 5, 60),
        annotators=[f'line\nbreak "{number}",\r\n' for number in range(60)],
        response_times=np.where(rng.random(60) < 0.3, np.nan, rng.random(60)),
    )
    path = tmp_path / f"answers.{extension}"
    write_comparisons(whole, path)

    chunks = list(read_in_chunks(path, rows_per_chunk=rows_per_chunk))

    assert_same(chunks, whole)
    assert max(chunk.n_rows for chunk in chunks) <= rows_per_chunk
    assert len(chunks) >= min(60, 120 / rows_per_chunk)


@pytest.mark.parametrize("form", ["triplet", "most-central"])
@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("rows_per_chunk", CHUNK_SIZES)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r", "\n\n"])
def test_chunks_of_text_tables_are_the_whole(form, header, named, rows_per_chunk, line_end):
    names = [f"ö {number}" for number in range(9)]
    rows = random_answers(2).tolist()
    cells = [[names[item] if named else str(item) for item in row] for row in rows]
    lines = [["A", "B", "C"]] if header else []
    text = line_end.join(",".join(f'"{cell}"' for cell in line) for line in [*lines, *cells])
    options = {"form": form, "names": names, "header": header}

    whole = read_comparisons(io.BytesIO(text.encode()), **options)
    chunks = read_in_chunks(io.BytesIO(text.encode()), rows_per_chunk=rows_per_chunk, **options)

    assert_same(chunks, whole)


@pytest.mark.parametrize("rows_per_chunk", CHUNK_SIZES)
def test_chunks_of_foreign_parquet_and_json_lines_are_the_whole(tmp_path, rows_per_chunk):
    import pyarrow as pa
    import pyarrow.parquet

    rows = random_answers(3)
    table = pa.table(
        {
            "comment": ["x" * 100] * 60,
            "odd": rows[:, 2],
            "alike_1": rows[:, 0],
            "rt": np.arange(60.0),
            "alike_2": rows[:, 1],
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "answers.parquet", row_group_size=25)
    lines = [str(row).replace("'", '"') for row in table.to_pylist()]
    (tmp_path / "answers.jsonl").write_text("\n".join(lines))

    for path in tmp_path.iterdir():
        whole = read_comparisons(path, n_objects=9)
        assert_same(read_in_chunks(path, n_objects=9, rows_per_chunk=rows_per_chunk), whole)


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_a_file_without_rows_is_one_empty_chunk(tmp_path, extension):
    path = tmp_path / f"answers.{extension}"
    write_comparisons(Comparisons.from_triplets([], n_objects=4), path)

    chunks = list(read_in_chunks(path))

    assert [(chunk.n_objects, chunk.n_rows) for chunk in chunks] == [(4, 0)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("0,1,9", "input, line 43: object 9 is out of range"),
        ("0,1,x", "input, line 43: object 'x' is not a whole number"),
        ("0,1", "input, line 43: expected 3 columns as in line 1, got 2"),
        ("0,1,1", "input, line 43: .* names an object twice"),
        ("0,1,\0", "input, line 43: found a NUL byte"),
        ("0,1,\udcff", "input, line 43: the byte 0xff is not UTF-8"),
    ],
)
def test_errors_name_the_line_in_a_later_chunk(row, message):
    rows = "anchor,closer,farther\n" + "\n0,1,2" * 40 + f"\n{row}\n0,1,2"
    content = io.BytesIO(rows.encode(errors="surrogateescape"))

    with pytest.raises(InputError, match=message):
        list(read_in_chunks(content, n_objects=3, rows_per_chunk=10))


def test_errors_name_the_row_in_a_later_chunk_of_parquet(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet

    table = pa.table({"anchor": [0] * 30, "closer": [1] * 30, "farther": [2] * 25 + [9] * 5})
    path = tmp_path / "answers.parquet"
    pyarrow.parquet.write_table(table, path)

    with pytest.raises(InputError, match="row 25: object 9 is out of range"):
        list(read_in_chunks(path, n_objects=3, rows_per_chunk=10))


def test_four_columns_without_a_header_are_quadruplets_in_every_chunk():
    table = b"0,1,0,2\n" * 10

    chunks = list(read_in_chunks(io.BytesIO(table), n_objects=3, rows_per_chunk=4))

    assert [chunk.n_rows for chunk in chunks] == [5, 4, 1]
    assert_same(chunks, read_comparisons(io.BytesIO(table)))


@pytest.mark.parametrize("extension", ["csv", "jsonl"])
def test_a_file_that_was_cut_off_is_noticed_at_its_end(tmp_path, extension):
    path = tmp_path / f"answers.{extension}"
    write_comparisons(Comparisons.from_triplets(random_answers(4)), path)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-3]))

    with pytest.raises(InputError, match="says 60 rows, but the file has 57"):
        list(read_in_chunks(path, rows_per_chunk=10))


def test_objects_must_be_known_up_front():
    table = b"anchor,closer,farther\ncat,dog,bee\n"

    with pytest.raises(InputError, match=r"needs the objects up front.*pass names or n_objects"):
        next(read_in_chunks(io.BytesIO(table)))
    with pytest.raises(InputError, match=r"line 2: the objects are names.*pass names"):
        next(read_in_chunks(io.BytesIO(table), n_objects=3))


def test_numbers_and_names_do_not_mix_across_chunks():
    table = b"anchor,closer,farther\n0,1,2\ncat,dog,bee\n"
    chunks = read_in_chunks(io.BytesIO(table), names=["cat", "dog", "bee"], rows_per_chunk=1)

    assert next(chunks).quadruplets.tolist() == [[0, 1, 0, 2]]
    with pytest.raises(InputError, match="line 3: from here on the objects are names"):
        next(chunks)


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
@pytest.mark.parametrize("rows_per_chunk", CHUNK_SIZES)
def test_rows_that_repeat_an_object_are_skipped_also_if_they_fill_a_chunk(rows_per_chunk):
    rows = b"central,other_1,other_2\n" + b"0,1,2\n" + b"0,0,1\n" * 20 + b"2,1,0\n"
    options = {"n_objects": 3, "skip_repeated": True}

    whole = read_comparisons(io.BytesIO(rows), **options)
    chunks = read_in_chunks(io.BytesIO(rows), rows_per_chunk=rows_per_chunk, **options)

    assert_same(chunks, whole)


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_a_file_of_nothing_but_repeats_is_refused():
    rows = io.BytesIO(b"anchor,closer,farther\n" + b"0,0,1\n" * 20)

    with pytest.raises(InputError, match=r"all 20 rows repeat .* no rows are left"):
        list(read_in_chunks(rows, n_objects=3, skip_repeated=True, rows_per_chunk=7))


@pytest.mark.parametrize(
    ("rows", "error"), [(0, InputError), (1.5, InputError), (True, InputKindError)]
)
def test_a_chunk_has_at_least_one_row(rows, error):
    with pytest.raises(error, match="rows_per_chunk"):
        read_in_chunks(io.BytesIO(b""), rows_per_chunk=rows)


@pytest.mark.parametrize("seed", range(5))
def test_similarity_and_summary_of_chunks_are_those_of_the_whole(seed):
    rng = np.random.default_rng(seed)
    rows = random_answers(seed, n_answers=rng.integers(1, 12), n_objects=6)
    other = random_answers(seed + 100, n_answers=rng.integers(1, 12), n_objects=6) + 6
    whole = Comparisons.from_triplets(
        np.concatenate([rows, other, other]),
        n_objects=14,
        counts=rng.integers(1, 4, len(rows) + 2 * len(other)) if seed % 2 else None,
    )
    chunks = [whole[start : start + 3] for start in range(0, whole.n_rows, 3)]

    summary, expected = summarise_chunks(iter(chunks)), whole.summary()

    np.testing.assert_array_equal(
        adds_similarity_of_chunks(iter(chunks)), adds_similarity(whole, repeats="net")
    )
    for name in (
        "n_objects", "n_comparisons", "n_pairs_never_compared", "never_named", "parts"
    ):  # fmt: skip
        assert getattr(summary, name) == getattr(expected, name)
    assert set(str(summary).splitlines()[2:]) <= set(str(expected).splitlines())
    assert summary.warnings() == [text for text in expected.warnings() if "both ways" not in text]
    assert concatenate(chunks) == whole


def test_chunks_must_be_about_the_same_objects():
    a, b = (Comparisons.from_triplets([[0, 1, 2]], n_objects=n) for n in (3, 4))

    for function in (summarise_chunks, adds_similarity_of_chunks):
        with pytest.raises(InputError, match="chunk 1: expected 3 objects"):
            function([a, b])
        with pytest.raises(InputError, match="at least one chunk"):
            function([])
        with pytest.raises(InputKindError, match="single"):
            function(a)
        with pytest.raises(InputKindError, match="chunk 0"):
            function([3])


PROGRAM = """
import resource, sys
import numpy as np
import ordlink, ordlink.methods.adds
from ordlink.comparisons import ListedComparisons

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

if sys.argv[2] == "write":
    rows = np.arange(5_000_000, dtype=np.int32)
    ordlink.write_comparisons(
        ListedComparisons(n_objects=240, winners=rows % 28_680, losers=(rows + 1) % 28_680),
        sys.argv[1],
    )
else:
    list(ordlink.read_in_chunks(sys.argv[3]))  # loads what reading needs
    before = peak()
    chunks = ordlink.read_in_chunks(sys.argv[1], rows_per_chunk=200_000)
    print(int(ordlink.methods.adds.adds_similarity_of_chunks(chunks).sum()), peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is counted in KiB only there")
def test_reading_in_chunks_takes_the_memory_of_a_few_chunks(tmp_path):
    """5 million rows are 40 MB of pair ids and 80 MB of columns; a chunk is a 25th of that."""
    path, small = tmp_path / "answers.parquet", tmp_path / "small.parquet"
    write_comparisons(Comparisons.from_triplets([[0, 1, 2]] * 200_000), small)

    def run(what: str) -> str:
        command = [sys.executable, "-c", PROGRAM, str(path), what, str(small)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    run("write")
    total, growth = run("read").split()

    assert int(total) == 0
    assert int(growth) < 60


@pytest.mark.parametrize("extension", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("rows_per_chunk", CHUNK_SIZES)
def test_a_later_block_of_our_own_file_without_rows_is_no_chunk(
    tmp_path, extension, rows_per_chunk
):
    whole = Comparisons.from_triplets(random_answers(5), n_objects=9)
    path = tmp_path / f"answers.{extension}"
    write_comparisons(whole, path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:40], *[""] * 300, *lines[40:], *[""] * 300]) + "\n")

    chunks = list(read_in_chunks(path, rows_per_chunk=rows_per_chunk))

    assert_same(chunks, whole)
    assert all(chunk.n_rows for chunk in chunks[1:])
    assert read_comparisons(path) == whole


@pytest.mark.parametrize("extension", ["csv", "jsonl"])
@pytest.mark.parametrize("rows_per_chunk", CHUNK_SIZES)
def test_a_later_block_of_a_table_without_rows_is_no_chunk(extension, rows_per_chunk):
    rows = random_answers(6).tolist()
    if extension == "csv":
        lines = ["anchor,closer,farther", *(",".join(map(str, row)) for row in rows)]
    else:
        keys = ("anchor", "closer", "farther")
        lines = [str(dict(zip(keys, row, strict=True))).replace("'", '"') for row in rows]
    table = "\n".join([*lines[:20], *[""] * 300, *lines[20:], *[""] * 300]).encode()
    options = {"n_objects": 9, "format": extension}

    chunks = list(read_in_chunks(io.BytesIO(table), rows_per_chunk=rows_per_chunk, **options))

    assert_same(chunks, read_comparisons(io.BytesIO(table), **options))
    assert all(chunk.n_rows for chunk in chunks)
    assert sum(chunk.n_rows for chunk in chunks) == 60


@pytest.mark.parametrize("extension", ["csv", "jsonl"])
def test_a_stream_that_has_no_lines_is_refused_by_its_kind(extension):
    class Stream:
        read = io.BytesIO(b"").read

    with pytest.raises(InputKindError, match="expected a file object with readlines"):
        list(read_in_chunks(Stream(), format=extension, names=["a", "b", "c"]))
