"""The interactive tree: a figure that a script fills, in the report and in notebooks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING

from ordlink._html import data_block, escape, page
from ordlink._typing import FloatArray

if TYPE_CHECKING:
    from ordlink.hierarchy import Hierarchy

LARGEST_TEXT = 400  # trees of more objects are not drawn as text
ROWS = 120  # that a large tree shows first, in a notebook
ROW_HEIGHT, REST_HEIGHT, LARGEST_HEIGHT = 19, 190, 640  # of a figure in a notebook, in pixels
LARGEST_SHOWN = 20_000  # objects: more would make notebooks too large


def style() -> str:
    """Return the style of the figures, which follows that of the page."""
    return _static("tree.css")


def script() -> str:
    """Return the script that draws all figures of a page."""
    return _static("tree.js")


def _static(name: str) -> str:
    return resources.files("ordlink").joinpath("static", name).read_text(encoding="utf-8")


def notebook_view(tree: Hierarchy) -> str | None:
    """Return the zoomable tree for a notebook, or None if it is too large.

    It is a page of its own in a frame: no styles, scripts or identifiers are shared with the
    notebook, and nothing is loaded. Where frames are removed, as in notebooks that are not trusted,
    the tree as text remains.
    """
    n = tree.n_objects
    if n > LARGEST_SHOWN:
        return None
    figure = tree_figure(tree, "tree", escape(repr(tree)), rows=ROWS)
    content = page(repr(tree), figure, style=style() + NOTEBOOK_STYLE, script=script())
    height = min(REST_HEIGHT + ROW_HEIGHT * min(n, ROWS), LARGEST_HEIGHT)
    text = tree.to_text(width=90) if n <= ROWS else repr(tree)
    return (
        f'<div style="position: relative; height: {height}px; overflow: hidden">'
        f'<pre style="font-size: 80%; line-height: 1.1">{escape(text)}</pre>'
        f'<iframe srcdoc="{escape(content)}" sandbox="allow-scripts" title="{escape(repr(tree))}"'
        ' style="position: absolute; inset: 0; width: 100%; height: 100%; border: 0; '
        'background: white; color-scheme: light"></iframe></div>'
    )


NOTEBOOK_STYLE = """
:root { color-scheme: light; }
main { max-width: none; padding: 0.5rem; }
figure { margin: 0; } .tree-box { max-height: calc(100vh - 11rem); }
"""


def tree_figure(
    tree: Hierarchy,
    identifier: str,
    caption: str,
    *,
    pictures: Sequence[dict[str, object] | None] | None = None,
    shares: FloatArray | None = None,
    transfers: FloatArray | None = None,
    lowest_threshold: float = 0.0,
    rows: int | None = None,
) -> str:
    """Return a figure that the script fills: controls, drawing, details of the selected branch.

    The slider hides branches by their support, from `lowest_threshold` on. The caption is HTML. A
    tree with more than `rows` objects is first folded to so many rows.
    """
    data: dict[str, object] = {
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
    if tree.branch_names is not None:
        data["branchNames"] = tree.branch_names
    if tree.has_heights and tree.method is None:
        data["heightLabel"] = "height"
    if rows is not None:
        data["rows"] = rows
    return (
        f'<figure class="tree" id="{escape(identifier)}" data-source="{escape(identifier)}-data">'
        f"<noscript>{tree_text(tree, lowest_threshold or None)}</noscript>"
        f"<figcaption>{caption}</figcaption></figure>\n" + data_block(f"{identifier}-data", data)
    )


def tree_text(tree: Hierarchy, min_support: float | None = None) -> str:
    if tree.n_objects > LARGEST_TEXT:
        return ""
    text = tree.to_text(width=90, min_support=min_support)
    return f'<pre aria-label="The tree as text">{escape(text)}</pre>'


def _numbers(values: FloatArray | None) -> list[float | None] | None:
    if values is None:
        return None
    return [value if math.isfinite(value) else None for value in values.tolist()]
