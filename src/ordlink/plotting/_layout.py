"""The coordinates of a dendrogram's lines; pure NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, FloatArray, Int32Array, LabelArray
from ordlink._validate import check_choice
from ordlink.errors import InputError
from ordlink.hierarchy import Hierarchy

OWN = "dissimilarity"
"""The heights that a tree has of its own, see `own_heights`."""
ABOVE_CUT = -1
"""The group of a merge that joins clusters of the cut, so belongs to none of them."""


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
        Cluster of each merge and of each object in the cut, numbered by position (so neighbours
        have consecutive numbers); -1 for merges above the cut and where there is no cut.
    stems : ndarray of shape (n_stems, 2, 2), dtype float64
        The (position, height) of both ends of the leg that leads from each cluster of the cut, in
        the order of the groups, up to the merge that absorbs it; empty without a cut.
    cut_height : float or None
        Height between the merges below and above the cut; None where no such height exists.
    """

    leaf_order: Int32Array
    positions: FloatArray
    heights: FloatArray
    links: FloatArray
    link_groups: LabelArray
    leaf_groups: LabelArray
    stems: FloatArray
    cut_height: float | None


def dendrogram_layout(
    tree: Hierarchy,
    *,
    n_clusters: int | None = None,
    heights: str = "rank",
    min_support: float | None = None,
    leaf_order: AnyArray | None = None,
) -> DendrogramLayout:
    """Return the coordinates of the lines of a dendrogram.

    Parameters
    ----------
    tree : Hierarchy
        The tree to draw.
    n_clusters : int, optional
        The cut that groups leaves and merges.
    heights : {"rank", "depth", "size", "dissimilarity"}
        What the height of a merge shows: its place in the order of merges, the number of merges
        on the longest way down, the number of objects (logarithm to base 2), or the dissimilarity
        that the tree itself has (see `own_heights`).
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
    tops = _check_own_heights(tree) if heights == OWN else HEIGHTS[heights](tree)
    order = tree.leaf_order if leaf_order is None else np.asarray(leaf_order, dtype=np.int32)
    node_heights = np.concatenate([np.zeros(n), tops])
    for node in np.flatnonzero(tree.collapsed(min_support))[::-1] + n:  # parents first
        node_heights[node] = node_heights[tree.parents[node]]
    positions = np.empty(2 * n - 1)
    positions[order] = np.arange(n)
    for t, (left, right) in enumerate(tree.merges.tolist()):
        positions[n + t] = (positions[left] + positions[right]) / 2
    link_groups, leaf_groups = _groups(tree, n_clusters, order)
    return DendrogramLayout(
        leaf_order=order,
        positions=positions,
        heights=node_heights,
        links=_links(tree, positions, node_heights),
        link_groups=link_groups,
        leaf_groups=leaf_groups,
        stems=_stems(tree, positions, node_heights, n_clusters),
        cut_height=_cut_height(tops, n_clusters),
    )


def own_heights(tree: Hierarchy) -> FloatArray | None:
    """Return the heights that the tree has of its own, shape (N-1,), or None.

    They are drawn only if all are known and none is below one of its children.
    """
    found = getattr(tree, "heights", None)
    if found is None:
        return None
    heights = np.asarray(found, dtype=np.float64)
    if heights.shape != (tree.n_objects - 1,) or not np.isfinite(heights).all():
        return None
    of_nodes = np.concatenate([np.zeros(tree.n_objects), heights])
    rises = (of_nodes[tree.merges] <= heights[:, None]).all()
    return heights if rises else None


def _check_own_heights(tree: Hierarchy) -> FloatArray:
    heights = own_heights(tree)
    if heights is None:
        raise InputError(
            "this tree has no dissimilarities of its own that rise from the leaves to the root",
            parameter="heights",
            remedy="choose 'cladogram' or 'rank'",
        )
    return heights


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
    tree: Hierarchy, n_clusters: int | None, order: Int32Array
) -> tuple[LabelArray, LabelArray]:
    n = tree.n_objects
    link_groups = np.full(n - 1, ABOVE_CUT, dtype=np.intp)
    if n_clusters is None:
        return link_groups, np.full(n, ABOVE_CUT, dtype=np.intp)
    labels = tree.cut(n_clusters)
    ordered = labels[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))  # clusters are slices of the order
    by_position = np.empty(n_clusters, dtype=np.intp)
    by_position[ordered[starts]] = np.arange(n_clusters)
    node_groups = by_position[labels].tolist()
    leaf_groups = np.array(node_groups, dtype=np.intp)
    for left, _ in tree.merges[: n - n_clusters].tolist():
        node_groups.append(node_groups[left])
    link_groups[: n - n_clusters] = node_groups[n:]
    return link_groups, leaf_groups


def _stems(
    tree: Hierarchy, positions: FloatArray, heights: FloatArray, n_clusters: int | None
) -> FloatArray:
    if n_clusters is None or n_clusters == 1:
        return np.empty((0, 2, 2))
    tops = tree.cut_nodes(n_clusters)
    tops = tops[np.argsort(positions[tops])]
    lower = np.column_stack([positions[tops], heights[tops]])
    upper = np.column_stack([positions[tops], heights[tree.parents[tops]]])
    return np.stack([lower, upper], axis=1)


def _cut_height(tops: FloatArray, n_clusters: int | None) -> float | None:
    if n_clusters is None or not 1 < n_clusters <= len(tops):
        return None
    below, above = tops[: len(tops) + 1 - n_clusters], tops[len(tops) + 1 - n_clusters :]
    # Only ranks always keep the two sides apart; depths and sizes do for some trees.
    return float(below.max() + above.min()) / 2 if below.max() < above.min() else None
