"""The participants' pages and their JSON requests: one for each answer."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from functools import partial
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, HTTPException, Path, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from ordlink.collect import people
from ordlink.collect.rows import note_event
from ordlink.collect.session import (
    Action,
    Answer,
    Continue,
    Step,
    Undo,
    View,
    Withdraw,
    choose_condition,
)
from ordlink.collect.site import PARTICIPANT_COOKIE, Site, TheSite, get_site, same_site_only
from ordlink.errors import InputError

_ANSWER = TypeAdapter(Answer)


async def json_only(request: Request) -> None:
    """Refuse steps that a form of another site could send."""
    content_type = request.headers.get("content-type", "").split(";")[0].strip()
    if request.method == "POST" and content_type != "application/json":
        raise HTTPException(415, "expected JSON")


async def get_token(site: TheSite, request: Request) -> str | None:
    """Return the token of a participant's browser."""
    token = request.cookies.get(site.cookie(PARTICIPANT_COOKIE))
    return token if token and len(token) <= 200 else None


router = APIRouter()
steps = APIRouter(prefix="/api", dependencies=[Depends(same_site_only), Depends(json_only)])
Token = Annotated[str | None, Depends(get_token)]


@router.get("/", include_in_schema=False)
async def welcome(site: TheSite, request: Request) -> Response:
    """Describe the study and ask for consent; known participants resume."""
    query = dict(request.query_params)
    origin, preview = people.origin_of(query), people.is_preview(query)
    running, token = site.running, await get_token(site, request)
    if token and origin.external_id is not None:
        known = await running.database.read(people.find, people.hash_token(token))
        token = token if known and known.external_id == origin.external_id else None
    if token:
        return site.redirect("/run")
    if not running.is_open:  # the same for all ids: nobody can find out who took part
        code, url = ("", "") if preview else running.study.completion("closed")
        can_return = origin.external_id is not None
        return site.page(request, "welcome.html", code=code, url=url, can_return=can_return)
    return site.page(request, "welcome.html", preview=preview)


@router.get("/join", include_in_schema=False)
async def join_again(site: TheSite, request: Request) -> Response:
    """Show the consent page whatever cookie the browser has: the cookie may be unknown."""
    return site.page(request, "welcome.html", preview=False)


@router.get("/run", include_in_schema=False)
async def run(site: TheSite, request: Request, token: Token) -> Response:
    """Show the page with the questions; its script loads them."""
    study = site.running.study
    if token and study.conditions:
        known = await site.database.read(people.find, people.hash_token(token))
        study = study.in_condition(known.condition if known else "")
    return site.page(request, "run.html", study=study, text=study.text)


@router.get(
    "/stimuli/{key}", response_class=Response, responses={206: {}, 400: {}, 404: {}, 416: {}}
)
async def show_stimulus(site: TheSite, key: Annotated[str, Path(max_length=64)]) -> Response:
    """Return the file of a stimulus, or the range of it that a player asks for."""
    running = site.running
    try:
        return await asyncio.to_thread(running.media.respond, key)
    except KeyError as error:
        raise HTTPException(404, "there is no such stimulus") from error
    except (InputError, OSError) as error:
        await running.pause_if_missing()
        raise HTTPException(404, "the file of this stimulus cannot be read") from error


class JoinBody(BaseModel, extra="forbid"):
    """Whether somebody takes part, and the query of the study link they opened."""

    agree: bool
    search: str = Field("", max_length=2000)
    phone: bool = False  # whether it is a phone, by the size of its screen
    again: bool = False  # to resume only, without the consent page


@steps.post("/join")
async def join_study(site: TheSite, request: Request, body: JoinBody, token: Token) -> Response:
    """Take part, or decline; a known participant resumes."""
    running, study = site.running, site.running.study
    if not site.joining.allows_client(request):  # before an id is looked up
        raise HTTPException(
            429, "too many participants are joining from this address; try again in a minute"
        )
    cookie_hash = people.hash_token(token) if token else ""
    fresh = people.new_token()
    hashed = people.hash_token(fresh)
    if not body.agree:
        response = _reply(site, View("done", "declined"))
        if await running.database.write(people.decline, hashed, cookie_hash):
            site.set_cookie(response, PARTICIPANT_COOKIE, fresh)
        return response
    is_phone = body.phone or request.headers.get("sec-ch-ua-mobile") == "?1"
    if is_phone and not study.phones and not body.again:
        await running.database.write(lambda connection: note_event(connection, "refused a phone"))
        return _reply(site, View("done", "phone"))
    query = dict(parse_qsl(body.search.removeprefix("?")))
    origin = people.origin_of(query, running.secret if study.signed_links else b"")
    is_listed = not study.participant_ids or origin.external_id in study.participant_ids
    if not is_listed or (study.signed_links and not origin.is_signed):
        raise HTTPException(403, study.text("bad_link"))
    if token and origin.external_id is None:
        known = await running.database.read(people.find, cookie_hash)
        is_taking_part = known and known.outcome != "declined"
        view = await running.step(Step(cookie_hash)) if is_taking_part else None
        if view is not None:
            return _reply(site, view, cookie_hash)
    person = await running.database.write(
        people.join,
        origin,
        hashed,
        cookie_hash=cookie_hash,
        can_add=running.is_open and not body.again,
        phase="before" if study.questionnaire_before else "instructions",
        choose=partial(choose_condition, study=study),
    )
    if person is None:
        return _reply(site, View("done", "closed"))
    response = await _step(site, hashed, None)
    site.set_cookie(response, PARTICIPANT_COOKIE, fresh)
    return response


