"""Reading the pictures that stand at the leaves of a dendrogram."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from ordlink._typing import AnyArray
from ordlink.errors import InputError, InputKindError

WIDEST = 2.0
"""A picture is at most this many times as wide as the height it is given."""
PIXELS_PER_INCH = 300
"""Enough for print; the originals would make files of hundreds of megabytes."""


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
