"""Starting the server: addresses, tokens, the greeting."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass

import uvicorn

from ordlink.collect import owner
from ordlink.collect.app import make_app
from ordlink.collect.hub import Hub
from ordlink.collect.site import Site
from ordlink.collect.study import Study

SWITCH_SECONDS = 0.0005
"""How long a thread of Python may keep the others waiting: the writer must not wait long."""


@dataclass(frozen=True)
class Address:
    """Where the server listens, and whether people come by https (through a proxy)."""

    host: str = "127.0.0.1"
    port: int = 8765
    https: bool = False

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
    setup_token: str | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Serve a study until interrupted.

    Parameters
    ----------
    study : Study
    database : str
        Address of the database.
    address : Address
    setup_token : str, optional
        With which the owner sets the password; drawn at random by default.
    say : callable
        Prints the greeting.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    token = setup_token or secrets.token_urlsafe(16)
    hub = Hub(study, database)
    site = Site(hub, owner.Keeper(token), https=address.https)
    with hub.engine.connect() as connection:
        is_new = owner.stored_password(connection) is None
    say(f"{study.name}: {study.n_objects} stimuli, {study.question} questions, {study.sampler}")
    say(f"  people answer at  {address.url}/")
    say(f"  dashboard         {address.url}/owner" + (f"/setup?token={token}" if is_new else ""))
    say("  stop with Ctrl-C; all answers are kept")
    uvicorn.run(
        make_app(site),
        host=address.host,
        port=address.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=address.https,
        timeout_graceful_shutdown=3,
    )
