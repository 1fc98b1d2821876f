"""Files and fonts of a drawing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.textpath import TextToPath

from ordlink._atomic import replacing
from ordlink._text import either
from ordlink.errors import InputError

FORMATS: dict[str, dict[str, Any]] = {
    ".png": {},
    # Without the date, the same drawing gives the same file.
    ".svg": {"metadata": {"Date": None}},
    ".pdf": {"metadata": {"CreationDate": None}},
}
"""Extension -> options of Matplotlib's savefig."""
WIDE_FONTS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR"),
    *("WenQuanYi Zen Hei", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "PingFang SC"),
    *("Hiragino Sans", "Apple SD Gothic Neo", "Arial Unicode MS"),
)
"""Fonts with many scripts that systems bring along; those that are installed are used."""
FIRST_LACKING = "\u0700"
"""Matplotlib's own font covers Latin, Greek, Cyrillic, Hebrew and Arabic; few scripts beyond."""
N_MEASURED = 40  # of many texts, those with the most letters are measured


def save(figure: Figure, path: Path, dpi: float) -> Path:
    """Write the figure to a file, completely or not at all, and return its path."""
    suffix = check_drawing(path)
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "ordlink", "pdf.fonttype": 42}
    with matplotlib.rc_context(settings), replacing(path) as stream:  # text stays text
        figure.savefig(stream, format=suffix[1:], dpi=dpi, **FORMATS[suffix])
    return path


def check_drawing(path: str | Path) -> str:
    """Return the extension of a drawing's file name; refuse unknown ones."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(
            f"expected a file name that ends in {either(FORMATS)}, got "
            f"{suffix or 'no extension'!r}",
            where=str(path),
        )
    return suffix


def font_families(texts: Iterable[str]) -> list[str]:
    """Return the font families to draw these texts with, in the order in which they are tried."""
    families: list[str] = list(matplotlib.rcParams["font.family"])
    if all(character < FIRST_LACKING for text in texts for character in text):
        return families
    installed = {font.name for font in fontManager.ttflist}
    return families + [family for family in WIDE_FONTS if family in installed]


def text_width(texts: Sequence[str], font_size: float) -> float:
    """Return the width of the widest text in inches."""
    longest = sorted(texts, key=len)[-N_MEASURED:]
    families = tuple(font_families(longest))
    return max((_points(text, families) for text in longest), default=0.0) * font_size / 720


@lru_cache(maxsize=4096)
def _points(text: str, families: tuple[str, ...]) -> float:
    font = FontProperties(family=list(families), size=10)
    return float(TextToPath().get_text_width_height_descent(text, font, ismath=False)[0])
