"""Starting the server: addresses, tokens, the greeting."""

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
from ordlink.collect.hub import Hub
from ordlink.collect.security import LOOPBACK_NAMES
from ordlink.collect.site import Site
from ordlink.collect.study import Study
from ordlink.errors import InputError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
SWITCH_SECONDS = 0.0005
"""How long a thread of Python may keep the others waiting: the writer must not wait long."""


@dataclass(frozen=True)
class Address:
    """Where the server listens, whether people come by https (through a proxy), and other names."""

    host: str = "127.0.0.1"
    port: int = 8765
    https: bool = False
    allowed_names: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names by which the server may be called; any if there is none.

        Nothing but a browser on this machine calls a server on loopback, unless it is a proxy.
        """
        is_local = self.host in LOOPBACK and not self.https
        return (*LOOPBACK_NAMES, *self.allowed_names) if is_local or self.allowed_names else ()

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
    """Serve a study until interrupted.

    Parameters
    ----------
    study : Study
    database : str
        Address of the database.
    address : Address
    is_paused : bool, optional
        Whether nobody can answer until the owner resumes the study.
    say : callable
        Prints the greeting.
    """
    listener = listen(address)
    sys.setswitchinterval(SWITCH_SECONDS)
    token = secrets.token_urlsafe(16)
    hub = Hub(study, database)
    site = Site(hub, owner.Keeper(token), https=address.https, names=address.names)
    if is_paused and hub.is_open:
        asyncio.run(hub.set_state("paused"))
    with hub.engine.connect() as connection:
        is_new = owner.stored_password(connection) is None
    say(f"{study.name}: {study.n_objects} stimuli, {study.question} questions, {study.sampler}")
    say(f"  people answer at  {address.url}/")
    say(f"  dashboard         {address.url}/owner" + (f"/setup?token={token}" if is_new else ""))
    if hub.desk.state == "paused":
        say("  paused: look at the stimuli on the dashboard, then resume")
    say("  stop with Ctrl-C; all answers are kept")
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
    """Return a socket that listens there; nobody is greeted before it does."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family, backlog=2048)
    except OSError as error:
        raise InputError(
            f"cannot listen at {address.host}, port {address.port} ({error.strerror or error}); "
            "stop what listens there, or choose another port with --port"
        ) from error
