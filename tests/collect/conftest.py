"""A study on the web in the test's own process: no worker process, a server only for browsers."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra ordlink[collect] is not installed")

import uvicorn
from argon2 import PasswordHasher
from fastapi.testclient import TestClient

from ordlink.collect.connections import OncePerMinute
from ordlink.collect.database import LOG, make_engine
from ordlink.collect.people import OwnerAuth
from ordlink.collect.running import RunningStudy
from ordlink.collect.samplers import Draw
from ordlink.collect.schema import study as study_table
from ordlink.collect.server import make_app, make_config
from ordlink.collect.site import Site
from ordlink.collect.stimuli import Stimulus
from ordlink.collect.study import Study, make_study
from ordlink.collect.trees import RecordVersion, Trees
from ordlink.collect.worker import StudyTasks
from soak.servers import free_port
from tests.collect.visitors import Visitor, open_chromium
from tests.waiting import wait_until

TOKEN = "a-token-that-was-printed"
PASSWORD = "correct horse battery"


class LocalWorker(StudyTasks):
    """The worker's tasks without its process, one at a time as well."""

    def __init__(self, url: str, study: Study) -> None:
        super().__init__(make_engine(url), study)
        self._lock = threading.Lock()

    def draw(self, n_questions: int, seed: int, condition: str = "") -> Draw:
        with self._lock:
            return super().draw(n_questions, seed, condition)

    def build_trees(self, unless: RecordVersion | None = None) -> Trees | None:
        with self._lock:
            return super().build_trees(unless)

    def export(self, path: str) -> None:
        with self._lock:
            super().export(path)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let few answers pass: trees grow in threads, which share the filters of warnings."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning"))


def text_study(n_objects: int = 12, **settings: Any) -> Study:
    """Return a study about texts, without practice, catch trials and repeats unless wanted."""
    plain = {"practice": 0, "catch_trials": 0, "repeat_share": 0.0, "break_every": 0}
    stimuli = tuple(Stimulus(f"thing {i}", "text", f"thing {i}") for i in range(n_objects))
    return make_study({**plain, **settings}, stimuli)


@dataclass
class Place:
    """A running study and a browser."""

    site: Site
    browser: TestClient

    @property
    def running(self) -> RunningStudy:
        return self.site.running

    def another_browser(self) -> TestClient:
        """Return a browser without cookies."""
        return TestClient(self.browser.app)

    def join(self, browser: TestClient | None = None, search: str = "") -> dict[str, Any]:
        """Take part and go on to the first question."""
        browser = browser or self.browser
        state = post(browser, "/api/join", agree=True, search=search)
        while state["number"] == 0 and state["phase"] != "done":
            state = post(browser, "/api/continue", phase=state["phase"])
        return state

    def answer(
        self,
        state: dict[str, Any],
        choice: list[int],
        browser: TestClient | None = None,
        **more: Any,
    ) -> dict[str, Any]:
        return post(
            browser or self.browser, "/api/answer", number=state["number"], choice=choice, **more
        )

    def log_in(self) -> str:
        """Become the owner; return the CSRF token."""
        reply = self.browser.post("/owner/setup", data={"token": TOKEN, "password": PASSWORD})
        assert reply.status_code == 200, reply.text
        return reply.text.split('name="csrf" value="')[1].split('"')[0]


def post(browser: TestClient, path: str, **body: Any) -> dict[str, Any]:
    """Send JSON that must be accepted, and return what comes back."""
    reply = browser.post(path, json=body)
    assert reply.status_code == 200, reply.text
    content: dict[str, Any] = reply.json()
    return content


def make_site(study: Study, database: Path) -> Site:
    """Return a study with passwords that are quick to check."""
    running = RunningStudy(study, f"sqlite:///{database}", make_worker=LocalWorker)
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    return Site(running, OwnerAuth(TOKEN, hasher=quick))


@contextmanager
def serve(study: Study, database: Path) -> Iterator[Place]:
    """Serve a study in this process."""
    site = make_site(study, database)
    with TestClient(make_app(site)) as browser:
        yield Place(site, browser)


@contextmanager
def serve_on_loopback(study: Study, database: Path) -> Iterator[tuple[Site, str]]:
    """Serve a study in a thread of this process, for real browsers; give its address."""
    site = make_site(study, database)
    port = free_port()
    server = uvicorn.Server(make_config(site, port=port))
    thread = threading.Thread(target=server.run, name=f"server of {study.name}", daemon=True)
    thread.start()
    try:
        wait_until(lambda: server.started or not thread.is_alive())
        assert server.started, "the server ended"
        yield site, f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)


def end_study(site: Site) -> None:
    """End a study, where a browser's event loop leaves no room for another one."""
    with site.running.engine.begin() as connection:
        connection.execute(study_table.update().values(state="complete"))
    site.running.session.state = "complete"


@pytest.fixture(autouse=True)
def talkative_log() -> None:
    """Log every line: servers of earlier tests have made the log quiet."""
    for logger in (LOG, logging.getLogger("uvicorn.error")):
        for one in [one for one in logger.filters if isinstance(one, OncePerMinute)]:
            logger.removeFilter(one)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Return a running Chromium.

    For one module only: as long as it runs, its thread has an event loop, and no test may start
    one of its own.
    """
    with open_chromium() as browser:
        yield browser


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Visitor]]:
    """Return a function that opens a browser; in the end none has complained."""
    visitors: list[Visitor] = []

    def open_one(url: str, **options: Any) -> Visitor:
        visitors.append(Visitor(chromium, url, **options))
        return visitors[-1]

    yield open_one
    for visitor in visitors:
        visitor.close()


@pytest.fixture
def open_place(tmp_path: Path) -> Callable[..., Any]:
    """Return a context manager that serves a study; a second one goes on with the same data."""
    return lambda study: serve(study, tmp_path / "study.db")


@pytest.fixture(scope="module")
def shared_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Return a running study for tests that leave it as it was; somebody takes part."""
    folder = tmp_path_factory.mktemp("shared")
    with serve(text_study(questions_per_person=1000), folder / "study.db") as running:
        running.join()
        yield running


@pytest.fixture
def place(open_place: Callable[..., Any]) -> Iterator[Place]:
    """Return a running study of 12 texts with triplets."""
    with open_place(text_study(questions_per_person=8)) as running:
        yield running
