"""The participants' pages and their JSON requests: one for each answer."""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl

from fastapi import APIRouter, Cookie, Depends, HTTPException, Path, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ordlink.collect import people
from ordlink.collect.session import Answer, Continue, Step, Undo, View
from ordlink.collect.site import (
    PARTICIPANT_COOKIE,
    PARTICIPANT_SECONDS,
    Site,
    TheSite,
    client_of,
    get_site,
    same_site_only,
)
from ordlink.errors import InputError

MOST_QUESTIONS = 1_000_000


async def json_only(request: Request) -> None:
    """Refuse steps that a form of another site could send."""
    content_type = request.headers.get("content-type", "").split(";")[0].strip()
    if request.method == "POST" and content_type != "application/json":
        raise HTTPException(415, "expected JSON")


router = APIRouter()
steps = APIRouter(prefix="/api", dependencies=[Depends(same_site_only), Depends(json_only)])
Token = Annotated[str | None, Cookie(alias=PARTICIPANT_COOKIE, max_length=200)]


@router.get("/", include_in_schema=False)
async def welcome(site: TheSite, request: Request) -> Response:
    """Describe the study and ask for consent; known participants resume."""
    query = dict(request.query_params)
    origin, preview = people.origin_of(query), people.is_preview(query)
    running = site.running
    read = running.database.read
    cookie = request.cookies.get(PARTICIPANT_COOKIE)
    if cookie is not None and (
        origin.external_id is None
        or await read(people.is_theirs, origin, people.hash_token(cookie))
    ):
        return RedirectResponse("/run", status_code=303)
    if not running.is_open and not await read(people.is_known, origin):
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
    "/stimuli/{key}", response_class=Response, responses={206: {}, 400: {}, 404: {}, 416: {}}
)
async def show_stimulus(site: TheSite, key: Annotated[str, Path(max_length=64)]) -> Response:
    """Return the file of a stimulus, or the range of it that a player asks for."""
    try:
        return await asyncio.to_thread(site.running.media.respond, key)
    except KeyError as error:
        raise HTTPException(404, "there is no such stimulus") from error
    except (InputError, OSError) as error:
        raise HTTPException(404, "the file of this stimulus cannot be read") from error


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class JoinBody(_Body):
    """Whether somebody takes part, and the query of the study link they opened."""

    agree: bool
    search: str = Field("", max_length=2000)


class _StepBody(_Body):
    """What a page sends; `visit` says whose page it is, where it is given."""

    visit: str = Field("", max_length=64)


class UndoBody(_StepBody):
    """The question whose answer is undone."""

    number: int = Field(ge=1, le=MOST_QUESTIONS)


class AnswerBody(UndoBody):
    """An answer: the positions that were chosen, none for "can't tell"."""

    choice: list[int] = Field(max_length=8)
    seconds: float = Field(0.0, ge=0, le=86_400)
    blurs: int = Field(0, ge=0, le=10_000)
    device: Literal["mouse", "touch", "keyboard", ""] = ""


class ContinueBody(_StepBody):
    """The page of text to continue from."""

    phase: Literal["instructions", "ready", "break"]


class WithdrawBody(_StepBody):
    """The wish to have all answers removed."""

    confirm: Literal[True]


class StimulusView(BaseModel):
    """A text, or the address of a file."""

    kind: Literal["text", "picture", "audio", "video"]
    text: str
    url: str


class StateReply(BaseModel):
    """What a participant sees; `number` is 0 where there is no question."""

    visit: str  # sent back with every step: a page never acts for another in the same browser
    phase: str
    outcome: str | None
    number: int
    done: int
    total: int
    undoable: int
    stored: bool
    open: bool
    stimuli: list[StimulusView]
    code: str
    url: str


@steps.post("/join", response_model=StateReply)
async def join_study(
    site: TheSite, request: Request, body: JoinBody, token: Token = None
) -> Response:
    """Take part, or decline; a known participant resumes."""
    running = site.running
    database = running.database
    origin = people.origin_of(dict(parse_qsl(body.search.removeprefix("?"))))
    if not body.agree:
        if await database.read(people.is_known, origin):
            raise HTTPException(409, running.study.text("declined_late"))
        return _reply(site, View("done", "declined"))
    if not site.joining.allows(client_of(request)):
        raise HTTPException(429, "too many people join from this address; try again in a minute")
    cookie_hash = people.hash_token(token) if token else ""
    if token and origin.external_id is None:
        view = await running.step(Step(cookie_hash))
        if view is not None:
            return _reply(site, view, cookie_hash)
    if not running.is_open and not await database.read(people.is_known, origin):
        return _reply(site, View("done", "closed"))
    fresh = people.new_token()
    hashed = people.hash_token(fresh)
    await database.write(people.join, origin, hashed, cookie_hash=cookie_hash)
    response = await _step(site, hashed, None)
    site.set_cookie(response, PARTICIPANT_COOKIE, fresh, seconds=PARTICIPANT_SECONDS)
    return response


