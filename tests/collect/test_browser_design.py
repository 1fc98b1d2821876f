"""Studies with consent, questionnaires and conditions in a real browser, in every language."""

from __future__ import annotations

import csv
import io
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import ordlink as ol
from ordlink.cli import run
from ordlink.collect.schema import participant
from ordlink.collect.stimuli import Stimulus
from ordlink.collect.study import Study, load_study, make_study
from ordlink.collect.texts import LANGUAGES
from tests.collect.conftest import PASSWORD, TOKEN, end_study, serve_on_loopback
from tests.collect.visitors import DESKTOP, PHONE, Visitor, check_page, check_phone, check_with_axe

pytestmark = pytest.mark.slow
NAMES = ("ant", "bee", "cat", "cow", "dog", "fly")
CODES = {
    "completed": "C1", "screened_out": "S1", "declined": "D1", "closed": "F1", "withdrawn": "W1",
    "phone": "P1",
}  # fmt: skip
DESIGN: dict[str, Any] = {
    "name": "Tiere", "language": "de", "method": "AddS-AL", "sampler": "random",
    "questions_per_person": 5, "repeat_share": 0.0, "break_every": 0, "max_failed_catches": 0,
    "practice_trials": [["cat", "dog", "fly"]], "catch_trials": 1,
    "completion_codes": CODES,
    "conditions": {
        "size": {"quota": 10, "texts": {"instructions": "Achten Sie auf die **Größe**."}},
        "legs": {"quota": 10, "texts": {"instructions": "Achten Sie auf die *Beine*."}},
    },
    "consent": {
        "investigator": "Dr. Ada Beispiel", "contact": "[ada@example.org](mailto:ada@example.org)",
        "approval": "2026-17", "duration": "15 min", "pay": "3 EUR", "storage": "10 Jahre",
        "links": ["[Datenschutz](https://example.org/privacy)"],
        "checkboxes": ["Ich bin mindestens 18 Jahre alt.", "Ich habe alles gelesen."],
    },
    "questionnaire_before": [
        {"name": "age", "text": "Wie alt sind Sie?", "type": "number", "minimum": 18},
        {"name": "hand", "text": "Händigkeit?", "type": "choice", "options": ["links", "rechts"]},
        {"name": "mail", "text": "Woher kommen Sie?", "required": False},
    ],
    "questionnaire_after": [
        {"name": "hard", "text": "Wie schwer war es?", "type": "likert",
         "options": ["sehr leicht", "leicht", "mittel", "schwer", "sehr schwer"]},
    ],
}  # fmt: skip
SIZES = {"ant": 0, "bee": 1, "fly": 1, "cat": 4, "dog": 5, "cow": 8}
LEGS = {"ant": 0, "cow": 1, "bee": 4, "dog": 5, "fly": 8, "cat": 9}  # not of this world


def design(**changes: Any) -> Study:
    stimuli = tuple(Stimulus(name, "text", name) for name in NAMES)
    return make_study(DESIGN | changes, stimuli)


def choose(visitor: Visitor, *, careful: bool = True) -> None:
    """Answer the question on the screen: by size or legs, as the condition says."""
    anchor, *options = visitor.texts()
    values = LEGS if visitor.page.get_attribute("body", "data-seen") == "legs" else SIZES
    far = [abs(values[anchor] - values[one]) for one in options]
    nearest = options.index(anchor) if anchor in options else far.index(min(far))
    wrong = 1 - nearest if anchor in options else nearest
    visitor.choose(nearest if careful else wrong)


def agree(visitor: Visitor, search: str = "") -> None:
    """Tick the boxes, agree, and fill in the first questionnaire."""
    page = visitor.page
    page.goto(f"{visitor.url}/{search}")
    for box in page.query_selector_all(".must"):
        box.check()
    visitor.press("#agree")
    page.wait_for_selector("#before:visible")
    page.fill('[name="age"]', "30")
    page.check('[name="hand"][value="links"]')
    visitor.press("#before button")
    page.wait_for_selector("#continue:visible")
    seen = "legs" if "Beine" in page.inner_text("#page-text") else "size"
    page.evaluate("(seen) => { document.body.dataset.seen = seen; }", seen)


