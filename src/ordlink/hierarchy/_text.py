"""The tree drawn with box-drawing characters, one line per object."""

from __future__ import annotations

import shutil
import unicodedata
from typing import TYPE_CHECKING

import numpy as np

from ordlink._text import whole_percent
from ordlink._typing import AnyArray, BoolArray, Int32Array
from ordlink._validate import check_whole_number
from ordlink.hierarchy._structure import kept_parents

if TYPE_CHECKING:
    from ordlink.hierarchy._hierarchy import Hierarchy

MINIMUM_WIDTH = 30
MAXIMUM_DEFAULT_WIDTH = 100
COLUMNS_PER_MERGE = 6  # at most: a tree of few objects is not stretched over the whole terminal

# A cell of the drawing is a set of arms; whatever is drawn over each other stays a junction.
LEFT, RIGHT, UP, DOWN = 1, 2, 4, 8
#             index:  0 left right both | then the same with up, with down, with both
UNICODE_CELLS = np.array(list(" ╴╶─╵┘└┴╷┐┌┬│┤├┼"))
ASCII_CELLS = np.array(list(" ---''`+..,+|+++"))
# middle, first and last line of a cluster, and a cluster of one line
UNICODE_BRACKET = "│┌└╶"
ASCII_BRACKET = "|,'-"


