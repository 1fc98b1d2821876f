"""Folders of Parquet files, read in pieces: the same results as from arrays."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ordlink as ol
from ordlink.cli import _pieces, run
from ordlink.comparisons import summarise_chunks
from ordlink.errors import InputError
from ordlink.io import parquet_rows, read_in_chunks
from ordlink.methods.adds import cluster_chunks
from ordlink.metrics import comparison_accuracy, comparison_accuracy_of_chunks

N_OBJECTS = 12
COLUMNS = ("anchor", "closer", "farther")


@pytest.fixture
def rows() -> np.ndarray:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=3, seed=0)
    found = ol.datasets.simulate_answers(planted.similarities, 900, seed=1)
    return np.concatenate([found, found[:100, [0, 2, 1]]])  # some contradict others


@pytest.fixture
def folder(rows: np.ndarray, tmp_path: Path) -> Path:
    for number, part in enumerate(np.array_split(rows, 3)):
        write(tmp_path / f"part-{number}.parquet", part)
    return tmp_path


def write(path: Path, part: np.ndarray, **how: object) -> None:
    pq.write_table(pa.table(dict(zip(COLUMNS, part.T, strict=True))), path, **how)


@pytest.fixture
def whole(rows: np.ndarray) -> ol.ListedComparisons:
    return ol.Comparisons.from_triplets(rows, n_objects=N_OBJECTS)


def net_tree(comparisons: ol.ListedComparisons) -> ol.Hierarchy:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ol.errors.OrdlinkWarning)
        return ol.cluster(comparisons, "AddS-AL", repeats="net")


def test_pieces_of_a_folder_are_its_rows(folder: Path, whole: ol.ListedComparisons) -> None:
    chunks = list(read_in_chunks(folder, rows_per_chunk=70))

    assert {chunk.n_objects for chunk in chunks} == {N_OBJECTS}
    assert len(chunks) == 15  # 334, 333 and 333 rows
    np.testing.assert_array_equal(
        np.concatenate([chunk.quadruplets for chunk in chunks]), whole.quadruplets
    )
    assert parquet_rows([str(folder)]) == 1000


def test_trees_and_measures_of_pieces_are_those_of_arrays(
    folder: Path, whole: ol.ListedComparisons
) -> None:
    expected = net_tree(whole)

    tree = cluster_chunks(read_in_chunks(folder, rows_per_chunk=70))

    np.testing.assert_array_equal(tree.merges, expected.merges)
    np.testing.assert_array_equal(tree.scores, expected.scores)
    chunks = read_in_chunks(folder, rows_per_chunk=70)
    accuracy = comparison_accuracy_of_chunks(chunks, tree)
    assert accuracy == pytest.approx(comparison_accuracy(whole, tree), abs=1e-12)
    summary, of_whole = summarise_chunks(read_in_chunks(folder)), summarise_chunks([whole])
    assert vars(summary) == vars(of_whole)


def test_counts_and_names_of_pieces() -> None:
    names = ["ant", "bee", "cat", "dog"]
    first = ol.Comparisons.from_triplets([[0, 1, 2], [0, 2, 3]], names=names, counts=[3, 1])
    second = ol.Comparisons.from_triplets([[2, 3, 0], [1, 0, 3]], names=names)
    whole = ol.Comparisons.from_triplets(
        [[0, 1, 2], [0, 2, 3], [2, 3, 0], [1, 0, 3]], names=names, counts=[3, 1, 1, 1]
    )

    tree = cluster_chunks([first, second])

    assert tree.names == tuple(names)
    assert tree.merges.tolist() == ol.cluster(whole, "AddS-AL", repeats="net").merges.tolist()
    accuracy = comparison_accuracy_of_chunks([first, second], tree)
    assert accuracy == pytest.approx(comparison_accuracy(whole, tree))


def test_without_statistics_the_objects_must_be_given(rows: np.ndarray, tmp_path: Path) -> None:
    for number in range(2):
        write(tmp_path / f"{number}.parquet", rows, write_statistics=False)

    with pytest.raises(InputError, match="needs the objects up front"):
        list(read_in_chunks(tmp_path))
    assert sum(c.n_rows for c in read_in_chunks(tmp_path, n_objects=N_OBJECTS)) == 2000


def test_other_files_have_no_known_rows(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("anchor,closer,farther\n0,1,2\n")

    assert parquet_rows([str(tmp_path)]) == parquet_rows([str(tmp_path / "a.csv")]) == 0


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_pieces, "available_memory", lambda: 10_000.0)


@pytest.mark.usefixtures("little_memory")
def test_commands_read_in_pieces_what_does_not_fit(
    folder: Path, whole: ol.ListedComparisons, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "results"

    assert run(["describe", str(folder)]) == 0
    described = capsys.readouterr()
    words = ["cluster", str(folder), "--method", "AddS-AL", "--clusters", "4", "--out", str(out)]
    assert run(words) == 0

    assert "comparisons             1,000\n" in described.out
    assert "1,000 rows would need about 0.000050 GB" in described.err
    assert "12 objects, 1,000 rows, AddS-AL\n" in capsys.readouterr().out
    expected = net_tree(whole)
    written = ol.Hierarchy.load(out / "tree.json")
    np.testing.assert_array_equal(written.merges, expected.merges)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cluster"], "auto needs answers that fit into memory; use --method AddS-AL"),
        (["cluster", "--method", "AddS-AL", "--support", "9"], "--support needs answers that fit"),
        (["cluster", "--method", "AddS-AL", "--merge-names"], "--merge-names needs answers that"),
        (["describe", "--methods-text"], "--methods-text needs answers that fit into memory"),
    ],
)
def test_what_needs_all_answers_is_refused(
    words: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([words[0], str(folder), *words[1:]]) == 2
    assert message in capsys.readouterr().err
