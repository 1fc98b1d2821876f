"""The texts of the participants' pages, by language; a study file can replace each."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup

_FILES = sorted((Path(__file__).parent / "languages").glob("*.toml"))
LANGUAGES: dict[str, dict[str, Any]] = {
    file.stem: tomllib.loads(file.read_text("utf-8")) for file in _FILES
}
PROMPTS: dict[str, dict[str, str]] = {
    code: texts.pop("prompts") for code, texts in LANGUAGES.items()
}
TEXTS: dict[str, str] = LANGUAGES["en"]
# Raw HTML stays text, and so do pictures: they could be loaded from elsewhere.
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "breaks": True})
_MARKDOWN.disable(["image", "html_block", "html_inline"])


def markdown(text: str) -> Markup:
    """Return Markdown as HTML; HTML in it is shown as text."""
    return Markup(_MARKDOWN.render(text))