def to_text(
    tree: Hierarchy,
    *,
    width: int | None = None,
    n_clusters: int | None = None,
    labels: bool = True,
    ascii: bool = False,
    min_support: float | None = None,
) -> str:
    """Return a drawing of the tree for the terminal, one line per object.

    Parameters
    ----------
    width : int, optional
        Lines are at most this wide (at least 30); by default as wide as the terminal, at most
        100. Merges that fall into one column are drawn as one bar.
    n_clusters : int, optional
        Brackets on the left show the clusters of `partition`, numbered from 1 by size; objects
        that are set aside have a dash.
    labels : bool
        Whether to write the names.
    ascii : bool
        Whether to draw the lines with ASCII characters only.
    min_support : float, optional
        Merges with less support are drawn as part of the next one above. Where support is
        known, the branches that are long enough show it in percent.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
    >>> print(tree.to_text(n_clusters=2, ascii=True))
    1 , ant -+-----------------.
      ' bee -'                 |
    2 , cat ----------+--------'
      ' dog ----------'
    """
    if width is None:
        terminal = shutil.get_terminal_size().columns
        width = min(max(terminal, MINIMUM_WIDTH), MAXIMUM_DEFAULT_WIDTH)
    width = check_whole_number(width, "width", lowest=MINIMUM_WIDTH)
    collapsed = tree.collapsed(min_support)
    prefixes = [""] * tree.n_objects
    if n_clusters is not None:
        bracket = ASCII_BRACKET if ascii else UNICODE_BRACKET
        labels_of = tree.partition(n_clusters).labels[tree.leaf_order]
        prefixes = _cluster_column((labels_of + 1).tolist(), bracket)
    names = [_clean_name(name) for name in tree.labels_text] if labels else [""] * tree.n_objects
    ellipsis = "..." if ascii else "…"
    if tree.n_objects == 1:
        return (prefixes[0] + fit(names[0], width - len(prefixes[0]), ellipsis)).rstrip()

    room = width - len(prefixes[0]) - (1 if labels else 0)
    widest_tree = COLUMNS_PER_MERGE * (tree.n_objects - 1) + 2
    tree_width = min(widest_tree, room // 2) if labels else 0
    import wcwidth  # milliseconds, which `import ordlink` does not need

    name_width = min(max(map(wcwidth.width, names)), room - tree_width)
    tree_width = min(widest_tree, room - name_width)

    places = _places(tree, tree_width, collapsed)
    cells = (ASCII_CELLS if ascii else UNICODE_CELLS)[_draw_arms(tree, tree_width, places)]
    _write_support(cells, tree, places, collapsed)
    line, gap = "-" if ascii else "─", " " if labels else ""
    lines = []
    for prefix, i, row in zip(prefixes, tree.leaf_order.tolist(), cells, strict=True):
        name = fit(names[i], name_width, ellipsis)
        leader = line * (name_width - wcwidth.width(name))
        lines.append(f"{prefix}{name}{gap}{leader}{''.join(row)}".rstrip())
    return "\n".join(lines)


def _places(tree: Hierarchy, n_columns: int, collapsed: BoolArray) -> tuple[Int32Array, Int32Array]:
    """Return the row and the column of each node; collapsed ones share that of the next above."""
    n = tree.n_objects
    rows = np.empty(2 * n - 1, dtype=np.int32)
    rows[tree.leaf_order] = np.arange(n)
    for t, (left, right) in enumerate(tree.merges.tolist()):
        rows[n + t] = (rows[left] + rows[right]) // 2
    merges = 1 + np.rint(np.arange(n - 1) * (n_columns - 2) / (n - 2)) if n > 2 else [n_columns - 1]
    columns = np.concatenate([np.zeros(n), merges]).astype(np.int32)
    columns = _make_room(tree, columns, collapsed)
    merged = np.flatnonzero(collapsed) + n
    columns[merged] = columns[kept_parents(tree.parents, collapsed)[merged]]
    return rows, columns


def _make_room(tree: Hierarchy, columns: Int32Array, collapsed: BoolArray) -> Int32Array:
    """Shift merges, in order, so that every branch has space for its support, if all fit."""
    n = tree.n_objects
    known = ~np.isnan(tree.support) & ~collapsed
    if not known.any():
        return columns
    lengths = [0] * n + [
        2 + len(whole_percent(share)) if shown else 0
        for share, shown in zip(tree.support, known, strict=True)
    ]
    latest = columns.copy()
    latest[n:] = columns[-1]
    for node in range(2 * n - 3, n - 1, -1):
        room = latest[tree.parents[node]] - lengths[node]
        latest[node] = min(latest[node + 1], room)
    moved = columns.copy()
    for node, children in enumerate(tree.merges.tolist(), start=n):
        earliest = max(moved[child] + lengths[child] for child in children)
        if node > n:
            earliest = max(earliest, moved[node - 1])
        if earliest > latest[node]:
            return columns
        moved[node] = min(max(columns[node], earliest), latest[node])
    return moved


def _write_support(
    cells: AnyArray, tree: Hierarchy, places: tuple[Int32Array, Int32Array], collapsed: BoolArray
) -> None:
    """Write the support in percent after the bar of each merge whose branch is long enough."""
    n, (rows, columns) = tree.n_objects, places
    known = ~np.isnan(tree.support) & ~collapsed
    for node in (np.flatnonzero(known[:-1]) + n).tolist():
        percent = whole_percent(tree.support[node - n])
        start, end = columns[node] + 1, columns[tree.parents[node]]
        if end - start > len(percent):
            cells[rows[node], start : start + len(percent)] = list(percent)


def _draw_arms(tree: Hierarchy, n_columns: int, places: tuple[Int32Array, Int32Array]) -> AnyArray:
    """Return the arms of every cell: uint8 of shape (N, n_columns), leaves left, root right.

    A leaf starts in column 0, merge t is a bar in a column that grows with t. A node leaves its
    bar in the row midway between its children. Bars of a merge and its child that fall into one
    column overlap, and so become one bar with more than two branches.
    """
    n = tree.n_objects
    rows, columns = places
    arms = np.zeros((n, n_columns), dtype=np.uint8)
    arms[:, 0] |= LEFT | RIGHT
    for t, children in enumerate(tree.merges.tolist()):
        column = columns[n + t]
        for child in children:
            row, start = rows[child], columns[child]
            if start < column:
                arms[row, start] |= RIGHT
                arms[row, start + 1 : column] |= LEFT | RIGHT
                arms[row, column] |= LEFT
        top, bottom = rows[children[0]], rows[children[1]]
        arms[top, column] |= DOWN
        arms[top + 1 : bottom, column] |= UP | DOWN
        arms[bottom, column] |= UP
    return arms


def _cluster_column(labels: list[int], bracket: str) -> list[str]:
    """Return each cluster's label on its first line, and a bracket along all its lines.

    Label 0 is an object that is set aside.
    """
    digits = len(str(max(labels)))
    lines = []
    for row, label in enumerate(labels):
        if not label:
            lines.append(f"{'-':>{digits}}   ")
            continue
        opens = row == 0 or labels[row - 1] != label
        closes = row == len(labels) - 1 or labels[row + 1] != label
        number = str(label) if opens else ""
        lines.append(f"{number:>{digits}} {bracket[opens + 2 * closes]} ")
    return lines


def _clean_name(name: str) -> str:
    """Replace what would break the line or command the terminal: line ends, control characters."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c
        for c in name
    )


def fit(text: str, width: int, ellipsis: str = "…") -> str:
    """Cut a text to a number of terminal columns; an ellipsis marks what is missing."""
    import wcwidth

    if wcwidth.width(text) <= width:
        return text
    return wcwidth.clip(text, 0, width - len(ellipsis)).rstrip() + ellipsis
