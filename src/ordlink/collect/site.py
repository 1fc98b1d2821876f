"""What all routes share: the running study, the owner's keeper, limits, templates, cookies."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, HTTPException, Request, Response
from fastapi.templating import Jinja2Templates

from ordlink.collect.hub import Hub
from ordlink.collect.owner import Keeper
from ordlink.collect.security import RateLimit

HERE = Path(__file__).parent
PERSON_COOKIE = "ordlink_person"
OWNER_COOKIE = "ordlink_owner"
PERSON_SECONDS = 30 * 24 * 3600
MOST_KNOWN = 100_000


@dataclass
class Site:
    """A study on the web.

    Attributes
    ----------
    hub : Hub
    keeper : Keeper
    https : bool
        Whether people come by https, so that cookies are never sent without it.
    names : tuple of str
        Names by which the server may be called; any if there is none.
    joining, stepping, trying, asking : RateLimit
        Per address: people who join; per person: steps; per address: passwords, and cookies that
        are not known yet.
    known : set of str
        Hashes of tokens that are known to belong to somebody.
    """

    hub: Hub
    keeper: Keeper
    https: bool = False
    names: tuple[str, ...] = ()
    joining: RateLimit = field(default_factory=lambda: RateLimit(per_second=5, burst=300))
    stepping: RateLimit = field(default_factory=lambda: RateLimit(per_second=50, burst=200))
    trying: RateLimit = field(default_factory=lambda: RateLimit(per_second=0.2, burst=10))
    asking: RateLimit = field(default_factory=lambda: RateLimit(per_second=5, burst=300))
    known: set[str] = field(default_factory=set)
    templates: Jinja2Templates = field(
        default_factory=lambda: Jinja2Templates(directory=HERE / "templates")
    )

    def page(self, request: Request, name: str, *, status: int = 200, **content: Any) -> Response:
        """Return a page; everything in it is escaped."""
        study = self.hub.study
        shared = {"study": study, "text": study.text, "keys": self.hub.keys}
        return self.templates.TemplateResponse(
            request, name, {**shared, **content}, status_code=status
        )

    def is_too_often(self, request: Request, token_hash: str) -> bool:
        """Return whether a person, or an address with cookies that nobody knows, asks too often."""
        if token_hash not in self.known and not self.asking.allows(client_of(request)):
            return True
        return not self.stepping.allows(token_hash)

    def remember(self, token_hash: str) -> None:
        """Note that a token belongs to somebody."""
        if len(self.known) >= MOST_KNOWN:
            self.known.clear()
        self.known.add(token_hash)

    def set_cookie(self, response: Response, name: str, token: str, *, seconds: int) -> None:
        """Give a browser its token; scripts cannot read it, other sites cannot use it."""
        response.set_cookie(
            name,
            token,
            max_age=seconds,
            httponly=True,
            secure=self.https,
            samesite="strict" if name == OWNER_COOKIE else "lax",
            path="/owner" if name == OWNER_COOKIE else "/",
        )


async def get_site(request: Request) -> Site:
    """Return the site of a request."""
    site: Site = request.app.state.site
    return site


def client_of(request: Request) -> str:
    """Return the address of a client, for limits; it is not stored."""
    return request.client.host if request.client else ""


async def same_site_only(request: Request) -> None:
    """Refuse changes that a page of somebody else sends; a link may lead here from anywhere."""
    if request.method in ("GET", "HEAD"):
        return
    fetch_site = request.headers.get("sec-fetch-site")
    if fetch_site not in (None, "same-origin", "none"):
        raise HTTPException(403, "this request comes from another site")
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise HTTPException(403, "this request comes from another site")


TheSite = Annotated[Site, Depends(get_site)]
