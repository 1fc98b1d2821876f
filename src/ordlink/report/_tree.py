"""An interactive tree: data for the script, a text version without scripts, thumbnails."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from ordlink._html import data_block, escape
from ordlink._typing import FloatArray
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy

LARGEST_TEXT = 400  # trees of more objects are not drawn as text
TRANSPARENT = ("RGBA", "LA", "PA")  # modes of pictures with an alpha channel
HEIGHT, WIDTH = 80, 140  # in pixels: about twice the size on the page, for high-resolution screens


def resource(name: str) -> str:
    """Return the script or the style of the trees."""
    return resources.files("ordlink.report").joinpath(name).read_text(encoding="utf-8")


def tree_figure(
    tree: Hierarchy,
    identifier: str,
    caption: str,
    *,
    pictures: Sequence[dict[str, object] | None] | None = None,
    shares: FloatArray | None = None,
    transfers: FloatArray | None = None,
    lowest_threshold: float = 0.0,
) -> str:
    """Return a figure that the script fills: controls, drawing, details of the selected branch.

    The slider hides branches by their support, from `lowest_threshold` on. The caption is HTML.
    """
    data = {
        "names": list(tree.labels_text),
        "merges": tree.merges.tolist(),
        "support": _numbers(tree.support),
        "shares": _numbers(shares),
        "transfers": _numbers(transfers),
        "scores": _numbers(tree.scores),
        "heights": _numbers(tree.heights) if tree.has_heights else None,
        "tied": tree.tied.tolist(),
        "pictures": None if pictures is None else list(pictures),
        "threshold": round(100 * lowest_threshold),
    }
    return (
        f'<figure class="tree" id="{escape(identifier)}" data-source="{escape(identifier)}-data">'
        f"<noscript>{_text(tree, lowest_threshold or None)}</noscript>"
        f"<figcaption>{caption}</figcaption></figure>\n" + data_block(f"{identifier}-data", data)
    )


def newick_details(tree: Hierarchy) -> str:
    """Return the tree as text and in Newick format, to copy."""
    return (
        '<details class="screen-only"><summary>The tree as text and in Newick format</summary>'
        f"{_text(tree)}<pre>{escape(tree.to_newick())}</pre></details>"
    )


def _text(tree: Hierarchy, min_support: float | None = None) -> str:
    if tree.n_objects > LARGEST_TEXT:
        return ""
    text = tree.to_text(width=90, min_support=min_support)
    return f'<pre aria-label="The tree as text">{escape(text)}</pre>'


def _numbers(values: FloatArray | None) -> list[float | None] | None:
    if values is None:
        return None
    return [value if math.isfinite(value) else None for value in values.tolist()]


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
