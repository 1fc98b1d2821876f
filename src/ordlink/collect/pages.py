"""The participants' pages, and the files of the stimuli."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request, Response
from fastapi.responses import RedirectResponse

from ordlink.collect.participants import hash_token, is_known, is_preview, is_theirs, origin_of
from ordlink.collect.site import PARTICIPANT_COOKIE, TheSite
from ordlink.errors import InputError

router = APIRouter()


@router.get("/", include_in_schema=False)
async def welcome(site: TheSite, request: Request) -> Response:
    """Describe the study and ask for consent; known participants resume."""
    query = dict(request.query_params)
    origin, preview = origin_of(query), is_preview(query)
    running = site.running
    read = running.database.read
    cookie = request.cookies.get(PARTICIPANT_COOKIE)
    if cookie is not None and (
        origin.external_id is None
        or await read(lambda connection: is_theirs(connection, origin, hash_token(cookie)))
    ):
        return RedirectResponse("/run", status_code=303)
    if not running.is_open and not await read(lambda connection: is_known(connection, origin)):
        code, url = ("", "") if preview else running.study.completion("closed")
        return site.page(request, "closed.html", code=code, url=url)
    return site.page(request, "welcome.html", preview=preview)


@router.get("/join", include_in_schema=False)
async def join_again(site: TheSite, request: Request) -> Response:
    """Show the consent page whatever cookie the browser has: the cookie may be unknown."""
    return site.page(request, "welcome.html", preview=False)


@router.get("/run", include_in_schema=False)
async def run(site: TheSite, request: Request) -> Response:
    """Show the page with the questions; its script loads them."""
    return site.page(request, "run.html")


@router.get(
    "/stimuli/{key}",
    response_class=Response,
    responses={206: {}, 400: {}, 404: {}, 416: {}},
)
async def show_stimulus(site: TheSite, key: Annotated[str, Path(max_length=64)]) -> Response:
    """Return the file of a stimulus, or the range of it that a player asks for."""
    try:
        return await asyncio.to_thread(site.running.media.respond, key)
    except KeyError as error:
        raise HTTPException(404, "there is no such stimulus") from error
    except (InputError, OSError) as error:
        raise HTTPException(404, "the file of this stimulus cannot be read") from error
