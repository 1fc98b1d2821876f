"""Short versions of the long runs, with real server processes on loopback; see `make soak`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from ordlink.collect.database import make_engine, open_database
from ordlink.collect.study import load_study
from ordlink.collect.worker import RecordReader
from soak.__main__ import main
from soak.abuse import HOLDERS, count_half_open
from soak.dashboards import compare_dashboards
from soak.kill import count_over_served, kill_under_load
from soak.large import N_ANSWERS_EACH, fill_study
from soak.load import describe_reasons, measure_load
from soak.runs import RUNS, Outcome, running
from soak.servers import missing_postgres, postgres
from soak.simulated import Comparison, Curve, compare_samplers
from soak.start import measure_start, write_pictures
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
needs_postgres = pytest.mark.skipif(bool(missing_postgres()), reason=missing_postgres())


def test_many_people_at_once_are_answered_without_an_error() -> None:
    with running(method="AddS-AL") as (servers, database):
        result = asyncio.run(measure_load([servers[0].port], n_people=20, seconds=2.0))
        reasons = describe_reasons(database)

    shares = [int(reason.rsplit(" ", 1)[1].rstrip("%")) for reason in reasons.split(", ")]
    assert result.n_errors == 0
    assert result.n_answers > 20
    assert 97 <= sum(shares) <= 103, reasons


def test_nothing_acknowledged_is_lost_when_the_server_is_killed() -> None:
    with running(people_per_question=2, method="AddS-AL") as (servers, database):
        result = asyncio.run(kill_under_load(servers, database, n_kills=2, n_people=8, seconds=0.5))

    assert result.is_good, result
    assert result.n_stored == result.n_acknowledged > 20


@pytest.mark.skipif(not Path("/proc/self/cmdline").is_file(), reason="needs /proc")
def test_a_worker_ends_with_a_server_that_is_killed_whatever_it_is_doing() -> None:
    words = [sys.executable, "-m", "tests.collect.endless_worker"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        worker = int(server.stdout.readline())
        assert server.stdout.readline() == "at work\n"
        server.kill()
    try:
        wait_until(lambda: not _is_alive(worker))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)


def _is_alive(process: int) -> bool:
    """Return whether a process runs; of one that ended, the command is empty or gone."""
    try:
        return bool(Path(f"/proc/{process}/cmdline").read_bytes())
    except OSError:
        return False


@needs_postgres
def test_two_servers_on_postgresql_serve_no_question_too_often_and_lose_nothing() -> None:
    with (
        postgres() as url,
        running(n_servers=2, database=url, people_per_question=2, method="AddS-AL") as (
            servers,
            database,
        ),
    ):
        ports = [server.port for server in servers]
        load = asyncio.run(measure_load(ports, n_people=8, seconds=1.0))
        problems = compare_dashboards(ports, database, seconds=240)
        killed = asyncio.run(kill_under_load(servers, database, n_kills=2, n_people=8, seconds=0.5))
        engine = make_engine(database)
        with engine.connect() as connection:
            n_over_served = count_over_served(connection)
            n_processes = connection.execute(
                sa.text("SELECT count(DISTINCT leased_by) FROM question")
            ).scalar()
        engine.dispose()

    assert load.n_errors == 0
    assert load.n_answers > 0
    assert problems == []
    assert killed.n_lost == killed.n_miscounted == killed.n_stuck == 0, killed
    assert n_over_served == 0
    assert n_processes >= 2


def test_from_a_folder_of_pictures_to_the_first_question_with_one_command(tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    write_pictures(pictures)

    seconds = measure_start(pictures, tmp_path / "data")

    assert (tmp_path / "data" / "study.db").exists()
    print(f"first question after {seconds:.1f} s")


def test_a_large_study_is_filled_with_answers_that_can_be_read(tmp_path: Path) -> None:
    study = load_study(fill_study(tmp_path, 5))
    engine = open_database(f"sqlite:///{tmp_path / 'data' / 'study.db'}")

    record = RecordReader(engine, study).read()
    engine.dispose()

    assert len(record.answers) == 5 * N_ANSWERS_EACH
    assert record.comparisons.n_comparisons == 5 * N_ANSWERS_EACH


@pytest.mark.skipif(not Path("/proc/net/tcp").is_file(), reason="needs /proc")
def test_half_open_connections_count_once_the_server_has_accepted_them() -> None:
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        sources = [HOLDERS[0], HOLDERS[1], HOLDERS[1], "127.0.0.1"]
        for source in sources:
            stack.enter_context(
                socket.create_connection(server.getsockname(), source_address=(source, 0))
            )
        found = [count_half_open(server.getsockname()[1])]
        for _ in sources:
            stack.enter_context(server.accept()[0])
            found.append(count_half_open(server.getsockname()[1]))

    assert found == [0, 1, 2, 3, 3]


def test_simulated_people_are_asked_and_the_trees_get_better() -> None:
    (found,) = compare_samplers(
        ["balanced, 4 groups"], ["triplet"], n_runs=1, checks=(125, 750), n_processes=1
    )

    for curve in (found.random, found.adaptive):
        assert curve.means[0] < 0.5 < curve.means[1] <= 1
    assert (found.random.sampler, found.adaptive.sampler) == ("random", "adaptive")


def curve(sampler: str, *means: float) -> Curve:
    return Curve("a", "triplet", sampler, (500, 1000, 2000), means, (0.01,) * 3)


@pytest.mark.parametrize(
    ("random", "adaptive", "is_twice_as_fast"),
    [
        ((0.1, 0.2, 0.9), (0.2, 0.9, 0.9), True),
        ((0.1, 0.9, 0.9), (0.2, 0.9, 0.9), False),
        ((0.1, 0.2, 0.3), (0.2, 0.9, 0.9), True),
        ((0.1, 0.2, 0.3), (0.2, 0.3, 0.9), False),  # random ones may need 2001
        ((0.1, 0.2, 0.3), (0.2, 0.3, 0.4), False),
    ],
)
def test_half_as_many_answers_are_claimed_only_where_they_are_shown(
    random: tuple[float, ...], adaptive: tuple[float, ...], is_twice_as_fast: bool
) -> None:
    found = Comparison(curve("random", *random), curve("adaptive", *adaptive))

    assert found.is_twice_as_fast == is_twice_as_fast
    assert found.is_never_worse


def test_the_report_says_when_both_are_good() -> None:
    found = Comparison(curve("random", 0.1, 0.2, 0.3), curve("adaptive", 0.1, 0.9, 0.95))

    line = str(found).splitlines()[-1].strip()
    assert line == "a, triplet: AARI 0.9 after 1000 answers (adaptive), never (random)"


def test_worse_beyond_chance_is_worse() -> None:
    assert not Comparison(curve("r", 0.5, 0.6, 0.7), curve("a", 0.9, 0.56, 0.9)).is_never_worse


def test_a_run_that_cannot_be_made_is_neither_met_nor_missed(capsys, monkeypatch) -> None:
    monkeypatch.setattr("soak.runs.missing_postgres", lambda: "there is none")

    code = main(["kill-postgres", "load-postgres"])

    lines = capsys.readouterr().out.splitlines()
    assert code == 0
    assert lines == [
        "skipped  kill-postgres: there is none",
        "skipped  load-postgres: there is none",
    ]


def test_a_missed_bar_fails_the_whole(capsys, monkeypatch) -> None:
    monkeypatch.setitem(RUNS, "load", lambda _short: Outcome(False, "too slow"))
    monkeypatch.setitem(RUNS, "kill", lambda _short: Outcome(True, "all there"))

    code = main(["load", "kill"])

    assert capsys.readouterr().out.splitlines() == [
        "MISSED   load: too slow",
        "met      kill: all there",
    ]
    assert code == 1
