"""Thumbnails embedded in the page."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from pathlib import Path

from ordlink.errors import InputError

HEIGHT, WIDTH = 80, 140
"""Largest size in pixels: about twice the size on the page, for high-resolution screens."""


def thumbnails(pictures: Sequence[Path | None]) -> list[dict[str, object] | None]:
    """Return each picture as a data URI with its size, re-encoded; None where there is none.

    Only pixels get into the page: no location, no camera data, no scripts.

    Raises
    ------
    InputError
        If a picture cannot be read.
    """
    return [None if path is None else _thumbnail(path) for path in pictures]


def _thumbnail(path: Path) -> dict[str, object]:
    from PIL import Image, ImageOps

    try:
        with Image.open(path) as image:
            image.draft("RGB", (2 * WIDTH, 2 * HEIGHT))  # JPEG: decode no more than needed
            upright = ImageOps.exif_transpose(image)
            small = upright.convert("RGBA" if _is_transparent(upright) else "RGB")
            small.thumbnail((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise InputError(
            f"this picture cannot be read ({error})", where=str(path), remedy="save it again"
        ) from error
    content = io.BytesIO()
    plain = Image.frombytes(small.mode, small.size, small.tobytes())
    kind = "png" if plain.mode == "RGBA" else "jpeg"
    plain.save(content, kind.upper(), **({"quality": 78} if kind == "jpeg" else {"optimize": True}))
    data = base64.b64encode(content.getvalue()).decode()
    return {"uri": f"data:image/{kind};base64,{data}", "width": plain.width, "height": plain.height}


def _is_transparent(image: object) -> bool:
    return getattr(image, "mode", "") in ("RGBA", "LA", "PA") or "transparency" in getattr(
        image, "info", {}
    )
