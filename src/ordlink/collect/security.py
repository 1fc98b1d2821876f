"""Headers, sizes and rates: what every request meets before its route."""

from __future__ import annotations

import time
from collections import OrderedDict

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 64 * 1024
HEADERS = {
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
"""Sent with every answer."""
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class Guard:
    """Adds the security headers, refuses large bodies, and keeps answers out of caches.

    Parameters
    ----------
    app : ASGI application
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                headers += _RAW_HEADERS
                if not any(name == b"cache-control" for name, _ in headers):
                    headers.append((b"cache-control", b"no-store"))
            await send(message)

        length = next(
            (value for name, value in scope["headers"] if name == b"content-length"), b"0"
        )
        if not length.isdigit() or int(length) > LARGEST_BODY:
            await _refuse(send_guarded)
            return
        n_received = 0

        async def receive_little() -> Message:
            nonlocal n_received
            message = await receive()
            n_received += len(message.get("body", b""))
            if n_received > LARGEST_BODY:  # a body sent in pieces, without its length
                raise _TooLargeError
            return message

        try:
            await self._app(scope, receive_little, send_guarded)
        except _TooLargeError:
            await _refuse(send_guarded)


class RateLimit:
    """A bucket of permits for each client, which fills up again at a steady rate.

    Parameters
    ----------
    per_second : float
        How fast a bucket fills.
    burst : int
        How many permits it holds.

    Examples
    --------
    >>> limit = RateLimit(per_second=1, burst=2)
    >>> [limit.allows("somebody", now=0.0) for _ in range(3)]
    [True, True, False]
    >>> limit.allows("somebody", now=1.0)
    True
    """

    MOST_CLIENTS = 20_000

    def __init__(self, *, per_second: float, burst: int) -> None:
        self._per_second = per_second
        self._burst = burst
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, client: str, *, now: float | None = None) -> bool:
        """Return whether a client may do this now, and count it."""
        now = time.monotonic() if now is None else now
        permits, since = self._buckets.pop(client, (float(self._burst), now))
        permits = min(self._burst, permits + (now - since) * self._per_second)
        allowed = permits >= 1
        self._buckets[client] = (permits - 1 if allowed else permits, now)
        if len(self._buckets) > self.MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return allowed


class _TooLargeError(Exception):
    """A body turned out to be too large while it was read."""


async def _refuse(send: Send) -> None:
    body = b'{"detail":"the request is too large"}'
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
