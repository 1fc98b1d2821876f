"""How large a drawing and its parts are: room for every name and picture."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from ordlink._typing import AnyArray
from ordlink.errors import InputError
from ordlink.hierarchy._text import fit
from ordlink.plotting._formats import font_families
from ordlink.plotting._pictures import PIXELS_PER_INCH

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TREE_LENGTH = 5.5  # inches from the leaves to the root
LARGEST_SIDE = 200.0  # inches
GAP = 0.08  # inches between leaf, picture and name
POINTS = 72.0  # per inch
TITLE_SIZE = 12.0  # points
LONGEST_NAME = 60  # columns of text; longer names are shortened
FILLED = 0.92  # share of the distance between leaves that pictures may take


@dataclass(frozen=True)
class Sizes:
    """Distance between leaves and length of pictures in inches, and font size in points."""

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


def new_axes(names: list[str], sizes: Sizes, orientation: str, title: str | None) -> Axes:
    """Make a figure that holds the tree, the pictures, the longest name and the title."""
    figure = Figure()
    FigureCanvasAgg(figure)
    names_length = _text_width(names, sizes.font_size) + sizes.label_pad / POINTS + 0.12
    along = max(len(names) * sizes.pitch, 1.0)
    if orientation == "left":
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
