"""File formats of drawings, and fonts for names in scripts that Matplotlib's own font lacks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.font_manager import fontManager

from ordlink._text import either
from ordlink.errors import InputError

FORMATS: dict[str, dict[str, Any]] = {
    ".png": {},
    # Without the date, the same drawing gives the same file.
    ".svg": {"metadata": {"Date": None}},
    ".pdf": {"metadata": {"CreationDate": None}},
}
"""Extension -> options of Matplotlib's savefig."""


def check_drawing(path: str | Path) -> str:
    """Return the extension of a file to draw to, or say which ones there are."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(
            f"the extension of a drawing is {either(FORMATS)}, got {suffix or 'no extension'!r}",
            where=str(path),
        )
    return suffix


WIDE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Noto Sans JP",
    "Noto Sans KR",
    "WenQuanYi Zen Hei",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "PingFang SC",
    "Hiragino Sans",
    "Apple SD Gothic Neo",
    "Arial Unicode MS",
)
"""Fonts with many scripts that systems bring along; those that are installed are used."""
FIRST_LACKING = "\u0700"
"""Matplotlib's own font covers Latin, Greek, Cyrillic, Hebrew and Arabic; few scripts beyond."""


def font_families(texts: Sequence[str]) -> list[str]:
    """Return the font families to draw these texts with, in the order in which they are tried."""
    families: list[str] = list(matplotlib.rcParams["font.family"])
    if all(character < FIRST_LACKING for text in texts for character in text):
        return families
    installed = {font.name for font in fontManager.ttflist}
    return families + [family for family in WIDE_FONTS if family in installed]
