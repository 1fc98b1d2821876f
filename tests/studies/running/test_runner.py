"""Cells run on all cores, go on after a kill, run alone, and never mix with other versions."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ordlink.errors import InputError
from studies.running import Experiment, cell_key, load_results, run_cell, run_cells, seed_of
from tests.studies.sample_cells import GATE, clock, fail_on_odd, sample
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


def without_seconds(rows: list[dict]) -> list[dict]:
    return [{name: row[name] for name in row if not name.endswith("seconds")} for row in rows]


def start_run(folder: Path, marker: Path | str = "") -> subprocess.Popen:
    """Start a run that never ends: half of its cells wait for a file that never comes."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.studies.sample_cells", str(folder), str(marker)],
        cwd=ROOT,
        env=os.environ | {GATE: str(folder / "never")},
        start_new_session=True,
        # A shell's background jobs ignore Ctrl-C, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def n_parts(folder: Path) -> int:
    return len(list(folder.glob("sample/parts-v1/*.parquet")))


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    folder = tmp_path_factory.mktemp("uninterrupted")
    run_cells(sample(), folder, n_processes=1, progress=False)
    return load_results(sample(), folder)


@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT"])
def test_a_killed_run_goes_on_and_gives_the_same_table(name, uninterrupted, tmp_path) -> None:
    how = getattr(signal, name)
    run = start_run(tmp_path)
    wait_until(lambda: n_parts(tmp_path) == 20, "the cells that do not wait are not finished")

    # As a terminal does: Ctrl-C reaches the workers too, and kill -9 the parent alone.
    os.killpg(run.pid, how) if how == signal.SIGINT else os.kill(run.pid, how)
    run.wait(timeout=PATIENCE)
    n_before = len({row["cell"] for row in load_results(sample(), tmp_path)})
    summary = run_cells(sample(), tmp_path, progress=False)

    assert n_before == summary.n_run == 20
    assert without_seconds(load_results(sample(), tmp_path)) == without_seconds(uninterrupted)
    table = tmp_path / "sample" / "results-v1.parquet"
    assert sorted((tmp_path / "sample").iterdir()) == [table]
    assert pq.read_table(table).num_rows == 80


def test_a_second_run_in_the_same_folder_is_refused_until_the_first_is_gone(tmp_path) -> None:
    run = start_run(tmp_path)
    wait_until(lambda: n_parts(tmp_path) >= 1, "no cell is finished")

    with pytest.raises(InputError, match="another run is at work in this folder; wait until"):
        run_cells(sample(), tmp_path, progress=False)

    os.kill(run.pid, signal.SIGKILL)
    run.wait(timeout=PATIENCE)
    assert run_cells(sample(), tmp_path, progress=False).n_run > 0


def test_workers_do_not_outlive_a_killed_run_even_within_a_long_cell(tmp_path) -> None:
    marker = tmp_path / "started"
    run = start_run(tmp_path, marker)
    wait_until(marker.exists, "no cell starts")
    n_processes = len(_session(run.pid))

    os.kill(run.pid, signal.SIGKILL)
    run.wait(timeout=PATIENCE)

    assert n_processes >= 2
    wait_until(lambda: not _session(run.pid), "workers outlive their parent")


def _session(leader: int) -> list[str]:
    if not Path("/proc/self/stat").exists():
        pytest.skip("processes are looked up in /proc")
    alive = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session = stat.read_text().rsplit(")", 1)[1].split()[:4]
        except OSError:
            continue
        if session == str(leader) and state != "Z":
            alive.append(stat.parent.name)
    return alive


