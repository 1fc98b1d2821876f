"""The work of one cannot slow others: undo, pages and downloads of the owner."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator

import pytest
import sqlalchemy as sa

from ordlink.collect import exports, results, session
from ordlink.collect.people import Origin, join
from ordlink.collect.site import Paced, Site
from ordlink.io import read_comparisons
from tests.collect.conftest import Place, post, text_study


def test_undo_has_a_limit(open_place: Callable, monkeypatch) -> None:
    monkeypatch.setattr(session, "MOST_UNDONE", 3)
    with open_place(text_study(questions_per_person=1000)) as place:
        state = place.answer(place.join(), [0])
        n_undone = 0
        for _ in range(6):
            if state["undoable"]:
                post(place.browser, "/api/undo", number=state["undoable"])
                n_undone += 1
            forced = post(place.browser, "/api/undo", number=max(state["number"] - 1, 1))
            state = place.answer(forced, [0])

    assert n_undone == 3 and not state["undoable"] and state["done"] == 4


def add_people(place: Place, n_people: int) -> None:
    for number in range(n_people):
        origin = Origin("id", f"person {number}")
        asyncio.run(place.running.database.write(join, origin, f"token {number}"))


def test_the_dashboard_shows_a_page_of_people_and_asks_for_no_others(
    place: Place, monkeypatch
) -> None:
    monkeypatch.setattr(results, "PAGE_SIZE", 10)
    add_people(place, 25)
    place.log_in()

    first, last = (place.browser.get(f"/owner?page={page}").text for page in (1, 3))

    assert [f">P{number} " in first for number in (25, 16, 15, 1)] == [True, True, False, False]
    assert [f">P{number} " in last for number in (6, 5, 1)] == [False, True, True]
    assert "Page 3 of 3" in last and "Older" not in last
    assert place.browser.get("/owner?page=0").status_code == 422


def test_whoever_asks_for_removal_is_on_the_first_page(place: Place, monkeypatch) -> None:
    monkeypatch.setattr(results, "PAGE_SIZE", 10)
    search = "?participant=early"
    place.join(search=search)
    other = place.another_browser()
    place.join(other, search)
    post(other, "/api/withdraw", confirm=True)
    add_people(place, 25)
    place.log_in()

    assert 'id="keep-1"' in place.browser.get("/owner").text


def test_the_owners_page_is_made_in_another_thread_than_that_of_participants(
    place: Place, monkeypatch
) -> None:
    threads = []
    page = Site.page

    def note(self: Site, *arguments: object, **options: object) -> object:
        threads.append(threading.current_thread().name)
        return page(self, *arguments, **options)  # type: ignore[arg-type]

    place.log_in()
    monkeypatch.setattr(Site, "page", note)
    place.browser.get("/owner")

    assert len(threads) == 1 and "asyncio" in threads[0]


def test_downloads_hold_everything_however_few_rows_are_read_at_a_time(
    place: Place, monkeypatch
) -> None:
    monkeypatch.setattr(results, "CHUNK_SIZE", 3)
    monkeypatch.setattr(exports, "CHUNK_SIZE", 3)
    state = place.join()
    for _ in range(7):
        state = place.answer(state, [0])
    add_people(place, 4)
    place.log_in()

    people = place.browser.get("/owner/download/participants.csv").text
    events = place.browser.get("/owner/download/events.jsonl").text

    kinds = [json.loads(line)["record"] for line in events.splitlines()]
    assert kinds.count("answer") == 7 and kinds.count("serving") == 8
    assert len(people.splitlines()) == 6
    assert len(place.browser.get("/owner/api/participants?after=2").json()) == 3


def test_the_record_is_of_one_moment_though_people_answer_meanwhile(
    place: Place, monkeypatch
) -> None:
    place.log_in()
    state = place.answer(place.join(), [0])
    export = exports.export_events
    n_late = 0

    def answer_meanwhile(connection: sa.Connection) -> Iterator[str]:
        nonlocal state, n_late
        for line in export(connection):
            if '"record": "serving"' in line:
                state = place.answer(state, [0])
                n_late += 1
            yield line

    monkeypatch.setattr(exports, "export_events", answer_meanwhile)
    lines = place.browser.get("/owner/download/events.jsonl").text.splitlines()

    records = [json.loads(line) for line in lines]
    numbers = {
        kind: [one["number"] for one in records if one["record"] == kind]
        for kind in ("serving", "answer")
    }
    assert n_late == 2
    assert numbers == {"serving": [1, 2], "answer": [1]}


def test_slow_work_of_the_owner_takes_at_most_a_fifth_of_the_time() -> None:
    async def run() -> float:
        paced = Paced(burst=0.0)

        async def work() -> None:
            async with paced.turn():
                await asyncio.to_thread(time.sleep, 0.05)

        begun = time.monotonic()
        await asyncio.gather(*(work() for _ in range(3)))
        return time.monotonic() - begun

    assert asyncio.run(run()) > 0.4


def test_a_server_that_stops_says_so_to_whoever_waits(place: Place, recwarn) -> None:
    """Without a traceback for each page that was not made."""
    place.log_in()
    cookie = "; ".join(f"{one.name}={one.value}" for one in place.browser.cookies.jar)
    sent: list[dict[str, object]] = []
    scope = {"type": "http", "method": "GET", "path": "/owner/api/overview", "query_string": b""}
    scope |= {"headers": [(b"cookie", cookie.encode())], "client": ("testclient", 1)}

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    async def stop() -> None:
        await place.site.pace._lock.acquire()
        waiting = asyncio.create_task(place.browser.app(scope, None, send))
        while not place.site.pace._lock._waiters:
            await asyncio.sleep(0.01)
        waiting.cancel()
        await waiting

    asyncio.run(stop())

    assert sent[0]["status"] == 503
    assert not [one for one in recwarn if "never awaited" in str(one.message)]


@pytest.mark.parametrize("name", ["answers.csv", "answers-of-everybody.parquet"])
def test_answers_are_exported_beside_the_server_and_nothing_stays_behind(
    place: Place, name: str, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place.answer(place.join(), [0])
    place.log_in()

    reply = place.browser.get(f"/owner/download/{name}")

    assert reply.status_code == 200 and len(reply.content) > 50
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("ordlink-")] == []


@pytest.mark.parametrize("question", ["triplet", None], ids=["one question", "two questions"])
def test_exported_comparisons_say_when_they_were_answered(
    open_place: Callable, tmp_path, question: str | None
) -> None:
    """Trees need no times, and do without them; files have them."""
    settings = {} if question else {"conditions": {"a": {"question": "quadruplet"}, "b": {}}}
    with open_place(text_study(practice=0, **settings)) as place:
        for browser in (place.browser, place.another_browser()):
            state = post(browser, "/api/join", agree=True)
            while not state["number"]:
                state = post(browser, "/api/continue", phase=state["phase"])
            post(browser, "/api/answer", number=state["number"], choice=[0], seconds=1.25)
        place.log_in()
        content = place.browser.get("/owner/download/answers-of-everybody.parquet").content
    (tmp_path / "answers.parquet").write_bytes(content)

    details = read_comparisons(tmp_path / "answers.parquet").details

    assert details.response_times.tolist() == [1.25, 1.25]
    assert len(details.times) == 2 and all(time.startswith("20") for time in details.times)
