"""The order of the leaves: branches are flipped, so every cluster stays together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordlink._text import listed
from ordlink._typing import AnyArray, FloatArray, Int32Array
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy import Hierarchy

ORDERS = ("tree", "size", "name", "optimal")
"""Orders of the leaves of a drawn tree."""
MOST_OPTIMAL = 2000  # objects: the time of the optimal order grows with their cube


def order_leaves(
    tree: Hierarchy, order: str | Sequence[str] = "tree", similarities: AnyArray | None = None
) -> Int32Array:
    """Return the objects in the order in which they are drawn.

    Parameters
    ----------
    tree : Hierarchy
        The tree.
    order : {"tree", "size", "name", "optimal"} or sequence of str
        As the tree stores them; larger clusters first; by name; such that neighbours are as
        similar as possible (which needs `similarities`); or names in the order wanted, from which
        objects may be missing. Only branches are flipped, so no order can separate a cluster.
    similarities : ndarray of shape (N, N), optional
        How similar objects are, such as `ordlink.methods.adds.adds_similarity(comparisons)`.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["dog", "bee", "cat", "ant"])
    >>> [tree.name_of(i) for i in order_leaves(tree, "name")]
    ['ant', 'cat', 'bee', 'dog']
    >>> [tree.name_of(i) for i in order_leaves(tree, ["cat", "bee"])]
    ['cat', 'ant', 'bee', 'dog']
    """
    if not isinstance(order, str):
        return flip_branches(tree, _wanted_places(tree, order))
    if order == "tree":
        return tree.leaf_order
    if order == "size":
        sizes = -tree.sizes.astype(np.float64)
        return flip_branches(tree, sizes[: tree.n_objects], of_nodes=sizes)
    if order == "name":
        places = np.argsort(np.argsort([name.casefold() for name in tree.labels_text]))
        return flip_branches(tree, places.astype(np.float64), first=True)
    if order == "optimal":
        return _optimal(tree, similarities)
    raise InputError(
        f"expected {', '.join(map(repr, ORDERS))} or a list of names, got {order!r}",
        parameter="order",
    )


def flip_branches(
    tree: Hierarchy,
    of_leaves: FloatArray,
    *,
    of_nodes: FloatArray | None = None,
    first: bool = False,
) -> Int32Array:
    """Return the leaves, the child with the smaller value first: the mean, or least, of leaves.

    Leaves without a value (NaN) do not count; clusters of none of them come last.
    """
    n = tree.n_objects
    known = np.isfinite(of_leaves)
    sums = np.where(known, of_leaves, np.inf if first else 0.0).tolist()
    counts = known.astype(int).tolist()
    values = (of_leaves if of_nodes is None else of_nodes).tolist()
    swapped = np.zeros(n - 1, dtype=bool)
    for t, (left, right) in enumerate(tree.merges.tolist()):
        total = min(sums[left], sums[right]) if first else sums[left] + sums[right]
        sums.append(total)
        counts.append(counts[left] + counts[right])
        if of_nodes is None:
            values.append(total if first else total / counts[-1] if counts[-1] else np.nan)
        swapped[t] = _after(values[left], values[right])
    starts = [0] * (2 * n - 1)
    for t in range(n - 2, -1, -1):
        pair = tree.merges[t].tolist()
        one, other = pair[::-1] if swapped[t] else pair
        starts[one] = starts[n + t]
        starts[other] = starts[n + t] + int(tree.sizes[one])
    return np.argsort(starts[:n]).astype(np.int32)


def _after(left: float, right: float) -> bool:
    return right < left or (left != left and right == right)


def _wanted_places(tree: Hierarchy, wanted: Sequence[str]) -> FloatArray:
    names = {str(name): place for place, name in enumerate(wanted)}
    known = set(tree.labels_text)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(
            f"expected names of objects, got {listed(unknown)}",
            parameter="order",
            remedy="write the names as the tree has them",
        )
    return np.array([names.get(name, np.nan) for name in tree.labels_text], dtype=np.float64)


def _optimal(tree: Hierarchy, similarities: AnyArray | None) -> Int32Array:
    """Return the order with the most similar neighbours (Bar-Joseph, Gifford & Jaakkola 2001)."""
    n = tree.n_objects
    if similarities is None:
        raise InputKindError(
            "the optimal order needs to know how similar objects are",
            parameter="order",
            remedy="pass {similarities}",
        )
    matrix = np.asarray(similarities, dtype=np.float64)
    if matrix.shape != (n, n):
        raise InputError(
            f"expected a matrix of shape ({n}, {n}), got {matrix.shape}", parameter="similarities"
        )
    if n > MOST_OPTIMAL:
        raise InputError(
            f"expected at most {MOST_OPTIMAL:,} objects for the optimal order, got {n:,}",
            parameter="order",
            remedy="choose 'size' or 'name'",
        )
    if n < 3:
        return tree.leaf_order
    from scipy.cluster.hierarchy import leaves_list, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    apart = (matrix.max() - (matrix + matrix.T) / 2) + 1.0
    np.fill_diagonal(apart, 0.0)
    ordered = optimal_leaf_ordering(tree.linkage, squareform(apart, checks=False))
    return np.asarray(leaves_list(ordered), dtype=np.int32)
