"""What a report says, and that it says it safely."""

from __future__ import annotations

import base64
import io
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ordlink as ol
from ordlink.errors import InputError, InputKindError
from ordlink.report import Evidence, Making, gather_evidence, making_time, report_page
from ordlink.report._evidence import _choose
from ordlink.report._thumbnails import HEIGHT, WIDTH, thumbnails
from ordlink.report._words import summary_html
from ordlink.trust import CANDIDATES

MAKING = Making(
    command="ordlink report 'a <b>.csv'",
    source="a <b>.csv",
    checksum="0" * 64,
    made_at=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
)
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Reads a page: its elements, its text, and whether every element is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.data: dict[str, str] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            identifier = self.elements[-1][1].get("id")
            if identifier:
                self.data[identifier] = self.data.get(identifier, "") + data
        elif not self.open or self.open[-1] != "style":
            self.text += data


@pytest.fixture(scope="session")
def text(evidence: Evidence, pictures: list[Path | None]) -> str:
    return report_page(evidence, title="A <title>", making=MAKING, pictures=pictures)


@pytest.fixture(scope="session")
def page(text: str) -> Page:
    return Page(text)


def test_every_element_is_closed_in_order(page: Page) -> None:
    assert page.open == []


def test_the_parts_stand_under_headings_in_order(page: Page, text: str) -> None:
    assert re.findall(r"<h2 id=\"(\w+)\">", text) == [
        "summary", "tree", "consensus", "data", "crowd", "methods", "curve", "making", "citations",
    ]  # fmt: skip
    assert [tag for tag, _ in page.elements].count("h1") == 1
    links = {a["href"] for tag, a in page.elements if tag == "a"}
    assert links == {"#" + key for key in re.findall(r"<h2 id=\"(\w+)\">", text)}


def test_names_of_objects_and_people_are_text_and_never_markup(page: Page, names, crowd) -> None:
    allowed = {"application/json", None}
    scripts = [a for tag, a in page.elements if tag == "script"]
    assert len(scripts) == 3
    assert {a.get("type") for a in scripts} == allowed
    assert not any("onerror" in a for _, a in page.elements)
    assert "img" not in [tag for tag, _ in page.elements]
    assert json.loads(page.data["tree-all-data"])["names"] == names
    for person in set(crowd.details.annotators) - {"bob"}:
        assert person in page.text


def test_nothing_is_loaded_from_elsewhere(page: Page, text: str) -> None:
    for _, attributes in page.elements:
        for name in ("src", "href", "xlink:href", "action"):
            value = attributes.get(name) or "#"
            assert value.startswith(("#", "data:"))
    assert "url(" not in text
    assert "@import" not in text
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)


def test_every_table_has_a_caption_and_every_figure_one(page: Page) -> None:
    tags = [tag for tag, _ in page.elements]
    assert tags.count("table") == tags.count("caption") >= 6
    assert tags.count("figure") == tags.count("figcaption") >= 3
    for tag, attributes in page.elements:
        if tag == "svg":
            assert attributes["aria-label"]


def test_the_data_of_the_tree_is_the_tree(page: Page, evidence: Evidence, pictures) -> None:
    data = json.loads(page.data["tree-all-data"])

    assert data["merges"] == evidence.tree.merges.tolist()
    assert data["support"] == evidence.tree.support.tolist()
    assert data["scores"] == evidence.tree.scores.tolist()
    assert [one is None for one in data["pictures"]] == [path is None for path in pictures]
    consensus = json.loads(page.data["tree-consensus-data"])
    assert consensus["merges"] == evidence.consensus.merges.tolist()
    assert consensus["threshold"] == consensus["minThreshold"] == 50


def test_it_says_how_it_was_made(page: Page) -> None:
    for part in (MAKING.command, MAKING.checksum, "2026-01-02 03:04 UTC", "a <b>.csv", "numpy"):
        assert part in page.text


def test_who_was_left_out_is_named_with_the_effect(page: Page, evidence: Evidence) -> None:
    assert evidence.exclusion is not None
    assert "bob" not in [person.name for person in evidence.crowd.annotators]
    assert "Left out on request: bob, with 200 comparisons" in page.text
    assert "1 person was left out on request (bob)" in page.text


def test_flagged_people_are_still_in_the_tree(page: Page, evidence: Evidence) -> None:
    assert evidence.crowd.flagged == ("eve",)
    assert evidence.summary.n_annotators == 5
    assert "Of 5 people, one of them looks unusual" in page.text
    assert "which guessing would do" in page.text


def test_the_same_evidence_gives_the_same_page(evidence: Evidence) -> None:
    assert report_page(evidence, making=MAKING) == report_page(evidence, making=MAKING)


