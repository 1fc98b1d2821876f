"""The web app, a list of routes around a running study, and the server that runs it."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles

from ordlink import __version__
from ordlink.collect import api, dashboard, people
from ordlink.collect.connections import BoundedProtocol, OncePerMinute, raise_file_limit
from ordlink.collect.database import LOG
from ordlink.collect.running import RunningStudy
from ordlink.collect.site import HERE, Guard, Site
from ordlink.collect.study import Study
from ordlink.errors import InputError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
SWITCH_SECONDS = 0.0005  # Python's thread switch interval: the write thread must not wait long


def make_app(site: Site) -> FastAPI:
    """Return the app of a site; it starts and stops the study with itself."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        site.running.start()
        yield
        await site.running.stop()

    app = FastAPI(
        title="ordlink collect",
        version=__version__,
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        root_path=site.root,
        redirect_slashes=False,  # it would redirect to whatever Host a request names
    )
    app.state.site = site
    # First, since nearly all requests are for it.
    app.add_api_route("/api/answer", api.give_answer, methods=["POST"], **api.ANSWER_DESCRIPTION)
    app.include_router(api.router)
    app.include_router(dashboard.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.add_exception_handler(RequestValidationError, _describe_problems)
    app.add_middleware(Guard, site=site)
    return app


async def _describe_problems(_request: Request, error: Exception) -> Response:
    """Return where a request is wrong, without repeating its content."""
    if not isinstance(error, RequestValidationError):
        raise error
    problems = [
        {"loc": [str(part) for part in one["loc"]], "msg": one["msg"], "type": one["type"]}
        for one in error.errors()
    ]
    return JSONResponse({"detail": problems}, status_code=422)


@dataclass(frozen=True)
class Address:
    """Where the server listens, whether browsers connect by https (through a proxy)."""

    host: str = "127.0.0.1"
    port: int = 8765
    https: bool = False
    allowed_hosts: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()  # addresses or networks of proxies on other hosts
    root: str = ""  # path below which a proxy serves the study

    def __post_init__(self) -> None:
        """Refuse invalid proxy addresses, which would match no proxy."""
        for one in self.proxies:
            try:
                ipaddress.ip_network(one)
            except ValueError as error:
                raise InputError(
                    f"expected an IP address, or a network such as 10.0.0.0/8, got {one!r}",
                    parameter="proxies",
                ) from error

    @property
    def hosts(self) -> tuple[str, ...]:
        """Host names that the server answers to; empty for any."""
        is_local = self.host in LOOPBACK and not self.https  # https: behind a proxy
        return (*LOOPBACK_NAMES, *self.allowed_hosts) if is_local or self.allowed_hosts else ()

    @property
    def url(self) -> str:
        """The address for a browser on this machine."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


def serve(
    study: Study,
    database: str,
    address: Address,
    *,
    is_paused: bool = False,
    say: Callable[[str], None] = print,
) -> None:
    """Serve a study until interrupted."""
    listener = listen(address)
    sys.setswitchinterval(SWITCH_SECONDS)
    token = secrets.token_urlsafe(16)
    running = RunningStudy(study, database)
    site = Site(running, people.OwnerAuth(token), https=address.https, hosts=address.hosts)
    site.root = address.root
    if is_paused and running.is_open:
        asyncio.run(running.set_state("paused"))
    with running.engine.connect() as connection:
        is_new = people.stored_password(connection) is None
    say(f"{study.name}: {study.n_objects} stimuli, {study.question} questions, {study.sampler}")
    say(f"  for participants  {address.url}{address.root}/")
    # After "#", which browsers keep to themselves: no proxy logs the token.
    say(
        f"  dashboard         {address.url}{address.root}/owner"
        + (f"/setup#{token}" if is_new else "")
    )
    if missing := study.missing_codes():
        say(f"  no completion code for: {', '.join(missing)}; add them to completion_codes")
    if running.state == "paused":
        say("  the study is paused: check the stimuli on the dashboard, then resume")
    say("  press Ctrl-C to stop; all answers are kept")
    config = make_config(site, proxies=address.proxies)
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])


def make_config(site: Site, *, proxies: tuple[str, ...] = (), **options: Any) -> uvicorn.Config:
    """Return how uvicorn serves a site: with limits for each connection."""
    raise_file_limit()
    trusted = ("127.0.0.1", "::1", *proxies)

    class Protocol(BoundedProtocol):
        reply_headers = site.reply_headers
        connecting = site.connecting
        proxies = tuple(map(ipaddress.ip_network, trusted))

    config = uvicorn.Config(
        make_app(site),
        http=Protocol,
        ws="none",
        loop="asyncio",  # uvloop accepts one connection a turn: a flood keeps newcomers waiting
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=site.https or bool(proxies),
        forwarded_allow_ips=list(trusted),
        timeout_graceful_shutdown=3,
        **options,
    )
    once = OncePerMinute()
    for logger in (LOG, logging.getLogger("uvicorn.error")):
        logger.addFilter(once)
    return config


def listen(address: Address) -> socket.socket:
    """Return a socket that listens on an address."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family, backlog=2048)
    except OSError as error:
        raise InputError(
            f"cannot listen on {address.host}, port {address.port} ({error.strerror or error})",
            remedy="stop the other program, or choose another port ({port})",
        ) from error