@steps.get("/state", response_model=StateReply)
async def show_state(site: TheSite, request: Request, token: Token = None) -> Response:
    """Return what the participant sees: after a reload the same question as before."""
    return await _step(site, _admit(site, request, token), None)


@steps.post("/undo", response_model=StateReply)
async def undo_answer(
    site: TheSite, request: Request, body: UndoBody, token: Token = None
) -> Response:
    """Show the last question again."""
    return await _step(site, _admit(site, request, token, body.visit), Undo(body.number))


@steps.post("/continue", response_model=StateReply)
async def continue_study(
    site: TheSite, request: Request, body: ContinueBody, token: Token = None
) -> Response:
    """Continue from the instructions, the practice or a break."""
    return await _step(site, _admit(site, request, token, body.visit), Continue(body.phase))


@steps.post("/withdraw", response_model=StateReply)
async def withdraw(
    site: TheSite, request: Request, body: WithdrawBody, token: Token = None
) -> Response:
    """Remove all answers of this participant, or ask the owner to."""
    hashed = _admit(site, request, token, body.visit)
    outcome = await site.database.write(people.leave, hashed)
    if outcome is None:
        raise _unknown(site, hashed)
    return _reply(site, View("done", outcome), hashed)


router.include_router(steps)


async def give_answer(request: Request) -> Response:
    """Store an answer and return the next question; sent twice, it is stored once."""
    # Nearly all requests are these, so the body is parsed without the framework's overhead.
    await same_site_only(request)
    await json_only(request)
    site = await get_site(request)
    study = site.running.study
    try:
        body = AnswerBody.model_validate_json(await request.body())
        choice = study.kind.check_choice(body.choice)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from error
    except InputError as error:
        raise HTTPException(422, str(error)) from error
    if not choice and not study.cant_tell:
        raise HTTPException(422, 'this study has no "can\'t tell"')
    hashed = _admit(site, request, request.cookies.get(PARTICIPANT_COOKIE), body.visit)
    answer = Answer(body.number, choice, body.seconds, body.blurs, body.device)
    return await _step(site, hashed, answer)


ANSWER_DESCRIPTION: dict[str, Any] = {  # `give_answer` parses its body itself
    "response_model": StateReply,
    "responses": {422: {}},
    "openapi_extra": {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": AnswerBody.model_json_schema()}},
        }
    },
}


def visit_of(token_hash: str) -> str:
    """Return what identifies a page's participant: different for every token."""
    return hashlib.sha256(f"visit {token_hash}".encode()).hexdigest()[:16]


def _admit(site: Site, request: Request, token: str | None, visit: str = "") -> str:
    """Return the hash of a token; refuse requests without one, too often, or of another visit."""
    if not token:
        raise HTTPException(401, "no session cookie; reopen the study link")
    hashed = people.hash_token(token)
    if site.is_too_often(request, hashed):
        raise HTTPException(429, "too many requests; wait a moment")
    if visit and visit != visit_of(hashed):
        raise HTTPException(409, "this page belongs to another visit; reload it")
    return hashed


async def _step(site: Site, hashed: str, action: Any) -> Response:
    view = await site.running.step(Step(hashed, action))
    if view is None:
        raise _unknown(site, hashed)
    site.remember(hashed)
    return _reply(site, view, hashed)


def _unknown(site: Site, hashed: str) -> HTTPException:
    site.known.discard(hashed)
    return HTTPException(401, "unknown session cookie; reopen the study link")


def _reply(site: Site, view: View, hashed: str = "") -> Response:
    study, keys = site.running.study, site.running.keys
    code, url = study.completion(view.outcome)
    state = {
        "visit": visit_of(hashed) if hashed else "",
        "phase": view.phase,
        "outcome": view.outcome,
        "number": view.number,
        "done": view.n_done,
        "total": view.n_total,
        "undoable": view.undoable,
        "stored": view.stored,
        "open": site.running.is_open,
        "stimuli": [
            {
                "kind": study.stimuli[one].kind,
                "text": study.stimuli[one].text,
                "url": f"/stimuli/{keys[one]}" if study.stimuli[one].path else "",
            }
            for one in view.shown
        ],
        "code": code,
        "url": url,
    }
    return Response(json.dumps(state), media_type="application/json")
