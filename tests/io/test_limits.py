"""Small files that unpack to much are refused before they do."""

from __future__ import annotations

import gzip
import io
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ordlink.errors import InputError
from ordlink.io import read_comparisons, read_in_chunks, write_comparisons
from ordlink.io._source import MOST_TEXT, check_unpacked
from tests.io.make_samples import FOLDER

COLUMNS = ("anchor", "closer", "farther")


def refused(content: io.BytesIO, extension: str, read=read_comparisons) -> str:
    content.seek(0)
    with pytest.raises(InputError) as caught:
        read(content, format=extension)
    return str(caught.value)


@pytest.mark.parametrize(("dtype", "n"), [("<i8", 3_000_000), ("|u1", 30_000_000)])
def test_arrays_that_unpack_to_too_many_bytes(dtype, n):
    content = io.BytesIO()
    np.savez_compressed(content, **{name: np.zeros(n, dtype) for name in COLUMNS})

    assert "beyond the limit" in refused(content, "npz")


def test_arrays_that_unpack_to_too_many_rows_or_cells():
    many_rows, many_cells = io.BytesIO(), io.BytesIO()
    np.savez_compressed(many_rows, **{name: np.zeros(9_000_000, np.uint8) for name in COLUMNS})
    np.savez_compressed(many_cells, **{f"c{n}": np.zeros(7_000_000, np.uint8) for n in range(4)})

    assert "9,000,000 rows, beyond the limit of 8,000,000" in refused(many_rows, "npz")
    assert "28,000,000 cells, beyond the limit of 24,000,000" in refused(many_cells, "npz")


@pytest.mark.parametrize("read", [read_comparisons, lambda *a, **b: list(read_in_chunks(*a, **b))])
@pytest.mark.parametrize(
    ("column", "dictionary"),
    [
        (pa.array(np.zeros(9_000_000, dtype=np.int64)), True),
        (pa.array(np.zeros(9_000_000, dtype=np.int64)), False),
        (pa.array(["x" * 1000] * 100_000), True),
    ],
)
def test_parquet_that_unpacks_to_too_much(column, dictionary, read):
    content = io.BytesIO()
    table = pa.table(dict.fromkeys(COLUMNS, column))
    pq.write_table(table, content, compression="zstd", use_dictionary=dictionary)

    def with_names(*given, **options):
        return read(*given, names=["x", "y", "z"], **options)

    assert len(content.getvalue()) < 1_000_000
    assert "beyond the limit" in refused(content, "parquet", with_names)


@pytest.mark.parametrize("read", [read_comparisons, lambda *a, **b: list(read_in_chunks(*a, **b))])
def test_parquet_whose_long_text_is_repeated(read):
    """However large the file is, a text of megabytes is no name."""
    text = np.random.default_rng(0).bytes(2_500_000).hex()
    table = pa.table(dict.fromkeys(COLUMNS, pa.array([text] * 20)))
    content = io.BytesIO()
    pq.write_table(table, content, compression=None, dictionary_pagesize_limit=1 << 30)

    def with_names(*given, **options):
        return read(*given, names=["x", "y", "z"], **options)

    assert 60 * len(text) < 50 * len(content.getvalue())  # within what short texts may unpack to
    assert "beyond the limit" in refused(content, "parquet", with_names)


def test_what_is_well_packed_is_read(tmp_path):
    """A million answers about few objects pack well, and are no bomb."""
    from ordlink.comparisons import Comparisons

    rows = np.argsort(np.random.default_rng(0).random((300_000, 3)), axis=1)
    for extension in ("npz", "parquet"):
        path = tmp_path / f"answers.{extension}"
        write_comparisons(Comparisons.from_triplets(rows), path)
        assert read_comparisons(path).n_rows == 300_000
    content = io.BytesIO()
    np.savez_compressed(content, **dict(zip(COLUMNS, rows.T, strict=True)))
    content.seek(0)
    assert read_comparisons(content, format="npz").n_rows == 300_000