def test_the_summary_counts_branches_by_their_support(evidence: Evidence) -> None:
    support = evidence.tree.support[:-1]

    summary = Page(summary_html(evidence)).text

    n_firm, n_weak = int((support >= 0.95).sum()), int((support < 0.5).sum())
    assert n_firm >= 2
    assert f"Of 10 branches below the root, {n_firm} are firm" in summary
    assert f"and {n_weak} {'is' if n_weak == 1 else 'are'} not supported" in summary
    assert "There is a hierarchy." in summary


def test_answers_by_coin_toss_are_said_to_have_no_hierarchy() -> None:
    rng = np.random.default_rng(3)
    rows = np.array([rng.permutation(10)[:3] for _ in range(600)])
    coins = ol.Comparisons.from_triplets(rows, n_objects=10)

    evidence = gather_evidence(coins, method="AddS-AL", n_replicates=20, seed=1)

    assert evidence.test is not None
    assert evidence.test.p_value > 0.05
    summary = Page(summary_html(evidence)).text
    assert "There is no evidence of a hierarchy" in summary
    assert "should not be read as a finding" in summary


@pytest.mark.parametrize(
    "rows", [[[0, 1, 2]], [[0, 1, 2], [2, 1, 0]], [[0, 1, 2], [3, 4, 5], [3, 5, 4], [0, 1, 2]]]
)
def test_few_answers_make_a_page_that_says_so(rows: list[list[int]]) -> None:
    evidence = gather_evidence(ol.Comparisons.from_triplets(rows), n_replicates=5)

    page = Page(report_page(evidence))

    assert evidence.methods is evidence.curve is None
    assert "too few" in page.text
    assert page.open == []


def test_two_objects_make_a_page() -> None:
    tree_of_two = ol.Comparisons.from_triplets(np.empty((0, 3), dtype=int), n_objects=2)

    page = Page(report_page(gather_evidence(tree_of_two, n_replicates=2)))

    assert "0 answers about 2 objects" in page.text


def test_evidence_is_the_same_for_the_same_seed(crowd) -> None:
    first, second = (gather_evidence(crowd, method="4-AL", n_replicates=10) for _ in range(2))

    assert first.tree == second.tree
    assert first.consensus == second.consensus
    assert first.test.p_value == second.test.p_value
    assert first.tree.method == "4-AL"


def test_auto_takes_the_recommended_method_unless_its_replicates_take_too_long(
    evidence: Evidence, crowd
) -> None:
    methods = evidence.methods
    assert methods is not None

    chosen, reason = _choose(None, methods, crowd, 1)
    assert chosen == CANDIDATES[methods.recommended]
    assert reason == methods.reason

    slow = replace(methods, recommended="spectral")
    chosen, reason = _choose(None, slow, crowd, 1000)
    fast = [one.label for one in methods.scores if one.label != "spectral"]
    assert chosen.label == fast[0]
    gap = methods["spectral"].held_out.accuracy - methods[fast[0]].held_out.accuracy
    assert ("the accuracy of spectral is higher" in reason) == (gap > 0)

    chosen, _ = _choose(None, slow, crowd, 10**9)
    assert chosen.label == "AddS-AL"


def test_unknown_methods_and_people_are_refused(crowd) -> None:
    with pytest.raises(InputError, match="unknown method 'foo'"):
        gather_evidence(crowd, method="foo")
    with pytest.raises(InputError, match="SL needs an oracle"):
        gather_evidence(crowd, method="SL")
    with pytest.raises(InputError, match="no annotator 'zoe'"):
        gather_evidence(crowd, exclude=["zoe"])
    with pytest.raises(InputKindError, match="listed one by one"):
        gather_evidence(ol.Comparisons.from_similarities(np.eye(4)))  # type: ignore[arg-type]


def test_thumbnails_are_small_and_hold_nothing_but_pixels(tmp_path: Path, pictures) -> None:
    exif = Image.Exif()
    exif[0x010E] = "secret place"
    exif[0x0112] = 6  # turned by 90 degrees
    Image.new("RGB", (400, 100), "red").save(tmp_path / "turned.jpg", exif=exif)

    small = thumbnails([*pictures, tmp_path / "turned.jpg"])

    assert small[11] is None
    for one in small:
        if one is not None:
            head, _, data = str(one["uri"]).partition(",")
            assert head in ("data:image/png;base64", "data:image/jpeg;base64")
            image = Image.open(io.BytesIO(base64.b64decode(data)))
            assert image.size == (one["width"], one["height"])
            assert image.width <= WIDTH
            assert image.height <= HEIGHT
            assert b"secret" not in base64.b64decode(data)
    assert small[12]["width"] < small[12]["height"]


def test_a_picture_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "no.png").write_bytes(b"nothing")

    with pytest.raises(InputError, match=r"no\.png: this picture cannot be read"):
        thumbnails([tmp_path / "no.png"])


def test_the_time_of_making_can_be_fixed() -> None:
    assert making_time("0") == datetime(1970, 1, 1, tzinfo=UTC)
    assert abs((making_time(None) - datetime.now(UTC)).total_seconds()) < 60
    assert making_time("soon").year >= 2026
