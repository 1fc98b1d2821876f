"""The owner's pages: login, dashboard, downloads, and changes (POST with a CSRF token)."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Literal

import sqlalchemy as sa
from fastapi import APIRouter, Depends, Form, HTTPException, Path, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from ordlink.collect import people
from ordlink.collect.results import (
    ParticipantQuality,
    export_answers,
    export_events,
    export_participants,
    export_study,
    judge_participants,
    overall_agreement,
    overview_of,
)
from ordlink.collect.rows import note_event
from ordlink.collect.site import OWNER_COOKIE, Site, TheSite, client_of, same_site_only
from ordlink.collect.trees import TreeDrawing, draw_bars, draw_tree
from ordlink.collect.worker import RecordReader
from ordlink.errors import InputError

HIGHEST_NUMBER = 2**31 - 1

router = APIRouter(prefix="/owner", dependencies=[Depends(same_site_only)])
Password = Annotated[str, Form(max_length=500)]
Csrf = Annotated[str, Form(max_length=100)]
ParticipantNumber = Annotated[int, Path(ge=1, le=HIGHEST_NUMBER)]


async def owner_only(request: Request, site: TheSite) -> str:
    """Return the CSRF token of the owner's session; refuse everybody else."""
    session = await _find_session(site, request)
    if session is None:
        raise HTTPException(401, "log in first, at /owner/login")
    return session


Owner = Annotated[str, Depends(owner_only)]


async def checked_owner(session: Owner, csrf: Csrf = "") -> None:
    """Refuse forms without the token of the session."""
    if not hmac.compare_digest(csrf.encode(), session.encode()):
        raise HTTPException(403, "this form is out of date; reload the page")


writes = APIRouter(dependencies=[Depends(checked_owner)], default_response_class=RedirectResponse)


@router.get("/setup", include_in_schema=False)
async def show_setup(site: TheSite, request: Request, token: str = "") -> Response:
    """Ask for a password, with the token that was printed at the start."""
    if await site.database.read(people.stored_password) is not None:
        return RedirectResponse("/owner/login", status_code=303)
    return site.page(request, "login.html", token=token, problem="")


@router.post("/setup", response_class=RedirectResponse)
async def set_up(
    site: TheSite, request: Request, token: Annotated[str, Form(max_length=200)], password: Password
) -> Response:
    """Set the password, once."""
    _limit_tries(site, request)
    if not site.owner.is_setup_token(token):
        problem = "This is not the token that was printed at the start."
        return site.page(request, "login.html", status=403, token="", problem=problem)
    try:
        hashed = await asyncio.to_thread(site.owner.hash_password, password)
    except (InputError, UnicodeError) as error:
        return site.page(request, "login.html", status=422, token=token, problem=str(error))
    if not await site.database.write(people.set_password, hashed):
        raise HTTPException(403, "the password is set already; log in at /owner/login")
    return await _log_in(site)


@router.get("/login", include_in_schema=False)
async def show_login(site: TheSite, request: Request) -> Response:
    """Ask for the password."""
    return site.page(request, "login.html", problem="")


@router.post("/login", response_class=RedirectResponse)
async def log_in(site: TheSite, request: Request, password: Password) -> Response:
    """Begin a session."""
    _limit_tries(site, request)
    stored = await site.database.read(people.stored_password)
    try:
        good = await asyncio.to_thread(site.owner.is_password, password, stored)
    except UnicodeError:
        good = False
    if not good:
        return site.page(request, "login.html", status=403, problem="Wrong password.")
    return await _log_in(site)


@writes.post("/logout")
async def log_out(site: TheSite, request: Request) -> Response:
    """End the session."""
    token = request.cookies.get(OWNER_COOKIE, "")
    await site.database.write(people.end_session, token)
    response = RedirectResponse("/owner/login", status_code=303)
    response.delete_cookie(OWNER_COOKIE, path="/owner")
    return response


@router.get("", include_in_schema=False)
async def show_dashboard(site: TheSite, request: Request) -> Response:
    """Show the dashboard, or the way to it."""
    session = await _find_session(site, request)
    if session is None:
        is_set = await site.database.read(people.stored_password) is not None
        return RedirectResponse("/owner/login" if is_set else "/owner/setup", status_code=303)
    overview = await overview_of(site)
    participants = await _participants(site)
    return site.page(
        request,
        "dashboard.html",
        csrf=session,
        overview=overview,
        participants=participants,
        agreement=overall_agreement(participants),
        n_asking=sum(one.asks_removal for one in participants),
        bars=draw_bars(overview["over_time"]),
        trees=_draw_trees(site),
    )


@router.get("/stimuli", include_in_schema=False)
async def show_stimuli(site: TheSite, request: Request, _owner: Owner) -> Response:
    """Show all stimuli as participants see them."""
    return site.page(request, "stimuli.html")


@router.get("/api/overview", response_class=JSONResponse)
async def get_overview(site: TheSite, _owner: Owner) -> Response:
    """Return the progress: answers over time, participants, cost, the stop rule."""
    return JSONResponse(await overview_of(site))


