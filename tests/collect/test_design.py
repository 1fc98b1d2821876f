"""Conditions with quotas, lists of trials, planned catch trials, questionnaires, devices."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from ordlink.cli import run
from ordlink.collect.backup import back_up
from ordlink.collect.question_queue import release_abandoned
from ordlink.collect.schema import answer, event, participant, serving
from ordlink.collect.session import extras_due
from ordlink.collect.study import load_study
from ordlink.collect.texts import LANGUAGES, PROMPTS, TEXTS, markdown
from ordlink.errors import InputError
from tests.collect.conftest import Place, post, serve_on_loopback, text_study

QUOTAS: dict[str, Any] = {"near": {"quota": 2}, "far": {"quota": 2}}


def rows_of(place: Place, name: str) -> list[dict[str, str]]:
    text = place.browser.get(f"/owner/download/{name}").text
    return list(csv.DictReader(io.StringIO(text)))


def finish(place: Place, browser: Any, state: dict[str, Any], choice: int = 0) -> dict[str, Any]:
    """Answer and continue until the end."""
    while state["phase"] != "done":
        if state["stimuli"]:
            state = place.answer(state, [choice], browser, seconds=1.0)
        else:
            state = post(browser, "/api/continue", phase=state["phase"])
    return state


def be_away(place: Place, person: int) -> None:
    """Make it long ago that somebody was there."""
    with place.running.engine.begin() as connection:
        change = participant.update().where(participant.c.id == person)
        connection.execute(change.values(seen_at=time.time() - 5000))


def test_quotas_are_exact_by_completed_people(open_place: Callable) -> None:
    with open_place(text_study(questions_per_person=2, conditions=QUOTAS)) as place:
        browsers = [place.another_browser() for _ in range(6)]
        states = [place.join(browser) for browser in browsers]
        # Four places, so two are turned away; of those who have one, the first leaves.
        assert [state["outcome"] for state in states] == [None] * 4 + ["closed"] * 2
        for browser, state in zip(browsers[1:4], states[1:4], strict=True):
            assert finish(place, browser, state)["outcome"] == "completed"
        assert place.join(browsers[4])["outcome"] == "closed"
        be_away(place, 1)
        late = place.join(browsers[4])
        assert late["outcome"] is None
        returned = browsers[0].get("/api/state").json()
        assert returned["outcome"] == "closed"  # the place was taken meanwhile
        assert finish(place, browsers[4], late)["outcome"] == "completed"
        with place.running.engine.connect() as connection:
            c = participant.c
            counts = dict(
                connection.execute(
                    sa.select(c.condition, sa.func.count())
                    .where(c.outcome == "completed")
                    .group_by(c.condition)
                ).all()
            )
        assert counts == {"near": 2, "far": 2}
        place.browser.portal.call(place.running._keep_up)  # type: ignore[union-attr]
        assert place.running.state == "complete"


def test_excluded_people_give_up_their_place_and_only_then_a_full_study_reopens(
    open_place: Callable,
) -> None:
    conditions = {"near": {"quota": 1}, "far": {"quota": 1}}
    with open_place(text_study(questions_per_person=2, conditions=conditions)) as place:
        csrf = place.log_in()

        def press(path: str, **form: str) -> httpx.Response:
            return place.browser.post(f"/owner/{path}", data={"csrf": csrf, **form})

        def keep_up() -> None:
            place.browser.portal.call(place.running._keep_up)  # type: ignore[union-attr]

        for _ in range(2):
            browser = place.another_browser()
            assert finish(place, browser, place.join(browser))["outcome"] == "completed"
        keep_up()
        refused = press("state", state="open")
        full = place.browser.get("/owner").text
        assert (refused.status_code, place.running.state) == (409, "complete")
        assert "All quotas are complete; to continue, exclude whom you want to replace" in full
        assert 'value="open" disabled' in full and "when all quotas are complete" in full

        press("participants/1/exclude")
        free = place.browser.get("/owner").text
        assert press("state", state="open").status_code == 200
        keep_up()
        assert place.running.is_open
        assert 'value="open" disabled' not in free
        assert "0 of 1 completed, 1 excluded" in free and "1 of 1 completed" in free
        browser = place.another_browser()
        assert finish(place, browser, place.join(browser))["outcome"] == "completed"
        keep_up()
        done = [row for row in rows_of(place, "participants.csv") if row["outcome"] == "completed"]
        assert place.running.state == "complete"

    assert done[0]["condition"] == done[2]["condition"] != done[1]["condition"]
    assert [row["excluded"] for row in done] == ["True", "False", "False"]


@pytest.mark.parametrize("other", ["here", "away", "excluded"])
def test_full_quotas_end_a_study_once_nobody_is_under_way(open_place: Callable, other: str) -> None:
    with open_place(text_study(questions_per_person=2, conditions={"a": {"quota": 1}})) as place:
        csrf = place.log_in()

        def press(path: str) -> None:
            place.browser.post(f"/owner/participants/{path}", data={"csrf": csrf})

        first, second = place.another_browser(), place.another_browser()
        early = place.join(first)
        press("1/exclude")
        late = place.join(second)  # in the place of the first
        press("1/include")
        assert finish(place, first, early)["outcome"] == "completed"
        if other == "away":
            be_away(place, 2)
        elif other == "excluded":
            press("2/exclude")
        place.browser.portal.call(place.running._keep_up)  # type: ignore[union-attr]
        assert place.running.is_open == (other == "here")
        ended = "completed" if other == "here" else "closed"
        assert finish(place, second, late)["outcome"] == ended
        place.browser.portal.call(place.running._keep_up)  # type: ignore[union-attr]
        assert place.running.state == "complete"


def test_the_dashboard_names_all_that_ends_a_study() -> None:
    some, all_quotas = {"a": {"quota": 2}, "b": {}}, {"a": {"quota": 2}, "b": {"quota": 2}}

    assert text_study(conditions=some).endings == []
    everything = text_study(conditions=all_quotas, budget=90, stable_trees=3).endings
    assert everything == [
        "after 90 answers",
        "when all quotas are complete",
        "when the tree is unchanged in 3 checks in a row",
    ]


def test_somebody_who_returns_in_time_keeps_the_place(open_place: Callable) -> None:
    with open_place(text_study(questions_per_person=2, conditions=QUOTAS)) as place:
        state = place.join()
        be_away(place, 1)

        assert place.answer(state, [0])["outcome"] is None


def test_conditions_have_texts_stimuli_and_types_of_their_own(open_place: Callable) -> None:
    names = [f"thing {i}" for i in range(6)]
    conditions = {
        "few": {"stimuli": names, "texts": {"instructions": "Look *closely*."}},
        "odd": {"question": "odd-one-out"},
    }
    study = text_study(questions_per_person=15, conditions=conditions, sampler="random")
    with open_place(study) as place:
        pages = {}
        for _ in range(2):
            browser = place.another_browser()
            state = place.join(browser)
            pages[len(state["stimuli"]), browser.get("/run").text] = None
            finish(place, browser, state)
        place.log_in()
        trials = rows_of(place, "trials.csv")
        groups = place.browser.get("/owner/groups/condition").text

    few, odd = (
        next(page for _, page in pages if f'data-type="{kind}"' in page)
        for kind in ("triplet", "odd-one-out")
    )
    assert "<em>closely</em>" in few and "closely" not in odd
    assert "Which one is the odd one out?" in odd
    for row in trials:
        if row["condition"] == "few":
            assert {row["reference"], row["option_1"], row["option_2"]} <= set(names)
            assert row["response"] and not row["odd_one_out"]
        else:
            assert row["odd_one_out"] == row[f"item_{row['position']}"] and not row["response"]
    assert Counter(row["condition"] for row in trials) == {"few": 15, "odd": 15}
    assert groups.count("<svg") == groups.count("15 answers</p>") == 2
    assert "Not tested" in groups


def test_options_may_be_yes_and_no_or_numbers(tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(
        "stimuli: [a, b, c]\nundo: false\nquestionnaire_after:\n"
        "- {name: tired, text: Tired, type: choice, options: [yes, no]}\n"
        "- {name: hard, text: Hard, type: likert, options: [1, 2, 3], required: false}\n"
    )

    study = load_study(file)

    assert [one.options for one in study.questionnaire_after] == [["yes", "no"], ["1", "2", "3"]]
    assert not study.undo and not study.questionnaire_after[1].required


def test_groups_by_an_answer_are_compared_branch_by_branch(open_place: Callable) -> None:
    near_far = {"name": "taste", "text": "?", "type": "choice", "options": ["near", "far"]}
    study = text_study(
        8,
        questions_per_person=40,
        sampler="random",
        method="AddS-AL",
        questionnaire_before=[near_far],
    )
    with open_place(study) as place:
        place.log_in()
        empty = place.browser.get("/owner/groups/taste").text
        for number in range(8):
            browser, taste = place.another_browser(), ("near", "far")[number % 2]
            post(browser, "/api/join", agree=True)
            state = post(browser, "/api/continue", phase="before", answers={"taste": taste})
            while state["phase"] != "done":
                if not state["stimuli"]:
                    state = post(browser, "/api/continue", phase=state["phase"])
                    continue
                anchor, *options = (int(one["text"].split()[1]) for one in state["stimuli"])
                gaps = [min((one - anchor) % 8, (anchor - one) % 8) for one in options]
                chosen = gaps.index(min(gaps) if taste == "near" else max(gaps))
                state = place.answer(state, [chosen], browser)
        page = place.browser.get("/owner/groups/taste").text
        missing = [
            place.browser.get(f"/owner/groups/{by}").status_code for by in ("condition", "x")
        ]

    assert "once participants of two of them have answered" in empty
    assert "p = 0.0" in page and "differ." in page
    people = page.split("without them, agrees with</h2>")[1]
    shares = [int(one) for one in re.findall(r"(\d+) %", people)]
    assert len(shares) == 16
    own = [shares[2 * one + 1 - one % 2] for one in range(8)]  # columns: far, near
    others = [shares[2 * one + one % 2] for one in range(8)]
    assert all(mine > theirs for mine, theirs in zip(own, others, strict=True))
    assert missing == [404, 404]


@pytest.mark.parametrize("order", ["fixed", "random"])
def test_a_study_started_again_with_shorter_lists_goes_on(open_place: Callable, order: str) -> None:
    long = [["thing 0", "thing 1", "thing 2"], ["thing 3", "thing 4", "thing 5"]] * 2
    lists = {"trials": long, "practice_trials": long, "trial_order": order}
    browsers = []
    with open_place(text_study(**lists)) as place:
        for n_answers in (3, 7):
            browsers.append(place.another_browser())
            state = place.join(browsers[-1])
            for _ in range(n_answers):
                if not state["number"]:
                    state = post(browsers[-1], "/api/continue", phase=state["phase"])
                state = place.answer(state, [0], browsers[-1])
    lists |= {"trials": long[:1], "practice_trials": long[:1]}
    with open_place(text_study(**lists)) as place:
        release = place.running.database.write(release_abandoned, -1.0)
        assert asyncio.run(release) == 2  # so each gets another question
        for before in browsers:
            browser = place.another_browser()
            browser.cookies = before.cookies
            state = browser.get("/api/state").json()
            assert finish(place, browser, state)["outcome"] == "completed"


def test_people_of_a_condition_that_was_taken_away_wait_for_it_or_for_the_end(
    open_place: Callable,
) -> None:
    known = text_study(conditions={"a": {}, "b": {}})
    unknown = text_study(conditions={"c": {}, "d": {}})
    with open_place(known) as place:
        state = place.join()
        assert state["number"] == 1
        cookies = place.browser.cookies
    with open_place(unknown) as place:
        place.browser.cookies = cookies
        assert place.browser.get("/api/state").json()["number"] == 1  # what they see already
        state = place.answer(state, [0])
        assert (state["number"], state["outcome"]) == (0, None)
    with open_place(known) as place:
        place.browser.cookies = cookies
        state = place.browser.get("/api/state").json()
        assert (state["number"], state["outcome"]) == (2, None)
        place.answer(state, [0])
    with open_place(unknown) as place:
        place.browser.cookies = cookies
        state = place.answer(place.browser.get("/api/state").json(), [0])
        place.browser.portal.call(place.running.set_state, "complete")  # type: ignore[union-attr]
        assert place.browser.get("/api/state").json()["outcome"] == "closed"


@pytest.mark.parametrize("order", ["fixed", "random"])
def test_a_list_of_trials_is_shown_to_everybody(open_place: Callable, order: str) -> None:
    listed = [[f"thing {i}", f"thing {i + 1}", f"thing {i + 2}"] for i in range(8)]
    practice = [["thing 9", "thing 10", "thing 11"]]
    study = text_study(trials=listed, trial_order=order, practice_trials=practice)
    with open_place(study) as place:
        for _ in range(2):
            browser = place.another_browser()
            finish(place, browser, place.join(browser))
        place.log_in()
        rows = rows_of(place, "trials.csv")

    for person in ("P1", "P2"):
        own = [row for row in rows if row["participant"] == person]
        shown = [[row[name] for name in ("reference", "option_1", "option_2")] for row in own]
        assert own[0]["kind"] == "practice" and set(shown[0]) == set(practice[0])
        assert all(row["sampler"] == "list" for row in own[1:])
        if order == "fixed":
            assert shown[1:] == listed
        else:
            assert sorted(map(sorted, shown[1:])) == sorted(map(sorted, listed))
            assert [row[0] for row in shown[1:]] != [row[0] for row in listed]


def test_every_participant_gets_the_planned_catch_trials_spread_out(open_place: Callable) -> None:
    study = text_study(questions_per_person=12, catch_trials=3)
    with open_place(study) as place:
        for _ in range(4):
            browser = place.another_browser()
            finish(place, browser, place.join(browser))
        with place.running.engine.connect() as connection:
            s = serving.c
            roles = connection.execute(
                sa.select(s.participant_id, s.role).order_by(s.participant_id, s.number)
            ).all()

    for person in range(1, 5):
        own = [role for number, role in roles if number == person]
        assert Counter(own) == {"main": 12, "catch": 3}
    for person in range(1, 200):
        due = extras_due(study, person)["catch"]
        assert [number // 4 for number in due] == [0, 1, 2]
    assert len({tuple(extras_due(study, person)["catch"]) for person in range(200)}) > 40


def test_repeats_are_planned_for_each_person_spread_out_after_the_first_answers() -> None:
    study = text_study(questions_per_person=25, repeat_share=0.1)
    due = [extras_due(study, person)["repeat"] for person in range(1, 1001)]

    assert {len(one) for one in due} == {2, 3}
    assert 2400 <= sum(map(len, due)) <= 2600  # 2.5 on average
    assert {number for one in due for number in one} == set(range(5, 25))
    assert all(one == sorted(one) for one in due)
    assert extras_due(text_study(questions_per_person=5, repeat_share=0.5), 1)["repeat"] == []


def test_own_catch_trials_have_their_first_option_as_the_answer(open_place: Callable) -> None:
    study = text_study(
        questions_per_person=6, catch_trials=2, max_failed_catches=0,
        catch_list=[["thing 0", "thing 1", "thing 11"], ["thing 5", "thing 6", "thing 0"]],
    )  # fmt: skip
    right = {"thing 0": "thing 1", "thing 5": "thing 6"}
    with open_place(study) as place:
        for is_careful in (True, False):
            browser = place.another_browser()
            state = place.join(browser)
            while state["phase"] != "done":
                anchor, *options = [one["text"] for one in state["stimuli"]]
                wanted = right.get(anchor)
                choice = options.index(wanted) if wanted in options else 0
                state = place.answer(
                    state, [choice if is_careful or wanted not in options else 1 - choice], browser
                )
            assert state["outcome"] == ("completed" if is_careful else "screened_out")
        place.log_in()
        people = rows_of(place, "participants.csv")
        answers = place.browser.get("/owner/download/answers.csv").text

    assert [row["excluded"] for row in people] == ["False", "True"]
    assert people[1]["excluded_for"] == "screened out"
    assert "P1" in answers and "P2" not in answers  # who is screened out is not in the tree


QUESTIONNAIRES: dict[str, Any] = {
    "questionnaire_before": [
        {"name": "age", "text": "Your age?", "type": "number", "minimum": 18, "maximum": 99},
        {"name": "hand", "text": "Hand?", "type": "choice", "options": ["left", "right"]},
    ],
    "questionnaire_after": [
        {"name": "hard", "text": "Hard?", "type": "likert", "options": ["no", "-", "yes"]},
        {"name": "why", "text": "Why?", "required": False},
        {"name": "size", "text": "Your height?", "type": "number", "required": False},
    ],
}


def test_questionnaires_come_before_and_after_and_are_stored(open_place: Callable) -> None:
    with open_place(text_study(questions_per_person=1, **QUESTIONNAIRES)) as place:
        browser = place.another_browser()
        state = post(browser, "/api/join", agree=True)
        assert state["phase"] == "before"
        for wrong in ({}, {"age": "7", "hand": "left"}, {"age": "x", "hand": "left"},
                      {"age": "30", "hand": "foot"}):  # fmt: skip
            reply = browser.post("/api/continue", json={"phase": "before", "answers": wrong})
            assert reply.status_code == 422
        answers = {"age": "30", "hand": "left"}
        state = post(browser, "/api/continue", phase="before", answers=answers)
        assert state["phase"] == "instructions"
        state = post(browser, "/api/continue", phase="instructions")
        state = place.answer(state, [0], browser)
        assert (state["phase"], state["outcome"]) == ("after", None)
        page = browser.get("/run").text
        told = {"hard": "-", "why": "=1+1", "size": "1,75"}
        state = post(browser, "/api/continue", phase="after", answers=told)
        place.log_in()
        (row,) = rows_of(place, "participants.csv")
        readme = place.browser.get("/owner/download/README.md").text

    assert state["outcome"] == "completed"
    found = [row[name] for name in ("age", "hand", "hard", "why", "size")]
    assert found == ["30", "left", "'-", "'=1+1", "1.75"]
    assert "| `age` | answer to: Your age? |" in readme
    assert 'id="before"' in page and 'name="why"' in page and "(optional)" in page


def test_withdrawing_forgets_the_questionnaire(open_place: Callable) -> None:
    with open_place(text_study(conditions={"a": {}, "b": {}}, **QUESTIONNAIRES)) as place:
        post(place.browser, "/api/join", agree=True)
        answers = {"age": "30", "hand": "left"}
        post(place.browser, "/api/continue", phase="before", answers=answers)
        post(place.browser, "/api/withdraw", confirm=True)
        with place.running.engine.connect() as connection:
            row = connection.execute(sa.select(participant)).one()
        place.log_in()
        (shown,) = rows_of(place, "participants.csv")

    assert (row.questionnaire, row.condition, row.seen_at) == ("{}", "", 0.0)
    assert (shown["outcome"], shown["joined"]) == ("withdrawn", "")  # no day in 1970


def test_declining_is_counted_and_remembered_without_an_id(open_place: Callable) -> None:
    with open_place(text_study(completion_codes={"declined": "NO1"})) as place:
        browser = place.another_browser()
        search = "?PROLIFIC_PID=abc"
        assert post(browser, "/api/join", agree=False, search=search)["code"] == "NO1"
        state = browser.get("/api/state").json()
        assert (state["outcome"], state["code"]) == ("declined", "NO1")
        post(browser, "/api/join", agree=False, search=search)
        place.log_in()
        overview = place.browser.get("/owner/api/overview").json()
        (row,) = rows_of(place, "participants.csv")
        events = place.browser.get("/owner/download/events.jsonl").text
        assert overview["participants"] == {"declined": 1}
        assert (row["outcome"], row["external_id"]) == ("declined", "")
        assert "abc" not in events
        # Everybody may change their mind.
        assert place.join(browser, search)["outcome"] is None
        overview = place.browser.get("/owner/api/overview").json()
        assert overview["participants"] == {"taking part": 1}


def test_phones_can_be_refused(open_place: Callable) -> None:
    with open_place(text_study(phones=False, completion_codes={"phone": "PH"})) as place:
        small = post(place.browser, "/api/join", agree=True, phone=True)
        place.browser.headers["sec-ch-ua-mobile"] = "?1"
        told = post(place.browser, "/api/join", agree=True)
        place.browser.headers["sec-ch-ua-mobile"] = "?0"

        assert [(one["outcome"], one["code"]) for one in (small, told)] == [("phone", "PH")] * 2
        assert place.join()["number"] == 1


def test_whoever_has_taken_part_sees_their_code_on_a_refused_phone(open_place: Callable) -> None:
    codes = {"completed": "OK", "phone": "PH"}
    with open_place(
        text_study(questions_per_person=1, phones=False, completion_codes=codes)
    ) as place:
        body: dict[str, Any] = {"agree": True, "phone": True, "search": "?participant=1"}
        finish(place, place.browser, place.join(search=body["search"]))
        found = [
            post(place.another_browser(), "/api/join", **body, again=again)["code"]
            for again in (True, False)
        ]

    assert found == ["OK", "PH"]


def test_outcomes_without_a_code_are_named() -> None:
    codes = {"completed": "A", "declined": "B"}

    assert text_study().missing_codes() == []
    assert text_study(completion_codes=codes).missing_codes() == ["closed", "withdrawn"]
    strict = text_study(completion_codes=codes, max_failed_catches=0, phones=False)
    assert strict.missing_codes() == ["screened_out", "closed", "withdrawn", "phone"]


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_has_every_text(language: str) -> None:
    assert LANGUAGES[language].keys() == TEXTS.keys()
    assert PROMPTS[language].keys() == PROMPTS["en"].keys()
    for key, text in TEXTS.items():
        translated = LANGUAGES[language][key]
        assert translated.strip()
        fields = [word for word in ("{number}", "{done}", "{total}") if word in text]
        assert all(word in translated for word in fields)
        assert language == "en" or translated != text or len(text) < 16
    assert LANGUAGES[language]["language"] == language
    assert ";" in LANGUAGES[language]["lost"]  # the consent page says what comes before it


STORED = {  # columns about a participant, and the words of the consent page for them
    participant: {
        "source external_id": "the participant id in your link",
        "condition": "which version of the study you saw",
        "questionnaire": "what you enter in questionnaires",
        "created_at": "when you joined,", "seen_at": "were last active",
        "finished_at": "finished",
        "is_shared": "whether you came back on another device", "asks_removal": "removed",
        "token_hash": "cookie", "outcome": "somebody declined",
        # Where they are, and what their answers and the owner say: nothing else about them.
        "id phase last_number n_main n_practice n_catches n_failed_catches n_repeats undoable": "",
        "n_undone excluded excluded_for": "",
    },
    serving: {"shown": "what you were shown", "served_at": "how long each took",
              "participant_id number question_id role status": ""},
    answer: {"choice": "your answers", "received_at": "when you gave or undid them",
             "seconds": "how long each took", "n_blurs": "how often you left the page",
             "device": "whether you used a mouse, touch or keyboard",
             "undone": "also those that you undo", "id participant_id number": ""},
    # Kinds: agreed, came back (on another device), declined, undone, asked to withdraw; what the
    # owner did with them. Data: which answer was undone, why the owner excluded somebody.
    event: {"at": "joined, came back,", "kind": "or asked for removal", "id participant_id": "",
            "data": ""},
}  # fmt: skip


def test_the_consent_page_says_all_that_is_stored() -> None:
    for table, told in STORED.items():
        assert sorted(" ".join(told).split()) == sorted(table.c.keys())
        assert all(words in TEXTS["consent"] for words in told.values())


def test_markdown_is_rendered_and_html_is_not() -> None:
    shown = markdown("**Hello** <b>you</b>\n[x](javascript:alert(1)) ![p](https://e.org/p.png)")

    assert "<strong>Hello</strong>" in shown and "&lt;b&gt;" in shown
    assert "<b>" not in shown and "javascript:alert(1))" in shown and "<img" not in shown


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("questionnaire_after: [{name: outcome, text: b}]", "is a column of participants.csv"),
        ("trials: [[1, 2, 3]]", "trials: 0: 0: expected a text; put it in quotation marks, got 1"),
        ("conditions: {a: {quota: 0}}", "conditions: a: quota: input should be greater than"),
        ("conditions: {a: {colour: red}}", "conditions: a: colour: extra inputs are not"),
        ("conditions: {a: {stimuli: [cat, cow]}}", "conditions: a: stimuli: there is no stimulus"),
        ("trials: [[cat, dog]]", "trials: triplet shows 3 stimuli, got"),
        ("trials: none.csv", "none.csv: cannot be read"),
        ("catch_list: [[cat, cat, dog]]", "catch_list: triplet shows 3 stimuli"),
        ("questionnaire_after: [{name: a, text: b, type: choice}]", "a: expected at least 2 opt"),
        ("language: it", "language: expected de, en, es, fr, got 'it'"),
        ("trial_order: mixed", "trial_order: expected fixed, random, got 'mixed'"),
        ("asked: [cat]", "unknown key 'asked'"),
        (
            "questionnaire_after: [{name: a, text: b}]\nquestionnaire_before: [{name: a, text: c}]",
            "two items are called 'a'",
        ),
    ],
)
def test_mistakes_in_the_design_are_named(tmp_path: Path, setting: str, message: str) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(f"stimuli: [ant, bee, cat, dog]\n{setting}\n")

    with pytest.raises(InputError, match=message):
        load_study(path)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_lists_of_trials_are_read_from_files(tmp_path: Path, separator: str) -> None:
    text = "reference,option_1,option_2\ncat,dog,bee\nbee,ant,cat\n".replace(",", separator)
    (tmp_path / "trials.csv").write_text(text)
    path = tmp_path / "study.yaml"
    path.write_text("stimuli: [ant, bee, cat, dog]\ntrials: trials.csv\n")

    study = load_study(path)

    assert study.trials == [["cat", "dog", "bee"], ["bee", "ant", "cat"]]
    assert study.n_questions == 2


def test_a_backup_taken_under_way_is_restored(open_place: Callable, tmp_path: Path, capsys) -> None:
    with open_place(text_study(questions_per_person=50)) as place:
        state = place.join()
        for _ in range(5):
            state = place.answer(state, [0])
        assert run(["collect", "backup", str(tmp_path), str(tmp_path / "copy.db")]) == 0
        place.answer(state, [0])
    assert run(["collect", "restore", str(tmp_path / "copy.db"), str(tmp_path / "again")]) == 0
    twice = run(["collect", "restore", str(tmp_path / "copy.db"), str(tmp_path / "again")])
    nothing = run(["collect", "backup", str(tmp_path / "nowhere"), str(tmp_path / "x.db")])
    (tmp_path / "bad.db").write_text("no database" * 100)
    bad = run(["collect", "restore", str(tmp_path / "bad.db"), str(tmp_path / "third")])

    out, err = capsys.readouterr()
    assert out.count("5 answers copied to") == 2
    assert (twice, nothing, bad) == (2, 2, 2)
    assert "never replaced" in err and "there is no such file" in err and "bad.db" in err
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    (tmp_path / "study.db").rename(tmp_path / "old.db")
    (tmp_path / "again" / "study.db").rename(tmp_path / "study.db")
    with open_place(text_study(questions_per_person=50)) as place:
        place.log_in()
        assert place.browser.get("/owner/api/overview").json()["n_answers"] == 5


@pytest.mark.slow
def test_a_backup_under_load_holds_every_answer_acknowledged_before(tmp_path: Path) -> None:
    acknowledged: list[tuple[int, int]] = []
    is_over = threading.Event()

    def answer_on(url: str, person: int) -> None:
        with httpx.Client(base_url=url, timeout=60) as client:
            client.post("/api/join", json={"agree": True, "search": f"?participant={person}"})
            state = client.post("/api/continue", json={"phase": "instructions"}).json()
            while not is_over.is_set():
                body = {"number": state["number"], "choice": [0]}
                reply = client.post("/api/answer", json=body)
                if reply.status_code == 200:
                    assert reply.json()["stored"]
                    acknowledged.append((person, state["number"]))
                    state = reply.json()

    study = text_study(questions_per_person=10_000, sampler="random")
    with serve_on_loopback(study, tmp_path / "study.db") as (_, url):
        people = [threading.Thread(target=answer_on, args=(url, one)) for one in range(4)]
        for one in people:
            one.start()
        copies = {}
        for name in ("one", "two", "three"):
            while len(acknowledged) < 30 * (len(copies) + 1):
                time.sleep(0.01)
            copies[name] = list(acknowledged)
            back_up(tmp_path, tmp_path / f"{name}.db")
        is_over.set()
        for one in people:
            one.join()

    for name, before in copies.items():
        with sqlite3.connect(tmp_path / f"{name}.db") as connection:
            query = (
                "SELECT external_id, number FROM answer JOIN participant ON participant.id = "
                "answer.participant_id"
            )
            stored = {(int(person), number) for person, number in connection.execute(query)}
        assert stored >= set(before) and len(before) >= 30


def test_a_study_can_live_below_a_path(open_place: Callable) -> None:
    with open_place(text_study(questions_per_person=3)) as place:
        place.site.root = "/faces"
        place.browser.app.root_path = "/faces"  # type: ignore[attr-defined]
        page = place.browser.get("/faces/").text
        whole = place.browser.get("/faces/static/run.js")
        reply = place.browser.post("/faces/api/join", json={"agree": True})
        stripped = place.browser.get("/")  # by a proxy
        owner = place.browser.get("/faces/owner", follow_redirects=False)

    assert 'data-root="/faces"' in page and 'src="/faces/static/welcome.js"' in page
    assert whole.status_code == stripped.status_code == 200
    assert "Path=/faces" in reply.headers["set-cookie"]
    assert owner.headers["location"] == "/faces/owner/setup"
    assert json.loads(reply.text)["phase"] == "instructions"
