"""An interactive tree: its data for the script, and a text version without scripts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import resources

from ordlink._html import data_block, escape
from ordlink._typing import FloatArray
from ordlink.hierarchy import Hierarchy

LARGEST_TEXT = 400
"""Trees of more objects are not drawn as text."""


def tree_script() -> str:
    """Return the script that draws all trees of a page."""
    return _resource("tree.js")


def tree_style() -> str:
    """Return the style of the trees."""
    return _resource("report.css")


def tree_figure(
    tree: Hierarchy,
    identifier: str,
    caption: str,
    *,
    pictures: Sequence[dict[str, object] | None] | None = None,
    shares: FloatArray | None = None,
    transfers: FloatArray | None = None,
    threshold: float = 0.0,
    min_threshold: float = 0.0,
) -> str:
    """Return a figure that the script fills: controls, drawing, details of the selected branch.

    Parameters
    ----------
    tree : Hierarchy
        The tree; the slider hides branches by their support.
    identifier : str
        Name of the figure in the page.
    caption : str
        HTML.
    pictures : sequence, optional
        As `thumbnails` gives them.
    shares, transfers : ndarray of shape (N-1,), optional
        Share of the bootstrap samples with exactly this branch, and transfer support.
    threshold : float
        Initial position of the slider.
    min_threshold : float
        Its lowest position.
    """
    data = {
        "names": list(tree.labels_text),
        "merges": tree.merges.tolist(),
        "support": _numbers(tree.support),
        "shares": None if shares is None else _numbers(shares),
        "transfers": None if transfers is None else _numbers(transfers),
        "scores": _numbers(tree.scores),
        "tied": tree.tied.tolist(),
        "pictures": None if pictures is None else list(pictures),
        "threshold": round(100 * threshold),
        "minThreshold": round(100 * min_threshold),
    }
    min_support = threshold if threshold > 0 else None
    text = tree.to_text(width=90, min_support=min_support) if tree.n_objects <= LARGEST_TEXT else ""
    return (
        f'<figure class="tree" id="{escape(identifier)}" data-source="{escape(identifier)}-data">'
        f'<noscript><pre aria-label="The tree as text">{escape(text)}</pre></noscript>'
        f"<figcaption>{caption}</figcaption></figure>\n" + data_block(f"{identifier}-data", data)
    )


def newick_details(tree: Hierarchy) -> str:
    """Return the tree as text and in Newick format, to copy."""
    text = tree.to_text(width=90) if tree.n_objects <= LARGEST_TEXT else ""
    drawing = f'<pre aria-label="The tree as text">{escape(text)}</pre>' if text else ""
    return (
        '<details class="screen-only"><summary>The tree as text and in Newick format</summary>'
        f"{drawing}<pre>{escape(tree.to_newick())}</pre></details>"
    )


def _numbers(values: FloatArray) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values.tolist()]


def _resource(name: str) -> str:
    return resources.files("ordlink.report").joinpath(name).read_text(encoding="utf-8")
