"""Sizes on paper: pages, columns, and how the width is shared by tree, names and pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ordlink._validate import check_choice, check_whole_number

MM = 1 / 25.4  # inches
POINTS = 72.0  # per inch
PAGES: dict[str, tuple[float, float]] = {
    "A3": (297, 420),
    "A4": (210, 297),
    "A5": (148, 210),
    "letter": (215.9, 279.4),
    "legal": (215.9, 355.6),
}
"""Width and height in millimetres."""
TALL = "tall"
"""Not a page: as wide as one of A4, and as tall as all names need."""
SIDE_MARGIN, TOP_MARGIN, GUTTER = 15.0, 22.0, 6.0  # millimetres around and between columns
LARGEST_SIDE = 195.0  # inches: a PDF page has at most 200
LEAST_FONT, LARGEST_FONT = 5.0, 8.0  # points
LINE = 1.25  # distance of lines of text in units of the font size
LEAST_PITCH = LEAST_FONT * LINE / POINTS
WIDEST_PITCH = 0.2  # inches between leaves, unless pictures need more


@dataclass(frozen=True)
class Paper:
    """The room for a figure, in inches; a figure may be less high."""

    width: float
    height: float

    def leaves_on(self, used: float, *, along_width: bool = False) -> int:
        """Return how many leaves are legible if so much of the side is used by other things."""
        side = self.width if along_width else self.height
        return max(2, math.floor((side - used) / LEAST_PITCH + 1e-9))


def paper(page: str = "A4", columns: int = 2) -> Paper:
    """Return the room on a page: the text width, or one of its two columns.

    Examples
    --------
    >>> round(paper("A4", columns=1).width / MM), round(paper("A4").width / MM)
    (87, 180)
    """
    check_choice(page, "page", (*PAGES, TALL))
    columns = check_whole_number(columns, "columns", lowest=1, highest=2)
    width, height = PAGES["A4" if page == TALL else page]
    text = width - 2 * SIDE_MARGIN
    wide = text if columns == 2 else (text - GUTTER) / 2
    high = LARGEST_SIDE if page == TALL else (height - 2 * TOP_MARGIN) * MM
    return Paper(wide * MM, high)


def font_for(pitch: float) -> float:
    """Return the size of names at this distance of leaves, in points."""
    return min(max(pitch * POINTS / LINE, 1.0), LARGEST_FONT)
