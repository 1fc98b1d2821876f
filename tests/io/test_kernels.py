"""The fast way to read our own files equals the slow one, and names the same bad rows."""

from __future__ import annotations

import numpy as np
import pytest

from ordlink.comparisons import Comparisons, ListedComparisons, n_pairs, pair_ids
from ordlink.errors import InputError
from ordlink.io import read_comparisons, write_comparisons
from ordlink.io._kernels import pairs_of_rows

EXTENSIONS = ("csv", "tsv", "parquet", "npz", "jsonl")
BAD_ROWS = ((0, 1, 0, 7), (0, 7, 2, 3), (0, -1, 2, 3), (4, 4, 2, 3), (0, 1, 1, 0), (0, 1, 3, 3))


@pytest.fixture
def kernels_for_all(monkeypatch):
    monkeypatch.setattr("ordlink.io._own.KERNEL_ROWS", 1)


@pytest.mark.parametrize("run", [pairs_of_rows, pairs_of_rows.py_func])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_rows_become_pair_ids(run, dtype):
    n = 7
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    rows = np.array([(*e, *f) for e in pairs for f in pairs if set(e) != set(f)], dtype=dtype)
    columns = [np.ascontiguousarray(column) for column in rows.T]
    winners, losers = (np.empty(len(rows), dtype=np.int32) for _ in range(2))

    assert run(*columns, n, winners, losers)
    np.testing.assert_array_equal(winners, pair_ids(rows[:, 0], rows[:, 1], n))
    np.testing.assert_array_equal(losers, pair_ids(rows[:, 2], rows[:, 3], n))


@pytest.mark.parametrize("run", [pairs_of_rows, pairs_of_rows.py_func])
@pytest.mark.parametrize("bad", BAD_ROWS)
def test_bad_rows_are_noticed(run, bad):
    columns = [
        np.array([good, entry], dtype=np.int32) for good, entry in zip(range(4), bad, strict=True)
    ]
    winners, losers = (np.empty(2, dtype=np.int32) for _ in range(2))

    assert not run(*columns, 7, winners, losers)


def test_ids_of_the_most_objects_do_not_overflow():
    columns = [np.array([item], dtype=np.int32) for item in (65_533, 65_534, 0, 1)]
    winners, losers = (np.empty(1, dtype=np.int32) for _ in range(2))

    assert pairs_of_rows(*columns, 65_535, winners, losers)
    assert (winners[0], losers[0]) == (n_pairs(65_535) - 1, 0)


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize("in_order", [True, False])
def test_rows_in_order_are_known_to_be_distinct(tmp_path, kernels_for_all, extension, in_order):
    similarities = np.add.outer(*[np.random.default_rng(0).random(8)] * 2)
    sampled = Comparisons.from_similarities(similarities, 0.5, seed=0)
    whole = sampled if in_order else sampled[::-1]
    path = tmp_path / f"answers.{extension}"

    write_comparisons(whole, path)
    read = read_comparisons(path)

    assert read == whole
    assert read.distinct == in_order


@pytest.mark.parametrize("bad", BAD_ROWS)
def test_both_ways_name_the_same_row(tmp_path, monkeypatch, bad):
    import pyarrow as pa
    import pyarrow.parquet

    rows = np.array([(0, 1, 2, 3)] * 30 + [bad], dtype=np.int32)
    header = {"ordlink": '{"ordlink-comparisons": 1, "n_objects": 7}'}
    table = pa.table(dict(zip("ijkl", rows.T.copy(), strict=True)), metadata=header)
    path = tmp_path / "answers.parquet"
    pyarrow.parquet.write_table(table, path, row_group_size=10)
    messages = []
    for n_rows in (1, 1000):
        monkeypatch.setattr("ordlink.io._own.KERNEL_ROWS", n_rows)
        with pytest.raises(InputError, match="row 30") as caught:
            read_comparisons(path)
        messages.append(str(caught.value))

    assert messages[0] == messages[1]


@pytest.mark.parametrize("kind", ["uint8", "int16", "int64", "float64", "string"])
def test_other_kinds_of_columns_are_read(tmp_path, kernels_for_all, kind):
    import pyarrow as pa
    import pyarrow.parquet

    whole = ListedComparisons(n_objects=4, winners=np.array([1, 5]), losers=np.array([2, 0]))
    header = {"ordlink": '{"ordlink-comparisons": 1, "n_objects": 4}'}
    table = pa.table(dict(zip("ijkl", whole.quadruplets.T.copy(), strict=True)))
    table = table.cast(pa.schema([(name, kind) for name in "ijkl"])).replace_schema_metadata(header)
    path = tmp_path / "answers.parquet"
    pyarrow.parquet.write_table(table, path)

    assert read_comparisons(path) == whole