@router.get("/api/participants", response_class=JSONResponse)
async def get_participants(site: TheSite, _owner: Owner) -> Response:
    """Return the participants and what looks wrong with their answers."""
    return JSONResponse([asdict(one) for one in await _participants(site)])


@router.get("/api/tree", response_class=JSONResponse)
async def get_tree(site: TheSite, _owner: Owner) -> Response:
    """Return the newest trees: of everybody, and without those who are excluded."""
    latest = site.running.latest
    return JSONResponse(
        {
            "names": site.running.study.names,
            "urls": _picture_urls(site),
            "everybody": latest.trees and latest.trees.everybody,
            "kept": latest.trees and latest.trees.kept,
            "n_stable": latest.stability.n_stable,
            "built_at": latest.built_at,
        }
    )


Download = Literal[
    "answers.csv", "answers.parquet", "answers-of-everybody.csv", "answers-of-everybody.parquet",
    "participants.csv", "events.jsonl", "study.yaml",
]  # fmt: skip
_MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "jsonl": "application/x-ndjson",
    "yaml": "text/plain; charset=utf-8",
}


@router.get("/download/{name}", response_class=Response)
async def download(site: TheSite, _owner: Owner, name: Download) -> Response:
    """Return a file of the study."""
    extension = name.rsplit(".", 1)[1]
    content: str | bytes
    if name == "participants.csv":
        content = export_participants(await _participants(site))
    elif name == "study.yaml":
        content = export_study(site.running.study)
    elif name == "events.jsonl":
        content = await site.database.read(lambda connection: "".join(export_events(connection)))
    else:
        content = await asyncio.to_thread(_answers, site, name, extension)
    return Response(
        content,
        media_type=_MEDIA_TYPES[extension],
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


@writes.post("/state")
async def change_state(
    site: TheSite, state: Annotated[Literal["open", "paused", "complete"], Form()]
) -> Response:
    """Open, pause or end the study."""
    try:
        await site.running.set_state(state)
    except InputError as error:
        raise HTTPException(409, str(error)) from error
    return RedirectResponse("/owner", status_code=303)


@writes.post("/participants/{person}/exclude")
async def exclude_participant(
    site: TheSite, person: ParticipantNumber, reason: Annotated[str, Form(max_length=200)] = ""
) -> Response:
    """Leave a participant out of the tree; their answers stay."""
    printable = "".join(letter for letter in reason if letter.isprintable()).strip()
    return await _write_participant(
        site, people.exclude, person, reason=printable or "by the owner"
    )


@writes.post("/participants/{person}/include")
async def include_participant(site: TheSite, person: ParticipantNumber) -> Response:
    """Include a participant again."""
    return await _write_participant(site, people.exclude, person, reason="")


@writes.post("/participants/{person}/withdraw")
async def withdraw_participant(site: TheSite, person: ParticipantNumber) -> Response:
    """Remove the answers of a participant who asked for it."""
    return await _write_participant(site, people.withdraw, person)


@writes.post("/participants/{person}/keep")
async def keep_participant(site: TheSite, person: ParticipantNumber) -> Response:
    """Keep the answers of a participant who asks on another device to have them removed."""
    return await _write_participant(site, people.refuse_removal, person)


async def _write_participant(
    site: Site, write: Callable[..., bool], person: int, **details: str
) -> Response:
    if not await site.database.write(write, person, **details):
        raise HTTPException(404, "there is no such participant")
    return RedirectResponse("/owner", status_code=303)


router.include_router(writes)


async def _find_session(site: Site, request: Request) -> str | None:
    token = request.cookies.get(OWNER_COOKIE)
    if not token or len(token) > 200:
        return None
    return await site.database.read(people.find_session, token)


async def _log_in(site: Site) -> Response:
    token = people.new_token()

    def write(connection: sa.Connection) -> None:
        people.begin_session(connection, token)
        note_event(connection, "owner logged in")

    await site.database.write(write)
    response = RedirectResponse("/owner", status_code=303)
    site.set_cookie(response, OWNER_COOKIE, token, seconds=int(people.SESSION_SECONDS))
    return response


def _limit_tries(site: Site, request: Request) -> None:
    if not site.trying.allows(client_of(request)):
        raise HTTPException(429, "too many tries; wait a minute")


async def _participants(site: Site) -> list[ParticipantQuality]:
    trees = site.running.latest.trees
    agreement = {} if trees is None else trees.agreement
    return await site.database.read(judge_participants, site.running.study, agreement)


def _picture_urls(site: Site) -> list[str]:
    return [
        f"/stimuli/{key}" if one.kind == "picture" else ""
        for one, key in zip(site.running.study.stimuli, site.running.keys, strict=True)
    ]


def _draw_trees(site: Site) -> dict[str, TreeDrawing | None]:
    trees, names, urls = site.running.latest.trees, site.running.study.names, _picture_urls(site)
    return {
        name: draw_tree(getattr(trees, name, None), names, urls) for name in ("kept", "everybody")
    }


def _answers(site: Site, name: str, extension: str) -> bytes:
    reader = RecordReader(site.running.engine, site.running.study)
    record = reader.read() if "everybody" in name else reader.read_kept()
    return export_answers(record, extension)
