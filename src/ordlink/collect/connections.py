"""What one connection may do: bounds on headers, pipelining, slowness; and how many there are."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import time
from collections import Counter, OrderedDict
from typing import Any

from starlette.requests import Request
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.utils import get_remote_addr

LARGEST_HEAD = 32 * 1024  # bytes of the request line and all headers
LARGEST_REST = 256 * 1024  # bytes of a body with its chunks and trailers, however it is sent
MOST_HEADERS = 100
MOST_PIPELINED = 8  # requests of one connection that wait for the reply to an earlier one
HEAD_SECONDS = 10.0  # for the request line and headers
BODY_SECONDS = 30.0
UNREAD_SECONDS = 60.0  # without reading anything of a reply
MOST_CONNECTIONS = 800  # of one address: a lab of 100 browsers opens 6 each
MOST_FILES = 65_536


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def client_key(host: str) -> str:
    """Return what counts as one client: an IPv4 address, or the /64 of an IPv6 address."""
    address = _address(host)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address or host)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:  # a socket of another kind
        return None
    return getattr(address, "ipv4_mapped", None) or address


class RateLimit:
    """A token bucket for each client: `burst` tokens, refilled at a steady rate."""

    MOST_CLIENTS = 20_000

    def __init__(self, *, per_second: float, burst: int) -> None:
        self._per_second = per_second
        self._burst = burst
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows_client(self, request: Request) -> bool:
        """Return whether the address of a request has a token left; it is not stored."""
        return self.allows(client_key(request.client.host) if request.client else "")

    def allows(self, client: str, *, now: float | None = None) -> bool:
        """Return whether a client has a token left, and take it."""
        now = time.monotonic() if now is None else now
        tokens, since = self._buckets.pop(client, (float(self._burst), now))
        tokens = min(self._burst, tokens + (now - since) * self._per_second)
        allowed = tokens >= 1
        self._buckets[client] = (tokens - 1 if allowed else tokens, now)
        if len(self._buckets) > self.MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return allowed


class _RefusedError(Exception):
    """A request that goes over a limit."""


class BoundedProtocol(HttpToolsProtocol):
    """Uvicorn's protocol with limits; a connection that goes over one is closed."""

    reply_headers: tuple[tuple[bytes, bytes], ...] = ()  # of replies that uvicorn itself sends
    proxies: tuple[Network, ...] = ()  # everybody's connections may come from there
    connecting: RateLimit  # new connections of an address

    def connection_made(self, transport: Any) -> None:  # noqa: D102
        host = (get_remote_addr(transport) or ("",))[0]
        self._key = client_key(host)
        self._is_refused = not (self._is_proxy(host) or self.connecting.allows(self._key))
        if self._is_refused:  # before anything is made for it
            transport.abort()
            return
        super().connection_made(transport)
        self._n_pending = 0  # bytes since the last complete head
        self._n_rest = 0  # bytes since the head of this request
        self._n_bytes = 0  # of the headers of this request
        self._status = 400
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._n_open: Counter[str] = vars(self.server_state).setdefault("n_open", Counter())
        self._n_open[self._key] += 1
        self._is_head = True
        if self._n_open[self._key] > MOST_CONNECTIONS and not self._is_proxy(host):
            transport.abort()
        else:
            self._wait("request", HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: D102
        if self._is_refused:
            return
        for timer in self._timers.values():
            timer.cancel()
        self._n_open[self._key] -= 1
        if not self._n_open[self._key]:
            del self._n_open[self._key]
        self.pipeline.clear()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:  # noqa: D102
        if self._is_head:
            self._n_pending += len(data)
            if "request" not in self._timers:
                self._wait("request", HEAD_SECONDS)
        else:
            self._n_rest += len(data)
            if self._n_rest > LARGEST_REST:  # nobody waits for more, nor for a reply
                self.transport.abort()
                return
        super().data_received(data)
        if self._is_head and self._n_pending > LARGEST_HEAD and not self.transport.is_closing():
            self._status = 431
            self.send_400_response("Request header fields too large.")

    def on_header(self, name: bytes, value: bytes) -> None:  # noqa: D102
        super().on_header(name, value)
        self._n_bytes += len(name) + len(value)
        if len(self.headers) > MOST_HEADERS or self._n_bytes + len(self.url) > LARGEST_HEAD:
            self._status = 431
            raise _RefusedError

    def on_headers_complete(self) -> None:  # noqa: D102
        if len(self.pipeline) >= MOST_PIPELINED:
            self._status = 429
            raise _RefusedError
        self._n_pending = self._n_bytes = self._n_rest = 0
        self._is_head = False
        self._wait("request", BODY_SECONDS)
        super().on_headers_complete()

    def on_message_complete(self) -> None:  # noqa: D102
        self._is_head = True
        self._wait("request", None)
        super().on_message_complete()

    def pause_writing(self) -> None:  # noqa: D102
        super().pause_writing()
        self._wait("reply", UNREAD_SECONDS)

    def resume_writing(self) -> None:  # noqa: D102
        super().resume_writing()
        self._wait("reply", None)

    def send_400_response(self, msg: str) -> None:
        """Refuse a request, with the headers of all replies."""
        head = [(b"content-length", b"0"), (b"connection", b"close"), *self.reply_headers]
        lines = b"".join(name + b": " + value + b"\r\n" for name, value in head)
        self.transport.write(STATUS_LINE[self._status] + lines + b"\r\n")
        self.transport.close()

    def _is_proxy(self, host: str) -> bool:
        address = _address(host)
        return address is not None and any(address in network for network in self.proxies)

    def _wait(self, for_what: str, seconds: float | None) -> None:
        """Close the connection after so long, unless something happens before."""
        if for_what in self._timers:
            self._timers.pop(for_what).cancel()
        if seconds is not None:
            self._timers[for_what] = self.loop.call_later(seconds, self.transport.abort)


class OncePerMinute(logging.Filter):
    """Lets one line per kind and minute pass, so that nobody can fill the log."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[object, ...], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:  # noqa: D102
        kind = (record.name, record.msg, record.exc_info and record.exc_info[0])
        now = time.monotonic()
        if now - self._last.get(kind, -60.0) < 60.0:
            return False
        self._last[kind] = now
        return True


def raise_file_limit() -> None:
    """Allow as many connections as the system permits; Windows has no such limit."""
    try:
        import resource
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(ValueError, OSError):  # macOS allows less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
