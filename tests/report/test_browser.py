"""The report in a real browser: no errors, and everything that can be done with the tree."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ordlink._tree_view import ROWS
from ordlink.hierarchy import Hierarchy
from ordlink.report import Evidence, Making, report_page

playwright = pytest.importorskip(
    "playwright.sync_api", reason="needs Playwright: pip install playwright"
)

pytestmark = pytest.mark.slow
CHROMIUM = os.environ.get("ORDLINK_CHROMIUM") or shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip("needs Chromium on the path, or ORDLINK_CHROMIUM", allow_module_level=True)
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as runner:
        started = runner.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(
    evidence: Evidence, pictures: list[Path | None], tmp_path_factory: pytest.TempPathFactory
) -> str:
    path = tmp_path_factory.mktemp("report") / "report.html"
    making = Making(command="ordlink report a.csv", source="a.csv")
    path.write_text(report_page(evidence, making=making, pictures=pictures), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """Open the report, and see at the end that nothing went wrong or was asked for."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    opened = context.new_page()
    problems: list[str] = []
    opened.on("console", lambda message: problems.append(f"{message.type}: {message.text}"))
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on(
        "request",
        lambda request: (
            None if request.url.startswith(("file:", "data:")) else problems.append(request.url)
        ),
    )
    opened.goto(address)
    opened.wait_for_selector("#tree-all svg")
    yield opened
    assert opened.evaluate("window.hacked") is None
    assert problems == []
    context.close()


def n_leaves(page: Any) -> int:
    return page.locator("#tree-all .leaf").count()


def click_branch(page: Any, node: int) -> None:
    page.locator(f'#tree-all [data-node="{node}"] .hit').dispatch_event("click")


def test_the_tree_shows_every_name_and_picture(page: Any, names: list[str]) -> None:
    shown = page.locator("#tree-all .leaf").evaluate_all(
        "leaves => leaves.map((leaf) => leaf.getAttribute('aria-label'))"
    )

    assert sorted(shown) == sorted(names)
    assert page.locator("#tree-all image").count() == 11
    assert page.evaluate(
        "Promise.all([...document.querySelectorAll('#tree-all image')].map((image) => {"
        " const copy = new Image(); copy.src = image.getAttribute('href');"
        " return copy.decode().then(() => copy.naturalWidth > 0); })).then((all) =>"
        " all.every(Boolean))"
    )


def test_a_click_folds_a_branch_and_another_unfolds_it(page: Any, evidence: Evidence) -> None:
    node = evidence.tree.n_objects  # the first merge
    size = int(evidence.tree.sizes[node])
    branch = page.locator(f'#tree-all [data-node="{node}"]')
    assert branch.get_attribute("aria-expanded") == "true"

    click_branch(page, node)

    assert n_leaves(page) == 12 - size
    assert branch.get_attribute("aria-expanded") == "false"
    click_branch(page, node)
    assert n_leaves(page) == 12


def test_a_branch_can_be_hit_with_the_pointer(page: Any, evidence: Evidence) -> None:
    """The middle of a leaf's parent bar is on the screen and belongs to the branch."""
    node = evidence.tree.n_objects
    page.locator("#tree-all .tree-box").scroll_into_view_if_needed()
    place = page.locator(f'#tree-all [data-node="{node}"] .hit').evaluate(
        "path => { path.scrollIntoView({ block: 'center' });"
        " const point = path.getPointAtLength(path.getTotalLength() * 0.25);"
        " const at = point.matrixTransform(path.getScreenCTM()); return [at.x, at.y]; }"
    )
    page.mouse.move(*place)
    page.mouse.click(*place)

    assert n_leaves(page) == 12 - int(evidence.tree.sizes[node])


def test_keys_move_between_branches_and_fold_them(page: Any) -> None:
    page.locator('#tree-all [tabindex="0"]').focus()
    page.keyboard.press("ArrowRight")
    first = page.evaluate("document.activeElement.dataset.node")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.node") == first

    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.dataset.node") == first
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    page.keyboard.press(" ")
    assert n_leaves(page) == 12
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.node") == "22"


def test_pointing_and_focus_show_members_support_and_score(page: Any, evidence: Evidence) -> None:
    tree = evidence.tree
    node = tree.n_objects
    info = page.locator("#tree-all .tree-info")

    page.locator(f'#tree-all [data-node="{node}"]').dispatch_event("pointerenter")

    text = info.inner_text()
    assert f"{tree.sizes[node]} objects" in text
    assert f"support {int(100 * tree.support[0] + 1e-9)} %" in text
    shares, transfers = evidence.support.shares, evidence.support.transfers
    assert f"exactly this branch in {int(100 * shares[0] + 1e-9)} % of bootstrap" in text
    assert f"transfer support {int(100 * transfers[0] + 1e-9)} %" in text
    assert "score" in text
    for member in tree.members(node).tolist():
        assert " ".join(tree.name_of(member).split()) in " ".join(text.split())
    assert page.locator("#tree-all .lit").count() == 2 * int(tree.sizes[node]) - 1


@pytest.mark.parametrize("threshold", [0, 60, 100])
def test_the_slider_leaves_branches_with_enough_support(
    page: Any, evidence: Evidence, threshold: int
) -> None:
    page.locator("#tree-all-slider").fill(str(threshold))

    support = evidence.tree.support[:-1]
    kept = int((support >= threshold / 100).sum()) + 1  # and the root
    assert page.locator("#tree-all .branch").count() == kept
    assert n_leaves(page) == 12


