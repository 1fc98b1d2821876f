"""Requests without end: what one connection or address may ask of the server."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
import sqlalchemy as sa
import uvicorn

from ordlink.collect import connections
from ordlink.collect.connections import OncePerMinute, RateLimit, client_key
from ordlink.collect.database import LOG, describe
from ordlink.collect.server import make_config
from ordlink.collect.site import HEADERS, Site
from soak.servers import free_port
from tests.collect.conftest import Place, make_site, serve_on_loopback, text_study
from tests.waiting import PATIENCE

WHO = "anna"
GOOD = b"GET /static/icon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

CHUNKED = b"POST /api/join HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    folder = tmp_path_factory.mktemp("served")
    with serve_on_loopback(text_study(), folder / "study.db") as (_, url):
        yield "127.0.0.1", int(url.rsplit(":", 1)[1])


def send(address: tuple[str, int], pieces: Iterator[bytes] | list[bytes]) -> tuple[bytes, int]:
    """Send pieces until the server closes; return its reply and how many bytes it took."""
    n_sent = 0
    with socket.create_connection(address, timeout=PATIENCE) as connection:
        with contextlib.suppress(OSError):
            for piece in pieces:
                connection.sendall(piece)
                n_sent += len(piece)
        reply = b""
        with contextlib.suppress(ConnectionError):
            while piece := connection.recv(65536):
                reply += piece
    return reply, n_sent


def endless(start: bytes, piece: bytes) -> Iterator[bytes]:
    yield start
    for _ in range(20_000):
        yield piece


@pytest.mark.parametrize(
    "pieces",
    [
        lambda: endless(b"GET / HTTP/1.1\r\n", b"x-a: bcdefghijkl\r\n" * 100),
        lambda: endless(b"GET / HTTP/1.1\r\nx-a: ", b"x" * 4096),
        lambda: endless(b"GET /", b"x" * 4096),
        lambda: endless(b"GET / HTTP/1.1\r\n", b"a:b\r\n"),
        lambda: endless(CHUNKED + b"0\r\nx-a: ", b"x" * 4096),
        lambda: endless(CHUNKED + b"1;", b"x" * 4096),
        lambda: endless(CHUNKED, b"1000\r\n" + b"x" * 4096 + b"\r\n"),
    ],
    ids=["headers", "value", "address", "lines", "trailer", "chunk", "body"],
)
def test_a_request_without_end_is_refused(
    address: tuple[str, int], pieces: Callable[[], Iterator[bytes]]
) -> None:
    reply, n_sent = send(address, pieces())

    refused = (b"HTTP/1.1 431 ", b"HTTP/1.1 413 ", b"HTTP/1.1 400 ")
    assert reply == b"" or reply.startswith(refused)  # or the connection is reset
    assert n_sent < 8_000_000  # what the system itself buffers


def test_too_many_headers_get_a_reply_with_all_headers(address: tuple[str, int]) -> None:
    reply, _ = send(address, [b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 101 + b"\r\n"])

    assert reply.startswith(b"HTTP/1.1 431 ")
    assert all(f"{name}: {value}".encode() in reply for name, value in HEADERS.items())


def test_what_is_no_request_gets_a_reply_with_all_headers(address: tuple[str, int]) -> None:
    reply, _ = send(address, [b"no request at all\r\n\r\n"])

    assert reply.startswith(b"HTTP/1.1 400 ")
    assert b"content-security-policy" in reply


def test_a_slow_request_is_given_up(address: tuple[str, int], monkeypatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    pieces = trickle()

    send(address, pieces)

    assert next(pieces, None) is not None  # the server closed before the last one


def trickle() -> Iterator[bytes]:
    yield b"GET / HTTP/1.1\r\n"
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE:
        time.sleep(0.02)
        yield b"a: b\r\n"


def test_a_body_that_never_comes_is_given_up_and_fills_no_log(
    address: tuple[str, int], monkeypatch, caplog
) -> None:
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.3)
    head = b"POST /api/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"

    reply, _ = send(address, [head + b"Content-Length: 9\r\n\r\n{"])  # until it is closed

    assert reply == b""
    send(address, [GOOD[:-2] + b"Connection: close\r\n\r\n"])  # by now the other one is over
    assert caplog.text == ""


def test_a_client_that_does_not_read_is_given_up(address: tuple[str, int], monkeypatch) -> None:
    monkeypatch.setattr(connections, "UNREAD_SECONDS", 0.3)

    with socket.create_connection(address, timeout=PATIENCE) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        with pytest.raises(ConnectionError):
            while True:
                connection.sendall(b"GET /static/style.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")


def test_few_requests_wait_on_one_connection(address: tuple[str, int]) -> None:
    reply, _ = send(address, [GOOD * 1000])

    assert reply.count(b"HTTP/1.1 200") <= connections.MOST_PIPELINED + 1
    few, _ = send(address, [GOOD * 3 + GOOD[:-2] + b"Connection: close\r\n\r\n"])
    assert few.count(b"HTTP/1.1 200") == 4


def count_open(address: tuple[str, int], source: str, n: int, first: bytes) -> int:
    """Return how many of so many connections the server keeps, after this was sent on each."""
    with contextlib.ExitStack() as opened:
        several = []
        for _ in range(n):
            one = socket.create_connection(address, 20, source_address=(source, 0))
            several.append(opened.enter_context(one))
            with contextlib.suppress(ConnectionError):
                one.sendall(first)
        n_open = 0
        for one in several:
            with contextlib.suppress(ConnectionError):
                one.sendall(GOOD)  # what is already closed is reset
                n_open += one.recv(65536).startswith(b"HTTP/1.1 200")
        return n_open


@pytest.mark.parametrize("first", [b"", GOOD], ids=["nothing", "a request"])
def test_connections_of_one_address_are_few_whatever_they_ask(
    address: tuple[str, int], monkeypatch, first: bytes
) -> None:
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 5)

    assert count_open(address, "127.0.0.9", 8, first) == 5
    assert count_open(address, "127.0.0.10", 1, first) == 1  # others are not concerned


def test_connections_of_a_proxy_are_not_counted(address: tuple[str, int], monkeypatch) -> None:
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 5)

    assert count_open(address, "127.0.0.1", 8, b"") == 8


def test_connections_that_are_opened_and_closed_are_limited_too(tmp_path) -> None:
    with serve_on_loopback(text_study(), tmp_path / "study.db") as (site, url):
        site.connecting._per_second, site.connecting._burst = 0.001, 4
        there = ("127.0.0.1", int(url.rsplit(":", 1)[1]))
        served = [
            [count_open(there, source, 1, b"") for _ in range(6)]
            for source in ("127.0.0.9", "127.0.0.1")
        ]

    assert served == [[1, 1, 1, 1, 0, 0], [1] * 6]  # the machine itself is not limited


def test_all_who_wait_to_connect_are_accepted_together(tmp_path) -> None:
    """A loop that accepts one at a time keeps newcomers waiting behind a flood."""
    port = free_port()
    config = make_config(make_site(text_study(), tmp_path / "study.db"), port=port)
    server = uvicorn.Server(config)

    async def count() -> int:
        config.load()
        server.lifespan = config.lifespan_class(config)
        await server.startup()
        waiting = [socket.create_connection(("127.0.0.1", port)) for _ in range(50)]
        for _ in range(10):
            await asyncio.sleep(0)
        n_accepted = len(server.server_state.connections)
        for one in waiting:
            one.close()
        await server.shutdown()
        return n_accepted

    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        assert runner.run(count()) == 50


def test_a_lab_of_100_people_behind_one_address_is_served(address: tuple[str, int]) -> None:
    assert count_open(address, "127.0.0.11", 100 * 6, b"") == 600  # browsers open 6 each


@pytest.mark.parametrize("https", [True, False])
def test_a_proxy_on_another_host_names_the_clients(tmp_path, https: bool) -> None:
    site = make_site(text_study(), tmp_path / "study.db")
    site.https = https
    site.requesting = RateLimit(per_second=0.001, burst=2)
    config = make_config(site, proxies=("127.0.0.12/31",))
    config.load()

    async def ask(proxy: str, client: str) -> int:
        transport = httpx.ASGITransport(config.loaded_app, client=(proxy, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://a") as browser:
            named = {"x-forwarded-for": client}
            return (await browser.get("/static/icon.svg", headers=named)).status_code

    statuses = [asyncio.run(ask("127.0.0.13", f"10.0.0.{n}")) for n in range(4)]
    ignored = [asyncio.run(ask("127.0.0.14", f"10.0.0.{n}")) for n in range(3)]

    assert statuses == [200] * 4
    assert ignored == [200, 200, 429]  # whoever is no proxy cannot choose an address
    asyncio.run(site.running.stop())


def test_requests_of_one_address_are_limited(tmp_path) -> None:
    with serve_on_loopback(text_study(), tmp_path / "study.db") as (site, url):
        site.requesting._per_second, site.requesting._burst = 0.001, 3
        there = ("127.0.0.1", int(url.rsplit(":", 1)[1]))
        statuses = []
        for _ in range(5):
            with socket.create_connection(there, 20, source_address=("127.0.0.8", 0)) as one:
                one.sendall(GOOD)
                statuses.append(one.recv(65536).split()[1])

    assert statuses == [b"200", b"200", b"200", b"429", b"429"]


def test_an_ipv6_client_is_its_network() -> None:
    assert client_key("2001:db8:1:2:3:4:5:6") == client_key("2001:db8:1:2:ffff::1")
    assert client_key("2001:db8:1:2::1") != client_key("2001:db8:1:3::1")
    assert client_key("::ffff:10.0.0.1") == client_key("10.0.0.1") == "10.0.0.1"
    assert client_key("fe80::1%eth0") == "fe80::/64"
    assert client_key("testclient") == "testclient"


def test_the_log_has_one_line_per_kind_and_minute(monkeypatch) -> None:
    now = [100.0]
    monkeypatch.setattr(connections.time, "monotonic", lambda: now[0])
    once = OncePerMinute()

    def passes(message: str) -> bool:
        return once.filter(logging.LogRecord("x", 30, "", 0, message, None, None))

    assert [passes("a"), passes("a"), passes("b")] == [True, False, True]
    now[0] += 61
    assert passes("a")


def test_a_failure_is_a_short_reply_with_all_headers_and_neither_it_nor_the_log_names_anybody(
    place: Place, monkeypatch, caplog
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise RuntimeError(f"participant {WHO}")

    monkeypatch.setattr(Site, "page", fail)
    reply = place.browser.get(f"/?participant={WHO}")

    assert reply.status_code == 500
    assert all(reply.headers[name] == value for name, value in HEADERS.items())
    assert "a request failed: RuntimeError" in caplog.text and "in welcome" in caplog.text
    ours = [one.getMessage() for one in caplog.records if one.name != "httpx"]  # the browser's own
    assert WHO not in reply.text + "".join(ours)


def test_the_log_of_a_write_that_fails_names_nobody(place: Place, caplog) -> None:
    class DriverError(Exception):
        """As PostgreSQL's driver reports a key that exists: with its value."""

    def fail(_connection: sa.Connection, _items: list[object]) -> list[object]:
        raise sa.exc.IntegrityError("INSERT", {"id": WHO}, DriverError(f"Key (id)=({WHO}) exists"))

    with pytest.raises(sa.exc.IntegrityError):
        asyncio.run(place.running.database.write_together(fail, None))

    assert "writes one by one: IntegrityError" in caplog.text
    assert WHO not in caplog.text


