"""Files, fonts, pictures and sizes of a drawing: room for every name and picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.textpath import TextToPath
from PIL import Image, ImageOps, UnidentifiedImageError

from ordlink._text import either
from ordlink._typing import AnyArray
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy._text import fit

if TYPE_CHECKING:
    from matplotlib.axes import Axes


FORMATS: dict[str, dict[str, Any]] = {
    ".png": {},
    # Without the date, the same drawing gives the same file.
    ".svg": {"metadata": {"Date": None}},
    ".pdf": {"metadata": {"CreationDate": None}},
}
"""Extension -> options of Matplotlib's savefig."""
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
WIDEST = 2.0
"""A picture is at most this many times as wide as the height it is given."""
PIXELS_PER_INCH = 300
"""Enough for print; the originals would make files of hundreds of megabytes."""
TREE_LENGTH = 5.5  # inches from the leaves to the root
LARGEST_SIDE = 200.0  # inches
GAP = 0.08  # inches between leaf, picture and name
POINTS = 72.0  # per inch
TITLE_SIZE = 12.0  # points
LONGEST_NAME = 60  # columns of text; longer names are shortened
FILLED = 0.92  # share of the distance between leaves that pictures may take


def check_drawing(path: str | Path) -> str:
    """Return the extension of a file to draw to, or say which ones there are."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(
            f"the extension of a drawing is {either(FORMATS)}, got {suffix or 'no extension'!r}",
            where=str(path),
        )
    return suffix


def font_families(texts: Sequence[str]) -> list[str]:
    """Return the font families to draw these texts with, in the order in which they are tried."""
    families: list[str] = list(matplotlib.rcParams["font.family"])
    if all(character < FIRST_LACKING for text in texts for character in text):
        return families
    installed = {font.name for font in fontManager.ttflist}
    return families + [family for family in WIDE_FONTS if family in installed]


def read_pictures(
    pictures: Sequence[Any], *, n_objects: int, height: float
) -> list[AnyArray | None]:
    """Read one picture (file, array or None) per object as RGBA, scaled to fit `height` inches."""
    if isinstance(pictures, str | bytes | Path) or not hasattr(pictures, "__len__"):
        raise InputKindError(
            f"pictures must be a list with one picture per object, got {type(pictures).__name__}."
        )
    if len(pictures) != n_objects:
        raise InputError(
            f"there are {n_objects} objects, but {len(pictures)} pictures; give one picture per "
            "object, and None for an object without one."
        )
    return [
        None if picture is None else _fit(_open(picture, i), height)
        for i, picture in enumerate(pictures)
    ]


def _open(picture: Any, i: int) -> Image.Image:
    if isinstance(picture, str | Path):
        try:
            with Image.open(picture) as image:
                return ImageOps.exif_transpose(image).convert("RGBA")
        except FileNotFoundError as error:
            raise InputError(
                f"{picture}: there is no such file (the picture of object {i}); check its name."
            ) from error
        except UnidentifiedImageError as error:
            raise InputError(
                f"{picture}: this is not a picture that can be read (object {i}); use PNG or JPEG."
            ) from error
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise InputError(
                f"{picture}: the picture of object {i} cannot be read ({error}); save it again."
            ) from error
    return _from_array(picture, i)


def _from_array(picture: Any, i: int) -> Image.Image:
    array = np.asarray(picture)
    flat, coloured = array.ndim == 2, array.ndim == 3 and array.shape[2] in (3, 4)
    if array.dtype.kind not in "uif" or not array.size or not (flat or coloured):
        raise InputKindError(
            f"the picture of object {i} must be a file name or an array of shape (rows, columns), "
            f"(rows, columns, 3) or (rows, columns, 4), got {array.dtype} of shape {array.shape}."
        )
    if array.dtype.kind == "f":  # as in Matplotlib: 0 is black, 1 is white
        array = np.nan_to_num(array) * 255
    return Image.fromarray(np.clip(array, 0, 255).astype(np.uint8)).convert("RGBA")


def _fit(image: Image.Image, height: float) -> AnyArray:
    box = height * WIDEST * PIXELS_PER_INCH, height * PIXELS_PER_INCH
    scale = min(box[0] / image.width, box[1] / image.height)
    size = max(round(image.width * scale), 1), max(round(image.height * scale), 1)
    return np.asarray(image.resize(size, Image.Resampling.LANCZOS))


@dataclass(frozen=True)
class Style:
    """Where the root is, colours, distances in inches, and the font size in points."""

    orientation: str
    palette: Sequence[str]
    pitch: float
    font_size: float
    picture_length: float

    @property
    def label_pad(self) -> float:
        """Distance from leaf to name in points."""
        pictures = self.picture_length + GAP if self.picture_length else 0.0
        return (GAP + pictures) * POINTS


def default_pitch(n_objects: int) -> float:
    return float(np.interp(n_objects, [60, 150, 400], [0.2, 0.15, 0.115]))


def pitch_of(ax: Axes, n_objects: int, orientation: str) -> float:
    figure = ax.get_figure(root=True)
    if figure is None:
        raise InputError(
            "it belongs to no figure", parameter="ax", remedy="make it with figure.add_subplot()"
        )
    box = ax.get_window_extent()
    return float(box.height if orientation == "left" else box.width) / figure.dpi / n_objects


def largest_sizes(images: list[AnyArray | None], orientation: str) -> tuple[float, float]:
    """Return the largest size of the pictures along the leaves and across them, in inches."""
    shapes = [image.shape[:2] for image in images if image is not None]
    height, width = (np.max(shapes, axis=0) if shapes else np.zeros(2)) / PIXELS_PER_INCH
    return (float(height), float(width)) if orientation == "left" else (float(width), float(height))


def one_line(name: str) -> str:
    return fit(" ".join(name.splitlines()), LONGEST_NAME)


def new_axes(names: list[str], style: Style, title: str | None) -> Axes:
    """Make a figure that holds the tree, the pictures, the longest name and the title."""
    figure = Figure()
    FigureCanvasAgg(figure)
    names_length = _text_width(names, style.font_size) + style.label_pad / POINTS + 0.12
    along = max(len(names) * style.pitch, 1.0)
    if style.orientation == "left":
        left, right, bottom = 0.2, names_length, 0.6
        width, height = TREE_LENGTH, along
    else:
        left, right, bottom = 0.7, 0.2, names_length
        width, height = along, TREE_LENGTH * 0.8
    total_width = left + width + right
    title_lines = []
    if title is not None:
        per_line = int((total_width - left) * POINTS / (TITLE_SIZE * 0.62))
        title_lines = textwrap.wrap(title, max(per_line, 10))
    top = 0.15 + len(title_lines) * TITLE_SIZE * 1.5 / POINTS
    total_height = top + height + bottom
    figure.set_size_inches(total_width, total_height)
    ax = figure.add_axes(
        (left / total_width, bottom / total_height, width / total_width, height / total_height)
    )
    if title_lines:
        ax.set_title("\n".join(title_lines), loc="left", fontsize=TITLE_SIZE, parse_math=False)
    return ax


def _text_width(texts: list[str], font_size: float) -> float:
    """Return the width of the widest text in inches."""
    measure = TextToPath()
    font = FontProperties(family=font_families(texts), size=font_size)
    widths = (measure.get_text_width_height_descent(t, font, ismath=False)[0] for t in texts)
    return max(widths) / POINTS
