"""Host names, headers, sizes and rates: what every request is checked for before its route."""

from __future__ import annotations

import json
import re
import time
from collections import OrderedDict
from collections.abc import Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 64 * 1024
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
HEADERS = {  # sent with every response
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # without any, browsers say "Origin: null" with forms
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
HTTPS_HEADERS = {"strict-transport-security": "max-age=31536000"}


class Guard:
    """Adds the security headers, refuses large bodies, and keeps responses out of caches.

    It answers to `hosts` only (to any if empty): this stops pages of other sites whose host name
    leads to this machine. Starlette's TrustedHostMiddleware does not understand IPv6 addresses.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str] = (), https: bool = False) -> None:
        self._app = app
        self._hosts = frozenset(name.lower() for name in hosts)
        headers = {**HEADERS, **HTTPS_HEADERS} if https else HEADERS
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                headers += self._headers
                if not any(name == b"cache-control" for name, _ in headers):
                    headers.append((b"cache-control", b"no-store"))
            await send(message)

        if self._hosts and host_name(_header(scope, b"host")) not in self._hosts:
            detail = (
                f"this server can only be reached as {', '.join(sorted(self._hosts))}; to allow "
                "the name in the address, start it with --allow-host"
            )
            await _refuse(send_guarded, 421, detail)
            return
        length = _header(scope, b"content-length") or b"0"
        if not length.isdigit() or int(length) > LARGEST_BODY:
            await _refuse(send_guarded, 413, "the request is too large")
            return
        n_received = 0

        async def receive_little() -> Message:
            nonlocal n_received
            message = await receive()
            n_received += len(message.get("body", b""))
            if n_received > LARGEST_BODY:  # a chunked body has no length in the header
                raise _TooLargeError
            return message

        try:
            await self._app(scope, receive_little, send_guarded)
        except _TooLargeError:
            await _refuse(send_guarded, 413, "the request is too large")


def host_name(header: bytes) -> str:
    """Return the name in a Host header, without the port; empty if there is none."""
    found = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(:\d*)?", header.decode("latin-1").strip().lower())
    return found[1] if found else ""


class RateLimit:
    """A token bucket for each client: `burst` tokens, refilled at a steady rate."""

    MOST_CLIENTS = 20_000

    def __init__(self, *, per_second: float, burst: int) -> None:
        self._per_second = per_second
        self._burst = burst
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

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


class _TooLargeError(Exception):
    """The body is too large."""


def _header(scope: Scope, name: bytes) -> bytes:
    return next((value for key, value in scope["headers"] if key == name), b"")


async def _refuse(send: Send, status: int, detail: str) -> None:
    body = json.dumps({"detail": detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
