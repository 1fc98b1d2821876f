"""Abuse from many addresses at once, and what 50 honest people behind one of them notice of it."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from argon2 import PasswordHasher

from ordlink.collect.database import make_engine
from ordlink.collect.people import set_password
from soak.browser import Browser, ServerGone
from soak.dashboards import PASSWORD
from soak.kill import find_lost
from soak.large import LAB, answer_thoughtfully, reload_dashboard
from soak.servers import Server

N_HONEST = 50
N_HALF_OPEN = 2000  # connections that the server holds at once
N_HOLDING = 2300  # that attackers hold open: at any time some were just closed or not yet accepted
HOLDERS = tuple(f"127.0.7.{n}" for n in range(1, 11))
LONGEST_BEGIN = 30.0  # seconds until everything bad has begun
GOOD = b"GET /join HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
LONGEST_P99_MS = 500
MOST_MEGABYTES = 400
LONGEST_ARRIVAL = 2.0  # seconds until somebody new has a page


@dataclass(frozen=True)
class AbuseResult:
    """What honest people noticed, and how much memory the server took at most."""

    n_answers: int
    median_ms: float
    p99_ms: float
    n_lost: int
    n_errors: int
    megabytes: float
    n_half_open: int  # connections without a request that the server held, median over the seconds
    arrival: float  # seconds until the slowest of those who came meanwhile had a page

    @property
    def is_good(self) -> bool:
        """Whether all bars were met."""
        is_fast = self.p99_ms < LONGEST_P99_MS and self.arrival < LONGEST_ARRIVAL
        is_whole = self.n_answers > 0 and not self.n_lost and not self.n_errors
        is_attacked = self.n_half_open >= N_HALF_OPEN
        return is_fast and is_whole and is_attacked and self.megabytes < MOST_MEGABYTES

    def __str__(self) -> str:
        return (
            f"{N_HONEST} people, {self.n_answers} answers, median {self.median_ms:.0f} ms, "
            f"p99 {self.p99_ms:.0f} ms, newcomers' first page after at most {self.arrival:.1f} s, "
            f"{self.n_lost} lost, {self.n_errors} errors; server at most "
            f"{self.megabytes:.0f} MB and {self.n_half_open} half-open connections (median)"
        )


def measure_abuse(server: Server, database: str, *, seconds: float) -> AbuseResult:
    """Have people answer while everything bad happens at once; then look at what is stored."""
    engine = make_engine(database)
    with engine.execution_options(begin="BEGIN IMMEDIATE").begin() as connection:
        set_password(connection, PasswordHasher().hash(PASSWORD))
    engine.dispose()
    context = multiprocessing.get_context("spawn")
    counts, theirs = context.Pipe(duplex=False)
    until = time.monotonic() + LONGEST_BEGIN + seconds
    attackers = [
        context.Process(target=_attack, args=(server.port, until)),
        context.Process(target=_hold_half_open, args=(server.port, until, theirs)),
    ]
    for one in attackers:
        one.start()
    try:
        begun = time.monotonic()
        while counts.recv() < N_HALF_OPEN and time.monotonic() < begun + LONGEST_BEGIN:
            pass  # until everything bad has begun
        browsers, arrivals = asyncio.run(_answer_and_arrive(server.port, seconds))
        n_half_open = [counts.recv() for _ in iter(counts.poll, False)]
    finally:
        for one in attackers:
            one.kill()
            one.join()
    waits = np.concatenate([browser.seconds for browser in browsers]) * 1000
    return AbuseResult(
        sum(len(browser.acknowledged) for browser in browsers),
        float(np.median(waits)),
        float(np.percentile(waits, 99)),
        find_lost(database, browsers),
        sum(n for one in browsers for status, n in one.statuses.items() if status != 200),
        most_megabytes(server),
        int(np.median(n_half_open)),
        max(arrivals),
    )


async def _answer_and_arrive(port: int, seconds: float) -> tuple[list[Browser], list[float]]:
    """Have people answer, and others open the first page; return also how long these waited."""
    arrivals: list[float] = []

    async def arrive() -> None:
        while True:
            begun = time.monotonic()
            streams = await asyncio.open_connection("127.0.0.1", port, local_addr=(LAB, 0))
            streams[1].write(GOOD)
            await streams[0].readuntil(b"\r\n\r\n")
            arrivals.append(time.monotonic() - begun)
            streams[1].close()
            await asyncio.sleep(0.5)

    arriving = asyncio.ensure_future(arrive())
    browsers = await answer_thoughtfully(port, seconds, N_HONEST)
    arriving.cancel()
    return browsers, arrivals


def most_megabytes(server: Server) -> float:
    """Return the most memory that a server has taken so far."""
    assert server.process is not None
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def count_half_open(port: int) -> int:
    """Return how many connections of `HOLDERS` the server on a port has accepted and holds."""
    holders = {socket.inet_aton(one)[::-1].hex().upper() for one in HOLDERS}
    n_held = 0
    for line in Path("/proc/net/tcp").read_text(encoding="utf-8").splitlines()[1:]:
        columns = line.split()
        here, there, state, inode = (columns[at] for at in (1, 2, 3, 9))
        is_open = state == "01" and inode != "0"  # without an inode it was not accepted yet
        n_held += is_open and here.endswith(f":{port:04X}") and there.split(":")[0] in holders
    return n_held


def _hold_half_open(port: int, until: float, counts: Connection) -> None:
    """Hold connections on which nothing is asked; say every second how many the server holds."""

    async def count() -> None:
        while True:
            counts.send(count_half_open(port))
            await asyncio.sleep(1)

    asyncio.run(_together([_hold(port, HOLDERS, N_HOLDING), count()], until))


def _attack(port: int, until: float) -> None:
    asyncio.run(_attack_until(port, until))


async def _attack_until(port: int, until: float) -> None:
    seconds = until - time.monotonic()
    dashboards = [asyncio.to_thread(reload_dashboard, port, seconds) for _ in range(3)]
    attacks: list[Awaitable[None]] = [
        *(_repeat(port, f"127.0.1.{n}", _send_headers_without_end) for n in range(1, 11)),
        *(_repeat(port, f"127.0.2.{n}", _send_headers_slowly) for n in range(1, 51)),
        *(_repeat(port, f"127.0.3.{n}", _pipeline) for n in range(1, 11)),
        *(_open_and_close(port, "127.0.9.1") for _ in range(5)),
        *(_repeat(port, f"127.0.4.{n}", _join) for n in range(1, 6)),
        *(_repeat(port, f"127.0.5.{n}", _log_in) for n in range(1, 21)),
        *(_undo(port, f"127.0.6.{n}") for n in range(1, 6)),
        _hold(port, ["127.0.8.1"], N_HALF_OPEN, GOOD),
    ]
    await _together([*attacks, *dashboards], until)


async def _together(attacks: Sequence[Awaitable[None]], until: float) -> None:
    tasks = [asyncio.ensure_future(one) for one in attacks]
    with contextlib.suppress(TimeoutError):
        seconds = until - time.monotonic()
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), seconds)


async def _repeat(port: int, source: str, attack: Callable[..., Awaitable[None]]) -> None:
    """Attack again on a new connection whenever the server closes one."""
    while True:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            streams = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
            try:
                await attack(*streams)
            finally:
                streams[1].close()
        await asyncio.sleep(0.05)


async def _open_and_close(port: int, source: str) -> None:
    """Open connections, up to 200 a second, and close each at once."""
    while True:
        with contextlib.suppress(OSError):
            streams = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
            streams[1].close()
        await asyncio.sleep(0.005)


async def _send_headers_without_end(
    _reader: asyncio.StreamReader, out: asyncio.StreamWriter
) -> None:
    out.write(b"GET / HTTP/1.1\r\n")
    while True:
        out.write(b"x-header: of no use at all\r\n" * 500)
        await out.drain()


async def _send_headers_slowly(_reader: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
    out.write(b"GET / HTTP/1.1\r\n")
    while True:
        out.write(b"a: b\r\n")
        await out.drain()
        await asyncio.sleep(1)


async def _pipeline(_reader: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
    while True:  # and never read what comes back
        out.write(GOOD * 8)
        await out.drain()
        await asyncio.sleep(0.01)


async def _join(reader: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
    for number in itertools.count():
        body = b'{"agree": true, "search": "?participant=%d"}' % number
        await _post(reader, out, b"/api/join", b"application/json", body)


async def _log_in(reader: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
    while True:
        form = b"application/x-www-form-urlencoded"
        await _post(reader, out, b"/owner/login", form, b"password=guess")


async def _post(
    reader: asyncio.StreamReader, out: asyncio.StreamWriter, path: bytes, kind: bytes, body: bytes
) -> None:
    out.write(
        b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
        % (path, kind, len(body), body)
    )
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        (int(line[15:]) for line in head.lower().split(b"\r\n") if b"content-length" in line), 0
    )
    await reader.readexactly(length)


async def _undo(port: int, source: str) -> None:
    browser = Browser(port, 0, source=source)
    with contextlib.suppress(ServerGone):
        state = await browser.join()
        while True:
            body = {"number": state["number"], "choice": [0]}
            state = await browser.ask("POST", "/api/answer", body)
            number = state["undoable"] or state["number"] - 1
            state = await browser.ask("POST", "/api/undo", {"number": max(number, 1)})


async def _hold(port: int, sources: Sequence[str], number: int, first: bytes = b"") -> None:
    """Hold connections on which nothing is asked, or nothing more; 1,000 a second are opened."""

    async def hold(one: int) -> None:
        await asyncio.sleep(one / 1000)
        while True:
            with contextlib.suppress(OSError):
                source = (sources[one % len(sources)], 0)
                reader, out = await asyncio.open_connection("127.0.0.1", port, local_addr=source)
                try:
                    out.write(first)
                    await reader.read()  # until the server closes it
                finally:
                    out.close()
            await asyncio.sleep(5 if first else 0.01)  # those without a request last 10 seconds

    await asyncio.gather(*(hold(one) for one in range(number)))
