"""The tree as a table with one row per merge: SciPy's linkage, scikit-learn's children, pandas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ordlink._typing import AnyArray, FloatArray
from ordlink._validate import check_choice
from ordlink.errors import InputError, InputKindError, MissingDependencyError

if TYPE_CHECKING:
    from ordlink.hierarchy._hierarchy import Hierarchy

DISSIMILARITY, RANK = "dissimilarity", "rank"
LENGTHS = (DISSIMILARITY, RANK)
"""What heights of merges and lengths of branches may be."""


def node_heights(tree: Hierarchy, heights: str | None) -> FloatArray:
    """Return the height of every node: by default dissimilarities if known, and else ranks."""
    if heights is None:
        heights = DISSIMILARITY if tree.has_heights else RANK
    check_choice(heights, "heights", LENGTHS)
    if heights == DISSIMILARITY and not tree.has_heights:
        raise InputError(
            "this tree has no dissimilarities, which need answers",
            parameter="heights",
            remedy="use 'rank', the order of merges",
        )
    tops = tree.heights if heights == DISSIMILARITY else np.arange(1.0, tree.n_objects)
    return np.concatenate([np.zeros(tree.n_objects), tops])


def to_linkage(tree: Hierarchy, *, heights: str | None = None) -> FloatArray:
    """Return the tree for `scipy.cluster.hierarchy`: children, height, size; (N-1, 4), float64.

    `heights` is "dissimilarity" (the default if known) or "rank", which gives `linkage`. Rows are
    in the order of the heights, as SciPy expects, so dissimilarities may renumber the merges.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], heights=[0.3, 0.1, 0.6])
    >>> tree.to_linkage().tolist()
    [[2.0, 3.0, 0.1, 2.0], [0.0, 1.0, 0.3, 2.0], [4.0, 5.0, 0.6, 4.0]]
    """
    n = tree.n_objects
    tops = node_heights(tree, heights)[n:]
    order = np.argsort(tops, kind="stable")  # a merge stays behind those under it
    new_node = np.arange(2 * n - 1)
    new_node[n + order] = np.arange(n, 2 * n - 1)
    children = np.sort(new_node[tree.merges[order]], axis=1)
    return np.column_stack([children, tops[order], tree.sizes[n:][order]]).astype(np.float64)


def from_linkage(
    tree_type: type[Hierarchy],
    linkage: Any,
    *,
    names: Sequence[str] | None = None,
    heights: str | None = None,
) -> Hierarchy:
    """Return the tree of a linkage matrix, as `scipy.cluster.hierarchy` makes it.

    Parameters
    ----------
    linkage : array-like of shape (N-1, 3 or more)
        Two nodes and the height of each merge; further columns are ignored.
    names : sequence of str, optional
        One name per object.
    heights : {"dissimilarity", "rank"}, optional
        Whether to keep the heights or only the order of the merges. By default they are kept,
        unless they are 1, 2, ..., N-1, as in `Hierarchy.linkage`.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> Hierarchy.from_linkage([[0, 1, 0.2, 2], [2, 3, 0.5, 3]], names=["a", "b", "c"]).to_newick()
    '((a:0.2,b:0.2):0.3,c:0.5);'
    """
    try:
        table = np.asarray(linkage, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise InputKindError("expected a matrix of numbers", parameter="linkage") from error
    if table.size == 0:
        return tree_type([], names=names)
    if table.ndim != 2 or table.shape[1] < 3:
        problem = f"expected the shape (n_objects - 1, 4), got {table.shape}"
        remedy = "each row has two nodes, a height and a size, as in scipy.cluster.hierarchy"
        raise InputError(problem, parameter="linkage", remedy=remedy)
    merges = _whole(table[:, :2], "linkage")
    return tree_type(merges, names=names, heights=kept_heights(table[:, 2], heights))


def from_scikit(
    tree_type: type[Hierarchy], model: Any, *, names: Sequence[str] | None = None
) -> Hierarchy:
    """Return the tree of a fitted scikit-learn model, such as `AgglomerativeClustering`.

    Parameters
    ----------
    model : estimator or array-like of shape (N-1, 2)
        A model with `children_` and perhaps `distances_`, or the children alone.
    names : sequence of str, optional
        One name per object.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> Hierarchy.from_scikit([[0, 1], [2, 3]]).to_newick()
    '((0:1,1:1):1,2:2);'
    """
    children = np.asarray(getattr(model, "children_", model))
    if children.dtype.kind not in "iuf" or (children.size and children.ndim != 2):
        remedy = "fit the model, or pass its {children_}"
        raise InputKindError("expected a fitted model", parameter="model", remedy=remedy)
    distances = getattr(model, "distances_", None)
    heights = None if distances is None else kept_heights(np.asarray(distances), None)
    return tree_type(_whole(children, "model"), names=names, heights=heights)


def kept_heights(given: AnyArray, heights: str | None) -> AnyArray | None:
    """Return the heights of merges, or None if they are merge ranks (or only these are wanted)."""
    check_choice(heights or RANK, "heights", LENGTHS)
    if heights is None:
        heights = RANK if is_ranks(given) else DISSIMILARITY
    return None if heights == RANK else given


def is_ranks(heights: AnyArray) -> bool:
    """Return whether heights are the ranks 1, 2, ... of the merges, in order."""
    return bool(np.array_equal(heights, np.arange(1, len(heights) + 1)))


def _whole(nodes: AnyArray, parameter: str) -> AnyArray:
    whole = np.zeros(nodes.shape, dtype=np.int64)
    fits = np.isfinite(nodes) & (np.abs(nodes) < 2**53)
    whole[fits] = nodes[fits].astype(np.int64)
    wrong = np.argwhere(whole != nodes)
    if len(wrong):
        problem = f"merge {wrong[0][0]} joins node {nodes[tuple(wrong[0])]}"
        raise InputError(f"expected whole numbers, but {problem}", parameter=parameter)
    return whole


def merge_columns(tree: Hierarchy) -> dict[str, list[Any]]:
    """Return the merges as named columns; what the tree does not have has no column.

    `cluster_1` and `cluster_2` are nodes, `rank` is the order of merges, which is not a distance.
    Missing numbers are None. `linkage.csv` has these columns.
    """
    merges = tree.linkage.astype(int).T.tolist()
    columns = dict(zip(("cluster_1", "cluster_2", "rank", "size"), merges, strict=True))
    columns |= {"score": _known(tree.scores), "tied": tree.tied.tolist()}
    others = {"support": tree.support, "dissimilarity": tree.heights, "evidence": tree.evidence}
    columns |= {name: _known(some) for name, some in others.items() if np.isfinite(some).any()}
    if tree.branch_names is not None:
        columns["name"] = list(tree.branch_names)
    return columns


def _known(numbers: FloatArray) -> list[float | None]:
    return [None if math.isnan(number) else number for number in numbers.tolist()]


def to_pandas(tree: Hierarchy) -> Any:
    """Return a `pandas.DataFrame` with one row per merge, indexed by the node that it creates.

    The columns are those of `linkage.csv`: `cluster_1`, `cluster_2`, `rank`, `size`, `score`,
    `tied`, and where they are known `support`, `dissimilarity`, `evidence` and `name`.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> Hierarchy([[0, 1], [2, 3]]).to_pandas()[["cluster_1", "cluster_2", "size"]].loc[4].tolist()
    [3, 2, 3]
    """
    try:
        import pandas
    except ImportError as error:
        problem = "to_pandas needs the package pandas, which is not installed"
        raise MissingDependencyError(problem, remedy="run: pip install pandas") from error
    n = tree.n_objects
    columns = merge_columns(tree)
    columns["score"] = tree.scores.tolist()  # NaN, so that a column without scores has numbers
    return pandas.DataFrame(columns, index=pandas.RangeIndex(n, 2 * n - 1, name="node"))