def answer_questions(visitor: Visitor, *, most: int = 100, careful: bool = True) -> None:
    """Continue and answer until there is another page, or so many are answered."""
    visitor.press("#continue")
    visitor.wait_for_question()
    for _ in range(most):
        if not visitor.page.is_visible("#question"):
            if not visitor.page.is_visible("#continue"):
                return
            visitor.go_on()
        choose(visitor, careful=careful)


def complete(visitor: Visitor) -> None:
    answer_questions(visitor)
    visitor.page.check('#after [value="mittel"]')
    visitor.press("#after button")
    visitor.page.wait_for_selector("#code:visible")


def test_a_study_with_two_conditions_from_its_file_to_the_test(
    visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(yaml.safe_dump({**DESIGN, "stimuli": list(NAMES)}, allow_unicode=True))
    with serve_on_loopback(load_study(file), tmp_path / "study.db") as (site, url):
        codes: list[str] = []

        def end(visitor: Visitor) -> None:
            codes.append(visitor.page.inner_text("#code").split()[-1])
            visitor.close()

        refuser = visit(url)
        refuser.page.goto(url)
        refuser.press("#decline")
        refuser.page.wait_for_selector("#code:visible")
        refuser.page.goto(url)  # it is remembered
        refuser.page.wait_for_selector("#reconsider:visible")
        end(refuser)
        careless = visit(url)
        agree(careless, "?participant=careless")
        answer_questions(careless, careful=False)
        careless.page.wait_for_selector("#code:visible")
        end(careless)
        leaver = visit(url)
        agree(leaver, "?participant=leaver")
        answer_questions(leaver, most=4)
        leaver.page.goto("about:blank")
        with site.running.engine.begin() as connection:
            c = participant.c
            gone = participant.update().where(c.external_id == "leaver")
            connection.execute(gone.values(seen_at=time.time() - 10_000))
        for person in range(20):
            visitor = visit(url, **(PHONE if person % 5 == 4 else DESKTOP))
            agree(visitor, f"?participant=p{person}")
            if person % 4 == 0:  # a reload shows the same page again
                visitor.page.reload()
                visitor.page.wait_for_selector("#continue:visible")
                seen = "legs" if "Beine" in visitor.page.inner_text("#page-text") else "size"
                visitor.page.evaluate("(seen) => { document.body.dataset.seen = seen; }", seen)
            complete(visitor)
            end(visitor)
        late = visit(url)
        late.page.goto(f"{url}/?participant=late")
        late.page.wait_for_selector("#agree, #code")
        if late.page.is_visible("#agree"):
            for box in late.page.query_selector_all(".must"):
                box.check()
            late.press("#agree")
        late.page.wait_for_selector("#code:visible")
        end(late)
        leaver.page.goto(f"{url}/?participant=leaver")
        leaver.page.wait_for_selector("#code:visible")
        end(leaver)
        assert Counter(codes) == {"C1": 20, "D1": 1, "S1": 1, "F1": 2}

        owner = visit(url)
        owner.page.goto(f"{url}/owner/setup#{TOKEN}")
        owner.page.fill("#password", PASSWORD)
        owner.page.click("button")
        owner.page.wait_for_selector("#trees .kept p:not(:has-text('being updated'))")
        owner.page.click("a:has-text('condition')")
        alike = owner.page.inner_text("#alike")
        assert owner.page.locator("main svg.tree").count() == 2
        assert check_with_axe(owner.page) == []
        for name in ("trials.csv", "participants.csv"):
            reply = owner.context.request.get(f"{url}/owner/download/{name}")
            (tmp_path / name).write_bytes(reply.body())
        tree = owner.context.request.get(f"{url}/owner/api/tree").json()
        owner.close()  # before the server ends

    tables = {}
    for name in ("trials", "participants"):
        rows = csv.DictReader(io.StringIO((tmp_path / f"{name}.csv").read_text()))
        tables[name] = list(rows)
    people = {row["participant"]: row for row in tables["participants"]}
    done = [row for row in people.values() if row["outcome"] == "completed"]
    assert Counter(row["condition"] for row in done) == {"size": 10, "legs": 10}
    assert {row["outcome"] for row in people.values()} == {
        "completed", "declined", "screened_out", "closed"
    }  # fmt: skip
    assert all((row["age"], row["hand"], row["hard"]) == ("30", "links", "mittel") for row in done)
    for row in done:
        own = [one for one in tables["trials"] if one["participant"] == row["participant"]]
        assert Counter(one["kind"] for one in own) == {"practice": 1, "main": 5, "catch": 1}
        assert {one["condition"] for one in own} == {row["condition"]}
        practice = next(one for one in own if one["kind"] == "practice")
        assert practice["reference"] == "cat"
    out = tmp_path / "out"
    assert (
        run(["cluster", str(tmp_path / "trials.csv"), "--method", "AddS-AL", "--out", str(out)])
        == 0
    )
    assert ol.Hierarchy.load(out / "tree.json").to_newick(heights="rank") == tree["kept"]["newick"]
    assert "The answers of the groups differ." in alike
    words = ["--by", "condition", "--method", "AddS-AL"]
    assert run(["compare-groups", str(tmp_path / "trials.csv"), *words]) == 0


def walk(visitor: Visitor, look: Callable[[str], None]) -> None:
    """Go through all pages of a participant, looking at each."""
    page = visitor.page
    page.goto(visitor.url)
    look("consent")
    for box in page.query_selector_all(".must"):
        box.check()
    visitor.press("#agree")
    page.wait_for_selector("#before:visible")
    look("before")
    page.fill('[name="age"]', "30")
    page.check('[name="hand"][value="links"]')
    visitor.press("#before button")
    page.wait_for_selector("#continue:visible")
    look("instructions")
    visitor.press("#continue")
    visitor.wait_for_question()
    look("practice")
    visitor.choose(0)
    look("ready")
    visitor.go_on()
    look("question")
    visitor.press("#withdraw")
    page.wait_for_selector("#withdraw-dialog[open]")
    look("withdraw")
    visitor.press("#withdraw-no")
    visitor.choose(0)
    look("break")
    visitor.go_on()
    visitor.choose(0)
    page.wait_for_selector("#after:visible")
    look("after")
    page.check('#after [value="mittel"]')
    visitor.press("#after button")
    page.wait_for_selector("#code:visible")
    look("completed")


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("device", ["desktop", "phone"])
def test_every_page_is_accessible_in_every_language(
    visit: Callable[..., Visitor], tmp_path: Path, language: str, device: str
) -> None:
    study = design(
        language=language, questions_per_person=2, break_every=1, catch_trials=0, conditions={}
    )
    with serve_on_loopback(study, tmp_path / "study.db") as (site, url):
        visitor = visit(url, **(PHONE if device == "phone" else DESKTOP))
        found: list[str] = []

        def look(name: str) -> None:
            check_page(visitor.page)
            if device == "phone":
                check_phone(visitor.page)
            problems = check_with_axe(visitor.page)
            found.extend(f"{name}: {one}" for one in problems)

        walk(visitor, look)
        visitor.context.clear_cookies()
        visitor.page.goto(url)
        visitor.press("#decline")
        visitor.page.wait_for_selector("#code:visible")
        look("declined")
        end_study(site)
        visitor.page.goto(f"{url}/?participant=late")
        assert visitor.page.inner_text("#code") == "F1"
        look("closed")

    assert [one for one in found if ": serious" in one or ": critical" in one] == []
