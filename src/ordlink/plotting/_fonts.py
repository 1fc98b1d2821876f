"""Fonts for names in scripts that Matplotlib's own font lacks."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
from matplotlib.font_manager import fontManager

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
