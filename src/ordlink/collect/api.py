"""What a participant's page asks: small JSON, one request per answer."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl

from fastapi import APIRouter, Cookie, Depends, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ordlink.collect.people import (
    find_person,
    hash_token,
    join,
    new_token,
    origin_of,
    withdraw,
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


class AnswerBody(_Body):
    """An answer: the positions that were chosen, none for "can't tell"."""

    number: int = Field(ge=1, le=MOST_QUESTIONS)
    choice: list[int] = Field(max_length=8)
    seconds: float = Field(0.0, ge=0, le=86_400)
    blurs: int = Field(0, ge=0, le=10_000)
    device: Literal["mouse", "touch", "keyboard", ""] = ""


class UndoBody(_Body):
    """The question whose answer is undone."""

    number: int = Field(ge=1, le=MOST_QUESTIONS)


class ContinueBody(_Body):
    """The page of text from which somebody goes on."""

    phase: Literal["instructions", "ready", "break"]


class WithdrawBody(_Body):
    """A person's wish that their answers are removed."""

    confirm: Literal[True]


class StimulusView(BaseModel):
    """What stands on the screen: a text, or the address of a file."""

    kind: Literal["text", "picture", "audio", "video"]
    text: str
    url: str


class StateReply(BaseModel):
    """What a person sees; `number` is 0 where there is no question."""

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
    if not body.agree:
        return _reply(site, View("done", "declined"))
    if not site.joining.allows(client_of(request)):
        raise HTTPException(429, "too many people join from this address; try again in a minute")
    origin = origin_of(dict(parse_qsl(body.search.removeprefix("?"))))
    if token is not None and origin.external_id is None:
        view = await hub.step(Step(hash_token(token)))
        if view is not None:
            return _reply(site, view)
    if not hub.is_open:
        return _reply(site, View("done", "closed"))
    fresh = new_token()
    await hub.change(lambda connection: join(connection, origin, hash_token(fresh)))
    response = _reply(site, await _step(site, fresh, None))
    site.set_cookie(response, PERSON_COOKIE, fresh, seconds=PERSON_SECONDS)
    return response


@router.get("/state", response_model=StateReply)
async def show_state(site: TheSite, token: PersonToken = None) -> Response:
    """Return what the person sees: after a reload the same question as before."""
    return _reply(site, await _step(site, token, None))


@changes.post("/undo", response_model=StateReply)
async def undo_answer(site: TheSite, body: UndoBody, token: PersonToken = None) -> Response:
    """Return the last question again."""
    return _reply(site, await _step(site, token, Undo(body.number)))


@changes.post("/continue", response_model=StateReply)
async def go_on(site: TheSite, body: ContinueBody, token: PersonToken = None) -> Response:
    """Go on from the instructions, the practice or a break."""
    return _reply(site, await _step(site, token, Continue(body.phase)))


@changes.post("/withdraw", response_model=StateReply)
async def leave(site: TheSite, body: WithdrawBody, token: PersonToken = None) -> Response:
    """Remove all answers of this person."""
    hashed = hash_token(token or "")
    person = await site.hub.read(lambda connection: find_person(connection, hashed))
    if person is None:
        raise HTTPException(401, "nobody is known by this cookie; open the link again")
    await site.hub.change(lambda connection: withdraw(connection, person))
    return _reply(site, View("done", "withdrawn"))


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
    answer = Answer(body.number, choice, body.seconds, body.blurs, body.device)
    return _reply(site, await _step(site, request.cookies.get(PERSON_COOKIE), answer))


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


async def _step(site: Site, token: str | None, action: Any) -> View:
    hashed = hash_token(token or "")
    if not site.stepping.allows(hashed):
        raise HTTPException(429, "too many requests; wait a moment")
    view = await site.hub.step(Step(hashed, action)) if token else None
    if view is None:
        raise HTTPException(401, "nobody is known by this cookie; open the link again")
    return view


def _reply(site: Site, view: View) -> Response:
    study, keys = site.hub.study, site.hub.keys
    code = study.completion_codes.get(view.outcome or "", "")
    state = {
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
        "url": study.completion_url.replace("{code}", code) if view.outcome else "",
    }
    return Response(json.dumps(state), media_type="application/json")
