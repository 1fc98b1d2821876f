"""Pictures of objects: read, scaled to their place, and put there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.image import AxesImage
from PIL import Image, ImageOps, UnidentifiedImageError

from ordlink._text import counted
from ordlink._typing import Int32Array
from ordlink.errors import InputError, InputKindError
from ordlink.plotting._arrange import FILLED, Arrangement
from ordlink.plotting._figure import font_families, text_width
from ordlink.plotting._layout import DendrogramLayout
from ordlink.plotting._page import LEAST_FONT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDEST = 2.0  # a picture is at most this many times as wide as high
LEAD = "#B9B9B9"  # lines from names to pictures
MOST_OF_BOX = 0.9  # of the box of a picture is the widest name that is written beside it
CORNER = 0.4  # of the box is the widest name that covers a corner of the picture
CAPTION_HEIGHT = 1.3 * LEAST_FONT / 72  # inches
PIXELS_PER_INCH = 300  # enough for print; the originals would make files of hundreds of megabytes


def check_pictures(pictures: Sequence[Any], n_objects: int) -> Sequence[Any]:
    """Return the list of one picture (file, array or None) per object."""
    if isinstance(pictures, str | bytes | Path) or not hasattr(pictures, "__len__"):
        problem = f"expected a list with one picture per object, got {type(pictures).__name__}"
        raise InputKindError(problem, parameter="pictures")
    if len(pictures) != n_objects:
        raise InputError(
            f"expected {counted(n_objects, 'picture')}, one per object, got {len(pictures)}",
            parameter="pictures",
            remedy="give None for an object without a picture",
        )
    return pictures


def open_picture(picture: Any, i: int) -> Image.Image:
    """Return the picture of object i as RGBA, at most twice as wide as high."""
    image = _read(picture, i)
    if image.width > WIDEST * image.height:  # a border above and below
        high = math.ceil(image.width / WIDEST)
        framed = Image.new("RGBA", (image.width, high), (0, 0, 0, 0))
        framed.paste(image, (0, (high - image.height) // 2))
        return framed
    return image


def _read(picture: Any, i: int) -> Image.Image:
    if isinstance(picture, str | Path):
        try:
            with Image.open(picture) as image:
                image.draft("RGB", (600, 600))  # JPEG: decode no more than needed
                return ImageOps.exif_transpose(image).convert("RGBA")
        except FileNotFoundError:
            problem, remedy = "there is no such file", "check its name"
        except UnidentifiedImageError:
            problem, remedy = "this is not a picture", "use PNG or JPEG"
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            problem, remedy = f"cannot be read ({error})", "save it again"
        where = f"{picture} (the picture of object {i})"
        raise InputError(problem, where=where, remedy=remedy)
    array = np.asarray(picture)
    flat, coloured = array.ndim == 2, array.ndim == 3 and array.shape[2] in (3, 4)
    if array.dtype.kind not in "uif" or not array.size or not (flat or coloured):
        raise InputKindError(
            f"the picture of object {i} must be a file name or an array of shape (rows, columns), "
            f"(rows, columns, 3) or (rows, columns, 4), got {array.dtype} of shape {array.shape}"
        )
    if array.dtype.kind == "f":  # as in Matplotlib: 0 is black, 1 is white
        array = np.nan_to_num(array) * 255
    return Image.fromarray(np.clip(array, 0, 255).astype(np.uint8)).convert("RGBA")


def largest_aspect(images: Sequence[Image.Image]) -> float:
    """Return width / height of the widest picture."""
    return max((image.width / image.height for image in images), default=1.0)


def place_picture(
    ax: Axes, image: Image.Image, centre: tuple[float, float], box: tuple[float, float]
) -> tuple[float, float]:
    """Draw a picture as large as fits into a box of inches; return its width and height."""
    scale = min(box[0] / image.width, box[1] / image.height)
    wide, high = image.width * scale, image.height * scale
    pixels = [max(1, round(side * PIXELS_PER_INCH)) for side in (wide, high)]
    small = image.resize((pixels[0], pixels[1]), Image.Resampling.LANCZOS, reducing_gap=3)
    x, y = centre
    extent = (x - wide / 2, x + wide / 2, y - high / 2, y + high / 2)
    # Without interpolation, PDF and SVG get the pixels as they are.
    artist = AxesImage(ax, extent=extent, interpolation="none", zorder=3, origin="upper")
    artist.set_data(np.asarray(small))
    artist.set_clip_on(False)
    ax.add_image(artist)
    return wide, high


def open_pictures(
    pictures: Sequence[Any] | None, members: Sequence[Int32Array]
) -> dict[int, Image.Image]:
    """Return the picture of each leaf, for a group that of its first object that has one."""
    found: dict[int, Image.Image] = {}
    if pictures is None:
        return found
    for leaf, objects in enumerate(members):
        with_picture = [i for i in objects.tolist() if pictures[i] is not None]
        if with_picture:
            found[leaf] = open_picture(pictures[with_picture[0]], with_picture[0])
    return found


def draw_pictures(
    ax: Axes, layout: DendrogramLayout, arrangement: Arrangement, images: dict[int, Image.Image]
) -> None:
    """Draw pictures at their leaves, in lanes beyond the names.

    In several lanes, neighbours hide the lines to their names, so pictures repeat the names: short
    ones in a corner, long ones below.
    """
    frame, lanes, box = arrangement.frame, arrangement.lanes, arrangement.picture_box
    leads = []
    for place, i in enumerate(layout.leaf_order.tolist()):
        if i not in images:
            continue
        centre = frame.beyond(place, lanes[place % len(lanes)])
        label = arrangement.labels[place] if len(lanes) > 1 else ""
        wide = text_width([label], LEAST_FONT) if label else 0.0
        if not wide < MOST_OF_BOX * box[0]:
            label = ""
        below = CAPTION_HEIGHT if label and wide > CORNER * box[0] else 0.0
        high = centre[1] + below / 2
        shown = place_picture(ax, images[i], (centre[0], high), (box[0], box[1] - below))
        if len(lanes) > 1:
            leads.append([frame.beyond(place, arrangement.names_end), centre])
        if below:
            _caption(ax, label, (centre[0] - wide / 2, high - shown[1] / 2 - below))
        elif label:
            _caption(ax, label, (centre[0] - shown[0] / 2 + 0.015, high - shown[1] / 2 + 0.018))
    if leads:
        ax.add_collection(LineCollection(leads, colors=LEAD, linewidths=0.4, zorder=0.5))


def _caption(ax: Axes, label: str, corner: tuple[float, float]) -> None:
    """Write a name with its lower left corner at a point."""
    frame = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
    ax.text(
        *corner,
        label,
        fontsize=LEAST_FONT,
        fontfamily=font_families([label]),
        ha="left",
        va="bottom",
        zorder=4,
        parse_math=False,
        bbox=frame,
    )


def draw_at_groups(
    ax: Axes, layout: DendrogramLayout, arrangement: Arrangement, images: dict[int, Image.Image]
) -> None:
    """Draw some pictures of each cluster: as many as fit along it, of leaves spread over it.

    Where a cluster is smaller than a picture, its picture is as small as the cluster.
    """
    frame, (at, *_), box = arrangement.frame, arrangement.lanes, arrangement.picture_box
    pitch, size = frame.pitch(at), frame.length(box)
    along = layout.leaf_groups[layout.leaf_order]
    for group in np.unique(along[along >= 0]).tolist():
        places = np.flatnonzero(along == group)
        leaves = [i for i in layout.leaf_order[places].tolist() if i in images]
        span = len(places) * pitch
        n_shown = min(len(leaves), max(1, math.floor(span / size + 1e-9)))
        scale = min(1.0, span * FILLED / size)
        for number in range(n_shown):
            leaf = leaves[(2 * number + 1) * len(leaves) // (2 * n_shown)]
            place = places[0] - 0.5 + (number + 0.5) * len(places) / n_shown
            smaller = scale * box[0], scale * box[1]
            place_picture(ax, images[leaf], frame.beyond(float(place), at), smaller)
