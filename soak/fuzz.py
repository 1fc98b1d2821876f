"""Fuzzed requests: what schemathesis makes of the OpenAPI description.

No 500, no login, and nothing in the database changes that is not the sender's own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import schemathesis
import sqlalchemy as sa
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings

from ordlink.collect import schema

N_ANSWERS = 3
"""Answers of somebody else, which no fuzzed request may change."""


@dataclass
class FuzzResult:
    """How many requests were sent, and what they brought to light."""

    n_requests: int = 0
    statuses: dict[int, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        found = "; ".join(self.problems[:5]) or "no problem"
        return f"{self.n_requests} fuzzed requests, statuses {self.statuses}: {found}"


@dataclass(frozen=True)
class Sender:
    """A client in the event loop of the app, how to call there, and the study's database."""

    client: httpx.AsyncClient
    call: Callable[..., Any]
    engine: sa.Engine


def fuzz(server: TestClient, *, seconds: float, n_examples: int, n_requests: int = 1) -> FuzzResult:
    """Send requests to every route of an app, about as many to each, and watch for failures.

    Parameters
    ----------
    server : TestClient
        Entered, so that the app runs; requests are handled by the event loop that it runs in.
    seconds : float
        Stop after about this long; each route has its share.
    n_examples : int
        Most requests per route and round; routes without parameters get one.
    n_requests : int
        Start another round until this many requests were sent.
    """
    result = FuzzResult()
    app: Any = server.app
    schema = schemathesis.openapi.from_dict(app.openapi())  # a request for it would restart the app
    for n_answers in (N_ANSWERS, 0):  # somebody else, and whose cookie fuzzed requests carry
        browser = TestClient(app)
        browser.portal = server.portal  # one of its own would start a thread for each request
        _take_part(browser, n_answers=n_answers)
    # Not by the test client, which changes threads seven times for each request.
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    client = httpx.AsyncClient(
        transport=transport, base_url="http://testserver", cookies=browser.cookies
    )
    assert server.portal is not None
    sender = Sender(client, server.portal.call, app.state.site.running.engine)
    operations = [found.ok() for found in schema.get_all_operations()]
    last = time.monotonic() + seconds
    while True:
        for number, operation in enumerate(operations):
            now = time.monotonic()
            end = now + (last - now) / (len(operations) - number)
            _fuzz_route(operation, sender, result, end, n_examples)
        if result.n_requests >= n_requests or time.monotonic() > last:
            return result


def read_guarded(engine: sa.Engine) -> dict[str, list[tuple[Any, ...]]]:
    """Return what only the owner, or the first person who came, may change."""
    first = sa.select(sa.func.min(schema.participant.c.id)).scalar_subquery()
    study, serving = schema.study.c, schema.serving.c
    queries = {
        "the study": sa.select(study.settings, study.secret, study.state),
        "the stimuli": sa.select(schema.stimulus),
        "the password": sa.select(schema.owner),
        "the sessions": sa.select(schema.owner_session),
        "who is excluded": sa.select(schema.participant.c.id).where(schema.participant.c.excluded),
        "somebody else": sa.select(schema.participant).where(schema.participant.c.id == first),
        "answers of somebody else": sa.select(schema.answer).where(
            schema.answer.c.participant_id == first
        ),
        "what somebody else saw": sa.select(
            serving.number, serving.question_id, serving.shown
        ).where(serving.participant_id == first),
    }
    with engine.connect() as connection:
        return {
            name: [tuple(row) for row in connection.execute(query)]
            for name, query in queries.items()
        }


def _take_part(browser: TestClient, *, n_answers: int) -> None:
    """Join, answer some questions, and leave the next one open."""
    state = browser.post("/api/join", json={"agree": True}).json()
    n_given = 0
    while n_given < n_answers or not state["number"]:
        if state["number"]:
            body = {"number": state["number"], "choice": [0]}
            state = browser.post("/api/answer", json=body).json()
            n_given += 1
        else:
            state = browser.post("/api/continue", json={"phase": state["phase"]}).json()


def _fuzz_route(
    operation: Any, sender: Sender, result: FuzzResult, end: float, n_examples: int
) -> None:
    before = read_guarded(sender.engine)

    @settings(
        max_examples=n_examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def send(case: Any) -> None:
        if time.monotonic() > end:
            return
        try:
            words = case.as_transport_kwargs(base_url="http://testserver")
            words.pop("cookies", None)
            request = sender.client.build_request(
                **{key: value for key, value in words.items() if value is not None}
            )
        except (ValueError, TypeError, UnicodeError):  # not even a request
            return
        reply = sender.call(sender.client.send, request)
        result.n_requests += 1
        result.statuses[reply.status_code] = result.statuses.get(reply.status_code, 0) + 1
        where = f"{case.method} {case.formatted_path}"
        if reply.status_code >= 500:
            result.problems.append(f"{where}: {reply.status_code}")
        if "ordlink_owner" in reply.headers.get("set-cookie", "") and reply.status_code == 303:
            result.problems.append(f"{where}: logged in without a password")
        if case.path.startswith("/owner") and reply.status_code == 200:
            result.problems.append(f"{where}: shown without a session")
        if reply.status_code < 400 and (after := read_guarded(sender.engine)) != before:
            changed = [name for name in before if before[name] != after[name]]
            result.problems.append(f"{where}: changed {', '.join(changed)} without authorisation")

    send()