def test_one_cell_alone_gives_the_same_number(uninterrupted, monkeypatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")

    alone = run_cell(sample(), {"repetition": 7, "size": 4})

    from_run = [row for row in uninterrupted if row["repetition"] == 7]
    assert [row["value"] for row in alone] == [row["value"] for row in from_run]
    assert alone[0]["value"] != uninterrupted[0]["value"]


def test_workers_use_one_thread_and_the_environment_is_left_as_it_was(
    uninterrupted, tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")

    run_cells(sample(2), tmp_path, progress=False)

    assert {row["value"] for row in uninterrupted if row["method"] == "threads"} == {1.0}
    assert os.environ["OMP_NUM_THREADS"] == "7"


def test_a_finished_run_runs_nothing_and_a_larger_grid_only_what_is_new(tmp_path) -> None:
    run_cells(sample(3), tmp_path, progress=False)

    again = run_cells(sample(3), tmp_path, progress=False)
    larger = run_cells(sample(5), tmp_path, progress=False)

    assert (again.n_run, larger.n_run) == (0, 2)
    assert len(load_results(sample(5), tmp_path)) == 10
    assert [row["repetition"] for row in load_results(sample(2), tmp_path)] == [0, 0, 1, 1]


def test_another_version_never_sees_old_results(tmp_path) -> None:
    run_cells(sample(2), tmp_path, progress=False)
    changed = dataclasses.replace(sample(2), version=2)

    assert load_results(changed, tmp_path) == []
    assert run_cells(changed, tmp_path, progress=False).n_run == 2


def test_a_failing_cell_is_reported_and_tried_again_and_stops_no_other(tmp_path) -> None:
    mended = tmp_path / "mended"
    cells = tuple({"number": number, "mended": str(mended)} for number in range(6))
    experiment = Experiment("odd", 1, fail_on_odd, cells)

    first = run_cells(experiment, tmp_path, n_processes=2, progress=False)
    values = [row["value"] for row in load_results(experiment, tmp_path)]
    mended.touch()
    second = run_cells(experiment, tmp_path, progress=False)

    assert values == [0, 2, 4]
    messages = {failure.parameters["number"]: str(failure) for failure in first.failures}
    assert sorted(messages) == [1, 3, 5]
    assert "'number': 3" in messages[3] and "ValueError: 3 is odd" in messages[3]
    assert "exit code 3" in messages[5]
    assert (second.n_run, second.failures) == (3, ())
    assert [row["value"] for row in load_results(experiment, tmp_path)] == list(range(6))


def test_expensive_cells_run_first(tmp_path) -> None:
    cells = tuple({"size": size} for size in (1, 9, 4))
    experiment = Experiment("costly", 1, clock, cells, cost=_size)

    run_cells(experiment, tmp_path, n_processes=1, progress=False)

    rows = load_results(experiment, tmp_path)
    assert [row["size"] for row in rows] == [1, 9, 4]  # the table keeps the given order
    assert [row["size"] for row in sorted(rows, key=lambda row: row["clock"])] == [9, 4, 1]


def _size(parameters) -> float:
    return parameters["size"]


def test_a_gathering_killed_before_it_removed_the_parts_repeats_no_row(tmp_path) -> None:
    run_cells(sample(2), tmp_path, progress=False)
    table = tmp_path / "sample" / "results-v1.parquet"
    first = pq.read_table(table).slice(0, 2)
    parts = tmp_path / "sample" / "parts-v1"
    parts.mkdir()
    pq.write_table(first, parts / f"{first['cell'][0].as_py()}.parquet")

    assert len(load_results(sample(2), tmp_path)) == 4
    run_cells(sample(2), tmp_path, progress=False)
    assert pq.read_table(table).num_rows == 4
    assert not parts.exists()


def test_a_torn_part_is_named_in_the_error(tmp_path) -> None:
    parts = tmp_path / "sample" / "parts-v1"
    parts.mkdir(parents=True)
    (parts / f"{cell_key(sample(1).cells[0])}.parquet").write_bytes(b"PAR1")

    with pytest.raises(InputError, match=r"parts-v1.*remove it"):
        load_results(sample(1), tmp_path)


def test_records_must_not_be_empty_or_overwrite_parameters() -> None:
    with pytest.raises(InputError, match="at least one record"):
        run_cell(Experiment("empty", 1, _nothing, ({},)), {})
    with pytest.raises(InputError, match="'repetition', which is a parameter"):
        run_cell(Experiment("clash", 1, _echo, ({},)), {"repetition": 1})


def _nothing() -> list[dict]:
    return []


def _echo(*, repetition: int) -> list[dict]:
    return [{"repetition": repetition}]


def test_seeds_depend_on_what_is_drawn_and_on_every_parameter() -> None:
    seeds = {
        seed_of("a", p=0.1),
        seed_of("b", p=0.1),
        seed_of("a", p=0.2),
        seed_of("a", p=0.1, repetition=0),
        seed_of("a", p=0.1, repetition=1),
    }

    assert len(seeds) == 5
    assert seed_of("a", p=0.1, q=2) == seed_of("a", q=2, p=0.1)


def test_without_a_terminal_progress_is_a_line_now_and_then(tmp_path, monkeypatch, capfd) -> None:
    run_cells(sample(2), tmp_path / "seldom", n_processes=1)
    assert capfd.readouterr().err == ""

    monkeypatch.setattr("studies.running._runner.SECONDS_BETWEEN_LINES", 0.0)
    run_cells(sample(2), tmp_path / "often", n_processes=1)

    n_cells = len(sample(2).cells)
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == n_cells
    assert lines[-1] == f"sample: cell {n_cells} of {n_cells}, 0 minutes left"