@steps.get("/state")
async def show_state(site: TheSite, request: Request, token: Token) -> Response:
    """Return what the participant sees: after a reload the same question as before."""
    return await _step(site, _admit(site, request, token), None)


@steps.post("/undo")
async def undo_answer(site: TheSite, request: Request, body: Undo, token: Token) -> Response:
    """Show the last question again."""
    return await _step(site, _admit(site, request, token, body.visit), body)


@steps.post("/continue")
async def continue_study(site: TheSite, request: Request, body: Continue, token: Token) -> Response:
    """Continue from the instructions, a questionnaire, the practice or a break."""
    for item in site.running.study.questionnaires.get(body.phase, ()):
        try:
            item.check(body.answers.get(item.name))
        except ValueError as error:
            raise HTTPException(422, f"check the answer to {item.text!r}") from error
    return await _step(site, _admit(site, request, token, body.visit), body)


@steps.post("/withdraw")
async def withdraw(site: TheSite, request: Request, body: Withdraw, token: Token) -> Response:
    """Remove all answers of this participant, or ask the owner to."""
    hashed = _admit(site, request, token, body.visit)
    outcome = await site.database.write(people.leave, hashed)
    if outcome is None:
        raise _unknown(site, hashed)
    response = _reply(site, View("done", outcome), hashed)
    if outcome == "withdrawn":
        site.running.wants_truncation = True
        site.known.discard(hashed)
        response.delete_cookie(site.cookie(PARTICIPANT_COOKIE), path=site.root or "/")
    return response


router.include_router(steps)


async def give_answer(request: Request) -> Response:
    """Store an answer and return the next question; sent twice, it is stored once."""
    # Nearly all requests are these, so the body is parsed without the framework's overhead.
    await same_site_only(request)
    await json_only(request)
    site = await get_site(request)
    study = site.running.study
    try:
        answer = _ANSWER.validate_json(await request.body())
        if not study.conditions:
            study.kind.check_choice(answer.choice)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from error
    except InputError as error:
        raise HTTPException(422, str(error)) from error
    if not answer.choice and not study.cant_tell:
        raise HTTPException(422, 'this study has no "can\'t tell" option')
    hashed = _admit(site, request, await get_token(site, request), answer.visit)
    return await _step(site, hashed, answer)


ANSWER_DESCRIPTION: dict[str, Any] = {  # `give_answer` parses its body itself
    "responses": {422: {}},
    "openapi_extra": {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _ANSWER.json_schema()}},
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


async def _step(site: Site, hashed: str, action: Action | None) -> Response:
    view = await site.running.step(Step(hashed, action))
    if view is None:
        raise _unknown(site, hashed)
    site.remember(hashed)
    return _reply(site, view, hashed)


def _unknown(site: Site, hashed: str) -> HTTPException:
    site.known.discard(hashed)
    return HTTPException(401, "unknown session cookie; reopen the study link")


def _keys(site: Site, view: View, hashed: str) -> list[str]:
    """Return one of two keys for each stimulus, the same ones after a reload."""
    both = (site.running.keys, site.running.aliases)
    rng = random.Random(f"{hashed} {view.number}")
    first = {one: rng.getrandbits(1) for one in dict.fromkeys(view.shown)}
    # What is shown twice has one key in the one place, the other key in the other.
    which = [first[one] ^ (one in view.shown[:at]) for at, one in enumerate(view.shown)]
    return [both[key][one] for key, one in zip(which, view.shown, strict=True)]


def _reply(site: Site, view: View, hashed: str = "") -> Response:
    study = site.running.study
    code, url = study.completion(view.outcome)
    state = vars(view) | {
        # Sent back with every step: a page never acts for another in the same browser.
        "visit": visit_of(hashed) if hashed else "",
        "open": site.running.is_open,
        "stimuli": [
            {
                "kind": study.stimuli[one].kind,
                "text": study.stimuli[one].text,
                "url": f"{site.root}/stimuli/{key}" if study.stimuli[one].path else "",
            }
            for one, key in zip(view.shown, _keys(site, view, hashed), strict=True)
        ],
        "code": code,
        "url": url,
    }
    del state["shown"]  # numbers of stimuli, not for participants
    return Response(json.dumps(state), media_type="application/json")