def test_the_log_of_background_work_that_fails_names_nobody(place: Place, caplog) -> None:
    async def fail() -> None:
        raise ValueError(f"participant {WHO}")

    async def run() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(place.running._repeat(fail, 60), 0.2)

    asyncio.run(run())

    assert "background work failed and is retried later: ValueError" in caplog.text
    assert WHO not in caplog.text


def test_an_error_of_the_disk_is_said_in_the_words_of_the_database() -> None:
    error = sa.exc.OperationalError("INSERT", {"id": WHO}, Exception("disk is\nfull"))

    assert describe(error) == "disk is full"


def test_the_log_is_quiet_as_soon_as_a_site_is_served(tmp_path) -> None:
    with serve_on_loopback(text_study(), tmp_path / "study.db"):
        for logger in (LOG, logging.getLogger("uvicorn.error")):
            assert [type(one) for one in logger.filters] == [OncePerMinute]


@pytest.mark.parametrize("path", ["/run/", "/owner/", "/api/state/"])
def test_nobody_is_redirected_to_the_host_that_a_request_names(place: Place, path: str) -> None:
    reply = place.browser.get(path, headers={"host": "evil.example"}, follow_redirects=False)

    assert "evil.example" not in reply.headers.get("location", "")


def test_few_passwords_wait_to_be_checked(place: Place) -> None:
    place.log_in()
    place.site.trying = RateLimit(per_second=1000, burst=1000)
    place.site.n_hashing = 8

    reply = place.another_browser().post("/owner/login", data={"password": "guess"})

    assert reply.status_code == 429


def test_passwords_are_checked_one_at_a_time(place: Place, monkeypatch) -> None:
    n_now = most = 0

    def check(*_arguments: object) -> bool:
        nonlocal n_now, most
        n_now += 1
        most = max(most, n_now)
        time.sleep(0.05)
        n_now -= 1
        return False

    monkeypatch.setattr(place.site.owner, "is_password", check)
    with ThreadPoolExecutor() as several:
        replies = list(
            several.map(
                lambda _: place.browser.post("/owner/login", data={"password": "guess"}), range(4)
            )
        )

    assert [reply.status_code for reply in replies] == [403] * 4
    assert most == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limit")
def test_a_server_may_open_as_many_files_as_the_system_permits() -> None:
    script = """
import resource
from ordlink.collect.connections import raise_file_limit
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
raise_file_limit()
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""

    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert int(said.stdout) > 256
