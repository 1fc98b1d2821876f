"""What all routes share: the running study, the owner's login, limits, cookies, headers."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import urlsplit

import sqlalchemy as sa
from fastapi import Depends, HTTPException, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from fastapi.templating import Jinja2Templates
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ordlink.collect.connections import RateLimit, client_key
from ordlink.collect.database import LOG, OUTAGES, Database, describe
from ordlink.collect.people import SESSION_SECONDS, OwnerAuth
from ordlink.collect.running import RunningStudy
from ordlink.collect.texts import markdown

LARGEST_BODY = 64 * 1024
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
HERE = Path(__file__).parent
TEMPLATES = Jinja2Templates(directory=HERE / "templates")
TEMPLATES.env.filters["md"] = markdown
PARTICIPANT_COOKIE = "ordlink_person"
OWNER_COOKIE = "ordlink_owner"
PARTICIPANT_SECONDS = 30 * 24 * 3600
MOST_KNOWN = 100_000
MOST_HASHING = 8  # passwords that may wait: checking one is slow on purpose
P = ParamSpec("P")
Result = TypeVar("Result")
LOOPBACK_CLIENTS = ("127.0.0.1", "::1", "testclient")


class Guard:
    """Adds the security headers, refuses large bodies and floods, keeps responses out of caches.

    It answers to the site's hosts only (to any if there are none): this stops pages of other sites
    whose host name leads to this machine. Starlette's TrustedHostMiddleware does not understand
    IPv6 addresses.
    """

    def __init__(self, app: ASGIApp, *, site: Site) -> None:
        self._app = app
        self._hosts = frozenset(name.lower() for name in site.hosts)
        self._headers = site.reply_headers
        self._requests = site.requesting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return None

        is_started = False

        async def send_guarded(message: Message) -> None:
            nonlocal is_started
            is_started = True
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                headers.extend(self._headers)
                if not any(name == b"cache-control" for name, _ in headers):
                    headers.append((b"cache-control", b"no-store"))
            await send(message)

        async def refuse(status: int, detail: str) -> None:
            await JSONResponse({"detail": detail}, status)(scope, receive, send_guarded)

        client = (scope["client"] or ("",))[0]
        if client not in LOOPBACK_CLIENTS and not self._requests.allows(client_key(client)):
            await asyncio.sleep(1)  # a client that does not wait for replies waits here
            return await refuse(429, "too many requests; wait a moment")
        headers = Headers(scope=scope)
        if self._hosts and host_name(headers.get("host", "")) not in self._hosts:
            detail = (
                f"this server can only be reached as {', '.join(sorted(self._hosts))}; to allow "
                "the name in the address, start it with --allow-host"
            )
            return await refuse(421, detail)
        length = headers.get("content-length") or "0"
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            return await refuse(413, "the request is too large")
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
            await refuse(413, "the request is too large")
        except ClientDisconnect:  # nobody waits for a reply
            return None
        except asyncio.CancelledError:  # the server stops
            if not is_started:
                await refuse(503, "the server is stopping; try again later")
        except Exception as error:
            if is_started:  # a video, for instance, that became shorter meanwhile
                LOG.warning("a reply was cut short (%s)", type(error).__name__)
            else:
                LOG.error("a request failed: %s", describe(error))
                status = 503 if isinstance(error, OUTAGES) else 500
                await refuse(status, "something went wrong; try again")


def host_name(header: str) -> str:
    """Return the name in a Host header, without the port; empty if there is none."""
    found = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(:\d*)?", header.strip().lower())
    return found[1] if found else ""


class Paced:
    """Slow work for the owner: one at a time, and in the long run a fifth of the time."""

    SHARE = 0.2

    def __init__(self, *, burst: float = 2.0) -> None:
        self._burst = self._left = burst  # seconds of work that need not wait
        self._since = time.monotonic()
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until it is this work's turn, and take its time."""
        async with self._lock:
            now = time.monotonic()
            self._left = min(self._burst, self._left + self.SHARE * (now - self._since))
            await asyncio.sleep(max(0.0, -self._left / self.SHARE))
            self._since, begun = now, time.monotonic()
            try:
                yield
            finally:
                self._left -= time.monotonic() - begun


class _TooLargeError(Exception):
    """The body is too large."""


