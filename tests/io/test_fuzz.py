"""Damaged files give comparisons or an InputError, nothing else, and do not hang."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import random
import time
import zipfile

import numpy as np
import pytest

from ordlink.comparisons import AnswerDetails, Comparisons, ListedComparisons
from ordlink.errors import InputError
from ordlink.io import read_comparisons, read_names, write_comparisons
from tests.damage import mutate
from tests.io.make_samples import FOLDER

resource = pytest.importorskip("resource", reason="Windows does not say how much memory it took")

N_MUTATIONS = int(os.environ.get("ORDLINK_FUZZ", "600"))
"""Damaged files in all; more with the environment variable ORDLINK_FUZZ."""

MEMORY_BEFORE = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

PIECES = (
    b"\n",
    b"\r",
    b",",
    b'"',
    b"\0",
    b"-1",
    b"60000",
    b"2000000000",
    b"99999999999999999999",
    b"3.5",
    b"1e9",
    b"nan",
    b"\xff\xfe",
    b"\xe9",
    b"# n_objects: 65535\n",
    b"[" * 3000,
    b'{"i": 1}\n',
    b"true",
    b"\\ud800",
)


def _rich() -> ListedComparisons:
    details = AnswerDetails(
        answers=np.array([0, 0, 1, 2], dtype=np.int32),
        annotators=np.array(["ann", "", "b,\nc", "é"], dtype=object),
        times=np.array(["2024-01-01", "", "t", "u"], dtype=object),
        response_times=np.array([0.5, np.nan, 12.25, 1e-3]),
        chose_first=np.array([1.0, np.nan, 0.0, 1.0]),
    )
    return ListedComparisons(
        n_objects=5,
        winners=np.array([0, 3, 9, 4], dtype=np.int32),
        losers=np.array([1, 2, 0, 5], dtype=np.int32),
        names=("frog", "frog", "a,b", 'q"', "ü"),
        counts=np.array([1, 2, 1, 7], dtype=np.int32),
        details=details,
    )


def _own_files(folder) -> list[tuple[str, bytes]]:
    triplets = np.argsort(np.random.default_rng(0).random((40, 9)), axis=1)[:, :3]
    files = []
    for comparisons in (_rich(), Comparisons.from_triplets(triplets)):
        for extension in ("csv", "tsv", "parquet", "npz", "jsonl"):
            path = folder / f"valid.{extension}"
            write_comparisons(comparisons, path)
            files.append((extension, path.read_bytes()))
    return files


def _foreign_files() -> list[tuple[str, bytes]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = np.argsort(np.random.default_rng(1).random((30, 8)), axis=1)[:, :3]
    names = [[f"car {entry}" for entry in row] for row in rows.tolist()]
    columns = dict(zip(("anchor", "closer", "farther"), rows.T.copy(), strict=True))
    parquet, npz = io.BytesIO(), io.BytesIO()
    pq.write_table(pa.table(columns), parquet)
    np.savez_compressed(npz, **columns)
    text = "anchor,closer,farther,worker,rt,count\n" + "".join(
        f"{i},{j},{k},w{i},{j}.5,{k + 1}\n" for i, j, k in rows.tolist()
    )
    lines = "".join(
        f'{{"central": "{i}", "other_1": "{j}", "other_2": "{k}"}}\n' for i, j, k in names
    )
    named = "".join(f'"{i}";"{j}";{k};bus\r\n' for i, j, k in names)
    return [
        ("csv", text.encode()),
        ("csv", named.encode()),
        ("jsonl", lines.encode()),
        ("parquet", parquet.getvalue()),
        ("npz", npz.getvalue()),
    ]


def _mutate_member(content: bytes, others: list[bytes], draw: random.Random) -> bytes:
    """Damage what a packed file holds, which spreadsheets do too, so that its checksum holds."""
    if content.startswith(b"\x1f\x8b"):
        return gzip.compress(mutate(gzip.decompress(content), others, PIECES, draw), mtime=0)
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w") as new:
        names = old.namelist()
        damaged = draw.choice(names)
        for name in names:
            member = old.read(name)
            new.writestr(name, mutate(member, others, PIECES, draw) if name == damaged else member)
    return stream.getvalue()


def _trial_files() -> list[tuple[str, bytes]]:
    """Return samples of trials, short ones: every extension and several layouts."""
    names = """odd_name.csv auto_german_utf16.csv auto_jspsych.json auto_jspsych.csv odd_sheet.xlsx
        auto_sheet.ods auto_columns.parquet auto_qualtrics_odd.csv odd_tab.txt auto_pick_lists.csv
        auto_salmon.csv pairs_places.csv auto_lines.jsonl auto_title.xlsx auto_title.csv
        auto_german.csv auto_forms.csv auto_gorilla_events.csv auto_jatos.txt auto_marks.csv
        auto_lists.csv auto_pairs_less.csv odd_packed.csv.gz odd_people.zip auto_sosci.csv
        auto_row_per_item.csv auto_sheet_per_person.xlsx auto_other_sheet.xlsx auto_question.csv
        auto_header_again.csv auto_pair_in_cell.csv auto_sessions.json auto_sessions.csv
        auto_tasks.json auto_candidates.json auto_keyed.json auto_pairs.jsonl auto_frames.txt
        auto_codes.xlsx auto_numbered.csv auto_roles.csv odd_raters.csv auto_keys_per_row.csv"""
    return [(n.partition(".")[2], (FOLDER / n).read_bytes()) for n in names.split()]


@pytest.fixture(scope="module")
def valid_files(tmp_path_factory):
    return _own_files(tmp_path_factory.mktemp("valid")) + _foreign_files() + _trial_files()


def test_the_files_that_are_damaged_here_are_valid(valid_files):
    for extension, content in valid_files[: -len(_trial_files())]:
        assert len(read_comparisons(io.BytesIO(content), format=extension)) > 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("chunk", range(10))
def test_damaged_files_give_comparisons_or_an_input_error(valid_files, tmp_path, chunk):
    others = [content for _, content in valid_files]
    outcomes = {"read": 0, "refused": 0}
    worst = (0.0, 0, "")
    longest = 0.0

    for number in range(chunk, N_MUTATIONS, 10):
        draw = random.Random(number)
        extension, content = valid_files[number // 10 % len(valid_files)]
        inside = extension in ("xlsx", "ods", "zip", "csv.gz") and number % 3
        damaged = (
            _mutate_member(content, others, draw)
            if inside
            else mutate(content, others, PIECES, draw)
        )
        forms = (None, None, None, "triplet", "quadruplet", "odd-one-out")
        options = {"form": draw.choice(forms), "merge_names": draw.random() < 0.2}
        path = tmp_path / f"damaged.{extension}"
        path.write_bytes(damaged)
        packed = extension in ("zip", "csv.gz")  # known by its name
        source = path if number % 2 or packed else io.BytesIO(damaged)
        start, start_cpu = time.perf_counter(), time.process_time()
        try:
            format_ = None if packed else extension
            comparisons = read_comparisons(source, format=format_, **options)
        except InputError as error:
            assert str(error).startswith(str(path) if source is path else "input"), str(error)
            outcomes["refused"] += 1
        else:
            _check_sound(comparisons)
            outcomes["read"] += 1
        with contextlib.suppress(InputError):
            read_names(path if source is path else io.BytesIO(damaged))
        # Of all threads: a busy machine stalls whoever reads.
        worst = max(worst, (time.process_time() - start_cpu, number, extension))
        longest = max(longest, time.perf_counter() - start)

    assert min(outcomes.values()) > 0, outcomes
    seconds, number, extension = worst
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{outcomes}, at worst {seconds:.2f} s of CPU time (file {number}, {extension})")
    print(f"the longest took {longest:.2f} s; {memory} MB so far")
    assert seconds < 2
    assert memory < MEMORY_BEFORE + 1000


def _check_sound(comparisons: ListedComparisons) -> None:
    """What was read holds together: pairs exist, columns have equal length."""
    n_objects = comparisons.n_objects
    pairs = n_objects * (n_objects - 1) // 2
    for ids in (comparisons.winners, comparisons.losers):
        assert ids.dtype == np.int32
        assert ids.size == 0 or 0 <= ids.min() <= ids.max() < pairs
    assert not (comparisons.winners == comparisons.losers).any()
    assert comparisons.names is None or len(comparisons.names) == n_objects
    columns = {} if comparisons.details is None else comparisons.details.columns
    assert all(len(column) == comparisons.n_rows for column in columns.values())
    assert comparisons.counts is None or comparisons.counts.min(initial=1) >= 1
    for text in (*(comparisons.names or ()), *columns.get("annotators", ())):
        text.encode()


@pytest.mark.parametrize("largest", [59_999, 65_534])
def test_one_large_number_takes_no_memory(largest):
    import tracemalloc

    content = f"0,1,2\n{largest},1,2\n".encode()
    read_comparisons(io.BytesIO(b"0,1,2\n"), form="triplet")  # imports

    tracemalloc.start()
    comparisons = read_comparisons(io.BytesIO(content), form="triplet")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert comparisons.n_objects == largest + 1
    assert peak < 5_000_000
