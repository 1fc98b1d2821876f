"""The participants' pages, and the files of the stimuli."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request, Response
from fastapi.responses import RedirectResponse, StreamingResponse

from ordlink.collect.people import hash_token, is_known, is_preview, is_theirs, origin_of
from ordlink.collect.site import PERSON_COOKIE, TheSite
from ordlink.errors import InputError

router = APIRouter(include_in_schema=False)


@router.get("/")
async def welcome(site: TheSite, request: Request) -> Response:
    """Show what the study is about and ask for consent; people who are known go on."""
    query = dict(request.query_params)
    origin, preview = origin_of(query), is_preview(query)
    hub = site.hub
    cookie = request.cookies.get(PERSON_COOKIE)
    if cookie is not None and (
        origin.external_id is None
        or await hub.read(lambda connection: is_theirs(connection, origin, hash_token(cookie)))
    ):
        return RedirectResponse("/run", status_code=303)
    if not hub.is_open and not await hub.read(lambda connection: is_known(connection, origin)):
        code, url = ("", "") if preview else hub.study.completion("closed")
        return site.page(request, "closed.html", code=code, url=url)
    return site.page(request, "welcome.html", preview=preview)


@router.get("/join")
async def join_again(site: TheSite, request: Request) -> Response:
    """Show the consent page whatever the browser remembers: for a cookie that nobody knows."""
    return site.page(request, "welcome.html", preview=False)


@router.get("/run")
async def run(site: TheSite, request: Request) -> Response:
    """Show the page on which people answer; its script asks for the questions."""
    return site.page(request, "run.html")


files = APIRouter()


@files.get("/stimuli/{key}", response_class=Response, responses={206: {}, 404: {}})
async def show_stimulus(
    site: TheSite,
    request: Request,
    key: Annotated[str, Path(max_length=64)],
) -> Response:
    """Return the file of a stimulus, or the part of it that a player asks for.

    Its key tells nothing about it.
    """
    try:
        medium = await asyncio.to_thread(site.hub.media.__getitem__, key)
    except KeyError as error:
        raise HTTPException(404, "there is no such stimulus") from error
    except (InputError, OSError) as error:
        raise HTTPException(404, "the file of this stimulus cannot be read") from error
    headers = {"cache-control": "private, max-age=86400", "accept-ranges": "bytes"}
    part = asked_part(request.headers.get("range", ""), medium.size)
    if part is not None:
        headers["content-range"] = f"bytes {part.start}-{part.stop - 1}/{medium.size}"
    sent = range(medium.size) if part is None else part
    headers["content-length"] = str(len(sent))
    return StreamingResponse(
        medium.read(sent),
        status_code=200 if part is None else 206,
        media_type=medium.media_type,
        headers=headers,
    )


def asked_part(header: str, size: int) -> range | None:
    """Return the bytes that a Range header asks for; None for all of them.

    Players of some browsers play nothing without it. What is not one plain range that exists is
    answered with the whole file, as the standard allows.

    Examples
    --------
    >>> asked_part("bytes=0-1", 10), asked_part("bytes=4-", 10), asked_part("bytes=-3", 10)
    (range(0, 2), range(4, 10), range(7, 10))
    """
    found = re.fullmatch(r"bytes=(\d{0,15})-(\d{0,15})", header.strip(), re.ASCII)
    if found is None or found.groups() == ("", ""):
        return None
    first, last = found.groups()
    if not first:
        part = range(max(size - int(last), 0), size)
    else:
        part = range(int(first), min(int(last) + 1, size) if last else size)
    return part if part else None
