"""What participants meet, from consent to the completion code."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from ordlink.collect.connections import RateLimit
from ordlink.collect.question_queue import release_abandoned
from ordlink.collect.question_types import QUESTION_TYPES
from ordlink.collect.schema import answer, event, participant, question, read_objects, serving
from ordlink.collect.schema import study as study_table
from ordlink.collect.worker import read_main_answers
from tests.collect.conftest import Place, post, text_study


def rows(place: Place, query: Any) -> list[Any]:
    with place.running.engine.connect() as connection:
        return list(connection.execute(query).all())


def test_a_whole_run_ends_with_the_code_after_the_last_answer(open_place: Callable) -> None:
    study = text_study(
        questions_per_person=6,
        practice=2,
        break_every=3,
        completion_codes={"completed": "DONE-1", "declined": "NO-1"},
        completion_url="https://example.org/done?cc={code}",
    )
    phases = []
    with open_place(study) as place:
        state = post(place.browser, "/api/join", agree=True, search="?PROLIFIC_PID=abc")
        while state["phase"] != "done":
            assert state["code"] == state["url"] == ""
            phases.append(state["phase"])
            if state["number"]:
                state = place.answer(state, [0], seconds=1.5, blurs=1, device="keyboard")
                assert state["stored"]
            else:
                state = post(place.browser, "/api/continue", phase=state["phase"])
        stored = rows(place, sa.select(answer))
        people = rows(place, sa.select(participant))

    assert phases == [
        "instructions", "practice", "practice", "ready", "questions", "questions", "questions",
        "break", "questions", "questions", "questions",
    ]  # fmt: skip
    assert state["outcome"] == "completed"
    assert state["code"] == "DONE-1"
    assert state["url"] == "https://example.org/done?cc=DONE-1"
    assert len(stored) == 8
    assert {(one.seconds, one.n_blurs, one.device) for one in stored} == {(1.5, 1, "keyboard")}
    assert [(one.source, one.external_id) for one in people] == [("prolific", "abc")]


@pytest.mark.parametrize("name", list(QUESTION_TYPES))
def test_every_question_type_is_asked_and_stored(open_place: Callable, name: str) -> None:
    kind = QUESTION_TYPES[name]
    with open_place(text_study(question=name, questions_per_person=3)) as place:
        state = place.join()
        while state["phase"] != "done":
            assert len(state["stimuli"]) == kind.n_objects
            state = place.answer(state, list(range(kind.n_chosen)))
        stored = rows(place, sa.select(answer.c.choice))

    assert [read_objects(one.choice) for one in stored] == [tuple(range(kind.n_chosen))] * 3


def test_a_reload_shows_the_same_question(place: Place) -> None:
    state = place.join()

    again = place.browser.get("/api/state").json()

    assert {**again, "stored": False} == state
    assert place.browser.get("/", follow_redirects=False).headers["location"] == "/run"


def test_an_answer_sent_twice_is_stored_once(place: Place) -> None:
    state = place.join()
    first = place.answer(state, [0])
    second = place.answer(state, [1])

    assert first["stored"] and second["stored"]
    assert {**second} == first
    assert [one.choice for one in rows(place, sa.select(answer.c.choice))] == ["0"]


def test_an_answer_to_a_question_that_was_never_shown_is_not_stored(place: Place) -> None:
    state = place.join()

    other = place.answer({"number": state["number"] + 5}, [0])

    assert not other["stored"]
    assert other["number"] == state["number"]
    assert rows(place, sa.select(answer)) == []


def test_cant_tell_is_recorded(open_place: Callable) -> None:
    with open_place(text_study()) as place:
        place.answer(place.join(), [])
        assert [one.choice for one in rows(place, sa.select(answer.c.choice))] == [""]
    with open_place(text_study(cant_tell=False)) as place:
        state = place.join()
        reply = place.browser.post("/api/answer", json={"number": state["number"], "choice": []})
        assert reply.status_code == 422


def test_undo_shows_the_question_again_and_keeps_the_record(place: Place) -> None:
    first = place.join()
    second = place.answer(first, [0])
    assert second["undoable"] == first["number"]

    again = post(place.browser, "/api/undo", number=first["number"])

    assert again["stimuli"] == first["stimuli"]
    assert (again["done"], again["undoable"]) == (0, 0)
    after = place.answer(again, [1])
    assert after["done"] == 1
    record = rows(place, sa.select(answer.c.choice, answer.c.undone).order_by(answer.c.id))
    assert [tuple(one) for one in record] == [("0", True), ("1", False)]
    with place.running.engine.connect() as connection:
        assert [one.choice for one in read_main_answers(connection)] == [(1,)]
    served = rows(place, sa.select(question.c.n_served).where(question.c.n_served > 0))
    assert [one.n_served for one in served] == [1, 1]
    # Sent again, or for another question, it does nothing.
    assert post(place.browser, "/api/undo", number=first["number"])["number"] == after["number"]


def test_sides_are_recorded_as_shown(place: Place) -> None:
    state = place.join()

    shown = rows(place, sa.select(serving.c.shown, question.c.objects).join(question))

    objects = read_objects(shown[0].shown)
    assert [f"thing {one}" for one in objects] == [one["text"] for one in state["stimuli"]]
    assert sorted(objects) == sorted(read_objects(shown[0].objects))


def test_someone_with_an_id_comes_back_to_their_question_from_another_browser(place: Place) -> None:
    state = place.join(search="?PROLIFIC_PID=abc&STUDY_ID=x")
    state = place.answer(state, [0])
    other = place.another_browser()

    back = post(other, "/api/join", agree=True, search="?PROLIFIC_PID=abc")

    assert back["number"] == state["number"]
    assert back["done"] == 1
    assert place.browser.get("/api/state").status_code == 401  # one browser at a time
    assert len(rows(place, sa.select(participant))) == 1


def test_different_people_get_different_questions_and_no_one_sees_the_others(place: Place) -> None:
    place.join()
    other = place.another_browser()
    place.join(other)

    asked = rows(place, sa.select(serving.c.question_id))

    assert len({one.question_id for one in asked}) == 2
    assert place.another_browser().get("/api/state").status_code == 401


def test_each_question_goes_to_as_many_different_people_as_wanted(open_place: Callable) -> None:
    with open_place(text_study(people_per_question=3, questions_per_person=4)) as place:
        for _ in range(6):
            browser = place.another_browser()
            state = place.join(browser)
            while state["phase"] != "done":
                state = place.answer(state, [0], browser)
        shown = rows(place, sa.select(serving.c.question_id, serving.c.participant_id))

    counts: dict[int, list[int]] = {}
    for one in shown:
        counts.setdefault(one.question_id, []).append(one.participant_id)
    assert sorted(len(people) for people in counts.values()) == [3] * 8
    assert all(len(set(people)) == 3 for people in counts.values())


def test_an_abandoned_question_is_shown_to_somebody_else(place: Place) -> None:
    state = place.join()
    (first,) = rows(place, sa.select(serving.c.question_id))
    asyncio.run(place.running.database.write(lambda c: place.running.queues[""].forget()))

    released = asyncio.run(place.running.database.write(lambda c: release_abandoned(c, -1)))
    late = place.answer(state, [0])

    assert released == 1
    assert not late["stored"]
    (again,) = rows(place, sa.select(serving.c.question_id).where(serving.c.status == "open"))
    assert again.question_id == first.question_id


def test_withdrawing_removes_a_persons_answers_and_id(place: Place) -> None:
    other = place.another_browser()
    kept = place.answer(place.join(other), [0], other)
    state = place.join(search="?workerId=A1")
    for _ in range(3):
        state = place.answer(state, [0])
    post(place.browser, "/api/undo", number=state["undoable"])

    gone = post(place.browser, "/api/withdraw", confirm=True)

    assert gone["outcome"] == "withdrawn"
    assert len(rows(place, sa.select(answer))) == 1
    assert [one.external_id for one in rows(place, sa.select(participant))] == [None, None]
    assert all(one.participant_id != 2 for one in rows(place, sa.select(event)))
    assert rows(place, sa.select(sa.func.sum(question.c.n_served)))[0][0] == 2  # of the other one
    assert place.browser.get("/api/state").status_code == 401
    assert other.get("/api/state").json()["number"] == kept["number"]


def test_declining_stores_no_id(open_place: Callable) -> None:
    with open_place(text_study(completion_codes={"declined": "NO-1"})) as place:
        state = post(place.browser, "/api/join", agree=False, search="?PROLIFIC_PID=anna")

        assert (state["outcome"], state["code"]) == ("declined", "NO-1")
        c = participant.c
        assert rows(place, sa.select(c.source, c.external_id)) == [("link", None)]


def test_declining_says_the_same_to_known_and_unknown_ids(place: Place) -> None:
    state = place.join(search="?PROLIFIC_PID=anna")
    place.answer(state, [0], visit=state["visit"])

    again = place.browser.get("/?PROLIFIC_PID=anna", follow_redirects=False)
    assert (again.status_code, again.headers["location"]) == (303, "/run")
    elsewhere = place.another_browser()
    replies = [
        post(elsewhere, "/api/join", agree=False, search=f"?PROLIFIC_PID={name}")
        for name in ("anna", "nobody")
    ]
    assert replies[0] == replies[1] and replies[0]["outcome"] == "declined"
    assert "Stop and remove my answers" in place.running.study.text("declined")
    assert len(rows(place, sa.select(answer))) == 1
    assert 'id="agree"' in elsewhere.get("/?PROLIFIC_PID=anna").text


def test_failed_catch_trials_screen_out(open_place: Callable) -> None:
    study = text_study(
        catch_trials=250, max_failed_catches=1, questions_per_person=500,
        completion_codes={"screened_out": "OUT", "completed": "DONE"},
    )  # fmt: skip
    with open_place(study) as place:
        state = place.join()
        n_failed = 0
        while state["phase"] != "done":
            texts = [one["text"] for one in state["stimuli"]]
            is_catch = len(set(texts)) < 3
            n_failed += is_catch
            wrong = [0] if texts[1] != texts[0] else [1]
            state = place.answer(state, wrong if is_catch else [0])

    assert n_failed == 2
    assert (state["outcome"], state["code"]) == ("screened_out", "OUT")


def test_repeats_swap_the_sides_of_an_earlier_question(open_place: Callable) -> None:
    with open_place(text_study(repeat_share=0.4, questions_per_person=40)) as place:
        state = place.join()
        while state["phase"] != "done":
            state = place.answer(state, [0])
        shown = rows(place, sa.select(serving.c.role, serving.c.shown).order_by(serving.c.number))

    main = {one.shown for one in shown if one.role == "main"}
    repeats = [read_objects(one.shown) for one in shown if one.role == "repeat"]
    assert len(repeats) == 16
    for anchor, left, right in repeats:
        assert f"{anchor},{right},{left}" in main
    assert len(set(repeats)) == len(repeats)


def test_no_number_of_a_question_is_shown_twice(open_place: Callable) -> None:
    """Otherwise catch trials and repeats would give themselves away."""
    study = text_study(questions_per_person=20, catch_trials=3, repeat_share=0.2, break_every=6)
    with open_place(study) as place:
        numbers, n_given = [], 0
        state = place.join()
        while state["phase"] != "done":
            if not state["number"]:
                state = post(place.browser, "/api/continue", phase=state["phase"])
                continue
            if state["undoable"] and n_given % 2:
                state = post(place.browser, "/api/undo", number=state["undoable"])
                assert (state["done"], state["total"]) == numbers.pop()
            numbers.append((state["done"], state["total"]))
            state = place.answer(state, [0])
            n_given += 1
        roles = rows(place, sa.select(serving.c.role).where(serving.c.status == "answered"))

    assert numbers == [(done, 27) for done in range(27)]
    assert (state["done"], state["total"]) == (27, 27)
    assert {role for (role,) in roles} == {"main", "catch", "repeat"}


def test_where_nothing_is_left_to_repeat_a_planned_repeat_is_passed_over(
    open_place: Callable,
) -> None:
    same = [["thing 0", "thing 1", "thing 2"]] * 12
    with open_place(text_study(trials=same, repeat_share=0.25)) as place:
        state = place.join()
        while state["phase"] != "done":
            state = place.answer(state, [0])
        repeats = rows(place, sa.select(serving).where(serving.c.role == "repeat"))

    assert len(repeats) == 1
    assert state["done"] == state["total"] == 15


def test_a_paused_study_waits_and_a_complete_one_ends(place: Place) -> None:
    state = place.join()
    csrf = place.log_in()

    place.browser.post("/owner/state", data={"csrf": csrf, "state": "paused"})
    paused = place.answer(state, [0])
    newcomer = post(place.another_browser(), "/api/join", agree=True)
    place.browser.post("/owner/state", data={"csrf": csrf, "state": "open"})
    reopened = place.browser.get("/api/state").json()
    place.browser.post("/owner/state", data={"csrf": csrf, "state": "complete"})
    ended = place.answer(reopened, [0])

    assert paused["stored"] and paused["number"] == 0 and not paused["open"]
    assert newcomer["outcome"] == "closed"
    assert reopened["number"] > 0
    assert ended["stored"] and ended["outcome"] == "closed"


def test_mturk_previews_show_no_button(place: Place) -> None:
    preview = place.browser.get("/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=x")

    assert 'id="agree"' not in preview.text
    assert 'id="agree"' in place.browser.get("/?assignmentId=a&workerId=w").text


def test_a_restarted_study_goes_on_where_it_was(open_place: Callable) -> None:
    study = text_study(questions_per_person=5)
    with open_place(study) as place:
        state = place.answer(place.join(), [0])
        cookies = dict(place.browser.cookies)
    with open_place(study) as place:
        place.browser.cookies.update(cookies)

        again = place.browser.get("/api/state").json()

        assert {**again, "stored": True} == state


def change_state(place: Place, csrf: str, state: str) -> None:
    place.browser.post("/owner/state", data={"csrf": csrf, "state": state})
    assert place.running.state == state


def test_known_people_come_back_whatever_the_state_of_the_study(open_place: Callable) -> None:
    codes = {"completed": "DONE", "closed": "SHUT"}
    with open_place(text_study(questions_per_person=2, completion_codes=codes)) as place:
        csrf = place.log_in()
        middle, end = place.another_browser(), place.another_browser()
        place.answer(place.join(middle, "?PROLIFIC_PID=middle"), [0], middle)
        state = place.join(end, "?PROLIFIC_PID=end")
        for _ in range(2):
            state = place.answer(state, [0], end)

        change_state(place, csrf, "paused")
        pages = [
            place.another_browser().get(f"/?PROLIFIC_PID={name}").text
            for name in ("middle", "nobody")
        ]
        paused, nobody = (
            post(place.another_browser(), "/api/join", agree=True, again=True,
                 search=f"?PROLIFIC_PID={name}")
            for name in ("middle", "nobody")
        )  # fmt: skip
        change_state(place, csrf, "open")
        still_nobody = post(place.another_browser(), "/api/join", agree=True, again=True,
                            search="?PROLIFIC_PID=nobody")  # fmt: skip
        resumed = post(place.another_browser(), "/api/join", agree=True,
                       search="?PROLIFIC_PID=middle")  # fmt: skip
        change_state(place, csrf, "complete")
        done = post(place.another_browser(), "/api/join", agree=True, search="?PROLIFIC_PID=end")
        newcomer = place.another_browser()
        closed_page = newcomer.get("/?PROLIFIC_PID=new").text
        closed = post(newcomer, "/api/join", agree=True, search="?PROLIFIC_PID=new")

    assert pages[0] == pages[1] and '<button id="return"' in pages[0]
    assert nobody["outcome"] == still_nobody["outcome"] == "closed"  # without consent, not added
    assert (paused["outcome"], paused["code"], paused["done"]) == (None, "", 1)
    assert resumed["number"] > 0
    assert (done["outcome"], done["code"]) == ("completed", "DONE")
    assert (closed["outcome"], closed["code"]) == ("closed", "SHUT")
    assert 'id="agree"' not in closed_page


def test_newcomers_to_a_closed_study_see_its_code(open_place: Callable) -> None:
    study = text_study(
        completion_codes={"closed": "SHUT & OVER"},
        completion_url="https://example.org/?cc={code}",
    )
    with open_place(study) as place:
        change_state(place, place.log_in(), "paused")
        page = place.another_browser().get("/?PROLIFIC_PID=new").text
        preview = place.another_browser().get("/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE").text

    assert "SHUT &amp; OVER" in page
    assert 'href="https://example.org/?cc=SHUT%20%26%20OVER"' in page
    assert "SHUT" not in preview


@pytest.mark.parametrize(
    ("url", "expected"),
    [("https://example.org/?cc={code}", ""), ("https://example.org/", "https://example.org/")],
)
def test_without_a_code_nobody_is_sent_away_with_one(
    open_place: Callable, url: str, expected: str
) -> None:
    with open_place(text_study(completion_url=url)) as place:
        assert post(place.browser, "/api/join", agree=False)["url"] == expected


def test_people_who_withdraw_can_have_a_code(open_place: Callable) -> None:
    with open_place(text_study(completion_codes={"withdrawn": "GONE"})) as place:
        place.join()
        gone = post(place.browser, "/api/withdraw", confirm=True)
        for browser in (place.another_browser(), place.browser):
            place.join(browser, "?participant=anna")
        asks = post(place.browser, "/api/withdraw", confirm=True)

    assert (gone["outcome"], gone["code"]) == ("withdrawn", "GONE")
    assert (asks["outcome"], asks["code"]) == ("asked_to_withdraw", "GONE")


def n_events(place: Place, kind: str) -> int:
    return len(rows(place, sa.select(event).where(event.c.kind == kind)))


def test_on_another_device_removal_is_a_request_that_the_owner_answers(place: Place) -> None:
    search = "?PROLIFIC_PID=abc"
    place.answer(place.join(search=search), [0])
    csrf = place.log_in()
    stranger = place.another_browser()
    place.join(stranger)  # a cookie of somebody else is no proof either
    post(stranger, "/api/join", agree=True, search=search)

    replies = [post(stranger, "/api/withdraw", confirm=True) for _ in range(2)]

    assert [(one["outcome"], one["code"]) for one in replies] == [("asked_to_withdraw", "")] * 2
    assert len(rows(place, sa.select(answer))) == 1
    assert n_events(place, "asked to withdraw") == 1
    first, _ = place.browser.get("/owner/api/participants").json()
    assert first["asks_removal"] and first["outcome"] is None
    page = place.browser.get("/owner").text
    assert "1 asking for removal" in page and 'id="keep-1"' in page

    forged = place.browser.post("/owner/participants/1/keep", data={"csrf": "guess"})
    assert forged.status_code == 403
    place.browser.post("/owner/participants/1/keep", data={"csrf": csrf})
    assert not any(
        one["asks_removal"] for one in place.browser.get("/owner/api/participants").json()
    )
    again = place.browser.post("/owner/participants/1/keep", data={"csrf": csrf})
    assert again.status_code == 404
    post(stranger, "/api/withdraw", confirm=True)
    assert place.browser.get("/owner/api/participants").json()[0]["asks_removal"]
    place.browser.post("/owner/participants/1/withdraw", data={"csrf": csrf})
    assert rows(place, sa.select(answer)) == []
    assert not any(
        one["asks_removal"] for one in place.browser.get("/owner/api/participants").json()
    )


def test_once_an_id_was_used_on_two_devices_neither_removes_answers_at_once(place: Place) -> None:
    search = "?PROLIFIC_PID=abc"
    place.answer(place.join(search=search), [0])
    post(place.browser, "/api/join", agree=True, search=search)  # the same link once more
    other = place.another_browser()
    post(other, "/api/join", agree=True, search=search)
    post(other, "/api/join", agree=True, search=search)
    assert post(other, "/api/withdraw", confirm=True)["outcome"] == "asked_to_withdraw"

    assert place.browser.get("/api/state").status_code == 401
    post(place.browser, "/api/join", agree=True, search=search)
    asked = post(place.browser, "/api/withdraw", confirm=True)

    assert asked["outcome"] == "asked_to_withdraw"
    assert len(rows(place, sa.select(answer))) == 1


def test_withdrawing_twice_does_nothing_more_and_is_limited(place: Place) -> None:
    place.answer(place.join(), [0])
    token = dict(place.browser.cookies)
    post(place.browser, "/api/withdraw", confirm=True)
    before = rows(place, sa.select(study_table.c.revision))

    place.browser.cookies.update(token)
    place.site.stepping = RateLimit(per_second=0.001, burst=1)
    codes = [
        place.browser.post("/api/withdraw", json={"confirm": True}).status_code for _ in range(2)
    ]

    assert rows(place, sa.select(study_table.c.revision)) == before
    assert n_events(place, "withdrawn") == 1
    assert codes == [401, 429]


@pytest.mark.parametrize(
    ("path", "number", "body"),
    [("answer", "number", {"choice": [0]}), ("undo", "undoable", {}),
     ("withdraw", "", {"confirm": True})],
)  # fmt: skip
def test_what_a_page_for_another_person_sends_is_refused(
    place: Place, path: str, number: str, body: dict[str, Any]
) -> None:
    mine = place.answer(place.join(search="?participant=a"), [0])
    theirs = place.answer(place.join(search="?participant=b"), [0])  # in the same browser
    body = body | ({"number": theirs[number]} if number else {})

    refused = place.browser.post(f"/api/{path}", json={**body, "visit": mine["visit"]})
    untouched = rows(place, sa.select(answer.c.participant_id, answer.c.undone))
    accepted = place.browser.post(f"/api/{path}", json={**body, "visit": theirs["visit"]})

    assert mine["number"] == theirs["number"]
    assert refused.status_code == 409
    assert [tuple(one) for one in untouched] == [(1, False), (2, False)]
    assert accepted.status_code == 200
    changed = rows(place, sa.select(answer.c.participant_id, answer.c.undone))
    assert changed != untouched


def test_answers_over_time_are_those_that_count(open_place: Callable) -> None:
    study = text_study(practice=2, catch_trials=4, repeat_share=0.2, questions_per_person=20)
    with open_place(study) as place:
        place.log_in()
        state = place.join()
        while state["done"] < 15:
            if not state["number"]:
                state = post(place.browser, "/api/continue", phase=state["phase"])
            state = place.answer(state, [0])
        if state["undoable"]:
            post(place.browser, "/api/undo", number=state["undoable"])
        overview = place.browser.get("/owner/api/overview").json()
        n_stored = len(rows(place, sa.select(answer)))

    assert overview["n_answers"] == sum(overview["over_time"]["counts"]) < n_stored - 2


def test_the_first_answers_are_drawn_at_their_time_before_now(place: Place) -> None:
    place.answer(place.join(), [0])
    now = time.time()
    with place.running.engine.begin() as connection:
        connection.execute(answer.update().values(received_at=now - 9.5))
    place.log_in()
    over_time = place.browser.get("/owner/api/overview").json()["over_time"]

    assert over_time["seconds"] == 1.0 and now - 61 < over_time["start"]
    (bar,) = [number for number, count in enumerate(over_time["counts"]) if count]
    assert over_time["start"] + bar <= now - 9.5 <= over_time["start"] + bar + 1
