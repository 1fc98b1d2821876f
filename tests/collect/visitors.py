"""People with real browsers: what they do, and what must hold on every page that they see."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
]  # fmt: skip
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
SMALLEST_TARGET = 44
PATIENCE = 60_000
"""How long to wait for what must come, in milliseconds."""


@contextmanager
def open_chromium() -> Iterator[Any]:
    """Start Chromium; skip where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    path = os.environ.get("ORDLINK_CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.skip("there is no Chromium: install it, or say where it is in ORDLINK_CHROMIUM")
    with api.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=OPTIONS)
        yield browser
        browser.close()


class Visitor:
    """Somebody with a browser of their own. Whatever the browser complains about is kept."""

    def __init__(self, browser: Any, url: str, **options: Any) -> None:
        self.url = url
        self.is_phone = bool(options.get("has_touch"))
        self.context = browser.new_context(**(options or DESKTOP))
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.problems: list[str] = []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: self.problems.append(f"dialog: {dialog.message}"))

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    @property
    def number(self) -> str:
        """Number of the question on the screen."""
        return str(self.page.get_attribute("#question", "data-number"))

    def agree(self, search: str = "") -> None:
        """Come to the study and agree to take part."""
        self.page.goto(f"{self.url}/{search}")
        self.press("#agree")
        self.page.wait_for_selector("#continue:visible")

    def begin(self, search: str = "") -> None:
        """Go on to the first question."""
        self.agree(search)
        self.press("#continue")
        self.wait_for_question()

    def press(self, selector: str) -> None:
        """Tap or click on something."""
        if self.is_phone:
            self.page.tap(selector)
        else:
            self.page.click(selector)

    def wait_for_question(self, *, after: str = "0") -> None:
        """Wait until another question is painted, and as long as nobody could answer it."""
        self.page.wait_for_selector(f'#question[data-number]:not([data-number="{after}"])')
        self.page.wait_for_timeout(160)

    def choose(self, *positions: int) -> None:
        """Choose options with the keyboard, or by touch on a phone; wait for what follows."""
        before = self.number
        for position in positions:
            if self.is_phone:
                self.page.tap(f"#options > :nth-child({position + 1})")
            else:
                self.page.keyboard.press(str(position + 1))
        self.wait_for_next(before)

    def wait_for_next(self, before: str) -> None:
        """Wait for the next question, or for a page of text."""
        self.page.wait_for_selector(
            "#page:not([hidden]), .questionnaire:not([hidden]), "
            f'#question[data-number]:not([data-number="{before}"])'
        )
        self.page.wait_for_timeout(160)

    def go_on(self) -> None:
        """Go on from a page of text, with the keyboard where there is one."""
        before = self.number
        if self.is_phone:
            self.page.tap("#continue")
        else:
            self.page.keyboard.press("Enter")
        self.wait_for_question(after=before)

    def texts(self) -> list[str]:
        """Return the texts or addresses of what is on the screen, in order."""
        found: list[str] = self.page.evaluate(
            "[...document.querySelectorAll('.anchor .text, .anchor img, .card .text, .card img')]"
            ".map((one) => one.getAttribute('src') ?? one.textContent)"
        )
        return found

    def close(self) -> None:
        """Leave; the browser must have had nothing to complain about."""
        self.context.close()
        assert self.problems == [], self.problems


def check_page(page: Any) -> None:
    """Assert what holds on every page: language, headings, names, contrast, no sideways scroll."""
    page.wait_for_load_state()  # what is on the screen before has no style yet
    found = page.evaluate(_LOOK)
    assert found["lang"], "the page has no language"
    assert found["title"], "the page has no title"
    assert found["headings"] == 1, f"{found['headings']} headings of the first level"
    assert found["withoutAlt"] == [], "pictures without alt"
    assert found["withoutName"] == [], "controls without a name"
    assert found["sideways"] <= 0, f"{found['sideways']} pixels stick out at the side"
    assert found["faint"] == [], "text without enough contrast"


def check_phone(page: Any) -> None:
    """Assert that everything that can be pressed is large enough, and that the question fits."""
    page.wait_for_load_state()
    small = [
        (name, box)
        for name, box in page.evaluate(_TARGETS)
        if min(box[2], box[3]) < SMALLEST_TARGET
    ]
    assert small == []
    if page.is_visible("#question"):
        height = page.evaluate("innerHeight")
        outside = [
            name for name, (_, top, _, tall) in page.evaluate(_TARGETS)
            if name != "withdraw" and (top < 0 or top + tall > height + 1)
        ]  # fmt: skip
        assert outside == [], "to be seen only by scrolling"


def axe_script() -> Path | None:
    """Return the axe-core that comes with axe-playwright-python; None where it is absent."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "axe.min.js"


def check_with_axe(page: Any) -> list[str]:
    """Return what axe-core finds; nothing where it is absent, which a test of its own reports.

    It runs in a world of its own, since the page's policy lets nobody add scripts.
    """
    path = axe_script()
    if path is None:
        return []
    page.wait_for_load_state()
    session = page.context.new_cdp_session(page)
    frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    world = session.send("Page.createIsolatedWorld", {"frameId": frame})["executionContextId"]
    session.send("Runtime.evaluate", {"expression": path.read_text(), "contextId": world})
    result = session.send(
        "Runtime.evaluate",
        {
            "expression": "axe.run().then((found) => JSON.stringify(found.violations.map("
            "(one) => `${one.impact} ${one.id}: ${one.nodes[0].target}`)))",
            "contextId": world, "awaitPromise": True, "returnByValue": True,
        },
    )  # fmt: skip
    violations: list[str] = json.loads(result["result"]["value"])
    return violations


_TARGETS = """() => [...document.querySelectorAll('button, a.button, input:not([type=hidden])')]
  .filter((one) => one.checkVisibility() && !['checkbox', 'radio'].includes(one.type))
  .map((one) => { const box = one.getBoundingClientRect();
    return [one.id || one.textContent.trim(), [box.x, box.y, box.width, box.height]]; })"""
_LOOK = """() => {
  const root = document.documentElement;
  const all = (selector) =>
    [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const name = (one) => one.getAttribute('aria-label') || one.textContent.trim()
    || one.labels?.[0]?.textContent
    || [...one.querySelectorAll('img')].map((picture) => picture.alt).join('');
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const paper = (one) => { // the first background behind it that is not transparent
    for (let at = one; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((value) => value / 255)
      .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one) => {
    const [a, b] = [light(parse(getComputedStyle(one).color)), light(paper(one))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const html = (ones) => ones.map((one) => one.outerHTML.slice(0, 120));
  const words = 'h1, h2, p, button, a, dt, dd, th, td, span, label, kbd, summary, figcaption';
  return {
    lang: root.lang,
    title: document.title,
    headings: all('h1').length,
    withoutAlt: html(all('img').filter((one) => one.getAttribute('alt') === null)),
    withoutName: html(
      all('button, a, input:not([type=hidden]), progress, audio, video, [role=img]')
        .filter((one) => !name(one))),
    sideways: root.scrollWidth - root.clientWidth, // phones make innerWidth larger
    faint: html(all(words).filter((one) => !one.matches(':disabled, .unseen')
      && !one.closest(':disabled') && one.textContent.trim() && contrast(one) < 4.5)),
  };
}"""
