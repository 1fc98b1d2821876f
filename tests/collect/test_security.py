"""Attacks by hand: markup, other sites, paths, sizes, replays; and fuzzed requests."""

from __future__ import annotations

import re

import pytest
import sqlalchemy as sa
from PIL import Image

from ordlink.collect.schema import answer
from ordlink.collect.security import HEADERS, RateLimit
from ordlink.collect.stimuli import Stimulus
from ordlink.collect.study import make_study
from soak.fuzz import fuzz
from tests.collect.conftest import PASSWORD, Place

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'`{{ 7 * 7 }}"


@pytest.mark.parametrize("path", ["/", "/run", "/join", "/owner/login", "/nowhere", "/api/state"])
def test_every_answer_carries_the_security_headers(shared_place: Place, path: str) -> None:
    reply = shared_place.browser.get(path)

    for name, value in HEADERS.items():
        assert reply.headers[name] == value
    assert "unsafe" not in reply.headers["content-security-policy"]
    assert reply.headers["cache-control"] == "no-store"


def test_markup_in_stimuli_and_texts_stays_text(open_place) -> None:
    stimuli = tuple(Stimulus(f"{EVIL} {i}", "text", f"{EVIL} {i}") for i in range(4))
    texts = {"prompt": EVIL, "welcome": EVIL, "consent": EVIL, "instructions": EVIL}
    study = make_study({"name": EVIL, "texts": texts, "practice": 0}, stimuli)
    with open_place(study) as place:
        place.log_in()
        other = place.another_browser()
        reply = other.post("/api/join", json={"agree": True, "search": f"?PROLIFIC_PID={EVIL}"})
        pages = [
            place.browser.get(path).text
            for path in ("/join", "/run", "/owner", "/owner/stimuli", "/owner/login")
        ]

    assert reply.headers["content-type"] == "application/json"
    for page in pages[:-1]:
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "&lt;script&gt;alert(1)" in page
        assert "49" not in page.split("&lt;script")[1][:80]  # no template runs in a template


def test_pages_have_no_inline_scripts_or_styles(place: Place) -> None:
    place.log_in()
    for path in ("/join", "/run", "/owner", "/owner/stimuli", "/owner/login"):
        page = place.browser.get(path).text

        assert "<style" not in page and " style=" not in page
        assert not re.search(r"<[^>]* on[a-z]+=", page)
        assert page.count("<script") == page.count('<script src="/static/')


@pytest.mark.parametrize(
    "path",
    ["/stimuli/..%2f..%2fetc%2fpasswd", "/stimuli/../study.db", "/static/../app.py",
     "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/stimuli/0", "/stimuli/%00",
     "/owner/download/..%2fstudy.db", "/owner/download/study.db"],
)  # fmt: skip
def test_no_path_leads_out(shared_place: Place, path: str) -> None:
    assert shared_place.browser.get(path).status_code in (401, 404, 422)


def test_the_owner_can_download_nothing_but_the_downloads(place: Place) -> None:
    place.log_in()

    assert place.browser.get("/owner/download/study.yaml").status_code == 200
    for name in ("study.db", "..%2fstudy.db", "study.yaml%00"):
        assert place.browser.get(f"/owner/download/{name}").status_code in (404, 422)


def test_the_key_of_a_picture_is_all_that_is_told(open_place, tmp_path) -> None:
    for name in ("secret-a", "secret-b", "secret-c"):
        Image.new("RGB", (20, 20), "red").save(tmp_path / f"{name}.png")
    stimuli = tuple(
        Stimulus(path.stem, "picture", path=path) for path in sorted(tmp_path.glob("*.png"))
    )
    with open_place(make_study({"practice": 0, "catch_share": 0.0}, stimuli)) as place:
        state = place.join()
        picture = place.browser.get(state["stimuli"][0]["url"])

        assert picture.headers["content-type"] == "image/jpeg"
        assert "secret" not in str(state)
        assert {one["kind"] for one in state["stimuli"]} == {"picture"}


def test_large_bodies_are_refused(place: Place) -> None:
    state = place.join()
    body = b'{"number": 1, "choice": [' + b"0," * 100_000 + b"0]}"

    with_length = place.browser.post(
        "/api/answer", content=body, headers={"content-type": "application/json"}
    )
    in_pieces = place.browser.post(
        "/api/answer",
        content=(body[i : i + 1000] for i in range(0, len(body), 1000)),
        headers={"content-type": "application/json"},
    )

    assert with_length.status_code == in_pieces.status_code == 413
    assert place.browser.get("/api/state").json()["number"] == state["number"]


@pytest.mark.parametrize(
    "headers",
    [{"content-type": "text/plain"}, {"content-type": "application/x-www-form-urlencoded"},
     {"content-type": "application/json", "origin": "https://evil.example"},
     {"content-type": "application/json", "sec-fetch-site": "cross-site"}],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/api/answer", "/api/withdraw", "/api/undo", "/api/join"])
def test_other_sites_cannot_answer_for_somebody(
    shared_place: Place, path: str, headers: dict
) -> None:
    place = shared_place
    state = place.browser.get("/api/state").json()
    content = {
        "/api/answer": f'{{"number": {state["number"]}, "choice": [0]}}',
        "/api/withdraw": '{"confirm": true}',
        "/api/undo": '{"number": 1}',
        "/api/join": '{"agree": true}',
    }[path]

    reply = place.browser.post(path, content=content, headers=headers)

    assert reply.status_code in (403, 415)
    assert place.browser.get("/api/state").json()["number"] == state["number"]


def test_nobody_answers_with_the_number_of_somebody_else(place: Place) -> None:
    state = place.join()
    other = place.another_browser()
    theirs = place.join(other)
    for _ in range(3):
        theirs = place.answer(theirs, [1], other)

    reply = place.browser.post("/api/answer", json={"number": theirs["number"], "choice": [0]})

    assert not reply.json()["stored"]
    assert reply.json()["number"] == state["number"]
    with place.hub.engine.connect() as connection:
        assert connection.execute(sa.select(sa.func.count(answer.c.id))).scalar() == 3


@pytest.mark.parametrize(
    "body",
    ['{"number": 1, "choice": [NaN]}', '{"number": 1e999, "choice": []}', '{"number": 1}',
     '{"number": 1, "choice": [0], "seconds": Infinity}', "[]", "null", "{", '"\\ud800"',
     '{"number": 1, "choice": [0], "device": "\\ud800"}', '{"number": 1, "choice": [0], "x": 1}',
     '{"number": 10000000000000000000000, "choice": [0]}', "\x00", "[" * 5000],
)  # fmt: skip
def test_strange_bodies_are_refused_with_a_reason(shared_place: Place, body: str) -> None:
    reply = shared_place.browser.post(
        "/api/answer", content=body, headers={"content-type": "application/json"}
    )

    assert reply.status_code == 422
    assert reply.json()["detail"]


def test_joining_is_limited_per_address(place: Place) -> None:
    place.site.joining = RateLimit(per_second=0.001, burst=2)

    codes = [
        place.another_browser().post("/api/join", json={"agree": True}).status_code
        for _ in range(3)
    ]

    assert codes == [200, 200, 429]


def test_fuzzed_requests_never_break_the_server_or_change_anything_of_the_owner(
    place: Place,
) -> None:
    result = fuzz(place.browser.app, seconds=10, n_examples=5)

    assert result.n_requests > 20
    assert result.problems == []
    assert place.hub.is_open
    assert place.log_in()
    assert PASSWORD not in place.browser.get("/owner").text
