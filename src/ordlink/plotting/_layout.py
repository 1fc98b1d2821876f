"""The coordinates of a dendrogram's lines; pure NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, FloatArray, Int32Array, LabelArray
from ordlink._validate import check_choice
from ordlink.hierarchy import Hierarchy
from ordlink.hierarchy._linkage import node_heights

OWN = "dissimilarity"
"""The heights that a tree of answers has of its own."""
ABOVE_CUT = -1
"""The group of merges that join clusters, and of objects that are set aside."""


@dataclass(frozen=True)
class DendrogramLayout:
    """Coordinates of a dendrogram, without saying which axis is which.

    Attributes
    ----------
    leaf_order : ndarray of shape (N,), dtype int32
        The objects by position: ``leaf_order[0]`` is drawn at position 0.
    positions, heights : ndarray of shape (2N-1,), dtype float64
        Place of each node along the leaves, and its height; leaves have height 0.
    links : ndarray of shape (N-1, 4, 2), dtype float64
        The (position, height) of the four corners of each merge: left child, up, across, and down
        to the right child.
    link_groups, leaf_groups : ndarray of shape (N-1,) and (N,), dtype intp
        Cluster of each merge and of each object, numbered by position (so neighbours have
        consecutive numbers); -1 for merges above the clusters, objects that are set aside, and
        where there are no clusters.
    stems : ndarray of shape (n_stems, 2, 2), dtype float64
        The (position, height) of both ends of the leg that leads from each cluster, in the order of
        the groups, up to the merge that absorbs it; empty without clusters.
    """

    leaf_order: Int32Array
    positions: FloatArray
    heights: FloatArray
    links: FloatArray
    link_groups: LabelArray
    leaf_groups: LabelArray
    stems: FloatArray


def dendrogram_layout(
    tree: Hierarchy,
    *,
    labels: AnyArray | None = None,
    heights: str = "rank",
    min_support: float | None = None,
    leaf_order: AnyArray | None = None,
) -> DendrogramLayout:
    """Return the coordinates of the lines of a dendrogram.

    Parameters
    ----------
    tree : Hierarchy
        The tree to draw.
    labels : array-like of shape (N,), optional
        Cluster of each object, -1 for none, as `Hierarchy.cut` and `Hierarchy.partition` give them.
    heights : {"rank", "depth", "size", "dissimilarity"}
        What the height of a merge shows: its place in the order of merges, the number of merges
        on the longest way down, the number of objects (logarithm to base 2), or the dissimilarity
        that the tree itself has (`Hierarchy.heights`).
    min_support : float, optional
        Merges with less support are at the height of the next one above that has enough.
    leaf_order : ndarray of shape (N,), optional
        The objects by position, each cluster together, as `order_leaves` gives them.

    Examples
    --------
    >>> layout = dendrogram_layout(Hierarchy([[0, 2], [1, 3]]))
    >>> layout.links[1].tolist()
    [[0.5, 1.0], [0.5, 2.0], [2.0, 2.0], [2.0, 0.0]]
    """
    n = tree.n_objects
    check_choice(heights, "heights", (*HEIGHTS, OWN))
    tops = node_heights(tree, OWN)[n:] if heights == OWN else HEIGHTS[heights](tree)
    order = tree.leaf_order if leaf_order is None else np.asarray(leaf_order, dtype=np.int32)
    at = np.concatenate([np.zeros(n), tops])
    for node in np.flatnonzero(tree.collapsed(min_support))[::-1] + n:  # parents first
        at[node] = at[tree.parents[node]]
    positions = np.empty(2 * n - 1)
    positions[order] = np.arange(n)
    for t, (left, right) in enumerate(tree.merges.tolist()):
        positions[n + t] = (positions[left] + positions[right]) / 2
    given = None if labels is None else np.asarray(labels, dtype=np.intp)
    link_groups, leaf_groups = _groups(tree, given, order)
    groups = np.concatenate([leaf_groups, link_groups])
    return DendrogramLayout(
        leaf_order=order,
        positions=positions,
        heights=at,
        links=_links(tree, positions, at),
        link_groups=link_groups,
        leaf_groups=leaf_groups,
        stems=_stems(tree, positions, at, groups),
    )


def _depth_heights(tree: Hierarchy) -> FloatArray:
    n = tree.n_objects
    depths = [0] * n
    for left, right in tree.merges.tolist():
        depths.append(1 + max(depths[left], depths[right]))
    return np.array(depths[n:], dtype=np.float64)


HEIGHTS: dict[str, Callable[[Hierarchy], FloatArray]] = {
    "rank": lambda tree: np.arange(1.0, tree.n_objects),
    "depth": _depth_heights,
    "size": lambda tree: np.log2(tree.sizes[tree.n_objects :]),
}
"""Name -> height of each merge. All of them grow from child to parent, unlike scores."""


def _links(tree: Hierarchy, positions: FloatArray, heights: FloatArray) -> FloatArray:
    left, right = tree.merges.T
    tops = heights[tree.n_objects :]
    corners = [
        (positions[left], heights[left]),
        (positions[left], tops),
        (positions[right], tops),
        (positions[right], heights[right]),
    ]
    return np.stack([np.column_stack(corner) for corner in corners], axis=1)


def _groups(
    tree: Hierarchy, labels: LabelArray | None, order: Int32Array
) -> tuple[LabelArray, LabelArray]:
    n = tree.n_objects
    link_groups = np.full(n - 1, ABOVE_CUT, dtype=np.intp)
    if labels is None:
        return link_groups, np.full(n, ABOVE_CUT, dtype=np.intp)
    ordered = labels[order]
    _, firsts = np.unique(ordered, return_index=True)  # clusters are slices of the order
    by_position = {label: group for group, label in enumerate(
        label for label in ordered[np.sort(firsts)].tolist() if label != ABOVE_CUT
    )}  # fmt: skip
    node_groups = [by_position.get(label, ABOVE_CUT) for label in labels.tolist()]
    leaf_groups = np.array(node_groups, dtype=np.intp)
    for left, right in tree.merges.tolist():
        is_one = node_groups[left] == node_groups[right]
        node_groups.append(node_groups[left] if is_one else ABOVE_CUT)
    link_groups[:] = node_groups[n:]
    return link_groups, leaf_groups


def _stems(
    tree: Hierarchy, positions: FloatArray, heights: FloatArray, groups: LabelArray
) -> FloatArray:
    """Return the legs above clusters, whose group differs from that of the node above."""
    below = np.flatnonzero(groups[:-1] != ABOVE_CUT)
    tops = below[groups[tree.parents[below]] != groups[below]]
    tops = tops[np.argsort(groups[tops])]
    lower = np.column_stack([positions[tops], heights[tops]])
    upper = np.column_stack([positions[tops], heights[tree.parents[tops]]])
    return np.stack([lower, upper], axis=1)
