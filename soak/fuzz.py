"""Fuzzed requests: what schemathesis makes of the OpenAPI description. No 500, no login."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings


@dataclass
class FuzzResult:
    """How many requests were sent, and what they brought to light."""

    n_requests: int = 0
    statuses: dict[int, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        found = "; ".join(self.problems[:5]) or "no problem"
        return f"{self.n_requests} fuzzed requests, statuses {self.statuses}: {found}"


def fuzz(app: Any, *, seconds: float, n_examples: int) -> FuzzResult:
    """Send requests to every route of an app, about as many to each, and watch for failures.

    Parameters
    ----------
    app : ASGI application
    seconds : float
        Stop after about so long; each route has its share.
    n_examples : int
        Requests per route.
    """
    result = FuzzResult()
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    browser = TestClient(app, raise_server_exceptions=False, follow_redirects=False)
    browser.post("/api/join", json={"agree": True})
    browser.post("/api/continue", json={"phase": "instructions"})
    operations = [found.ok() for found in schema.get_all_operations()]
    for operation in operations:
        end = time.monotonic() + seconds / len(operations)
        _fuzz_route(operation, browser, result, end, n_examples)
    return result


def _fuzz_route(
    operation: Any, browser: TestClient, result: FuzzResult, end: float, n_examples: int
) -> None:
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
            request = browser.build_request(
                **{key: value for key, value in words.items() if value is not None}
            )
        except (ValueError, TypeError, UnicodeError):  # not even a request
            return
        reply = browser.send(request)
        result.n_requests += 1
        result.statuses[reply.status_code] = result.statuses.get(reply.status_code, 0) + 1
        where = f"{case.method} {case.formatted_path}"
        if reply.status_code >= 500:
            result.problems.append(f"{where}: {reply.status_code}")
        if "ordlink_owner" in reply.headers.get("set-cookie", "") and reply.status_code == 303:
            result.problems.append(f"{where}: logged in without a password")
        if case.path.startswith("/owner") and reply.status_code == 200:
            result.problems.append(f"{where}: shown without a session")

    send()
