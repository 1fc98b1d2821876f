"""The owner's side: logging in, the dashboard, exclusion, downloads that give the same tree."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import yaml

import ordlink as ol
from ordlink.cli import run
from ordlink.collect.connections import RateLimit
from ordlink.collect.schema import answer, participant, serving
from ordlink.datasets import planted_tree
from tests.collect.conftest import PASSWORD, TOKEN, Place, text_study

TRUTH = planted_tree([4, [4, 4]], mean=0.8, gap=0.3, noise=0.02, seed=0).similarities


def answer_by_truth(place: Place, browser: Any, state: dict[str, Any], *, wrong: bool) -> Any:
    """Answer a triplet as the similarities say, or the other way round."""
    i, j, k = (int(one["text"].split()[1]) for one in state["stimuli"])
    nearer = 0 if TRUTH[i, j] > TRUTH[i, k] else 1
    return place.answer(state, [1 - nearer if wrong else nearer], browser, seconds=1.0)


def run_everybody(place: Place, n_good: int = 2, n_bad: int = 1) -> None:
    for number in range(n_good + n_bad):
        browser = place.another_browser()
        state = place.join(browser)
        while state["phase"] != "done":
            state = answer_by_truth(place, browser, state, wrong=number >= n_good)


def grown(place: Place) -> dict[str, Any]:
    """Have the trees grown now, and return what the dashboard gets."""
    place.browser.portal.call(place.running.build_trees)  # type: ignore[union-attr]
    tree: dict[str, Any] = place.browser.get("/owner/api/tree").json()
    return tree


def test_the_dashboard_warns_as_the_command_line_does_and_ties_have_no_support(
    open_place: Callable,
) -> None:
    with open_place(text_study(method="AddS-AL", sampler="random")) as place:
        place.log_in()
        place.answer(place.join(), [0])

        tree = grown(place)["kept"]
        page = place.browser.get("/owner").text

    assert any("never compared" in note for note in tree["notes"])
    assert any("decided by a tie" in note for note in tree["notes"])
    assert tree["support"].count(None) == tree["n_tied_merges"] > 0
    assert "their position in the tree is arbitrary." in page
    assert "decided by a tie, not by the answers" in page


@pytest.mark.parametrize(("method", "extension"), [("tSTE-AL", "csv"), ("AddS-AL", "parquet")])
def test_exported_answers_give_exactly_the_tree_on_the_dashboard(
    open_place: Callable, tmp_path: Path, method: str, extension: str, capsys
) -> None:
    with open_place(text_study(questions_per_person=50, method=method, sampler="random")) as place:
        csrf = place.log_in()
        run_everybody(place)
        place.browser.post(
            "/owner/participants/3/exclude", data={"csrf": csrf, "reason": "too wild"}
        )
        tree = grown(place)
        for name, shown in (("answers", "kept"), ("answers-of-everybody", "everybody")):
            reply = place.browser.get(f"/owner/download/{name}.{extension}")
            path = tmp_path / f"answers.{extension}"
            path.write_bytes(reply.content)
            words = tree[shown]["command"].replace("answers.csv", str(path)).split()[1:]

            assert run([*words, "--out", str(tmp_path / name)]) == 0

            built = ol.Hierarchy.load(tmp_path / name / "tree.json")
            assert built.merges.tolist() == tree[shown]["merges"]
            assert built.names == place.running.study.names
            assert built.to_newick(heights="rank") == tree[shown]["newick"]
    assert tree["kept"]["n_answers"] == 100
    assert tree["everybody"]["n_answers"] == 150
    assert tree["kept"]["newick"] != tree["everybody"]["newick"]
    assert len(tree["kept"]["support"]) == 11


def test_excluding_somebody_deletes_nothing_and_can_be_taken_back(open_place: Callable) -> None:
    with open_place(text_study(questions_per_person=30, method="AddS-AL")) as place:
        csrf = place.log_in()
        run_everybody(place)
        before = grown(place)
        place.browser.post("/owner/participants/3/exclude", data={"csrf": csrf, "reason": "wild"})
        excluded = grown(place)
        place.browser.post("/owner/participants/3/include", data={"csrf": csrf})
        after = grown(place)
        with place.running.engine.connect() as connection:
            n_answers = connection.execute(sa.select(sa.func.count(answer.c.id))).scalar()

    assert n_answers == 90
    assert excluded["everybody"] == before["everybody"] == after["kept"]
    assert excluded["kept"]["n_answers"] == 60


def test_agreement_is_with_the_others_and_means_something_from_the_first(
    open_place: Callable,
) -> None:
    study = text_study(6, questions_per_person=40, method="AddS-AL", sampler="random")
    with open_place(study) as place:
        place.log_in()
        alone = place.join()
        for _ in range(4):
            alone = place.answer(alone, [0])
        grown(place)
        early = place.browser.get("/owner").text
        rng = random.Random(0)
        for _ in range(6):
            browser = place.another_browser()
            state = place.join(browser)
            while state["phase"] != "done":
                state = place.answer(state, [rng.randrange(2)], browser)
        grown(place)
        people = place.browser.get("/owner/api/participants").json()
        page = place.browser.get("/owner").text

    assert 'id="early-kept"' in early and "<dt>Agreement</dt><dd>\u2013</dd>" in early
    shares = [one["agreement"] for one in people]
    assert shares[0] is None  # 4 answers
    assert 0.4 < sum(shares[1:]) / 6 < 0.6  # by the tree of everybody it was far more
    assert 'id="early-kept"' not in page and "from 244 of 244 answers." in page


def test_catch_trials_cost_and_answers_are_told_in_words(open_place: Callable) -> None:
    study = text_study(
        6, questions_per_person=4, catch_trials=2, method="AddS-AL", pay_per_person=2.5
    )
    with open_place(study) as place:
        csrf = place.log_in()
        for _ in range(2):
            browser = place.another_browser()
            state = place.join(browser)
            while state["phase"] != "done":
                anchor, *options = [one["text"] for one in state["stimuli"]]
                wrong = 1 - options.index(anchor) if anchor in options else 0
                state = place.answer(state, [wrong], browser)
        place.join(place.another_browser())
        place.browser.post("/owner/participants/1/exclude", data={"csrf": csrf, "reason": "wild"})
        grown(place)
        page = place.browser.get("/owner").text

    assert "0 passed, 2 failed" in page
    assert "2 completed at 2.50; 2.50 more if all others complete" in page
    assert "from 4 of 8 answers: without excluded participants." in page


def test_people_who_answer_badly_are_flagged(open_place: Callable) -> None:
    study = text_study(
        questions_per_person=60,
        catch_trials=6,
        repeat_share=0.25,
        method="AddS-AL",
        sampler="random",
    )
    with open_place(study) as place:
        place.log_in()
        seen: list[object] = []
        for careful in (True, True, True, True, True, False):
            browser = place.another_browser()
            seen.append(browser)
            state = place.join(browser)
            while state["phase"] != "done":
                i, j, k = (int(one["text"].split()[1]) for one in state["stimuli"])
                good = 0 if j == i or (k != i and TRUTH[i, j] > TRUTH[i, k]) else 1
                choice = good if careful else 1 - good
                state = place.answer(state, [choice], browser, seconds=2.0 if careful else 0.1)
            if careful:  # as if they had taken their time
                shift = serving.update().where(serving.c.participant_id == len(seen))
                earlier = shift.values(served_at=serving.c.served_at - 3)
                asyncio.run(place.running.database.write(lambda c, q=earlier: c.execute(q)))
        grown(place)
        people = place.browser.get("/owner/api/participants").json()

    *careful_ones, careless = people
    assert all(one["flags"] == [] for one in careful_ones)
    assert all(one["n_same"] == one["n_repeats"] > 3 for one in careful_ones)
    assert all(one["n_failed"] == 0 < one["n_catches"] for one in careful_ones)
    assert careless["n_fast"] == 60
    assert careless["n_failed"] == careless["n_catches"] > 0
    assert careless["agreement"] < min(one["agreement"] for one in careful_ones)
    assert any("in under 0.4 s" in flag for flag in careless["flags"])
    assert any("catch trials failed" in flag for flag in careless["flags"])


def test_downloads_hold_everything(place: Place) -> None:
    place.log_in()
    other = place.another_browser()
    state = place.join(other, search="?PROLIFIC_PID==cmd|x")
    state = place.answer(state, [], other, blurs=2)
    place.answer(state, [0], other)

    events = place.browser.get("/owner/download/events.jsonl").text
    people = place.browser.get("/owner/download/participants.csv").text
    study = place.browser.get("/owner/download/study.yaml").text
    answers = place.browser.get("/owner/download/answers.csv").text

    records = [json.loads(line) for line in events.splitlines()]
    assert [one["choice"] for one in records if one["record"] == "answer"] == ["", "0"]
    assert all(one["reason"] for one in records if one["record"] == "question")
    assert {"draw", "question", "serving", "answer", "event"} == {one["record"] for one in records}
    (row,) = csv.DictReader(io.StringIO(people))
    assert (row["participant"], row["external_id"], row["n_blurs"]) == ("P1", "'=cmd|x", "2")
    assert yaml.safe_load(study)["stimuli"] == list(place.running.study.names)
    assert answers.count("P1") == 1  # "can't tell" is no comparison


def test_the_password_is_set_once_with_the_token(place: Place) -> None:
    wrong = place.browser.post("/owner/setup", data={"token": "guess", "password": PASSWORD})
    short = place.browser.post("/owner/setup", data={"token": TOKEN, "password": "short"})
    place.log_in()
    again = place.another_browser().post(
        "/owner/setup", data={"token": TOKEN, "password": "another password"}
    )

    assert (wrong.status_code, short.status_code, again.status_code) == (403, 422, 403)


def test_only_the_right_password_opens_the_dashboard(place: Place) -> None:
    place.log_in()
    other = place.another_browser()

    assert other.post("/owner/login", data={"password": "wrong password"}).status_code == 403
    assert other.get("/owner/api/overview").status_code == 401
    assert other.post("/owner/login", data={"password": PASSWORD}).status_code == 200
    assert other.get("/owner/api/overview").status_code == 200


def test_passwords_can_be_tried_only_a_few_times(place: Place) -> None:
    place.site.trying = RateLimit(per_second=0.001, burst=2)
    codes = [
        place.browser.post("/owner/login", data={"password": "guess"}).status_code for _ in range(4)
    ]

    assert codes == [403, 403, 429, 429]


def test_logging_out_ends_the_session(place: Place) -> None:
    csrf = place.log_in()
    cookie = place.browser.cookies[place.site.cookie("ordlink_owner")]

    place.browser.post("/owner/logout", data={"csrf": csrf})
    place.browser.cookies.set(place.site.cookie("ordlink_owner"), cookie, path="/owner")

    assert place.browser.get("/owner/api/overview").status_code == 401


CHANGES = ["/owner/state", "/owner/participants/1/exclude", "/owner/participants/1/include",
           "/owner/participants/1/withdraw", "/owner/logout"]  # fmt: skip


@pytest.mark.parametrize("path", CHANGES)
def test_nothing_changes_without_the_owners_session_and_csrf_token(place: Place, path: str) -> None:
    state = place.join()
    place.answer(state, [0])
    other = place.another_browser()
    csrf = place.log_in()
    data = {"csrf": csrf, "state": "complete", "reason": "x"}

    without_session = other.post(path, data=data)
    without_token = place.browser.post(path, data={**data, "csrf": "guess"})
    from_elsewhere = place.browser.post(path, data=data, headers={"origin": "https://evil.example"})
    fetched = place.browser.post(path, data=data, headers={"sec-fetch-site": "cross-site"})

    assert without_session.status_code == 401
    assert without_token.status_code == from_elsewhere.status_code == fetched.status_code == 403
    assert place.running.is_open
    with place.running.engine.connect() as connection:
        person = connection.execute(sa.select(participant)).one()
    assert (person.excluded, person.outcome, person.n_main) == (False, None, 1)
    assert place.browser.get("/owner/api/overview").status_code == 200


@pytest.mark.parametrize("name", ["answers.csv", "events.jsonl", "participants.csv", "study.yaml"])
def test_only_the_owner_can_download(place: Place, name: str) -> None:
    place.join()

    assert place.browser.get(f"/owner/download/{name}").status_code == 401
    assert place.browser.get("/owner/stimuli").status_code == 401


def test_the_overview_counts_answers_people_and_cost(open_place: Callable) -> None:
    with open_place(text_study(questions_per_person=3, pay_per_person=1.5)) as place:
        place.log_in()
        run_everybody(place, n_good=2, n_bad=0)
        place.join(place.another_browser())
        overview = place.browser.get("/owner/api/overview").json()
        page = place.browser.get("/owner").text

    assert overview["n_answers"] == 6
    assert overview["participants"] == {"completed": 2, "taking part": 1}
    assert overview["cost"] == 3.0
    assert sum(overview["over_time"]["counts"]) == 6
    assert "P3" in page


def test_the_study_ends_when_the_budget_is_spent(open_place: Callable, monkeypatch) -> None:
    monkeypatch.setattr("ordlink.collect.running.UPKEEP_SECONDS", 0.02)
    with open_place(text_study(questions_per_person=1000, budget=10)) as place:
        place.site.stepping = RateLimit(per_second=1e6, burst=1_000_000)
        state = place.join()
        for _ in range(1000):
            if state["phase"] == "done":
                break
            state = place.answer(state, [0])

    assert state["outcome"] == "closed"
    assert state["done"] >= 10


@pytest.mark.slow
def test_the_study_ends_when_the_tree_is_stable(open_place: Callable, monkeypatch) -> None:
    for name in ("UPKEEP_SECONDS", "TREE_SECONDS"):
        monkeypatch.setattr(f"ordlink.collect.running.{name}", 0.02)
    study = text_study(n_objects=12, questions_per_person=5000, stable_trees=3, method="AddS-AL")
    with open_place(study) as place:
        place.site.stepping = RateLimit(per_second=1e6, burst=1_000_000)
        state = place.join()
        for _ in range(5000):
            if state["phase"] == "done":
                break
            state = answer_by_truth(place, place.browser, state, wrong=False)

    assert state["outcome"] == "closed"
