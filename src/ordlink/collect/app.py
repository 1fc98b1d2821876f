"""The web app: a list of routes around a running study."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles

from ordlink import __version__
from ordlink.collect import api, dashboard, pages
from ordlink.collect.security import Guard
from ordlink.collect.site import HERE, Site


def make_app(site: Site) -> FastAPI:
    """Return the app of a site; it starts and stops the study with itself."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        site.running.start()
        yield
        await site.running.stop()

    app = FastAPI(
        title="ordlink collect",
        version=__version__,
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.site = site
    # First, since nearly all requests are for it.
    app.add_api_route("/api/answer", api.give_answer, methods=["POST"], **api.ANSWER_DESCRIPTION)
    app.include_router(pages.router)
    app.include_router(api.router)
    app.include_router(dashboard.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.add_exception_handler(RequestValidationError, _describe_problems)
    app.add_middleware(Guard, hosts=site.hosts, https=site.https)
    return app


async def _describe_problems(_request: Request, error: Exception) -> Response:
    """Return where a request is wrong, without repeating its content."""
    if not isinstance(error, RequestValidationError):
        raise error
    problems = [
        {"loc": [str(part) for part in one["loc"]], "msg": one["msg"], "type": one["type"]}
        for one in error.errors()
    ]
    return JSONResponse({"detail": problems}, status_code=422)