@dataclass
class Site:
    """A study on the web."""

    running: RunningStudy
    owner: OwnerAuth
    https: bool = False  # then cookies are never sent without it
    hosts: tuple[str, ...] = ()  # that the server answers to; empty for any
    # Per address: joining, passwords, unknown cookies, requests, connections; and a person's steps.
    joining: RateLimit = field(default_factory=lambda: RateLimit(per_second=1, burst=300))
    stepping: RateLimit = field(default_factory=lambda: RateLimit(per_second=50, burst=200))
    trying: RateLimit = field(default_factory=lambda: RateLimit(per_second=0.2, burst=10))
    asking: RateLimit = field(default_factory=lambda: RateLimit(per_second=5, burst=300))
    requesting: RateLimit = field(default_factory=lambda: RateLimit(per_second=300, burst=3000))
    connecting: RateLimit = field(default_factory=lambda: RateLimit(per_second=300, burst=3000))
    hashing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    n_hashing: int = 0  # passwords that wait or are being checked
    pace: Paced = field(default_factory=Paced)
    known: set[str] = field(default_factory=set)  # hashes of tokens of participants
    root: str = ""  # the path below which it is, such as /faces

    @property
    def reply_headers(self) -> tuple[tuple[bytes, bytes], ...]:
        """Headers of every reply."""
        https = {"strict-transport-security": "max-age=31536000"} if self.https else {}
        return tuple((name.encode(), value.encode()) for name, value in (HEADERS | https).items())

    @property
    def database(self) -> Database:
        """The database of the study."""
        return self.running.database

    def page(self, request: Request, name: str, *, status: int = 200, **content: Any) -> Response:
        """Return a page; everything in it is escaped."""
        study = self.running.study
        shared = {"study": study, "text": study.text, "keys": self.running.keys, "root": self.root}
        return TEMPLATES.TemplateResponse(request, name, {**shared, **content}, status_code=status)

    async def look(
        self,
        work: Callable[Concatenate[sa.Connection, Site, P], Result],
        *args: P.args,
        **kw: P.kwargs,
    ) -> Result:
        """Return the result of slow work for the owner with a connection, at its pace."""
        async with self.pace.turn():
            return await self.database.read(work, self, *args, **kw)

    def is_too_often(self, request: Request, token_hash: str) -> bool:
        """Return whether a participant, or an address with unknown cookies, is over its limit."""
        is_welcome = token_hash in self.known or self.asking.allows_client(request)
        return not (is_welcome and self.stepping.allows(token_hash))

    @asynccontextmanager
    async def one_try(self, request: Request) -> AsyncIterator[None]:
        """Check one password at a time; refuse those that are tried too often."""
        if not self.trying.allows_client(request) or self.n_hashing >= MOST_HASHING:
            raise HTTPException(429, "too many attempts; wait a minute")
        self.n_hashing += 1
        try:
            async with self.hashing:
                yield
        finally:
            self.n_hashing -= 1

    def redirect(self, path: str) -> RedirectResponse:
        """Return a redirection to a page of the study."""
        return RedirectResponse(self.root + path, status_code=303)

    def remember(self, token_hash: str) -> None:
        """Note that a token belongs to a participant."""
        if len(self.known) >= MOST_KNOWN:
            self.known.clear()
        self.known.add(token_hash)

    def cookie(self, name: str) -> str:
        """Return the name of a cookie in this study: several studies may share a host."""
        tag = hmac.new(self.running.secret, b"cookie", hashlib.sha256).hexdigest()[:8]
        return f"{name}_{tag}"

    def set_cookie(self, response: Response, name: str, token: str) -> None:
        """Give a browser its token; scripts cannot read it, other sites cannot use it."""
        is_owner = name == OWNER_COOKIE
        response.set_cookie(
            self.cookie(name),
            token,
            max_age=int(SESSION_SECONDS) if is_owner else PARTICIPANT_SECONDS,
            httponly=True,
            secure=self.https,
            samesite="strict" if is_owner else "lax",
            path=f"{self.root}/owner" if is_owner else self.root or "/",
        )


async def get_site(request: Request) -> Site:
    """Return the site of a request."""
    site: Site = request.app.state.site
    return site


TheSite = Annotated[Site, Depends(get_site)]


async def same_site_only(request: Request) -> None:
    """Refuse changes sent by a page of another site; links may come from anywhere."""
    if request.method in ("GET", "HEAD"):
        return
    fetch_site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if fetch_site not in (None, "same-origin", "none") or (
        origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    ):
        raise HTTPException(403, "this request comes from another site")
