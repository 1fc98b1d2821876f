"""What a participant's page asks: small JSON, one request per answer."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl

from fastapi import APIRouter, Cookie, Depends, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ordlink.collect.people import (
    find_person,
    hash_token,
    is_known,
    join,
    leave,
    new_token,
    origin_of,
)
from ordlink.collect.site import (
    PERSON_COOKIE,
    PERSON_SECONDS,
    Site,
    TheSite,
    client_of,
    get_site,
    same_site_only,
)
from ordlink.collect.steps import Answer, Continue, Step, Undo, View
from ordlink.errors import InputError

MOST_QUESTIONS = 1_000_000


async def json_only(request: Request) -> None:
    """Refuse what a form of another site could send."""
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise HTTPException(415, "expected JSON")


router = APIRouter(prefix="/api", dependencies=[Depends(same_site_only)])
changes = APIRouter(dependencies=[Depends(json_only)])
PersonToken = Annotated[str | None, Cookie(alias=PERSON_COOKIE, max_length=200)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class JoinBody(_Body):
    """Whether somebody takes part, and the query part of the address with which they came."""

    agree: bool
    search: str = Field("", max_length=2000)


class _ChangeBody(_Body):
    """What a page sends; `visit` says for whom the page was made, where it is given."""

    visit: str = Field("", max_length=64)


class AnswerBody(_ChangeBody):
    """An answer: the positions that were chosen, none for "can't tell"."""

    number: int = Field(ge=1, le=MOST_QUESTIONS)
    choice: list[int] = Field(max_length=8)
    seconds: float = Field(0.0, ge=0, le=86_400)
    blurs: int = Field(0, ge=0, le=10_000)
    device: Literal["mouse", "touch", "keyboard", ""] = ""


class UndoBody(_ChangeBody):
    """The question whose answer is undone."""

    number: int = Field(ge=1, le=MOST_QUESTIONS)


class ContinueBody(_ChangeBody):
    """The page of text from which somebody goes on."""

    phase: Literal["instructions", "ready", "break"]


class WithdrawBody(_ChangeBody):
    """A person's wish that their answers are removed."""

    confirm: Literal[True]


class StimulusView(BaseModel):
    """What stands on the screen: a text, or the address of a file."""

    kind: Literal["text", "picture", "audio", "video"]
    text: str
    url: str


class StateReply(BaseModel):
    """What a person sees; `number` is 0 where there is no question.

    `visit` comes back with every change, so that a page made for one person never acts for another
    who joined in the same browser.
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


@changes.post("/join", response_model=StateReply)
async def join_study(
    site: TheSite, request: Request, body: JoinBody, token: PersonToken = None
) -> Response:
    """Take part, or decline; somebody who was here before goes on where they were."""
    hub = site.hub
    origin = origin_of(dict(parse_qsl(body.search.removeprefix("?"))))
    if not body.agree:
        if await hub.read(lambda connection: is_known(connection, origin)):
            raise HTTPException(409, hub.study.text("declined_late"))
        return _reply(site, View("done", "declined"))
    if not site.joining.allows(client_of(request)):
        raise HTTPException(429, "too many people join from this address; try again in a minute")
    shown = hash_token(token) if token else ""
    if token and origin.external_id is None:
        view = await hub.step(Step(shown))
        if view is not None:
            return _reply(site, view, shown)
    if not hub.is_open and not await hub.read(lambda connection: is_known(connection, origin)):
        return _reply(site, View("done", "closed"))
    fresh = new_token()
    hashed = hash_token(fresh)
    await hub.change(lambda connection: join(connection, origin, hashed, shown_hash=shown))
    response = await _step(site, hashed, None)
    site.set_cookie(response, PERSON_COOKIE, fresh, seconds=PERSON_SECONDS)
    return response


@router.get("/state", response_model=StateReply)
async def show_state(site: TheSite, request: Request, token: PersonToken = None) -> Response:
    """Return what the person sees: after a reload the same question as before."""
    return await _step(site, _admit(site, request, token), None)


@changes.post("/undo", response_model=StateReply)
async def undo_answer(
    site: TheSite, request: Request, body: UndoBody, token: PersonToken = None
) -> Response:
    """Return the last question again."""
    hashed = _admit(site, request, token, body.visit)
    return await _step(site, hashed, Undo(body.number))


@changes.post("/continue", response_model=StateReply)
async def go_on(
    site: TheSite, request: Request, body: ContinueBody, token: PersonToken = None
) -> Response:
    """Go on from the instructions, the practice or a break."""
    hashed = _admit(site, request, token, body.visit)
    return await _step(site, hashed, Continue(body.phase))


@changes.post("/withdraw", response_model=StateReply)
async def withdraw(
    site: TheSite, request: Request, body: WithdrawBody, token: PersonToken = None
) -> Response:
    """Remove all answers of this person, or ask the owner to."""
    hashed = _admit(site, request, token, body.visit)
    person = await site.hub.read(lambda connection: find_person(connection, hashed))
    if person is None:
        raise _unknown(site, hashed)
    outcome = await site.hub.change(lambda connection: leave(connection, person))
    return _reply(site, View("done", outcome), hashed)


router.include_router(changes)


async def give_answer(request: Request) -> Response:
    """Store an answer and return the next question; sent twice, it is stored once.

    Nearly all requests are these, so the body is read without the framework's help.
    """
    await same_site_only(request)
    await json_only(request)
    site = await get_site(request)
    study = site.hub.study
    try:
        body = AnswerBody.model_validate_json(await request.body())
        choice = study.kind.check_choice(body.choice)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from error
    except InputError as error:
        raise HTTPException(422, str(error)) from error
    if not choice and not study.cant_tell:
        raise HTTPException(422, 'this study has no "can\'t tell"')
    hashed = _admit(site, request, request.cookies.get(PERSON_COOKIE), body.visit)
    answer = Answer(body.number, choice, body.seconds, body.blurs, body.device)
    return await _step(site, hashed, answer)


ANSWER_DESCRIPTION: dict[str, Any] = {
    "response_model": StateReply,
    "responses": {422: {}},
    "openapi_extra": {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": AnswerBody.model_json_schema()}},
        }
    },
}
"""What the OpenAPI description says about `give_answer`, which reads its body itself."""


def visit_of(token_hash: str) -> str:
    """Return what a page is told about whom it was made for: different for every token."""
    return hashlib.sha256(f"visit {token_hash}".encode()).hexdigest()[:16]


def _admit(site: Site, request: Request, token: str | None, visit: str = "") -> str:
    """Return the hash of a token, if whoever has it may do something now."""
    if not token:
        raise HTTPException(401, "nobody is known without a cookie; open the link again")
    hashed = hash_token(token)
    if site.is_too_often(request, hashed):
        raise HTTPException(429, "too many requests; wait a moment")
    if visit and visit != visit_of(hashed):
        raise HTTPException(409, "this page was made for another visit; load it again")
    return hashed


async def _step(site: Site, hashed: str, action: Any) -> Response:
    view = await site.hub.step(Step(hashed, action))
    if view is None:
        raise _unknown(site, hashed)
    site.remember(hashed)
    return _reply(site, view, hashed)


def _unknown(site: Site, hashed: str) -> HTTPException:
    site.known.discard(hashed)
    return HTTPException(401, "nobody is known by this cookie; open the link again")


def _reply(site: Site, view: View, hashed: str = "") -> Response:
    study, keys = site.hub.study, site.hub.keys
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
        "open": site.hub.is_open,
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
