"""The owner's pages: login, dashboard, downloads, and changes (POST with a CSRF token)."""

from __future__ import annotations

import asyncio
import hmac
import pathlib
import shutil
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from fastapi import APIRouter, Depends, Form, HTTPException, Path, Query, Request, Response
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse
from starlette.background import BackgroundTask

from ordlink._text import listed
from ordlink.collect import exports, people, results
from ordlink.collect.database import snapshot
from ordlink.collect.site import OWNER_COOKIE, Site, TheSite, same_site_only
from ordlink.collect.trees import draw_bars, draw_tree
from ordlink.collect.worker import WorkerError
from ordlink.comparisons import natural_key
from ordlink.errors import InputError

HIGHEST_NUMBER = 2**31 - 1

router = APIRouter(prefix="/owner", dependencies=[Depends(same_site_only)])
Password = Annotated[str, Form(max_length=500)]
Page = Annotated[int, Query(ge=1, le=HIGHEST_NUMBER // 100)]
Csrf = Annotated[str, Form(max_length=100)]


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
async def show_setup(site: TheSite, request: Request) -> Response:
    """Ask for a password, with the token that was printed at startup."""
    if await site.database.read(people.stored_password) is not None:
        return site.redirect("/owner/login")
    return site.page(request, "login.html", token="", problem="")


@router.post("/setup", response_class=RedirectResponse)
async def set_up(
    site: TheSite, request: Request, token: Annotated[str, Form(max_length=200)], password: Password
) -> Response:
    """Set the password, once."""
    async with site.one_try(request):
        if not site.owner.is_setup_token(token):
            problem = "This is not the token that was printed at startup."
            return site.page(request, "login.html", status=403, token="", problem=problem)
        try:
            hashed = await asyncio.to_thread(site.owner.hash_password, password)
        except (InputError, UnicodeError) as error:
            return site.page(request, "login.html", status=422, token=token, problem=str(error))
    if not await site.database.write(people.set_password, hashed):
        raise HTTPException(403, "the password has already been set; log in at /owner/login")
    return await _log_in(site)


@router.get("/login", include_in_schema=False)
async def show_login(site: TheSite, request: Request) -> Response:
    """Ask for the password."""
    return site.page(request, "login.html", problem="")


@router.post("/login", response_class=RedirectResponse)
async def log_in(site: TheSite, request: Request, password: Password) -> Response:
    """Begin a session."""
    async with site.one_try(request):
        stored = await site.database.read(people.stored_password)
        good = await asyncio.to_thread(site.owner.is_password, password, stored)
    if not good:
        return site.page(request, "login.html", status=403, problem="Wrong password.")
    return await _log_in(site)


@writes.post("/logout")
async def log_out(site: TheSite, request: Request) -> Response:
    """End the session."""
    token = request.cookies.get(site.cookie(OWNER_COOKIE), "")
    await site.database.write(people.end_session, token)
    response = site.redirect("/owner/login")
    response.delete_cookie(site.cookie(OWNER_COOKIE), path=f"{site.root}/owner")
    return response


@router.get("", include_in_schema=False)
async def show_dashboard(site: TheSite, request: Request, page: Page = 1) -> Response:
    """Show the dashboard with a page of the participants, or the way to it."""
    session = await _find_session(site, request)
    if session is None:
        is_set = await site.database.read(people.stored_password) is not None
        return site.redirect("/owner/login" if is_set else "/owner/setup")
    return await site.look(_render_dashboard, request, session, page)


def _render_dashboard(
    connection: sa.Connection, site: Site, request: Request, session: str, page: int
) -> Response:
    overview = results.overview_of(connection, site)
    participants = results.judge(connection, site, results.newest_participants(page))
    return site.page(
        request,
        "dashboard.html",
        csrf=session,
        overview=overview,
        participants=participants,
        page=page,
        n_pages=-(-sum(overview["participants"].values()) // results.PAGE_SIZE),
        agreement=site.running.trees and site.running.trees.overall,
        bars=draw_bars(overview["over_time"]),
        trees=_draw_trees(site),
        n_in_trees=site.running.trees.version[1] if site.running.trees else 0,
    )


@router.get("/stimuli", include_in_schema=False)
async def show_stimuli(site: TheSite, request: Request, _owner: Owner) -> Response:
    """Show all stimuli as participants see them."""
    return site.page(request, "stimuli.html")


@router.get("/groups/{by}", include_in_schema=False)
async def show_groups(
    site: TheSite, request: Request, _owner: Owner, by: Annotated[str, Path(max_length=40)]
) -> Response:
    """Show the trees of groups of participants, and whether the groups differ."""
    study = site.running.study
    if by not in study.groupings:
        raise HTTPException(404, "participants are not grouped by this")
    try:
        found, problem = await site.running.ask_builder("compare_groups", by), ""
    except WorkerError as error:
        found, problem = None, str(error)
    if found is None:
        return site.page(request, "groups.html", by=by, found=None, problem=problem)
    names, urls = study.names, _picture_urls(site)
    drawn = {
        name: draw_tree({"merges": tree.merges.tolist(), "n_answers": n_answers}, names, urls)
        for name, tree, n_answers in zip(found.groups, found.trees, found.n_answers, strict=True)
    }
    branches = sorted(found.branches, key=lambda one: one.p_value)
    order = sorted(range(len(found.people)), key=lambda one: natural_key(found.people[one]))
    return site.page(
        request,
        "groups.html",
        by=by,
        found=found,
        trees=drawn,
        branches=[(listed([names[i] for i in one.objects], 6), one) for one in branches],
        people=[found.people[one] for one in order],
        follows=found.follows[order],
    )


@router.get("/api/overview", response_class=JSONResponse)
async def get_overview(site: TheSite, _owner: Owner) -> Response:
    """Return the progress: answers over time, participants, cost, the stop rule."""
    return JSONResponse(await site.look(results.overview_of))


@router.get("/api/participants", response_class=JSONResponse)
async def get_participants(
    site: TheSite, _owner: Owner, after: Annotated[int, Query(ge=0, le=HIGHEST_NUMBER)] = 0
) -> Response:
    """Return the next 1,000 participants after one, and what looks wrong with their answers."""
    return JSONResponse(await site.look(results.judge, results.participants_after(after)))


@router.get("/api/tree", response_class=JSONResponse)
async def get_tree(site: TheSite, _owner: Owner) -> Response:
    """Return the newest trees: of everybody, and without those who are excluded."""
    running = site.running
    return JSONResponse(
        {
            "names": site.running.study.names,
            "urls": _picture_urls(site),
            "everybody": running.trees and running.trees.everybody,
            "kept": running.trees and running.trees.kept,
            "n_stable": running.stability.n_stable,
        }
    )


Download = Literal[
    "data.zip", "trials.csv", "trials.parquet", "participants.csv", "answers.csv",
    "answers.parquet", "answers-of-everybody.csv", "answers-of-everybody.parquet", "README.md",
    "events.jsonl", "study.yaml", "links.csv",
]  # fmt: skip
_IN_ZIP = ("trials.csv", "participants.csv", "answers.csv", "study.yaml", "README.md")


@router.get("/download/{name}", response_class=Response)
async def download(site: TheSite, _owner: Owner, name: Download) -> Response:
    """Return a file of the study, or the most important ones in a ZIP file."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ordlink-"))
    files = folder / "data"
    path = files / name
    try:
        files.mkdir()
        for one in _IN_ZIP if name == "data.zip" else (name,):
            if one.startswith(("answers", "trials")):  # takes long: beside the server
                await site.running.ask_builder("export", str(files / one))
            else:
                await asyncio.to_thread(_write_download, site, files / one)
        if name == "data.zip":
            await asyncio.to_thread(shutil.make_archive, str(files), "zip", str(files))
            path = folder / name
    except BaseException:
        shutil.rmtree(folder)
        raise
    return FileResponse(path, filename=name, background=BackgroundTask(shutil.rmtree, folder))


def _write_download(site: Site, path: pathlib.Path) -> None:
    """Write a file other than trials and answers, all of it as it is at one moment."""
    running, study = site.running, site.running.study
    with path.open("w", encoding="utf-8", newline="") as file, snapshot(running.engine) as moment:
        pieces: dict[str, Callable[[], Iterable[str]]] = {
            "participants.csv": lambda: exports.export_participants(moment, site),
            "events.jsonl": lambda: exports.export_events(moment),
            "links.csv": lambda: [exports.export_links(study, running.secret)],
            "study.yaml": lambda: [exports.export_study(study)],
            "README.md": lambda: [exports.export_readme(moment, study)],
        }
        file.writelines(pieces[path.name]())


@writes.post("/state")
async def change_state(
    site: TheSite, state: Annotated[Literal["open", "paused", "complete"], Form()]
) -> Response:
    """Open, pause or end the study."""
    try:
        await site.running.set_state(state)
    except InputError as error:
        raise HTTPException(409, str(error)) from error
    return site.redirect("/owner")


@writes.post("/participants/{person}/{change}")
async def change_participant(
    site: TheSite,
    person: Annotated[int, Path(ge=1, le=HIGHEST_NUMBER)],
    change: Literal["exclude", "include", "withdraw", "keep"],
    reason: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Exclude or include a participant, remove their answers, or keep them despite a request."""
    printable = "".join(letter for letter in reason if letter.isprintable()).strip()
    changes: dict[str, Callable[[sa.Connection, int], bool]] = {
        "exclude": partial(people.exclude, reason=printable or "by the owner"),
        "include": partial(people.exclude, reason=""),
        "withdraw": people.withdraw,
        "keep": partial(people.set_asking, is_asking=False),
    }
    if not await site.database.write(changes[change], person):
        raise HTTPException(404, "there is no such participant")
    if change == "withdraw":
        site.running.wants_truncation = True
    return site.redirect("/owner")


router.include_router(writes)


async def _find_session(site: Site, request: Request) -> str | None:
    token = request.cookies.get(site.cookie(OWNER_COOKIE))
    if not token or len(token) > 200:
        return None
    return await site.database.read(people.find_session, token)


async def _log_in(site: Site) -> Response:
    token = people.new_token()
    await site.database.write(people.begin_session, token)
    response = site.redirect("/owner")
    site.set_cookie(response, OWNER_COOKIE, token)
    return response


def _picture_urls(site: Site) -> list[str]:
    return [
        f"{site.root}/stimuli/{key}" if one.kind == "picture" else ""
        for one, key in zip(site.running.study.stimuli, site.running.keys, strict=True)
    ]


def _draw_trees(site: Site) -> dict[str, Any]:
    trees, names, urls = site.running.trees, site.running.study.names, _picture_urls(site)
    both = {name: getattr(trees, name, None) for name in ("kept", "everybody")}
    return {name: draw_tree(tree, names, urls) for name, tree in both.items()}
