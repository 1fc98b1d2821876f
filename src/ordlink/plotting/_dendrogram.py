"""Drawing a hierarchy with Matplotlib, without touching the state of pyplot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from ordlink._atomic import replacing
from ordlink._text import whole_percent
from ordlink._typing import AnyArray, BoolArray
from ordlink._validate import check_choice
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy
from ordlink.plotting._figure import (
    FILLED,
    FORMATS,
    GAP,
    LARGEST_SIDE,
    PIXELS_PER_INCH,
    POINTS,
    WIDEST,
    Style,
    check_drawing,
    default_pitch,
    font_families,
    largest_sizes,
    new_axes,
    one_line,
    pitch_of,
    read_pictures,
)
from ordlink.plotting._layout import ABOVE_CUT, DendrogramLayout, dendrogram_layout
from ordlink.validation import FIRM_SUPPORT, WEAK_SUPPORT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis


# Suited to every kind of colour vision, and dark enough for thin lines on white: Paul Tol's
# muted colours, with Okabe and Ito's sky blue.
PALETTE = ("#332288", "#CC6677", "#117733", "#56B4E9", "#882255", "#44AA99", "#999933", "#AA4499")
NEUTRAL = "#6B6B6B"
ORIENTATIONS = ("left", "top")
HEIGHT_LABELS = {
    "rank": "merge (in order)",
    "depth": "merges on the longest way down",
    "size": "objects in the cluster (log2)",
}
LEGEND = "support: dot at least 95 %, numbers in percent, grey below 50 %"
WEAK_COLOUR = "#B9B9B9"
WEAK_TEXT = "#808080"
MOST_NUMBERS = 150
"""In trees of more objects, weak branches have no numbers: they would hide the others."""
LARGEST_PIXELS = 60_000  # Agg draws fewer than 2**16 pixels per side


def plot_hierarchy(
    tree: Hierarchy,
    *,
    ax: Axes | None = None,
    n_clusters: int | None = None,
    orientation: str = "left",
    pictures: Sequence[Any] | None = None,
    picture_height: float = 0.45,
    heights: str = "rank",
    title: str | None = None,
    font_size: float | None = None,
    palette: Sequence[str] = PALETTE,
    min_support: float | None = None,
) -> Axes:
    """Draw the tree and return the axes it is drawn on.

    Where the tree has `support`, a dot marks the branches with at least 95 %, numbers are the
    support of others in percent, and branches with less than 50 % are grey.

    Parameters
    ----------
    tree : Hierarchy
        The tree.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default a new figure that is large enough for all names; it belongs to
        no pyplot window: save it with ``ax.figure.savefig``, or use `save_plot`.
    n_clusters : int, optional
        Colour the clusters of this cut.
    orientation : {"left", "top"}
        Where the root is. With "left", the names are upright and read from top to bottom.
    pictures : sequence of path, array or None, optional
        One picture per object, drawn at its leaf.
    picture_height : float
        Height of the pictures in inches (less where the given `ax` has no room).
    heights : {"rank", "depth", "size"}
        What the height of a merge shows; see `dendrogram_layout`.
    title : str, optional
        Title of the drawing.
    font_size : float, optional
        Size of the names in points; by default what fits.
    palette : sequence of str
        Colours of the clusters, used in turn; the default suits all kinds of colour vision.
    min_support : float, optional
        Merges with less support are drawn as part of the next one above.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
    >>> ax = plot_hierarchy(tree, n_clusters=2)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['ant', 'bee', 'cat', 'dog']
    """
    check_choice(orientation, "orientation", ORIENTATIONS)
    if not len(palette):
        raise InputError("expected at least one colour, got none", parameter="palette")
    n = tree.n_objects
    layout = dendrogram_layout(
        tree, n_clusters=n_clusters, heights=heights, min_support=min_support
    )
    collapsed = tree.collapsed(min_support)
    room = LARGEST_SIDE / n if ax is None else pitch_of(ax, n, orientation)
    images: list[AnyArray | None] = []
    if pictures is not None:
        # With the root on top, neighbouring pictures meet side by side, at their full width.
        most = room * FILLED / (1.0 if orientation == "left" else WIDEST)
        images = read_pictures(pictures, n_objects=n, height=min(picture_height, most))
    breadth, length = largest_sizes(images, orientation)
    pitch = min(max(default_pitch(n), breadth / FILLED), room) if ax is None else room
    style = Style(
        orientation=orientation,
        palette=palette,
        pitch=pitch,
        font_size=font_size or float(np.clip(pitch * POINTS * 0.72, 1.5, 10.0)),
        picture_length=length,
    )
    names = [one_line(name) for name in tree.labels_text]
    if ax is None:
        ax = new_axes(names, style, title)
    elif title is not None:
        ax.set_title(title, parse_math=False)
    colours = [_colour(group, palette) for group in layout.link_groups.tolist()]
    for weak in np.flatnonzero((tree.support[:-1] < WEAK_SUPPORT) & ~collapsed[:-1]).tolist():
        colours[weak] = WEAK_COLOUR  # never the root
    _draw_links(ax, layout, colours, style)
    height_label = HEIGHT_LABELS[heights]
    if np.isfinite(tree.support[:-1]).any():
        _draw_support(ax, tree, layout, collapsed, colours, style)
        height_label += f"\n{LEGEND}"
    _label_leaves(ax, names, layout, style)
    _place_pictures(ax, layout, images, style)
    _dress(ax, layout, orientation, height_label=height_label)
    return ax


def save_plot(tree: Hierarchy, path: str | Path, *, dpi: float = 150, **options: Any) -> Path:
    """Draw the tree to a PNG, SVG or PDF file, completely or not at all, and return its path.

    A PNG has `dpi` pixels per inch (fewer where it would be too large). The options are those of
    `plot_hierarchy`, except `ax`.
    """
    path = Path(path)
    suffix = check_drawing(path)
    if "ax" in options:
        raise InputKindError(
            "save_plot makes its own figure",
            parameter="ax",
            remedy="to draw on given axes, call plot_hierarchy and save their figure",
        )
    figure = plot_hierarchy(tree, **options).get_figure(root=True)
    assert figure is not None  # axes that we made have one
    largest = LARGEST_PIXELS / max(figure.get_size_inches())
    with replacing(path) as stream:
        figure.savefig(stream, format=suffix[1:], dpi=min(dpi, largest), **FORMATS[suffix])
    return path


def _colour(group: int, palette: Sequence[str]) -> str:
    return NEUTRAL if group == ABOVE_CUT else palette[group % len(palette)]


def _darker(colour: str) -> tuple[float, float, float]:
    """Return a darker shade: what suits a line is often too light for small letters."""
    red, green, blue = to_rgb(colour)
    return 0.6 * red, 0.6 * green, 0.6 * blue


def _draw_links(ax: Axes, layout: DendrogramLayout, colours: list[str], style: Style) -> None:
    links = layout.links[:, :, ::-1] if style.orientation == "left" else layout.links
    width = float(np.clip(style.pitch * 8, 0.5, 1.4))
    stems = layout.stems[:, :, ::-1] if style.orientation == "left" else layout.stems
    stem_colours = [_colour(group, style.palette) for group in range(len(stems))]
    for lines, colour in ((links, colours), (stems, stem_colours)):
        if len(lines):
            collection = LineCollection(list(lines), colors=colour, linewidths=width)
            collection.set_capstyle("projecting")
            collection.set_joinstyle("miter")
            ax.add_collection(collection, autolim=False)
    if layout.cut_height is not None:
        line = ax.axvline if style.orientation == "left" else ax.axhline
        line(layout.cut_height, color=NEUTRAL, linewidth=0.8, linestyle=(0, (4, 4)), zorder=0)


def _label_leaves(ax: Axes, names: list[str], layout: DendrogramLayout, style: Style) -> None:
    order = layout.leaf_order.tolist()
    upright = style.orientation == "left"
    axis: Axis = ax.yaxis if upright else ax.xaxis
    if upright:
        ax.yaxis.tick_right()
    ordered = [names[i] for i in order]
    axis.set_ticks(list(range(len(order))), labels=ordered, rotation=0 if upright else 90)
    axis.set_tick_params(length=0, pad=style.label_pad, labelsize=style.font_size)
    family = font_families(names)
    for tick, i in zip(axis.get_major_ticks(), order, strict=True):
        group = int(layout.leaf_groups[i])
        colour = "black" if group == ABOVE_CUT else _darker(_colour(group, style.palette))
        for label in (tick.label1, tick.label2):
            label.set_parse_math(False)  # a name with dollar signs is no formula
            label.set_fontfamily(family)
            label.set_color(colour)


def _place_pictures(
    ax: Axes, layout: DendrogramLayout, images: list[AnyArray | None], style: Style
) -> None:
    distance = (GAP + style.picture_length / 2) * POINTS
    for i, image in enumerate(images):
        if image is None:
            continue
        position = float(layout.positions[i])
        at, offset = ((0.0, position), (distance, 0.0))
        if style.orientation == "top":
            at, offset = (position, 0.0), (0.0, -distance)
        box = AnnotationBbox(
            OffsetImage(image, zoom=POINTS / PIXELS_PER_INCH),
            at,
            xybox=offset,
            boxcoords="offset points",
            frameon=False,
            pad=0,
            annotation_clip=False,
        )
        ax.add_artist(box)


def _dress(ax: Axes, layout: DendrogramLayout, orientation: str, *, height_label: str) -> None:
    """Set the limits, and leave only the axis that shows the heights."""
    n = len(layout.leaf_order)
    top = float(layout.heights[-1]) * 1.02 or 1.0
    heights: Axis = ax.xaxis if orientation == "left" else ax.yaxis
    heights.set_major_locator(MaxNLocator(nbins=6, integer=True))
    heights.set_label_text(height_label)
    if orientation == "left":
        ax.set_xlim(top, 0)
        ax.set_ylim(n - 0.5, -0.5)
        hidden = ("left", "right", "top")
    else:
        ax.set_ylim(0, top)
        ax.set_xlim(-0.5, n - 0.5)
        hidden = ("right", "top", "bottom")
    for side in hidden:
        ax.spines[side].set_visible(False)


def _draw_support(
    ax: Axes,
    tree: Hierarchy,
    layout: DendrogramLayout,
    collapsed: BoolArray,
    colours: list[str],
    style: Style,
) -> None:
    """Draw a dot at each firm branch, and the support in percent at others."""
    n, left = tree.n_objects, style.orientation == "left"
    font_size = float(np.clip(style.font_size * 0.72, 1.2, 7.0))
    halo = [withStroke(linewidth=1.2, foreground="white")]
    lowest = 0.0 if n <= MOST_NUMBERS else WEAK_SUPPORT
    for t in np.flatnonzero(~collapsed[:-1] & (tree.support[:-1] >= lowest)).tolist():
        at = float(layout.positions[n + t]), float(layout.heights[n + t])
        x, y = at[::-1] if left else at
        if tree.support[t] >= FIRM_SUPPORT:
            ax.plot(x, y, "o", markersize=font_size * 0.42, color=colours[t], zorder=3)
            continue
        ax.annotate(
            whole_percent(tree.support[t]),
            (x, y),
            xytext=(-1.5, 0.8) if left else (1.2, 1.5),
            textcoords="offset points",
            ha="right" if left else "left",
            va="bottom",
            fontsize=font_size,
            color="#333333" if tree.support[t] >= WEAK_SUPPORT else WEAK_TEXT,
            path_effects=halo,
            zorder=4,
        )
