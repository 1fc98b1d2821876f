"""Who may take part as whom, and who may remove whose answers."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from ordlink.collect import people
from ordlink.collect.connections import RateLimit
from ordlink.collect.database import open_database
from ordlink.collect.registration import register_study
from ordlink.collect.schema import answer, participant
from soak.servers import missing_postgres, postgres
from tests.collect.conftest import Place, post, serve, text_study


def rows(place: Place, query: sa.Select) -> list[sa.Row]:
    with place.running.engine.connect() as connection:
        return list(connection.execute(query))


@pytest.mark.slow
def test_joining_and_withdrawing_at_once_never_removes_answers_of_others(place: Place) -> None:
    n_pairs = 150
    for number in range(n_pairs):
        person = place.another_browser()
        place.answer(place.join(person, f"?participant={number}"), [0], person)

    def attack(number: int) -> None:
        stranger = place.another_browser()
        search = f"?participant={number}"
        with ThreadPoolExecutor(2) as both:
            joined = both.submit(post, stranger, "/api/join", agree=True, search=search)
            both.submit(stranger.post, "/api/withdraw", json={"confirm": True})
            joined.result()
        stranger.post("/api/withdraw", json={"confirm": True})

    place.site.joining._burst = 10 * n_pairs
    for number in range(n_pairs):
        attack(number)

    assert len(rows(place, sa.select(answer))) == n_pairs
    assert all(one.asks_removal for one in rows(place, sa.select(participant.c.asks_removal)))


@pytest.mark.slow
def test_whoever_withdraws_is_looked_up_in_the_change_itself_also_with_two_servers() -> None:
    if missing_postgres():
        pytest.skip(missing_postgres())
    with postgres() as url:
        engine = open_database(url)
        register_study(engine, text_study())
        origin = people.Origin("id", "17")
        with engine.begin() as connection:
            people.join(connection, origin, "theirs")

        with engine.connect() as joining, ThreadPoolExecutor() as other:
            joining.begin()
            people.join(joining, origin, "stolen")
            with engine.connect() as leaving:
                leaving.begin()
                left = other.submit(people.leave, leaving, "theirs")
                with pytest.raises(TimeoutError):
                    left.result(0.3)  # it waits for whoever changes the same participant
                joining.commit()
                assert left.result(10) is None
        engine.dispose()


def test_the_first_device_of_an_id_cannot_remove_what_the_person_answered_later(
    place: Place,
) -> None:
    squatter, person = place.another_browser(), place.another_browser()
    place.join(squatter, "?participant=17")
    place.answer(place.join(person, "?participant=17"), [0], person)

    post(squatter, "/api/join", agree=True, search="?participant=17")
    gone = post(squatter, "/api/withdraw", confirm=True)

    assert gone["outcome"] == "asked_to_withdraw"
    assert len(rows(place, sa.select(answer))) == 1


def test_only_listed_ids_take_part(open_place: Callable) -> None:
    with open_place(text_study(participant_ids=["anna"])) as place:
        refused = [
            place.another_browser().post("/api/join", json={"agree": True, "search": search})
            for search in ("", "?participant=otto", "?participant=ann", "?participant=anna%20b")
        ]
        place.join(search="?participant=anna")

        assert {(one.status_code, one.text) for one in refused} == {(403, refused[0].text)}
        assert len(rows(place, sa.select(participant))) == 1


@pytest.mark.parametrize("listed", [["anna"], []])
def test_an_id_is_one_person_whatever_the_parameter_that_names_it(
    open_place: Callable, listed: list[str]
) -> None:
    with open_place(text_study(participant_ids=listed)) as place:
        for name in ("participant", "PROLIFIC_PID", "workerId"):
            browser = place.another_browser()
            place.answer(place.join(browser, f"?{name}=anna"), [0], browser)

        (person,) = rows(place, sa.select(participant))
        assert (person.n_main, person.source, person.is_shared) == (3, "id", True)


def test_ids_cannot_be_tried_without_limit(open_place: Callable) -> None:
    with open_place(text_study(participant_ids=["anna"])) as place:
        place.site.joining = RateLimit(per_second=0.001, burst=3)
        stranger = place.another_browser()
        tries = [
            stranger.post("/api/join", json={"agree": True, "search": f"?participant={one}"})
            for one in ("otto", "ida", "eve", "anna")
        ]

        assert [one.status_code for one in tries] == [403, 403, 403, 429]
        assert rows(place, sa.select(participant)) == []


def test_only_listed_ids_with_the_key_of_their_link_take_part(open_place: Callable) -> None:
    study = text_study(participant_ids=["anna", "=2+3"], signed_links=True)
    with open_place(study) as place:
        place.log_in()
        table = place.browser.get("/owner/download/links.csv").text
        links = {one: link[1:] for one, link in list(csv.reader(io.StringIO(table)))[1:]}
        anna, other = place.another_browser(), place.another_browser()
        search, other_search = links["anna"], links["'=2+3"]
        assert search.startswith("?participant=anna&key=")

        refused = [
            anna.post("/api/join", json={"agree": True, "search": wrong})
            for wrong in ("", "?participant=anna", "?participant=bob", search + "0",
                          other_search.replace("%3D2%2B3", "anna"), "?participant=anna&key=")
        ]  # fmt: skip
        place.answer(place.join(anna, search), [0], anna)
        place.join(other, search)
        gone = post(other, "/api/withdraw", confirm=True)

        assert {(one.status_code, one.text) for one in refused} == {(403, refused[0].text)}
        assert gone["outcome"] == "withdrawn"  # whoever has the key is the person
        assert len(rows(place, sa.select(participant))) == 1


@pytest.mark.parametrize("state", ["open", "paused", "complete"])
def test_the_page_of_a_link_does_not_say_whether_its_id_is_known(place: Place, state: str) -> None:
    person = place.another_browser()
    place.answer(place.join(person, "?participant=anna"), [0], person)
    asyncio.run(place.running.set_state(state))

    pages = [
        place.another_browser().get(f"/?participant={name}", follow_redirects=False)
        for name in ("anna", "otto")
    ]

    assert [page.status_code for page in pages] == [200, 200]
    assert pages[0].text.replace("anna", "otto") == pages[1].text


def test_two_studies_on_one_host_have_cookies_of_their_own(tmp_path: Path) -> None:
    with (
        serve(text_study(), tmp_path / "one.db") as one,
        serve(text_study(), tmp_path / "two.db") as two,
    ):
        one.join()
        one.log_in()
        two.browser._cookies = one.browser._cookies  # browsers keep them by host, not by port
        two.join()
        two.log_in()

        assert one.browser.get("/api/state").status_code == 200
        assert "Log out" in one.browser.get("/owner").text
        assert len({cookie.name for cookie in one.browser.cookies.jar}) == 4


def test_ids_of_the_list_are_not_stored(open_place: Callable, tmp_path) -> None:
    with open_place(text_study(participant_ids=["a-very-private-id"])):
        pass

    assert not any(b"a-very-private-id" in file.read_bytes() for file in tmp_path.iterdir())


def test_a_study_is_not_opened_by_a_budget_that_was_read_before(place: Place) -> None:
    """Whether the budget is spent is decided in the change itself."""
    place.running.study.__dict__["budget"] = 1
    state = place.join()
    place.answer(state, [0])

    with pytest.raises(people.InputError, match="budget"):
        asyncio.run(place.running.set_state("open"))


def test_nobody_can_make_a_key_where_links_are_not_signed() -> None:
    query = {"participant": "17", "key": people.link_key(b"", "17")}

    assert not people.origin_of(query).is_signed
    assert not people.origin_of(query, b"secret").is_signed
    signed = query | {"key": people.link_key(b"secret", "17")}
    assert people.origin_of(signed, b"secret").is_signed
