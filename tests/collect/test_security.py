"""Attacks by hand: markup, other sites, paths, sizes, replays; and fuzzed requests."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient
from PIL import Image

from ordlink.collect.connections import RateLimit
from ordlink.collect.schema import answer
from ordlink.collect.server import Address, make_app
from ordlink.collect.site import HEADERS, Site
from ordlink.collect.stimuli import Stimulus, stimuli_of_folder
from ordlink.collect.study import make_study
from soak.fuzz import fuzz
from tests.collect.conftest import PASSWORD, Place, make_site, serve, text_study

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
    with open_place(make_study({"practice": 0, "catch_trials": 0}, stimuli)) as place:
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
    with place.running.engine.connect() as connection:
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


@pytest.mark.slow
def test_fuzzed_requests_never_break_the_server_or_change_anything_of_the_owner(
    place: Place,
) -> None:
    result = fuzz(place.browser, seconds=120, n_examples=5)  # much less, unless busy

    assert result.n_requests > 20
    assert result.problems == []
    assert place.running.is_open
    assert place.log_in()
    assert PASSWORD not in place.browser.get("/owner").text


def test_cookies_that_nobody_knows_are_limited_per_address(place: Place) -> None:
    place.join()
    place.site.asking = RateLimit(per_second=0.001, burst=2)

    guesses = []
    for number in range(4):
        stranger = place.another_browser()
        stranger.cookies.set(place.site.cookie("ordlink_person"), f"guess {number}")
        guesses.append(stranger.get("/api/state").status_code)

    assert guesses == [401, 401, 429, 429]
    assert place.browser.get("/api/state").status_code == 200  # at the same address, but known
    assert place.another_browser().get("/api/state").status_code == 401


def test_links_from_other_sites_lead_to_the_owners_pages(shared_place: Place) -> None:
    elsewhere = {"sec-fetch-site": "cross-site"}
    browser = shared_place.another_browser()

    setup = browser.get("/owner/setup?token=x", headers=elsewhere)
    dashboard = browser.get("/owner", headers=elsewhere, follow_redirects=False)
    post = browser.post("/owner/login", data={"password": "x"}, headers=elsewhere)

    assert setup.status_code == 200
    assert dashboard.status_code == 303
    assert post.status_code == 403


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Callable[..., int]]:
    """Return a function that serves a study by some names, and returns what a visitor gets."""
    sites: list[Site] = []

    def visit(names: tuple[str, ...], host: str) -> int:
        sites.append(make_site(text_study(), tmp_path / f"{len(sites)}.db"))
        sites[-1].hosts = names
        reply = TestClient(make_app(sites[-1])).get("/join", headers={"host": host})
        assert HEADERS.items() <= dict(reply.headers).items()
        return int(reply.status_code)

    yield visit
    for site in sites:
        asyncio.run(site.running.stop())


@pytest.mark.parametrize(
    ("host", "status"),
    [("127.0.0.1", 200), ("127.0.0.1:8765", 200), ("localhost:1", 200), ("LocalHost", 200),
     ("[::1]:8765", 200), ("[::1]", 200), ("evil.example", 421), ("evil.example:8765", 421),
     ("localhost.evil.example", 421), ("127.0.0.1.evil.example:8765", 421), ("", 421),
     ("[::1].evil.example", 421)],
)  # fmt: skip
def test_a_server_on_loopback_is_called_by_names_of_loopback(
    guarded: Callable[..., int], host: str, status: int
) -> None:
    assert guarded(Address().hosts, host) == status


def test_other_names_are_allowed_where_people_come_from_elsewhere(
    guarded: Callable[..., int],
) -> None:
    assert guarded(Address(host="0.0.0.0").hosts, "study.example") == 200
    assert guarded(Address(https=True).hosts, "study.example") == 200
    assert guarded(Address(allowed_hosts=("study.example",)).hosts, "study.example:80") == 200
    assert guarded(Address(https=True, allowed_hosts=("a.example",)).hosts, "b.example") == 421


def test_browsers_remember_https(tmp_path: Path) -> None:
    site = make_site(text_study(), tmp_path / "study.db")
    plain = TestClient(make_app(site)).get("/join")
    site.https = True
    safe = TestClient(make_app(site)).get("/join")
    asyncio.run(site.running.stop())

    assert "strict-transport-security" not in plain.headers
    assert safe.headers["strict-transport-security"] == "max-age=31536000"


@pytest.mark.parametrize(
    ("asked", "status", "first", "length"),
    [("", 200, 0, 1_000_000), ("bytes=0-", 206, 0, 1_000_000), ("bytes=999990-", 206, 999_990, 10),
     ("bytes=300000-899999", 206, 300_000, 600_000), ("bytes=-7", 206, 999_993, 7)],
)  # fmt: skip
def test_players_get_the_part_that_they_ask_for(
    sounds: tuple[Place, str, bytes], asked: str, status: int, first: int, length: int
) -> None:
    place, url, content = sounds

    reply = place.browser.get(url, headers={"range": asked} if asked else {})

    assert reply.status_code == status
    assert reply.content == content[first : first + length]
    assert reply.headers["content-length"] == str(length)
    assert reply.headers["content-type"] == "audio/mpeg"
    if status == 206:
        assert reply.headers["content-range"] == f"bytes {first}-{first + length - 1}/1000000"


@pytest.mark.parametrize(
    ("asked", "status"),
    [("bytes=5-3", 400), ("bytes=a-b", 400), ("lines=0-1", 400), ("bytes=1000000-", 416)],
)
def test_ranges_that_do_not_exist_are_refused(
    sounds: tuple[Place, str, bytes], asked: str, status: int
) -> None:
    place, url, _ = sounds

    assert place.browser.get(url, headers={"range": asked}).status_code == status


@pytest.fixture(scope="module")
def sounds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Place, str, bytes]]:
    """Serve sounds; give the address and the content of the first."""
    folder = tmp_path_factory.mktemp("sounds")
    contents = [random.Random(number).randbytes(1_000_000) for number in range(3)]
    for number, content in enumerate(contents):
        (folder / f"{number}.mp3").write_bytes(content)
    study = make_study({"practice": 0}, stimuli_of_folder(folder))
    with serve(study, folder / "study.db") as place:
        yield place, f"/stimuli/{place.running.keys[0]}", contents[0]
