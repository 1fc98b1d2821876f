"""Starting the server."""

from __future__ import annotations

import asyncio
import secrets
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import uvicorn

from ordlink.collect import owner
from ordlink.collect.app import make_app
from ordlink.collect.running import RunningStudy
from ordlink.collect.security import LOOPBACK_NAMES
from ordlink.collect.site import Site
from ordlink.collect.study import Study
from ordlink.errors import InputError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
SWITCH_SECONDS = 0.0005  # Python's thread switch interval: the write thread must not wait long


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
    site = Site(running, owner.OwnerAuth(token), https=address.https, hosts=address.hosts)
    if is_paused and running.is_open:
        asyncio.run(running.set_state("paused"))
    with running.engine.connect() as connection:
        is_new = owner.stored_password(connection) is None
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
