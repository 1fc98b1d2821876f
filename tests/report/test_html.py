"""Pages that hold everything themselves."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from ordlink._html import Html, data_block, escape, page, table

NASTY = "<script>alert('a')</script> & \"quoted\""


class Reader(HTMLParser):
    """Collects the tags and the text of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader


def test_a_page_holds_title_body_style_and_script_and_nothing_from_elsewhere() -> None:
    text = page(NASTY, "<h1>Cats</h1>", style="h1 { color: red; }", script="const a = 1 < 2;")

    reader = read(text)
    assert text.startswith("<!DOCTYPE html>")
    assert [tag for tag, _ in reader.tags if tag == "script"] == ["script"]
    assert NASTY in reader.texts
    assert "h1 { color: red; }" in text
    assert "const a = 1 < 2;" in text
    assert not re.search(r"https?:|//[a-z]|@import|url\(", text)


def test_a_page_forbids_the_browser_to_load_anything() -> None:
    (policy,) = [
        attributes["content"]
        for tag, attributes in read(page("a", "b")).tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]

    assert policy == (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    )


def test_a_page_without_script_has_none() -> None:
    assert "script>" not in page("a", "b")


def test_escaped_text_comes_back_as_it_was_in_text_and_in_attributes() -> None:
    reader = read(f'<p title="{escape(NASTY)}">{escape(NASTY)}</p>')

    assert reader.tags == [("p", {"title": NASTY})]
    assert "".join(reader.texts) == NASTY


@pytest.mark.parametrize("letter", ["\x00", "\x0b", "\x1b", "\x7f", "\x85", "\ud800"])
def test_characters_that_no_page_may_hold_are_replaced(letter: str) -> None:
    assert escape(f"a{letter}b") == "a\ufffdb"
    escape(f"a{letter}b").encode()


def test_html_is_not_escaped_twice() -> None:
    assert escape(escape("<")) == "&lt;"
    assert escape(Html("<b>x</b>")) == "<b>x</b>"


def test_a_table_names_its_rows_and_columns_and_escapes_every_cell() -> None:
    shown = table([NASTY, "n"], [[NASTY, 1], [Html("<b>x</b>"), None]], caption=NASTY)

    reader = read(shown)
    assert reader.texts.count(NASTY) == 3
    scopes = [attributes.get("scope") for tag, attributes in reader.tags if tag == "th"]
    assert scopes == ["col", "col", "row", "row"]
    assert "<b>x</b>" in shown
    assert "script" not in [tag for tag, _ in reader.tags]


@pytest.mark.parametrize(
    ("cells", "is_number"),
    [
        (["1", "2,000", "-0.5", ""], True),
        (["0.71 ± 0.02", "12 %", "<0.001"], True),
        ([3, 4.5], True),
        (["1", "many"], False),
        (["", "-"], False),
    ],
)
def test_columns_of_numbers_stand_to_the_right(cells: list[object], is_number: bool) -> None:
    shown = table(["name", "value"], [["a", cell] for cell in cells])

    assert ('<td class="number">' in shown) == is_number


def test_data_comes_back_and_cannot_end_its_block() -> None:
    value = {"names": [NASTY, "</script><!--"], "support": [0.5, None]}

    text = data_block("data", value)

    assert text.count("<") == 2
    assert json.loads(text[text.index(">") + 1 : text.rindex("<")]) == value


def test_data_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        data_block("data", [float("nan")])
