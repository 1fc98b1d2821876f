"""Beside the interactive tree: the tree as text, and thumbnails."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from pathlib import Path

from ordlink._html import escape
from ordlink._tree_view import tree_text
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy

TRANSPARENT = ("RGBA", "LA", "PA")  # modes of pictures with an alpha channel
HEIGHT, WIDTH = 80, 140  # in pixels: about twice the size on the page, for high-resolution screens


def newick_details(tree: Hierarchy) -> str:
    """Return the tree as text and in Newick format, to copy."""
    return (
        '<details class="screen-only"><summary>The tree as text and in Newick format</summary>'
        f"{tree_text(tree)}<pre>{escape(tree.to_newick())}</pre></details>"
    )


def thumbnails(pictures: Sequence[Path | None]) -> list[dict[str, object] | None]:
    """Return each picture as a data URI with its size, re-encoded; None where there is none.

    Only pixels get into the page: no location, no camera data, no scripts.
    """
    return [None if path is None else _thumbnail(path) for path in pictures]


def _thumbnail(path: Path) -> dict[str, object]:
    from PIL import Image, ImageOps

    try:
        with Image.open(path) as image:
            image.draft("RGB", (2 * WIDTH, 2 * HEIGHT))  # JPEG: decode no more than needed
            upright = ImageOps.exif_transpose(image)
            is_transparent = upright.mode in TRANSPARENT or "transparency" in upright.info
            small = upright.convert("RGBA" if is_transparent else "RGB")
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