def test_the_consensus_shows_what_most_replicates_have(page: Any, evidence: Evidence) -> None:
    support = evidence.consensus.support[:-1]

    assert page.locator("#tree-consensus .branch").count() == int((support >= 0.5).sum()) + 1
    assert page.locator("#tree-consensus-slider").get_attribute("min") == "50"


def test_buttons_wheel_and_keys_zoom(page: Any) -> None:
    drawing = page.locator("#tree-all svg")
    before = drawing.bounding_box()["width"]

    page.locator("#tree-all").get_by_role("button", name="Zoom in").click()
    larger = drawing.bounding_box()["width"]
    assert larger == pytest.approx(1.25 * before, rel=0.01)

    drawing.hover(position={"x": 40, "y": 40})
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    page.wait_for_function(
        "width => document.querySelector('#tree-all svg').getBoundingClientRect().width > width",
        arg=larger + 1,
    )
    page.locator("#tree-all").get_by_role("button", name="Fit to the width").click()
    assert drawing.bounding_box()["width"] == pytest.approx(before, rel=0.01)
    page.locator('#tree-all [tabindex="0"]').focus()
    page.keyboard.press("-")
    assert drawing.bounding_box()["width"] < before


def test_fit_shows_the_whole_tree(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 300})
    box = page.locator("#tree-all .tree-box")
    hidden = "(box) => [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight]"
    page.wait_for_timeout(100)
    assert box.evaluate(hidden)[1] > 0

    page.locator("#tree-all").get_by_role("button", name="Show the whole tree").click()

    assert box.evaluate(hidden) == [0, 0]


def test_captions_of_tables_are_whole_on_a_phone(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})

    ends = page.evaluate(
        "[...document.querySelectorAll('caption')].map((one) => one.getBoundingClientRect().right)"
    )

    assert len(ends) >= 6
    assert max(ends) <= 390


def test_rows_of_tables_are_not_tall_on_a_phone(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})

    heights = page.evaluate(
        "[...document.querySelectorAll('#crowd ~ .scroll tbody tr, #methods ~ .scroll tbody tr')]"
        ".map((row) => row.getBoundingClientRect().height)"
    )

    assert len(heights) >= 8
    assert max(heights) < 150


def test_everything_folds_and_unfolds_with_a_button(page: Any) -> None:
    page.locator("#tree-all").get_by_role("button", name="Fold all branches", exact=True).click()
    assert page.locator('#tree-all [aria-expanded="false"]').count() == 2

    page.locator("#tree-all").get_by_role("button", name="Unfold all branches").click()
    assert n_leaves(page) == 12


def test_every_control_has_a_name(page: Any) -> None:
    unnamed = page.evaluate(
        "[...document.querySelectorAll('button, input, [role=treeitem], svg[role=img]')].filter("
        "(one) => !(one.getAttribute('aria-label') || one.labels?.length)).length"
    )

    assert unnamed == 0


@pytest.mark.parametrize("width", [360, 390, 1200])
def test_the_page_never_scrolls_sideways(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.wait_for_timeout(100)

    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_prints_without_controls(page: Any, tmp_path: Path) -> None:
    page.emulate_media(media="print")
    assert not page.locator("#tree-all .tree-bar").is_visible()
    assert page.locator("#tree-all svg").is_visible()

    page.pdf(path=tmp_path / "report.pdf", format="A4")

    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


def test_text_and_drawing_are_legible_in_dark_and_light(page: Any, tmp_path: Path) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        ratio = page.evaluate(
            "() => { const light = (colour) => { const [r, g, b] = colour.match(/[0-9.]+/g)"
            ".slice(0, 3).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 :"
            " ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };"
            " const back = light(getComputedStyle(document.body).backgroundColor);"
            " return Math.min(...['body', '.lead', 'caption', 'a', '.flag', '.leaf .name']"
            ".map((what) => { const style = getComputedStyle(document.querySelector(what));"
            " const one = light(what === '.leaf .name' ? style.fill : style.color);"
            " return (Math.max(one, back) + 0.05) / (Math.min(one, back) + 0.05); })); }"
        )
        assert ratio >= 4.5
        shot = page.screenshot(path=tmp_path / f"{scheme}.png", full_page=True)
        assert len(shot) > 20_000


def test_without_scripts_the_tree_is_there_as_text(browser: Any, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)

    assert "thing 3" in page.locator("#tree-all noscript").inner_text()
    context.close()


@pytest.mark.parametrize("n_objects", [1000, 10_000])
def test_a_large_tree_in_a_notebook_opens_folded(
    browser: Any, tmp_path: Path, n_objects: int
) -> None:
    chain = [[0, 1], *([n_objects + t, t + 2] for t in range(n_objects - 2))]
    path = tmp_path / "tree.html"
    path.write_text(str(Hierarchy(chain)._repr_html_()), encoding="utf-8")
    opened = browser.new_page()
    opened.goto(path.as_uri())
    frame = opened.frame_locator("iframe")
    frame.locator(".node").first.wait_for()
    n_rows = frame.locator(".name").count()
    frame.get_by_role("button", name="Unfold all branches").click()
    frame.locator(".leaf").nth(500).wait_for(state="attached")
    opened.close()

    assert n_rows == ROWS
