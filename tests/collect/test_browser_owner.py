"""The owner with a real browser: setting up, logging in, the dashboard that keeps itself fresh."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from PIL import Image

from ordlink.collect import running as background
from ordlink.collect.site import Site
from ordlink.collect.stimuli import stimuli_of_folder
from ordlink.collect.study import make_study
from ordlink.collect.trees import draw_tree
from tests.collect.conftest import PASSWORD, TOKEN, serve_on_loopback
from tests.collect.visitors import (
    PHONE,
    Visitor,
    check_page,
    check_phone,
    check_with_axe,
)

pytestmark = pytest.mark.slow

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def open_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Site, str]]:
    """Serve a study of six pictures whose tree is grown at once."""
    monkeypatch.setattr(background, "TREE_SECONDS", 0.2)
    folder = tmp_path / "pictures"
    folder.mkdir()
    for colour in ("red", "darkred", "pink", "blue", "navy", "cyan"):
        Image.new("RGB", (90, 60), colour).save(folder / f"{colour}.png")
    settings = {
        "name": f"Colours {EVIL}", "practice": 0, "catch_trials": 0, "repeat_share": 0.0,
        "questions_per_person": 25, "break_every": 0, "method": "AddS-AL", "sampler": "random",
        "pay_per_person": 1.5, "budget": 1000, "stable_trees": 1000,
    }  # fmt: skip
    study = make_study(settings, stimuli_of_folder(folder))
    with serve_on_loopback(study, tmp_path / "study.db") as running:
        yield running


def take_part(url: str, n_answers: int, *, person: str = "", side: int = 0) -> None:
    """Answer some questions without a browser."""
    with httpx.Client(base_url=url) as client:
        body = {"agree": True, "search": f"?participant={person}"}
        client.post("/api/join", json=body)
        state = client.post("/api/continue", json={"phase": "instructions"}).json()
        for _ in range(n_answers):
            body = {"number": state["number"], "choice": [side], "seconds": 1.0}
            state = client.post("/api/answer", json=body).json()


def ask_for_removal(url: str, person: str) -> None:
    """Come back as somebody on another device, and ask to have the answers removed."""
    with httpx.Client(base_url=url) as client:
        client.post("/api/join", json={"agree": True, "search": f"?participant={person}"})
        reply = client.post("/api/withdraw", json={"confirm": True})
        assert reply.json()["outcome"] == "asked_to_withdraw"


def set_up(owner: Visitor) -> None:
    owner.page.goto(f"{owner.url}/owner/setup#{TOKEN}")
    owner.page.fill("#password", PASSWORD)
    owner.press("button.primary")
    owner.page.wait_for_url("**/owner")


def look(owner: Visitor) -> None:
    check_page(owner.page)
    assert check_with_axe(owner.page) == []
    if owner.is_phone:
        check_phone(owner.page)


def test_the_dashboard_shows_the_tree_as_it_grows(
    open_study: tuple[Site, str], visit: Callable
) -> None:
    site, url = open_study
    owner = visit(url)
    owner.page.goto(f"{url}/owner")
    assert owner.page.url.endswith("/owner/setup")
    look(owner)
    set_up(owner)
    look(owner)
    assert owner.page.is_visible(".kept .empty")
    assert owner.page.inner_text("h1") == f"Colours {EVIL}"

    take_part(url, 12, person=EVIL)
    owner.page.wait_for_selector(".kept svg.tree")  # nobody has loaded the page again
    look(owner)
    pictures = owner.page.locator(".kept .leaf image")
    assert pictures.count() == 6
    assert owner.page.locator(".kept .merge").count() == 4
    assert owner.page.inner_text("#n-answers") == "12"
    assert EVIL in owner.page.inner_text("#participants")

    owner.page.evaluate("document.querySelector('.kept image').isSame = true")
    owner.page.check("#everybody")
    owner.page.focus("#exclude-1")
    take_part(url, 25, side=1)
    owner.page.wait_for_selector("#remove-2")
    owner.page.wait_for_selector('.everybody [aria-label*="from 37 answers"]')
    # What did not change stays: pictures, the switch, and the focus.
    assert owner.page.evaluate(
        "[...document.querySelectorAll('.kept image')].some((one) => one.isSame)"
    )
    assert owner.page.is_checked("#everybody")
    assert owner.page.evaluate("document.activeElement.id") == "exclude-1"
    assert owner.page.is_visible(".everybody svg.tree")
    assert not owner.page.is_visible(".kept svg.tree")
    assert owner.page.inner_text("#cost") == "1.50 EUR"
    for width in (980, 1250, 1280):  # no column of the participants sticks out
        owner.page.set_viewport_size({"width": width, "height": 800})
        check_page(owner.page)
    names = owner.page.locator(".everybody .leaf text").all_text_contents()
    trees = site.running.trees
    assert trees is not None
    drawn = draw_tree(trees.everybody, site.running.study.names, [""] * 6)
    assert drawn is not None
    assert names == [leaf["name"] for leaf in drawn["leaves"]]


def test_people_are_excluded_and_removed_and_the_study_is_paused_and_ended(
    open_study: tuple[Site, str], visit: Callable
) -> None:
    site, url = open_study
    take_part(url, 10, person="a")
    take_part(url, 5, person="b")
    ask_for_removal(url, "a")
    owner = visit(url, **PHONE)
    set_up(owner)
    owner.page.wait_for_selector(".kept svg.tree")
    look(owner)
    assert "1 asking for removal" in owner.page.inner_text("#tiles")
    owner.press("#keep-1")
    owner.page.wait_for_selector("#keep-1", state="detached")
    assert owner.page.inner_text("#n-answers") == "15"

    owner.press("#exclude-2")
    owner.page.wait_for_selector(".flag.out")
    ten = '.kept [aria-label*="from 10 answers"]'
    owner.page.wait_for_selector(ten, state="attached")  # folded: ten answers say little
    assert owner.page.locator('.everybody [aria-label*="from 15 answers"]').count() == 1
    look(owner)
    owner.press("#remove-1")
    assert owner.page.inner_text("#sure-words").startswith("Remove all answers of P1")
    assert check_with_axe(owner.page) == []
    owner.press("#sure-no")
    assert owner.page.inner_text("#n-answers") == "15"
    owner.press("#remove-1")
    owner.press("#sure-yes")
    owner.page.wait_for_selector("#remove-1", state="detached")
    assert owner.page.inner_text("#n-answers") == "5"

    owner.press("#pause")
    owner.page.wait_for_selector(".state.paused")
    assert not site.running.is_open
    guest = visit(url)
    guest.page.goto(url)
    assert "closed at the moment" in guest.page.inner_text("main")
    check_page(guest.page)
    assert check_with_axe(guest.page) == []
    owner.press("#open")
    owner.page.wait_for_selector(".state.open")
    owner.press("#end")
    owner.press("#sure-yes")
    owner.page.wait_for_selector(".state.complete")
    assert site.running.state == "complete"


def test_logging_in_looking_at_the_stimuli_downloading_and_logging_out(
    open_study: tuple[Site, str], visit: Callable
) -> None:
    site, url = open_study
    owner = visit(url, color_scheme="dark", viewport={"width": 360, "height": 640})
    set_up(owner)
    owner.press("text=Log out")
    owner.page.wait_for_url("**/owner/login")
    look(owner)
    owner.page.fill("#password", "not the password")
    owner.press("button.primary")
    owner.page.wait_for_selector("[role=alert]")
    look(owner)
    assert [one for one in owner.problems if "403" not in one] == []
    owner.problems.clear()
    owner.page.fill("#password", PASSWORD)
    owner.press("button.primary")
    owner.page.wait_for_url("**/owner")
    look(owner)

    owner.press("text=Stimuli")
    owner.page.wait_for_selector(".gallery img")
    look(owner)
    assert owner.page.locator(".gallery .name").all_inner_texts() == list(site.running.study.names)
    owner.press("text=Dashboard")
    with owner.page.expect_download() as download:
        owner.press('a[href$="study.yaml"]')
    assert "Colours" in Path(download.value.path()).read_text()
