"""The long runs, each with its bar: whether it was met, and what was measured."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from soak.kill import kill_under_load
from soak.load import describe_reasons, measure_load
from soak.servers import Server, free_port, missing_postgres, postgres, write_study

N_CLIENTS = 100
LEAST_PER_SECOND = 1000
LONGEST_P99_MS = 250
LONGEST_START = 5.0
N_KILLS = 200
N_REQUESTS = 20_000  # fuzzed ones


@dataclass(frozen=True)
class Outcome:
    """How a run ended: whether its bar was met, None where it could not be run, and a report."""

    is_met: bool | None
    report: str

    def __str__(self) -> str:
        return {True: "met", False: "MISSED", None: "skipped"}[self.is_met]


@contextlib.contextmanager
def running(
    n_servers: int = 1, database: str | None = None, *, fork: bool = False, **settings: object
) -> Iterator[tuple[list[Server], str]]:
    """Run servers on one database; give them and its address."""
    with tempfile.TemporaryDirectory(prefix="ordlink-soak-") as name:
        folder = Path(name)
        plain = {"questions_per_person": 10_000, "practice": 0, "break_every": 0}
        study = write_study(folder, **{**plain, **settings})
        options = ["--database", database] if database else ["--data", str(folder / "data")]
        servers = [Server(study, free_port(), *options, fork=fork) for _ in range(n_servers)]
        try:
            for server in servers:
                server.start()
            yield servers, database or f"sqlite:///{folder / 'data' / 'study.db'}"
        finally:
            for server in servers:
                server.stop()


def start(short: bool) -> Outcome:
    """From the command and a folder of 20 pictures to the first question with its pictures."""
    from soak.start import measure_start, write_pictures

    with tempfile.TemporaryDirectory(prefix="ordlink-soak-") as name:
        folder = Path(name)
        pictures = folder / "pictures"
        pictures.mkdir()
        write_pictures(pictures)
        n_starts = 1 if short else 3
        took = [measure_start(pictures, folder / f"data {number}") for number in range(n_starts)]
    report = ", ".join(f"{seconds:.1f} s" for seconds in took) + " to the first question"
    return Outcome(max(took) < LONGEST_START, report)


def load(short: bool) -> Outcome:
    """SQLite, 100 people at once, adaptive questions."""
    with running() as (servers, database):
        result = asyncio.run(measure_load([servers[0].port], N_CLIENTS, 10 if short else 60))
        reasons = describe_reasons(database)
    good = result.per_second >= LEAST_PER_SECOND and result.p99_ms < LONGEST_P99_MS
    return Outcome(good and not result.n_errors, f"{result}; shown: {reasons}")


def kill(short: bool, n_kills: int = N_KILLS) -> Outcome:
    """SQLite, kill -9 under load."""
    with running(people_per_question=2, fork=True) as (servers, database):
        return _kill(servers, database, 5 if short else n_kills)


def kill_postgres(short: bool, n_kills: int = N_KILLS) -> Outcome:
    """PostgreSQL, two servers, kill -9 of one after the other under load."""
    reason = missing_postgres()
    if reason:
        return Outcome(None, reason)
    with (
        postgres() as url,
        running(n_servers=2, database=url, people_per_question=2, fork=True) as (servers, database),
    ):
        return _kill(servers, database, 5 if short else n_kills)


def _kill(servers: list[Server], database: str, n_kills: int) -> Outcome:
    result = asyncio.run(kill_under_load(servers, database, n_kills=n_kills, n_people=20))
    return Outcome(result.is_good, str(result))


def load_postgres(short: bool) -> Outcome:
    """PostgreSQL, two servers, 100 people at once; then both dashboards show all answers."""
    from soak.dashboards import compare_dashboards

    reason = missing_postgres()
    if reason:
        return Outcome(None, reason)
    with postgres() as url, running(n_servers=2, database=url) as (servers, database):
        ports = [server.port for server in servers]
        result = asyncio.run(measure_load(ports, N_CLIENTS, 10 if short else 60))
        problems = compare_dashboards(ports, database)
        reasons = describe_reasons(database)
    found = "; ".join(problems) or "both dashboards show all answers"
    return Outcome(not (result.n_errors or problems), f"{result}; {found}; shown: {reasons}")


def abuse(short: bool) -> Outcome:
    """SQLite, everything bad at once beside 50 honest people."""
    from soak.abuse import measure_abuse

    with running() as (servers, database):
        result = measure_abuse(servers[0], database, seconds=10 if short else 60)
    return Outcome(result.is_good, str(result))


def large(short: bool) -> Outcome:
    """SQLite, 5,000 people and 200,000 answers: the start, the dashboard, the tree."""
    from soak.large import N_PEOPLE, measure_large

    with tempfile.TemporaryDirectory(prefix="ordlink-soak-") as name:
        n_people = 100 if short else N_PEOPLE
        result = measure_large(Path(name), n_people=n_people, seconds=3 if short else 20)
    return Outcome(result.is_good, str(result))


def fuzz_requests(short: bool) -> Outcome:
    """Fuzzed requests in process: no 500, nothing shown or changed without a session."""
    from argon2 import PasswordHasher

    from ordlink.collect.connections import RateLimit
    from ordlink.collect.people import OwnerAuth
    from ordlink.collect.running import RunningStudy
    from ordlink.collect.server import make_app
    from ordlink.collect.site import Site
    from ordlink.collect.study import load_study
    from soak.fuzz import TestClient, fuzz

    with tempfile.TemporaryDirectory(prefix="ordlink-soak-") as name:
        study = load_study(write_study(Path(name), n_objects=12))
        quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)  # most time went there
        auth = OwnerAuth("a token nobody knows", hasher=quick)
        site = Site(RunningStudy(study, f"sqlite:///{name}/study.db"), auth)
        for limit in ("joining", "stepping", "trying", "asking"):
            setattr(site, limit, RateLimit(per_second=1e6, burst=1_000_000))
        with TestClient(make_app(site)) as browser:
            n_examples, n_requests = (20, 100) if short else (400, N_REQUESTS)
            seconds = 60 if short else 3600
            result = fuzz(browser, seconds=seconds, n_examples=n_examples, n_requests=n_requests)
    enough = result.n_requests >= n_requests
    return Outcome(enough and not result.problems, str(result))


def simulated_people(short: bool) -> Outcome:
    """Adaptive against random questions, with simulated people."""
    from soak.simulated import N_RUNS, SETTINGS, compare_samplers

    names = list(SETTINGS)[1:2] if short else list(SETTINGS)
    found = compare_samplers(names, n_runs=2 if short else N_RUNS)
    good = all(one.is_never_worse for one in found) and any(one.is_twice_as_fast for one in found)
    return Outcome(good, "\n    ".join(["AARI after so many answers", *map(str, found)]))


RUNS: dict[str, Callable[..., Outcome]] = {
    "start": start,
    "load": load,
    "load-postgres": load_postgres,
    "kill": kill,
    "kill-postgres": kill_postgres,
    "abuse": abuse,
    "large": large,
    "fuzz": fuzz_requests,
    "simulated": simulated_people,
}