def test_the_limits_grow_with_the_file():
    size = 100 << 20
    for most in (
        {"unpacked": 10 * size},
        {"unpacked": 2 * size, "n_cells": 1},
        {"unpacked": 10 * size, "bound": MOST_TEXT},
        {"n_cells": 4 * size},
        {"n_rows": size // 2},
    ):
        check_unpacked("a", size, **most)
        name = next(iter(most))
        with pytest.raises(InputError, match="beyond the limit"):
            check_unpacked("a", size, **{**most, name: most[name] + 1})


@pytest.mark.parametrize("extension", ["csv.gz", "npz", "parquet"])
def test_what_does_not_pack_hides_nothing_that_packs_too_well(tmp_path, extension):
    """A file of some size that is mostly noise may not unpack to many times its size."""
    path = tmp_path / f"answers.{extension}"
    noise = np.random.default_rng(0).bytes(8 << 20)
    if extension == "csv.gz":
        packed = [gzip.compress(noise, 0), gzip.compress(b"0,1,2\n" * (18 << 20), 1)]
        path.write_bytes(b"".join(packed))
    elif extension == "npz":
        arrays = {name: np.zeros(8_500_000, np.uint8) for name in COLUMNS}
        np.savez_compressed(path, **arrays, noise=np.frombuffer(noise, np.uint8))
    else:
        zeros = pa.array(np.zeros(8_500_000, np.int8))
        names = pa.array([noise[: 5 << 20].hex(), *[""] * (len(zeros) - 1)])
        pq.write_table(pa.table({**dict.fromkeys(COLUMNS, zeros), "noise": names}), path)

    assert path.stat().st_size > 8_000_000
    with pytest.raises(InputError, match="beyond the limit"):
        read_comparisons(path)


def test_a_member_that_is_larger_than_it_says():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("anchor.npy", bytes(70 << 20))
    data = content.getvalue()
    lie = data.replace((70 << 20).to_bytes(4, "little"), (100).to_bytes(4, "little"))

    assert data != lie
    assert "not readable as NPZ" in refused(io.BytesIO(lie), "npz")


def _edited(name: str, member: str, old: bytes, new: bytes) -> io.BytesIO:
    """Return a sample with a part of one of its files replaced."""
    stream = io.BytesIO()
    with zipfile.ZipFile(FOLDER / name) as before, zipfile.ZipFile(stream, "w", 8) as after:
        for part in before.namelist():
            content = before.read(part)
            after.writestr(part, content.replace(old, new) if part == member else content)
            assert part != member or old in content
    return stream


FAR_CELL = b'<row r="1048576"><c r="XFD1048576" t="n"><v>1</v></c></row></sheetData>'
MANY_ROWS = (
    b'<table:table-row table:number-rows-repeated="100000"><table:table-cell '
    b'office:value-type="string" table:number-columns-repeated="1000"><text:p>x</text:p>'
    b"</table:table-cell></table:table-row></table:table>"
)


def test_sheets_whose_cells_lie_far_apart():
    far = _edited("odd_sheet.xlsx", "xl/worksheets/sheet1.xml", b"</sheetData>", FAR_CELL)
    many = _edited("auto_sheet.ods", "content.xml", b"</table:table>", MANY_ROWS)

    assert "a sheet spans 17,179,869,184 cells" in refused(far, "xlsx")
    assert "a sheet spans 100," in refused(many, "ods")


def test_a_packed_sheet_that_unpacks_to_too_much():
    zeros = _edited(
        "odd_sheet.xlsx", "xl/worksheets/sheet1.xml", b"</sheetData>", b" " * (70 << 20)
    )

    assert "beyond the limit" in refused(zeros, "xlsx")


def test_formulas_and_links_do_nothing(tmp_path):
    formula = b'<c r="C2" t="str"><f>WEBSERVICE("http://127.0.0.1:1/x")</f><v>Tiger</v></c>'
    sample = FOLDER / "odd_sheet.xlsx"
    with zipfile.ZipFile(sample) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml")
    start = sheet.index(b'<c r="C2"')
    cell = sheet[start : sheet.index(b"</c>", start) + 4]
    linked = _edited("odd_sheet.xlsx", "xl/worksheets/sheet1.xml", cell, formula)
    linked.seek(0)

    read = read_comparisons(linked, format="xlsx", form="odd-one-out", tell=lambda _: None)

    assert "Tiger" in (read.names or ())
    assert read.n_objects == 12


@pytest.mark.parametrize("suffix", [".gz", ".zip"])
def test_packed_text_that_unpacks_to_too_much(tmp_path, suffix):
    path = tmp_path / f"answers.csv{suffix}"
    text = b"anchor,closer,farther\n" + b"0,1,2\n" * (12 << 20)
    if suffix == ".gz":
        path.write_bytes(gzip.compress(text, 1))
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("answers.csv", text)

    with pytest.raises(InputError, match="beyond the limit"):
        read_comparisons(path)
