"""Draws a hierarchy with Matplotlib, without changing the state of pyplot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb

from ordlink._typing import AnyArray, BoolArray
from ordlink._validate import check_choice, check_number
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.plotting import _figure, _marks, _pictures
from ordlink.plotting._arrange import SHAPES, Arrangement, arrange
from ordlink.plotting._content import (
    CLADOGRAM,
    TITLE_SIZE,
    all_notes,
    aside_notes,
    cluster_labels,
    clusters_by_place,
    legend_width,
    most_leaves,
    outside,
    title_lines,
)
from ordlink.plotting._layout import (
    ABOVE_CUT,
    HEIGHTS,
    OWN,
    DendrogramLayout,
    dendrogram_layout,
)
from ordlink.plotting._marks import NEUTRAL, WEAK_COLOUR, WEAK_TEXT, Note
from ordlink.plotting._order import order_leaves
from ordlink.plotting._overview import Overview, first_in_order, overview
from ordlink.plotting._page import LINE, Paper, paper
from ordlink.validation import WEAK_SUPPORT

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Suited to every kind of colour vision, and dark enough for thin lines on white: Paul Tol's
# muted colours, with Okabe and Ito's sky blue.
PALETTE = ("#332288", "#CC6677", "#117733", "#56B4E9", "#882255", "#44AA99", "#999933", "#AA4499")
AUTO = "auto"
SUPPORT_STYLES = ("signs", "numbers", "none")
"""How support is drawn: as dots, in percent, not at all."""
PICTURES_AT = ("leaves", "groups")
"""Where pictures are drawn: at each leaf, or some for each cluster."""
LARGEST_PIXELS = 60_000  # Agg draws fewer than 2**16 pixels per side
MOST_PIXELS = 50e6  # of a PNG in all


def plot_hierarchy(
    tree: Hierarchy,
    *,
    ax: Axes | None = None,
    n_clusters: int | None = None,
    cluster_names: Sequence[str] | None = None,
    orientation: str = "left",
    page: str = "A4",
    columns: int = 2,
    heights: str = AUTO,
    order: str | Sequence[str] = "tree",
    similarities: AnyArray | None = None,
    max_leaves: int | None = None,
    pictures: Sequence[Any] | None = None,
    pictures_at: str = "leaves",
    picture_height: float = 0.42,
    support: str = "signs",
    min_support: float | None = None,
    title: str | None = None,
    palette: Sequence[str] = PALETTE,
) -> Axes:
    """Draw the tree as a figure for a page and return the axes, whose unit is the inch.

    Parameters
    ----------
    tree : Hierarchy
        The tree.
    ax : matplotlib.axes.Axes, optional
        Where to draw, instead of a new figure. A new one belongs to no pyplot window: notebooks
        show it, if it is the last value of a cell; save it with ``ax.figure.savefig``, or use
        `save_plot`.
    n_clusters : int, optional
        Colour these clusters of `Hierarchy.partition`, numbered from 1 by size; objects that are
        set aside are grey.
    cluster_names : sequence of str, optional
        Their names, in the order of the numbers.
    orientation : {"left", "top", "radial"}
        Where the root is: left, on top, or in the middle.
    page, columns : str, int
        "A3", "A4", "A5", "letter", "legal", or "tall" for as much height as all names need; the
        figure is as wide as the text of the page, or as one of two columns.
    heights : {"auto", "cladogram", "dissimilarity", "rank", "depth", "size"}
        What the height of a merge shows. A cladogram shows only what joins what. By default the
        dissimilarity, if the tree has one, and else a cladogram. Others as in `dendrogram_layout`;
        their axis says what they are.
    order, similarities
        Order of the leaves, as in `order_leaves`.
    max_leaves : int, optional
        Draw at most so many leaves: the lowest clusters become one leaf each. By default as many
        as are legible on the page.
    pictures : sequence of path, array or None, optional
        One picture per object.
    pictures_at : {"leaves", "groups"}
        A picture at each leaf, or some for each cluster of the cut.
    picture_height : float
        Largest height of pictures in inches.
    support : {"signs", "numbers", "none"}
        How support is shown, if the tree has it.
    min_support : float, optional
        As in `dendrogram_layout`.
    title : str, optional
        Title of the drawing.
    palette : sequence of str
        Colours of the clusters, used in turn; the default is colour-blind safe.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
    >>> ax = plot_hierarchy(tree, n_clusters=2)
    >>> [text.get_text() for text in ax.texts if str(text.get_gid()).startswith("leaf")]
    ['ant', 'bee', 'cat', 'dog']
    """
    check_choice(orientation, "orientation", SHAPES)
    check_choice(support, "support", SUPPORT_STYLES)
    check_choice(pictures_at, "pictures_at", PICTURES_AT)
    heights = _check_heights(tree, heights)
    picture_height = check_number(picture_height, "picture_height", lowest=0.01)
    if not len(palette):
        raise InputError("expected at least one colour, got none", parameter="palette")
    if pictures is not None:
        _pictures.check_pictures(pictures, tree.n_objects)
    if pictures_at == "groups" and n_clusters is None:
        raise InputError(
            "'groups' needs a cut", parameter="pictures_at", remedy="pass {n_clusters}"
        )
    clusters = None if n_clusters is None else tree.partition(n_clusters)
    tops = [] if clusters is None else [*clusters.nodes, *clusters.set_aside]
    names = cluster_labels(clusters, cluster_names)
    room = paper(page, columns) if ax is None else _room_of(ax)

    tree.collapsed(min_support)  # refuses what is no share
    whole_order = order_leaves(tree, order, similarities)
    notes = _marks.support_notes(tree, support, min_support) + aside_notes(tree, clusters)
    content = outside(room, heights, notes, title, orientation)
    most = most_leaves(tree, max_leaves, len(tops) or 2, room, content, orientation, page)
    shown = overview(tree, most, whole_order, tops)
    layout = dendrogram_layout(
        shown.tree,
        labels=None if clusters is None else clusters.labels[[g[0] for g in shown.members]],
        heights="depth" if heights == CLADOGRAM else heights,
        min_support=min_support,
        leaf_order=first_in_order(shown.members, whole_order),
    )
    if shown.is_cut:
        notes = [*notes, Note(f"{tree.n_objects:,} objects; triangles are groups of objects")]
        content = outside(room, heights, notes, title, orientation)
    images = _pictures.open_pictures(pictures, shown.members)
    at_groups = pictures_at == "groups"
    content = replace(
        content,
        labels=[shown.labels[i] for i in layout.leaf_order.tolist()],
        top=float(layout.heights[-1]) or 1.0,
        is_overview=shown.is_cut,
        aspect=_pictures.largest_aspect(list(images.values())) if images else None,
        at_groups=at_groups,
        picture_height=picture_height,
        clusters=[names[i] for i in clusters_by_place(layout, shown, clusters)],
    )
    arrangement = arrange(orientation, content, room)
    if ax is None:
        ax = _figure.new_axes(arrangement.size)
    _set_inches(ax, arrangement.size)
    _draw(ax, shown, layout, arrangement, palette, support, min_support)
    if images:
        draw = _pictures.draw_at_groups if at_groups else _pictures.draw_pictures
        draw(ax, layout, arrangement, images)
    if content.axis:
        foreign = heights == OWN and tree.method is None
        _marks.draw_axis(ax, arrangement, heights, _marks.FOREIGN if foreign else None)
    explained = all_notes(notes, heights, orientation)
    _marks.draw_legend(ax, _marks.legend_lines(explained, legend_width(room)))
    if title is not None:
        _draw_title(ax, title, arrangement.size)
    return ax


def save_plot(tree: Hierarchy, path: str | Path, *, dpi: float = 300, **options: Any) -> Path:
    """Draw the tree to a PNG, SVG or PDF file, completely or not at all, and return its path.

    A PNG has `dpi` pixels per inch (fewer where it would be too large). The options are those of
    `plot_hierarchy`, except `ax`.
    """
    return save_plots(tree, [path], dpi=dpi, **options)[0]


def svg_text(tree: Hierarchy, **options: Any) -> str:
    """Return the drawing of the tree as SVG text; the options are those of `plot_hierarchy`."""
    figure = plot_hierarchy(tree, **options).get_figure(root=True)
    assert figure is not None  # axes that we made have one
    return _figure.svg_text(figure)


def save_plots(
    tree: Hierarchy, paths: Sequence[str | Path], *, dpi: float = 300, **options: Any
) -> list[Path]:
    """Draw the tree once and write it to several files, as `save_plot` does."""
    for path in paths:
        _figure.check_drawing(path)
    if "ax" in options:
        raise InputKindError(
            "save_plot makes its own figure",
            parameter="ax",
            remedy="to draw on given axes, call plot_hierarchy and save their figure",
        )
    figure = plot_hierarchy(tree, **options).get_figure(root=True)
    assert figure is not None  # axes that we made have one
    width, height = figure.get_size_inches()
    largest = min(LARGEST_PIXELS / max(width, height), math.sqrt(MOST_PIXELS / (width * height)))
    return [_figure.save(figure, Path(path), min(dpi, largest)) for path in paths]


def _check_heights(tree: Hierarchy, heights: str) -> str:
    check_choice(heights, "heights", (AUTO, CLADOGRAM, OWN, *HEIGHTS))
    if heights != AUTO:
        return heights
    return OWN if tree.has_heights else CLADOGRAM


def _room_of(ax: Axes) -> Paper:
    figure = ax.get_figure(root=True)
    if figure is None:
        raise InputError(
            "it belongs to no figure", parameter="ax", remedy="make it with figure.add_subplot()"
        )
    box = ax.get_window_extent()
    return Paper(float(box.width) / figure.dpi, float(box.height) / figure.dpi)


def _set_inches(ax: Axes, size: tuple[float, float]) -> None:
    ax.set_xlim(0, size[0])
    ax.set_ylim(0, size[1])
    ax.set_axis_off()


def _draw(
    ax: Axes,
    shown: Overview,
    layout: DendrogramLayout,
    arrangement: Arrangement,
    palette: Sequence[str],
    support: str,
    min_support: float | None,
) -> None:
    """Draw links, support, names, groups and clusters."""
    tree, frame = shown.tree, arrangement.frame
    collapsed: BoolArray = tree.collapsed(min_support)
    colours = [_colour(group, palette) for group in layout.link_groups.tolist()]
    if support != "none":
        for weak in np.flatnonzero((tree.support[:-1] < WEAK_SUPPORT) & ~collapsed[:-1]).tolist():
            colours[weak] = WEAK_COLOUR  # never the root
    of_groups = [_colour(group, palette) for group in range(len(layout.stems))]
    width = float(np.clip(frame.pitch() * 8, 0.4, 1.2))
    for points, of_lines in ((layout.links, colours), (layout.stems, of_groups)):
        if len(points):
            lines = LineCollection(frame.trace(points), colors=of_lines, linewidths=width)
            lines.set_capstyle("projecting")
            lines.set_joinstyle("miter")
            ax.add_collection(lines, autolim=False)
    if support != "none" and np.isfinite(tree.support[:-1]).any():
        _marks.draw_support(ax, tree, layout, collapsed, arrangement, support)
    order = layout.leaf_order.tolist()
    groups = [place for place, i in enumerate(order) if len(shown.members[i]) > 1]
    _marks.draw_wedges(ax, arrangement, groups, NEUTRAL)
    _draw_names(ax, layout, arrangement, palette)
    if arrangement.cluster_labels:
        bands = [_colour(group, palette) for group in range(len(arrangement.cluster_labels))]
        _marks.draw_clusters(ax, layout, arrangement, bands)


def _colour(group: int, palette: Sequence[str]) -> str:
    return NEUTRAL if group == ABOVE_CUT else palette[group % len(palette)]


def _draw_names(
    ax: Axes, layout: DendrogramLayout, arrangement: Arrangement, palette: Sequence[str]
) -> None:
    family = _figure.font_families(arrangement.labels)
    leaves = zip(layout.leaf_order.tolist(), arrangement.labels, strict=True)
    for place, (i, label) in enumerate(leaves):
        group = int(layout.leaf_groups[i])
        plain = WEAK_TEXT if arrangement.cluster_labels else "black"  # grey: set aside
        red, green, blue = to_rgb(plain if group == ABOVE_CUT else _colour(group, palette))
        ax.text(
            *arrangement.frame.beyond(place, arrangement.names_at),
            label,
            fontsize=arrangement.font_size,
            fontfamily=family,
            # Clusters' colours are made darker: the letters are small.
            color=plain if group == ABOVE_CUT else (0.6 * red, 0.6 * green, 0.6 * blue),
            parse_math=False,  # a name with dollar signs is no formula
            gid=f"leaf-{i}",
            **arrangement.frame.text(place),
        )


def _draw_title(ax: Axes, title: str, size: tuple[float, float]) -> None:
    text = "\n".join(title_lines(title, size[0]))
    ax.text(
        0.12, size[1] - 0.05, text, fontsize=TITLE_SIZE, va="top", parse_math=False, gid="title",
        linespacing=LINE,
    )  # fmt: skip
