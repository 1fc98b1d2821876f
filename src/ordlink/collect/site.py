"""What all routes share: the running study, the owner's login, limits, templates, cookies."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, HTTPException, Request, Response
from fastapi.templating import Jinja2Templates

from ordlink.collect.database import Database
from ordlink.collect.owner import OwnerAuth
from ordlink.collect.running import RunningStudy
from ordlink.collect.security import RateLimit

HERE = Path(__file__).parent
PARTICIPANT_COOKIE = "ordlink_person"
OWNER_COOKIE = "ordlink_owner"
PARTICIPANT_SECONDS = 30 * 24 * 3600
MOST_KNOWN = 100_000


@dataclass
class Site:
    """A study on the web."""

    running: RunningStudy
    owner: OwnerAuth
    https: bool = False  # then cookies are never sent without it
    hosts: tuple[str, ...] = ()  # by which the server may be called; empty for any
    # Limits: joining, passwords and unknown cookies per address, steps per participant.
    joining: RateLimit = field(default_factory=lambda: RateLimit(per_second=5, burst=300))
    stepping: RateLimit = field(default_factory=lambda: RateLimit(per_second=50, burst=200))
    trying: RateLimit = field(default_factory=lambda: RateLimit(per_second=0.2, burst=10))
    asking: RateLimit = field(default_factory=lambda: RateLimit(per_second=5, burst=300))
    known: set[str] = field(default_factory=set)  # hashes of tokens of participants
    templates: Jinja2Templates = field(
        default_factory=lambda: Jinja2Templates(directory=HERE / "templates")
    )

    @property
    def database(self) -> Database:
        """The database of the study."""
        return self.running.database

    def page(self, request: Request, name: str, *, status: int = 200, **content: Any) -> Response:
        """Return a page; everything in it is escaped."""
        study = self.running.study
        shared = {"study": study, "text": study.text, "keys": self.running.keys}
        return self.templates.TemplateResponse(
            request, name, {**shared, **content}, status_code=status
        )

    def is_too_often(self, request: Request, token_hash: str) -> bool:
        """Return whether a participant, or an address with unknown cookies, is over its limit."""
        if token_hash not in self.known and not self.asking.allows(client_of(request)):
            return True
        return not self.stepping.allows(token_hash)

    def remember(self, token_hash: str) -> None:
        """Note that a token belongs to a participant."""
        if len(self.known) >= MOST_KNOWN:
            self.known.clear()
        self.known.add(token_hash)

    def set_cookie(self, response: Response, name: str, token: str, *, seconds: int) -> None:
        """Give a browser its token; scripts cannot read it, other sites cannot use it."""
        is_owner = name == OWNER_COOKIE
        response.set_cookie(
            name,
            token,
            max_age=seconds,
            httponly=True,
            secure=self.https,
            samesite="strict" if is_owner else "lax",
            path="/owner" if is_owner else "/",
        )


async def get_site(request: Request) -> Site:
    """Return the site of a request."""
    site: Site = request.app.state.site
    return site


TheSite = Annotated[Site, Depends(get_site)]


def client_of(request: Request) -> str:
    """Return the address of a client, for limits; it is not stored."""
    return request.client.host if request.client else ""


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
