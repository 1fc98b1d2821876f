"""The web app, a list of routes around a running study, and the server that runs it."""

from __future__ import annotations

import asyncio
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles

from ordlink import __version__
from ordlink.collect import api, dashboard, people
from ordlink.collect.running import RunningStudy
from ordlink.collect.site import HERE, LOOPBACK_NAMES, Guard, Site
from ordlink.collect.study import Study
from ordlink.errors import InputError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
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
    )
    app.state.site = site
    # First, since nearly all requests are for it.
    app.add_api_route("/api/answer", api.give_answer, methods=["POST"], **api.ANSWER_DESCRIPTION)
    app.include_router(api.router)
    app.include_router(dashboard.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.add_exception_handler(RequestValidationError, _describe_problems)
    app.add_middleware(Guard, hosts=site.hosts, https=site.https)
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

    @property
    def hosts(self) -> tuple[str, ...]:
        """Host names by which the server may be called; empty for any."""
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
    if is_paused and running.is_open:
        asyncio.run(running.set_state("paused"))
    with running.engine.connect() as connection:
        is_new = people.stored_password(connection) is None
    say(f"{study.name}: {study.n_objects} stimuli, {study.question} questions, {study.sampler}")
    say(f"  for participants  {address.url}/")
    say(f"  dashboard         {address.url}/owner" + (f"/setup?token={token}" if is_new else ""))
    if running.state == "paused":
        say("  the study is paused: check the stimuli on the dashboard, then resume")
    say("  press Ctrl-C to stop; all answers are kept")
    config = uvicorn.Config(
        make_app(site),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=address.https,
        timeout_graceful_shutdown=3,
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])


def listen(address: Address) -> socket.socket:
    """Return a socket that listens at an address."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family, backlog=2048)
    except OSError as error:
        raise InputError(
            f"cannot listen at {address.host}, port {address.port} ({error.strerror or error})",
            remedy="stop the other program, or choose another port ({port})",
        ) from error
