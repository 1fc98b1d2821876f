"""Two trees of the same objects side by side, with the branches that only one of them has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection

from ordlink._text import counted, listed
from ordlink._typing import BoolArray, FloatArray, Int32Array
from ordlink._validate import check_whole_number
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy
from ordlink.plotting import _figure
from ordlink.plotting._layout import dendrogram_layout
from ordlink.plotting._marks import NEUTRAL, SMALL
from ordlink.plotting._order import flip_branches

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DIFFERENT = "#D55E00"
LINK = "#B9B9B9"
WIDTH, ROW, REST = 7.0, 0.15, 0.7  # inches
MOST_OBJECTS = 1000
ROUNDS = 10  # of untangling: the two orders follow each other in turn
FONT = 7.0  # points


def plot_tanglegram(
    left: Hierarchy,
    right: Hierarchy,
    *,
    ax: Axes | None = None,
    titles: tuple[str, str] | None = None,
) -> Axes:
    """Draw two trees of the same objects face to face and return the axes.

    Lines join the same object in both trees; branches are flipped so that few lines cross. Branches
    whose cluster the other tree does not have are orange. Heights show only what joins what.

    Parameters
    ----------
    left, right : Hierarchy
        Trees whose objects have the same names, each once, in any order; at most 1,000.
    ax : matplotlib.axes.Axes, optional
        Where to draw, instead of a new figure.
    titles : pair of str, optional
        Titles of the trees; by default their methods.

    Examples
    --------
    >>> one = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
    >>> other = Hierarchy([[0, 1], [2, 4], [3, 5]], names=["ant", "bee", "cat", "dog"])
    >>> ax = plot_tanglegram(one, other, titles=("yours", "mine"))
    >>> [text.get_text() for text in ax.texts if text.get_gid() == "legend"]
    ['1 of 2 branches is in both trees; orange: in one only']
    """
    right = _match(left, right)
    orders = _untangle(left, right)
    if ax is None:
        ax = _figure.new_axes((WIDTH, REST + ROW * left.n_objects))
    shared = _in_other(left, right), _in_other(right, left)
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(left.n_objects + 0.7, -1.8)
    ax.set_axis_off()
    names = [" ".join(name.splitlines()) for name in left.labels_text]
    family = _figure.font_families(names)
    width = _figure.text_width(names, FONT) / WIDTH + 0.01
    # Both trees have as much room as the lines between them.
    tree_width = max((1 - 2 * min(width, 0.22)) / 3, 0.1)
    sides = zip((left, right), orders, shared, (True, False), strict=True)
    for tree, order, same, is_left in sides:
        _draw_tree(ax, tree, order, same, tree_width, is_left=is_left)
        at, side = (tree_width + 0.005, "left") if is_left else (0.995 - tree_width, "right")
        style: Any = {"ha": side, "va": "center", "fontsize": FONT, "fontfamily": family}
        for place, i in enumerate(order.tolist()):
            ax.text(at, place, names[i], parse_math=False, gid=f"{side}-{i}", **style)
    _draw_links(ax, orders, tree_width + min(width, 0.22))
    words = titles or (left.method or "", right.method or "")
    for title, at, side in zip(words, (0, 1), ("left", "right"), strict=True):
        ax.text(at, -1.2, title, fontsize=9, ha=side, va="center", parse_math=False, gid="title")
    n_same, n_all = int(shared[0][:-1].sum()), max(left.n_objects - 2, 0)
    verb = "is" if n_same == 1 else "are"
    of = counted(n_all, "branch", "branches")
    legend = f"{n_same:,} of {of} {verb} in both trees; orange: in one only"
    ax.text(0, left.n_objects + 0.2, legend, fontsize=SMALL, va="center", gid="legend")
    return ax


def _match(left: Hierarchy, right: Hierarchy) -> Hierarchy:
    """Return the right tree with its objects numbered as in the left one."""
    check_whole_number(left.n_objects, "left", lowest=2, highest=MOST_OBJECTS)
    for tree, side in ((left, "left"), (right, "right")):
        if len(set(tree.labels_text)) < tree.n_objects:
            raise InputError("two objects have the same name", parameter=side)
    odd = sorted(set(left.labels_text) ^ set(right.labels_text))
    if odd:
        raise InputError(
            f"expected trees of the same objects, but only one has {listed(odd)}",
            parameter="right",
            remedy="leave these out with Hierarchy.prune",
        )
    return right.reorder(left.labels_text)


def _untangle(left: Hierarchy, right: Hierarchy) -> tuple[Int32Array, Int32Array]:
    """Return orders of the leaves with few crossings; each tree follows the other in turn."""
    orders = (left.leaf_order, right.leaf_order)
    best, fewest = orders, _crossings(*orders)
    for turn in range(ROUNDS):
        one, other = orders
        if turn % 2:
            orders = flip_branches(left, _places(other)), other
        else:
            orders = one, flip_branches(right, _places(one))
        found = _crossings(*orders)
        if found < fewest:
            best, fewest = orders, found
    return best


def _places(order: Int32Array) -> FloatArray:
    places = np.empty(len(order))
    places[order] = np.arange(len(order))
    return places


def _crossings(one: Int32Array, other: Int32Array) -> int:
    """Return how many pairs of lines cross; at most 1,000 lines, so all pairs are compared."""
    places = _places(other)[one]
    return int(np.triu(places[:, None] > places[None, :]).sum())


def _in_other(tree: Hierarchy, other: Hierarchy) -> BoolArray:
    """Return which merges make a cluster that the other tree has too."""
    known = {members.tobytes() for _, members in other.clusters()}
    return np.array([members.tobytes() in known for _, members in tree.clusters()], dtype=np.bool_)


def _draw_tree(
    ax: Axes,
    tree: Hierarchy,
    order: Int32Array,
    shared: BoolArray,
    width: float,
    *,
    is_left: bool,
) -> None:
    layout = dendrogram_layout(tree, heights="depth", leaf_order=order)
    down = 1 - layout.links[:, :, 1] / layout.heights[-1]
    across = width * down if is_left else 1 - width * down
    lines = np.stack([across, layout.links[:, :, 0]], axis=2)
    colours = [NEUTRAL if same else DIFFERENT for same in shared.tolist()]
    links = LineCollection(list(lines), colors=colours, linewidths=1.0)
    links.set_gid("left-tree" if is_left else "right-tree")
    ax.add_collection(links, autolim=False)


def _draw_links(ax: Axes, orders: tuple[Int32Array, Int32Array], start: float) -> None:
    places = _places(orders[1])
    lines = [[(start, k), (1 - start, places[i])] for k, i in enumerate(orders[0].tolist())]
    links = LineCollection(lines, colors=LINK, linewidths=0.8)
    links.set_gid("links")
    ax.add_collection(links, autolim=False)
