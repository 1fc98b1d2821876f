"""Files and fonts of a drawing."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.textpath import TextToPath

from ordlink._atomic import replacing
from ordlink._text import either, shorten
from ordlink.errors import InputError, OrdlinkWarning

FORMATS: dict[str, dict[str, Any]] = {
    ".png": {},
    # Without the date, the same drawing gives the same file.
    ".svg": {"metadata": {"Date": None}},
    ".pdf": {"metadata": {"CreationDate": None}},
}
"""Extension -> options of Matplotlib's savefig."""
_LACKING = re.compile(r"Glyph (\d+) .*missing")
_SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "ordlink", "pdf.fonttype": 42}
SHOWN_DPI = 120  # of pictures in notebooks
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
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with matplotlib.rc_context(_SETTINGS), replacing(path) as stream:  # text stays text
            figure.savefig(stream, format=suffix[1:], dpi=dpi, **FORMATS[suffix])
    lacking: dict[str, None] = {}
    for one in caught:
        if found := _LACKING.match(str(one.message)):
            lacking[chr(int(found[1]))] = None
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    if lacking and suffix != ".svg":  # whose viewer has other fonts
        letters = shorten("".join(lacking), 20)
        message = f"no font here has the letters {letters}, which are drawn as boxes"
        remedy = "install one that does, such as Noto Sans CJK, and draw the figure again"
        warnings.warn(f"{message}; {remedy}", OrdlinkWarning, stacklevel=2)
    return path


class ShownAxes(Axes):
    """Axes of a figure of ours, which notebooks show as a picture."""

    def _repr_png_(self) -> bytes | None:
        figure = self.get_figure(root=True)
        if figure is None:
            return None
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=SHOWN_DPI)
        return stream.getvalue()


def new_axes(size: tuple[float, float]) -> ShownAxes:
    """Return axes that fill a new figure of this size in inches; it belongs to no window."""
    figure = Figure(figsize=size)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), axes_class=ShownAxes)
    assert isinstance(axes, ShownAxes)
    return axes


def svg_text(figure: Figure) -> str:
    """Return a figure as SVG text."""
    stream = io.StringIO()
    with matplotlib.rc_context(_SETTINGS):
        figure.savefig(stream, format="svg", **FORMATS[".svg"])
    return stream.getvalue()


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
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", _LACKING.pattern)  # `save` says so
        return float(TextToPath().get_text_width_height_descent(text, font, ismath=False)[0])
