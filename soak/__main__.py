"""Run all long runs and say which bars were met; --short for a few minutes."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from soak.kill import kill_under_load
from soak.load import measure_load
from soak.servers import Server, free_port, missing_postgres, postgres, write_study

N_CLIENTS = 100
LEAST_PER_SECOND = 500
LONGEST_P99_MS = 250


@contextlib.contextmanager
def running(n_servers: int = 1, database: str | None = None, **settings: object) -> Iterator:
    """Run servers on one database; give them and its address."""
    with tempfile.TemporaryDirectory(prefix="ordlink-soak-") as name:
        folder = Path(name)
        plain = {"questions_per_person": 10_000, "practice": 0, "break_every": 0}
        study = write_study(folder, **{**plain, **settings})
        options = ["--database", database] if database else ["--data", str(folder / "data")]
        servers = [Server(study, free_port(), *options) for _ in range(n_servers)]
        try:
            for server in servers:
                server.start()
            yield servers, database or f"sqlite:///{folder / 'data' / 'study.db'}"
        finally:
            for server in servers:
                server.stop()


def load(short: bool) -> tuple[bool, str]:
    """SQLite, 100 people at once, adaptive questions."""
    with running() as (servers, _):
        result = asyncio.run(measure_load([servers[0].port], N_CLIENTS, 10 if short else 60))
    good = result.per_second >= LEAST_PER_SECOND and result.p99_ms < LONGEST_P99_MS
    return good and not result.n_errors, str(result)


def kill(short: bool) -> tuple[bool, str]:
    """SQLite, kill -9 under load."""
    with running(people_per_question=2) as (servers, database):
        result = asyncio.run(
            kill_under_load(servers, database, n_kills=5 if short else 100, n_people=20)
        )
    return result.is_good, str(result)


def kill_postgres(short: bool) -> tuple[bool, str]:
    """PostgreSQL, two servers, kill -9 of one after the other under load."""
    reason = missing_postgres()
    if reason:
        return True, f"skipped: {reason}"
    with (
        postgres() as url,
        running(n_servers=2, database=url, people_per_question=2) as (servers, database),
    ):
        result = asyncio.run(
            kill_under_load(servers, database, n_kills=5 if short else 100, n_people=20)
        )
    return result.is_good, str(result)


def load_postgres(short: bool) -> tuple[bool, str]:
    """PostgreSQL, two servers, 100 people at once."""
    reason = missing_postgres()
    if reason:
        return True, f"skipped: {reason}"
    with postgres() as url, running(n_servers=2, database=url) as (servers, _):
        ports = [server.port for server in servers]
        result = asyncio.run(measure_load(ports, N_CLIENTS, 10 if short else 60))
    return not result.n_errors, str(result)


def fuzz_requests(short: bool) -> tuple[bool, str]:
    """Fuzzed requests in process: no 500, nothing shown or changed without a session."""
    from ordlink.collect.app import make_app
    from ordlink.collect.hub import Hub
    from ordlink.collect.owner import Keeper
    from ordlink.collect.security import RateLimit
    from ordlink.collect.site import Site
    from ordlink.collect.study import load_study
    from soak.fuzz import TestClient, fuzz

    with tempfile.TemporaryDirectory(prefix="ordlink-soak-") as name:
        study = load_study(write_study(Path(name), n_objects=12))
        site = Site(Hub(study, f"sqlite:///{name}/study.db"), Keeper("a token nobody knows"))
        for limit in ("joining", "stepping", "trying"):
            setattr(site, limit, RateLimit(per_second=1e6, burst=1_000_000))
        with TestClient(make_app(site)) as browser:
            n_examples = 20 if short else 800
            result = fuzz(browser.app, seconds=60 if short else 3600, n_examples=n_examples)
    enough = result.n_requests >= (100 if short else 10_000)
    return enough and not result.problems, str(result)


def simulated_people(short: bool) -> tuple[bool, str]:
    """Adaptive against random questions, with simulated people."""
    from soak.simulated import SETTINGS, measure_curve

    lines, never_worse, twice_as_fast = [], True, False
    names = list(SETTINGS)[1:2] if short else list(SETTINGS)
    for setting in names:
        for question in ("triplet", "quadruplet"):
            n_runs = 2 if short else 8
            random, adaptive = (
                measure_curve(setting, question, sampler, n_runs=n_runs)
                for sampler in ("random", "adaptive")
            )
            lines += [str(random), str(adaptive)]
            pairs = zip(random.means, adaptive.means, random.errors, adaptive.errors, strict=True)
            # Means of few runs differ by chance: within two standard errors they are equal.
            never_worse &= all(
                there >= here - 2 * (one**2 + other**2) ** 0.5 for here, there, one, other in pairs
            )
            needed, slow = adaptive.answers_for(0.9), random.answers_for(0.9)
            twice_as_fast |= needed is not None and (slow is None or 2 * needed <= slow)
    return never_worse and twice_as_fast, "\n    ".join(lines)


RUNS: dict[str, Callable[[bool], tuple[bool, str]]] = {
    "load": load,
    "load-postgres": load_postgres,
    "kill": kill,
    "kill-postgres": kill_postgres,
    "fuzz": fuzz_requests,
    "simulated": simulated_people,
}


def main() -> int:
    """Run what was asked for; return 1 if a bar was missed."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--short", action="store_true", help="a short version of each run")
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"of {', '.join(RUNS)}; all")
    arguments = parser.parse_args()
    unknown = set(arguments.runs) - set(RUNS)
    if unknown:
        parser.error(f"there is no run {unknown.pop()!r}; choose of {', '.join(RUNS)}")
    all_good = True
    for name in arguments.runs or RUNS:
        good, report = RUNS[name](arguments.short)
        all_good &= good
        print(f"{'met   ' if good else 'MISSED'}  {name}: {report}", flush=True)
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
