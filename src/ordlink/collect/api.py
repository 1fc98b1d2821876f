"""The JSON requests of the participants' pages: one for each answer."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl

from fastapi import APIRouter, Cookie, Depends, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ordlink.collect.participants import (
    find_participant,
    hash_token,
    is_known,
    join,
    leave,
    new_token,
    origin_of,
)
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
    """Refuse requests that a form of another site could send."""
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise HTTPException(415, "expected JSON")


router = APIRouter(prefix="/api", dependencies=[Depends(same_site_only)])
json_router = APIRouter(dependencies=[Depends(json_only)])
Token = Annotated[str | None, Cookie(alias=PARTICIPANT_COOKIE, max_length=200)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class JoinBody(_Body):
    """Whether somebody takes part, and the query of the study link they opened."""

    agree: bool
    search: str = Field("", max_length=2000)


class _StepBody(_Body):
    """What a page sends; `visit` says whose page it is, where it is given."""

    visit: str = Field("", max_length=64)


class AnswerBody(_StepBody):
    """An answer: the positions that were chosen, none for "can't tell"."""

    number: int = Field(ge=1, le=MOST_QUESTIONS)
    choice: list[int] = Field(max_length=8)
    seconds: float = Field(0.0, ge=0, le=86_400)
    blurs: int = Field(0, ge=0, le=10_000)
    device: Literal["mouse", "touch", "keyboard", ""] = ""


class UndoBody(_StepBody):
    """The question whose answer is undone."""

    number: int = Field(ge=1, le=MOST_QUESTIONS)


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
    """What a participant sees; `number` is 0 where there is no question.

    Pages send `visit` back with every step, so that the page of one participant never acts for
    another who joined in the same browser.
    """

    visit: str
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


@json_router.post("/join", response_model=StateReply)
async def join_study(
    site: TheSite, request: Request, body: JoinBody, token: Token = None
) -> Response:
    """Take part, or decline; a known participant resumes."""
    running = site.running
    database = running.database
    origin = origin_of(dict(parse_qsl(body.search.removeprefix("?"))))
    if not body.agree:
        if await database.read(lambda connection: is_known(connection, origin)):
            raise HTTPException(409, running.study.text("declined_late"))
        return _reply(site, View("done", "declined"))
    if not site.joining.allows(client_of(request)):
        raise HTTPException(429, "too many people join from this address; try again in a minute")
    cookie_hash = hash_token(token) if token else ""
    if token and origin.external_id is None:
        view = await running.step(Step(cookie_hash))
        if view is not None:
            return _reply(site, view, cookie_hash)
    if not running.is_open and not await database.read(
        lambda connection: is_known(connection, origin)
    ):
        return _reply(site, View("done", "closed"))
    fresh = new_token()
    hashed = hash_token(fresh)
    await database.write(
        lambda connection: join(connection, origin, hashed, cookie_hash=cookie_hash)
    )
    response = await _step(site, hashed, None)
    site.set_cookie(response, PARTICIPANT_COOKIE, fresh, seconds=PARTICIPANT_SECONDS)
    return response


@router.get("/state", response_model=StateReply)
async def show_state(site: TheSite, request: Request, token: Token = None) -> Response:
    """Return what the participant sees: after a reload the same question as before."""
    return await _step(site, _admit(site, request, token), None)


@json_router.post("/undo", response_model=StateReply)
async def undo_answer(
    site: TheSite, request: Request, body: UndoBody, token: Token = None
) -> Response:
    """Show the last question again."""
    hashed = _admit(site, request, token, body.visit)
    return await _step(site, hashed, Undo(body.number))


@json_router.post("/continue", response_model=StateReply)
async def continue_study(
    site: TheSite, request: Request, body: ContinueBody, token: Token = None
) -> Response:
    """Continue from the instructions, the practice or a break."""
    hashed = _admit(site, request, token, body.visit)
    return await _step(site, hashed, Continue(body.phase))


@json_router.post("/withdraw", response_model=StateReply)
async def withdraw(
    site: TheSite, request: Request, body: WithdrawBody, token: Token = None
) -> Response:
    """Remove all answers of this participant, or ask the owner to."""
    hashed = _admit(site, request, token, body.visit)
    database = site.database
    person = await database.read(lambda connection: find_participant(connection, hashed))
    if person is None:
        raise _unknown(site, hashed)
    outcome = await database.write(lambda connection: leave(connection, person))
    return _reply(site, View("done", outcome), hashed)


router.include_router(json_router)


async def give_answer(request: Request) -> Response:
    """Store an answer and return the next question; sent twice, it is stored once.

    Nearly all requests are these, so the body is parsed without the framework's overhead.
    """
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
    hashed = hash_token(token)
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
