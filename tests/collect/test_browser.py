"""Participants with a real browser: whole runs, lost connections, what is stored of them."""

from __future__ import annotations

import asyncio
import re
import wave
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from PIL import Image, ImageDraw

from ordlink.collect.question_types import QUESTION_TYPES
from ordlink.collect.schema import answer, participant, read_objects, serving
from ordlink.collect.site import Site
from ordlink.collect.stimuli import Stimulus, stimuli_of_folder
from ordlink.collect.study import Study, make_study
from tests.collect.conftest import end_study, serve_on_loopback, text_study
from tests.collect.films import write_film
from tests.collect.visitors import (
    PHONE,
    Visitor,
    axe_script,
    check_page,
    check_phone,
    check_with_axe,
)

pytestmark = pytest.mark.slow

EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of 12 pictures: shapes of several colours, high, wide and square."""
    made = tmp_path_factory.mktemp("shapes")
    for number in range(12):
        picture = Image.new("RGB", [(300, 200), (200, 300), (240, 240)][number % 3], "white")
        draw = ImageDraw.Draw(picture)
        colour = ["crimson", "seagreen", "royalblue", "orange"][number // 3]
        (draw.ellipse if number % 2 else draw.rectangle)((40, 40, 160, 160), fill=colour)
        picture.save(made / f"shape {number}.png")
    return made


@pytest.fixture(scope="module")
def houses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Study], Any]]:
    """Return a function that serves a study until the end of the module."""
    with ExitStack() as stack:
        served: dict[Study, Any] = {}

        def serve(study: Study) -> tuple[Site, str]:
            if repr(study) not in served:
                path = tmp_path_factory.mktemp("study") / "study.db"
                served[repr(study)] = stack.enter_context(serve_on_loopback(study, path))
            return served[repr(study)]

        yield serve


def picture_study(folder: Path, name: str) -> Study:
    """Return a study that goes through all pages."""
    settings = {
        "question": name, "questions_per_person": 3, "practice": 1, "break_every": 2,
        "catch_trials": 0, "repeat_share": 0.0, "sampler": "random", "method": "AddS-AL",
        "completion_codes": {"completed": "DONE-1", "declined": "NO-1"},
        "completion_url": "https://example.org/done?cc={code}",
    }  # fmt: skip
    return make_study(settings, stimuli_of_folder(folder))


def quick_study(**settings: Any) -> Study:
    return text_study(**{"sampler": "random", "method": "AddS-AL", **settings})


def stored(site: Site) -> list[Any]:
    """Return the answers of the person who came last, in order."""
    with site.running.engine.connect() as connection:
        last = connection.execute(sa.select(sa.func.max(participant.c.id))).scalar()
        query = (
            sa.select(answer, serving.c.shown, serving.c.role)
            .select_from(answer.join(serving))
            .where(answer.c.participant_id == last)
            .order_by(answer.c.id)
        )
        return list(connection.execute(query))


@pytest.mark.parametrize("device", ["keyboard", "touch"])
@pytest.mark.parametrize("name", list(QUESTION_TYPES))
def test_a_whole_run_from_consent_to_the_code(
    houses: Callable, visit: Callable, folder: Path, name: str, device: str
) -> None:
    site, url = houses(picture_study(folder, name))
    person = visit(url, **(PHONE if device == "touch" else {}))
    choice = list(range(QUESTION_TYPES[name].n_chosen))[::-1]
    seen = []

    def look(label: str) -> None:
        seen.append(label)
        check_page(person.page)
        if name == "triplet" or label == "Question 1 of 3":  # the other pages are the same ones
            assert check_with_axe(person.page) == []
        if device == "touch":
            check_phone(person.page)

    person.page.goto(url)
    look("consent")
    person.agree()
    look("instructions")
    person.go_on()
    look(person.page.inner_text("#practice"))
    person.choose(*choice)
    look(person.page.inner_text("#page-title"))
    person.go_on()
    for _ in range(2):
        look(person.page.inner_text("#count"))
        person.choose(*choice)
    look(person.page.inner_text("#page-title"))
    person.go_on()
    look(person.page.inner_text("#count"))
    person.choose(*choice)
    look(person.page.inner_text("#page-title"))

    assert seen == [
        "consent", "instructions", "Practice: this answer does not count.", "Ready",
        "Question 1 of 3", "Question 2 of 3", "A short break", "Question 3 of 3", "Thank you!",
    ]  # fmt: skip
    assert person.page.inner_text("#code") == "DONE-1"
    assert person.page.get_attribute("#finish", "href") == "https://example.org/done?cc=DONE-1"
    answers = stored(site)
    assert [one.role for one in answers] == ["practice", "main", "main", "main"]
    assert {read_objects(one.choice) for one in answers} == {tuple(choice)}
    assert {one.device for one in answers} == {device}
    assert all(0.15 <= one.seconds < 60 for one in answers)


def test_a_reload_in_the_middle_shows_the_same_question(houses: Callable, visit: Callable) -> None:
    _, url = houses(quick_study())
    person = visit(url)
    person.begin()
    person.choose(0)
    before = (person.number, person.texts())

    person.page.reload()
    person.wait_for_question()

    assert (person.number, person.texts()) == before
    assert len(before[1]) == 3


def test_a_lost_connection_is_said_and_the_answer_is_sent_once(
    houses: Callable, visit: Callable
) -> None:
    site, url = houses(quick_study())
    person = visit(url)
    person.begin()
    first = person.number

    person.context.set_offline(True)
    person.page.wait_for_function("!navigator.onLine")
    person.page.keyboard.press("2")
    person.page.wait_for_selector(".banner.lost:visible")
    person.page.keyboard.press("1")  # while the first one waits: it is no second answer
    assert "your answer is saved" in person.page.inner_text("#banner")
    assert check_with_axe(person.page) == []
    assert stored(site) == []
    person.context.set_offline(False)
    person.wait_for_question(after=first)

    assert [one.choice for one in stored(site)] == ["1"]
    person.page.wait_for_selector("#banner:not(.lost)", state="attached")
    person.choose(0)
    assert [one.choice for one in stored(site)] == ["1", "0"]
    forgive_lost_connections(person)


def test_an_answer_whose_reply_is_lost_is_stored_once(houses: Callable, visit: Callable) -> None:
    site, url = houses(quick_study())
    person = visit(url)
    lost: list[Any] = []

    def lose_first_reply(route: Any) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route.fetch().json())
            route.abort()

    person.page.route("**/api/answer", lose_first_reply)
    person.begin()
    first = person.number
    person.page.keyboard.press("1")
    person.wait_for_question(after=first)

    assert lost[0]["stored"]
    assert person.number == str(lost[0]["number"])
    assert [one.choice for one in stored(site)] == ["0"]
    forgive_lost_connections(person)


def test_an_answer_that_could_not_be_sent_survives_a_reload(
    houses: Callable, visit: Callable
) -> None:
    site, url = houses(quick_study())
    person = visit(url)
    wire = Wire(person, "**/api/answer")
    person.begin()
    first = person.number

    wire.is_cut = True
    person.page.keyboard.press("2")
    person.page.wait_for_selector(".banner.lost:visible")
    person.page.reload()
    person.page.wait_for_selector(".banner.lost:visible")
    wire.is_cut = False
    person.wait_for_question(after=first)

    assert [one.choice for one in stored(site)] == ["1"]
    forgive_lost_connections(person)


def test_pictures_that_got_lost_are_loaded_again(
    houses: Callable, visit: Callable, folder: Path
) -> None:
    _, url = houses(picture_study(folder, "triplet"))
    person = visit(url)
    wire = Wire(person, "**/stimuli/*")
    person.agree()

    wire.is_cut = True
    person.page.keyboard.press("Enter")
    person.page.wait_for_selector(".banner.lost:visible")
    wire.is_cut = False
    person.wait_for_question()

    assert person.page.evaluate("[...document.images].every((one) => one.naturalWidth > 0)")
    forgive_lost_connections(person)


class Wire:
    """Some requests of a person, which fail while it is cut.

    To be made before the person comes: a browser may let the first requests after a change of
    what is caught pass.
    """

    def __init__(self, person: Visitor, pattern: str) -> None:
        self.is_cut = False
        person.page.route(pattern, self._pass_on)

    def _pass_on(self, route: Any) -> None:
        if self.is_cut:
            route.abort()
        else:
            route.continue_()


def forgive_lost_connections(person: Visitor) -> None:
    """Forget what the browser said about the connection that the test cut."""
    lost = re.compile(r"error: Failed to load resource: net::ERR_(FAILED|INTERNET_DISCONNECTED)")
    assert person.problems
    person.problems = [one for one in person.problems if not lost.match(one)]


def test_undo_and_cant_tell_by_keyboard_and_mouse(houses: Callable, visit: Callable) -> None:
    site, url = houses(quick_study())
    person = visit(url)
    person.begin()
    first = person.texts()
    assert person.page.is_disabled("#undo")

    before = person.number
    person.choose(0)
    person.page.keyboard.press("u")
    person.wait_for_question(after=str(int(before) + 1))
    assert person.texts() == first
    before = person.number
    person.page.keyboard.press("0")
    person.wait_for_question(after=before)
    before = person.number
    person.page.click("#cant-tell")
    person.wait_for_question(after=before)
    before = person.number
    person.page.click("#undo")
    person.wait_for_question(after=before)
    person.choose(1)

    kept = [(one.choice, one.undone, one.device) for one in stored(site)]
    assert kept == [
        ("0", True, "keyboard"), ("", False, "keyboard"), ("", True, "mouse"),
        ("1", False, "keyboard"),
    ]  # fmt: skip


def test_nothing_is_offered_that_the_study_does_not_want(houses: Callable, visit: Callable) -> None:
    site, url = houses(quick_study(cant_tell=False, undo=False))
    person = visit(url)
    person.begin()
    assert not person.page.query_selector("#cant-tell") and not person.page.query_selector("#undo")

    person.page.keyboard.press("0")
    person.page.keyboard.press("9")
    person.page.wait_for_timeout(200)

    assert stored(site) == []


def test_arrows_move_between_options_and_enter_chooses(houses: Callable, visit: Callable) -> None:
    site, url = houses(quick_study())
    person = visit(url)
    person.begin()
    before = person.number

    for key in ("ArrowRight", "ArrowRight", "Enter"):
        person.page.keyboard.press(key)
    person.wait_for_question(after=before)

    assert [(one.choice, one.device) for one in stored(site)] == [("1", "keyboard")]
    assert person.page.evaluate("document.activeElement.id") == "prompt"


def test_a_click_meant_for_the_question_before_is_no_answer(
    houses: Callable, visit: Callable
) -> None:
    site, url = houses(quick_study())
    person = visit(url)
    person.begin()

    # As soon as the next question can be answered: after the page's own work, before any timer.
    person.page.evaluate(
        """() => {
          window.early = [];
          new MutationObserver(async () => {
            for (let turn = 0; turn < 100; turn += 1) await null;
            window.early.push(document.querySelector("#question").ariaBusy);
            document.querySelector(".card").click();
          }).observe(document.getElementById("question"), { attributeFilter: ["data-number"] });
        }"""
    )
    person.page.evaluate("for (let i = 0; i < 2; i += 1) document.querySelector('.card').click()")
    person.wait_for_question(after="1")

    assert [one.choice for one in stored(site)] == ["0"]
    assert person.page.evaluate("early") == [None]  # one click, when the page was not busy any more


def test_two_are_ranked_and_a_choice_can_be_taken_back(houses: Callable, visit: Callable) -> None:
    site, url = houses(quick_study(question="rank-2-of-8"))
    person = visit(url)
    person.begin()

    person.page.keyboard.press("8")
    assert person.page.inner_text("#options > :nth-child(8) .place") == "1st"
    person.page.keyboard.press("8")
    assert person.page.get_attribute("#options > :nth-child(8)", "aria-pressed") == "false"
    person.choose(4, 2)

    assert [one.choice for one in stored(site)] == ["4,2"]


def test_time_counts_from_when_all_pictures_are_painted(
    houses: Callable, visit: Callable, folder: Path
) -> None:
    site, url = houses(picture_study(folder, "triplet"))
    person = visit(url)
    person.agree()

    held_up = []  # pictures come only when the test lets them
    person.page.route("**/stimuli/*", lambda route: held_up.append(route))
    begun = person.page.evaluate("performance.now()")
    person.page.keyboard.press("Enter")
    while len(held_up) < 3:
        person.page.wait_for_timeout(10)
    person.page.wait_for_timeout(700)
    for route in held_up:
        route.continue_()
    person.wait_for_question()
    person.page.evaluate("dispatchEvent(new Event('blur')); dispatchEvent(new Event('focus'))")
    person.page.evaluate("dispatchEvent(new Event('blur'))")
    person.page.keyboard.press("1")
    passed = (person.page.evaluate("performance.now()") - begun) / 1000
    person.page.wait_for_selector("#continue:visible")

    (given,) = stored(site)
    assert len(held_up) == 3
    assert given.seconds < passed - 0.7
    assert given.n_blurs == 2


def test_markup_in_stimuli_and_texts_is_shown_and_not_run(
    houses: Callable, visit: Callable
) -> None:
    stimuli = tuple(Stimulus(f"{EVIL} {i}", "text", f"{EVIL} {i}") for i in range(6))
    texts = {"prompt": EVIL, "welcome": EVIL, "instructions": EVIL, "debrief": EVIL, "option": EVIL}
    settings = {
        "name": EVIL, "texts": texts, "practice": 0, "questions_per_person": 1, "catch_trials": 0,
        "method": "AddS-AL", "sampler": "random", "completion_codes": {"completed": EVIL},
    }  # fmt: skip
    _, url = houses(make_study(settings, stimuli))
    person = visit(url)
    person.begin()

    assert all(re.fullmatch(re.escape(EVIL) + r" \d", text) for text in person.texts())
    assert person.page.inner_text("#prompt") == EVIL
    assert person.page.query_selector("main img, main script") is None
    person.choose(0)
    assert person.page.inner_text("#code") == EVIL
    assert person.page.query_selector("main img, main script") is None


def test_sounds_have_controls_and_a_button_of_their_own(
    houses: Callable, visit: Callable, tmp_path: Path
) -> None:
    for number in range(4):
        with wave.open(str(tmp_path / f"tone {number}.wav"), "wb") as file:
            file.setparams((1, 1, 8000, 0, "NONE", ""))
            file.writeframes(bytes(128 + (i * (number + 3) % 60) for i in range(4000)))
    settings = {"practice": 0, "questions_per_person": 3, "catch_trials": 0, "method": "AddS-AL"}
    site, url = houses(make_study(settings, stimuli_of_folder(tmp_path)))
    person = visit(url, **PHONE)
    person.begin()
    check_page(person.page)
    assert check_with_axe(person.page) == []

    assert person.page.locator("button audio").count() == 0
    assert person.page.locator(".stage audio[controls]").count() == 3
    assert play(person, "audio") is True
    before = person.number
    person.page.tap("#options > :nth-child(2) .choose")
    person.wait_for_question(after=before)

    assert [(one.choice, one.device) for one in stored(site)] == [("1", "touch")]


def play(person: Visitor, tag: str) -> Any:
    """Play the first sound or film; return True if it plays, or else why it does not."""
    return person.page.evaluate(
        f"document.querySelector('{tag}').play().then(() => true, (error) => String(error))"
    )


def test_films_are_painted_and_played(houses: Callable, visit: Callable, tmp_path: Path) -> None:
    colours = ["crimson", "seagreen", "royalblue"]
    for colour in colours:
        write_film(tmp_path / f"{colour}.webm", [colour, "white", colour])
    settings = {"practice": 0, "questions_per_person": 3, "catch_trials": 0, "method": "AddS-AL"}
    site, url = houses(make_study(settings, stimuli_of_folder(tmp_path)))
    person = visit(url)
    person.begin()
    check_page(person.page)
    assert check_with_axe(person.page) == []

    assert person.page.locator("button video").count() == 0
    assert (
        person.page.evaluate(
            "[...document.querySelectorAll('.stage video[controls]')]"
            ".map((one) => [one.videoWidth, one.videoHeight, one.readyState >= 2])"
        )
        == [[64, 48, True]] * 3
    )
    assert play(person, "video") is True
    person.page.evaluate(
        "new Promise((over) => { const film = document.querySelector('video');"
        " if (film.ended) over(); else film.addEventListener('ended', over); }).then(() => null)"
    )
    before = person.number
    person.page.click("#options > :nth-child(1) .choose")
    person.wait_for_question(after=before)

    assert [(one.choice, one.device) for one in stored(site)] == [("0", "mouse")]


def test_a_picture_that_is_gone_pauses_the_study_until_it_is_back(
    houses: Callable, visit: Callable, tmp_path: Path
) -> None:
    for number in range(3):
        Image.new("RGB", (40, 40), "red").save(tmp_path / f"{number}.png")
    settings = {"practice": 0, "questions_per_person": 3, "catch_trials": 0, "method": "AddS-AL"}
    site, url = houses(make_study(settings, stimuli_of_folder(tmp_path)))
    (tmp_path / "0.png").rename(tmp_path / "away")
    person = visit(url)
    person.begin()

    assert person.page.get_by_text("picture: cannot be shown").count() == 1
    person.page.keyboard.press("0")
    person.page.wait_for_selector("#page-text:visible")
    assert "closed at the moment" in person.page.inner_text("#page-text")
    assert person.page.inner_text("#page-title") == "One moment"  # it may be resumed
    assert stored(site) == []  # nobody can compare what they do not see

    (tmp_path / "away").rename(tmp_path / "0.png")
    site.running.media.look_again()
    with ThreadPoolExecutor() as other:  # this thread has the event loop of the browser
        other.submit(asyncio.run, site.running.set_state("open")).result()
    person.wait_for_question(after="1")  # the page asks from time to time
    assert person.page.get_by_text("picture: cannot be shown").count() == 0
    person.choose(0)
    assert [one.choice for one in stored(site)] == ["0"]
    assert all("404" in problem for problem in person.problems)
    person.problems.clear()


def test_declining_shows_its_code_and_is_counted(
    houses: Callable, visit: Callable, folder: Path
) -> None:
    site, url = houses(picture_study(folder, "odd-one-out"))
    with site.running.engine.connect() as connection:
        before = connection.execute(sa.select(sa.func.count(participant.c.id))).scalar()
    person = visit(url, **PHONE)
    person.page.goto(url)
    person.press("#decline")
    person.page.wait_for_selector("#code:visible")
    check_page(person.page)
    assert check_with_axe(person.page) == []

    assert person.page.inner_text("#code") == "NO-1"  # the code alone is selected and copied
    with site.running.engine.connect() as connection:
        after = connection.execute(sa.select(sa.func.count(participant.c.id))).scalar()
    assert after == before + 1


def test_withdrawing_asks_first_and_then_removes_everything(
    houses: Callable, visit: Callable
) -> None:
    site, url = houses(quick_study())
    person = visit(url)
    person.begin("?PROLIFIC_PID=leaves")
    person.choose(0)
    assert person.page.evaluate("localStorage.length") == 1  # the link

    person.page.click("#withdraw")
    assert check_with_axe(person.page) == []
    person.page.keyboard.press("1")  # keys do not answer behind the question whether they are sure
    person.page.click("#withdraw-no")
    assert len(stored(site)) == 1
    person.page.click("#withdraw")
    person.page.click("#withdraw-yes")
    person.page.wait_for_selector("#page-title:visible")

    assert "have been removed" in person.page.inner_text("#page-text")
    assert stored(site) == []
    assert person.page.evaluate("localStorage.length") == 0


def test_a_cookie_that_nobody_knows_leads_back_to_the_consent_page(
    houses: Callable, visit: Callable
) -> None:
    site, url = houses(quick_study())
    person = visit(url)
    name = site.cookie("ordlink_person")
    person.context.add_cookies([{"name": name, "value": "nobody", "url": url}])

    person.page.goto(url)
    person.page.wait_for_url("**/join")

    assert person.page.is_visible("#agree")
    assert all("401" in problem for problem in person.problems)
    person.problems.clear()


def test_a_page_of_one_person_never_answers_for_another_in_the_same_browser(
    houses: Callable, visit: Callable
) -> None:
    site, url = houses(quick_study())
    first = visit(url)
    first.begin("?participant=tab-a")
    second = first.context.new_page()
    second.goto(f"{url}/?participant=tab-b")
    second.click("#agree")
    second.click("#continue:visible")
    second.wait_for_selector("#question[data-number]")
    theirs = second.locator(".text").all_inner_texts()
    assert second.get_attribute("#question", "data-number") == first.number
    assert first.texts() != theirs

    first.page.keyboard.press("1")
    first.page.wait_for_selector("#banner.late:visible")

    assert "opened in another window" in first.page.inner_text("#banner")
    assert first.texts() == theirs
    assert stored(site) == []
    first.page.wait_for_timeout(160)
    first.choose(1)
    assert [one.choice for one in stored(site)] == ["1"]
    assert not first.page.is_visible("#banner")
    assert all("409" in problem for problem in first.problems)
    first.problems.clear()


def test_somebody_who_was_on_another_device_comes_back_as_the_same_person(
    houses: Callable, visit: Callable
) -> None:
    site, url = houses(quick_study())
    search = "?PROLIFIC_PID=two-devices&SESSION_ID=x"
    desk, phone = visit(url), visit(url, **PHONE)
    desk.begin(search)
    desk.choose(0)
    phone.page.goto(f"{url}/{search}")
    phone.press("#agree")
    phone.wait_for_question()
    phone.choose(1)

    phone.press("#withdraw")
    phone.press("#withdraw-yes")
    phone.page.wait_for_selector("#page-title:visible")
    assert "must confirm" in phone.page.inner_text("#page-text")
    assert not phone.page.is_visible("#withdraw")
    check_page(phone.page)
    assert check_with_axe(phone.page) == []
    assert [one.choice for one in stored(site)] == ["0", "1"]

    desk.page.keyboard.press("1")
    desk.page.wait_for_url(f"{url}/join{search}")
    desk.press("#agree")
    desk.wait_for_question()
    desk.choose(1)
    assert [one.choice for one in stored(site)] == ["0", "1", "1"]
    desk.press("#withdraw")
    desk.press("#withdraw-yes")
    desk.page.wait_for_selector("#page-title:visible")

    # Either device may be that of a stranger: only the owner removes what both answered.
    assert "must confirm" in desk.page.inner_text("#page-text")
    assert [one.choice for one in stored(site)] == ["0", "1", "1"]
    assert all("401" in problem for problem in desk.problems)
    desk.problems.clear()


def test_who_has_taken_part_gets_the_code_again_from_a_study_that_is_closed(
    houses: Callable, visit: Callable
) -> None:
    site, url = houses(quick_study(questions_per_person=1, completion_codes={"completed": "C9"}))
    first = visit(url)
    first.begin("?participant=anna")
    first.choose(0)
    first.page.wait_for_selector("#code:visible")
    end_study(site)
    later, stranger = visit(url, **PHONE), visit(url)
    for visitor, name in ((later, "anna"), (stranger, "otto")):
        visitor.page.goto(f"{url}/?participant={name}")
        check_page(visitor.page)
        visitor.press("#return")

    later.page.wait_for_url(f"{url}/run")
    assert later.page.inner_text("#code") == "C9"
    stranger.page.wait_for_selector("#return", state="hidden")
    assert "closed" in stranger.page.inner_text("#message")


def test_axe_finds_what_is_wrong_with_a_page(houses: Callable, visit: Callable) -> None:
    if axe_script() is None:
        pytest.skip("axe-playwright-python is not installed: no page is checked with axe")
    _, url = houses(quick_study())
    person = visit(url)
    person.begin()
    assert check_with_axe(person.page) == []

    person.page.evaluate("document.documentElement.removeAttribute('lang')")
    person.page.evaluate("document.getElementById('undo').textContent = ''")

    assert check_with_axe(person.page) == [
        "critical button-name: #undo",
        "serious html-has-lang: html",
    ]


def test_texts_are_replaced_where_scripts_are_off(houses: Callable, chromium: Any) -> None:
    _, url = houses(quick_study(texts={"no_scripts": "Bitte JavaScript einschalten."}))
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    seen = []
    for path in ("/", "/run"):
        page.goto(f"{url}{path}")
        seen.append("Bitte JavaScript einschalten." in page.inner_text("body"))
    context.close()

    assert seen == [True, True]
