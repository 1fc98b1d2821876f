"""The binary tree over N objects that every method of the package returns."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ordlink._atomic import write_text
from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, LabelArray
from ordlink.errors import InputError, InputKindError, OrdlinkError
from ordlink.hierarchy import _json, _networkx, _newick, _structure, _text, _validation

Array = TypeVar("Array", bound=AnyArray)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Hierarchy:
    """A binary tree: N objects and N-1 merges in the order in which they happened.

    Nodes are numbered as in SciPy: leaf i is object i, and merge t creates node N + t, so the
    last node, 2N - 2, is the root. Of the two children of a merge, the one that holds the smaller
    smallest object is stored (and drawn) first. The tree cannot be changed.

    Parameters
    ----------
    merges : array-like of shape (N-1, 2), whole numbers
        The two nodes that each merge joins. A tree of one object has no merges.
    scores : array-like of shape (N-1,), optional
        The method's own score of each merge; NaN where a merge has none.
    tied : array-like of bool of shape (N-1,), optional
        True where a tie decided the merge.
    names : sequence of str, optional
        One name per object; two objects may have the same name.
    method : str, optional
        Name of the method that built the tree.
    parameters : mapping, optional
        Options of the method; values that JSON can hold.
    support : array-like of shape (N-1,), optional
        How firmly each merge is supported, from 0 to 1; NaN where it is not known.

    Attributes
    ----------
    merges : ndarray of shape (N-1, 2), dtype int32
    scores : ndarray of shape (N-1,), dtype float64
    tied : ndarray of shape (N-1,), dtype bool
    names : tuple of str, or None
    method : str or None
    parameters : dict
    support : ndarray of shape (N-1,), dtype float64

    Raises
    ------
    InputError, InputKindError
        If the merges are not a tree, or another argument does not fit them.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
    >>> tree
    Hierarchy(4 objects)
    >>> tree.cut(2)
    array([0, 0, 1, 1])
    >>> tree.to_newick()
    '((ant:1,bee:1):2,(cat:2,dog:2):1);'
    >>> print(tree.to_text())
    ant ─┬─────────────────┐
    bee ─┘                 │
    cat ──────────┬────────┘
    dog ──────────┘
    """

    merges: Int32Array
    scores: FloatArray
    tied: BoolArray
    names: tuple[str, ...] | None
    method: str | None
    parameters: dict[str, Any]
    support: FloatArray

    def __init__(
        self,
        merges: ArrayLike,
        *,
        scores: ArrayLike | None = None,
        tied: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        method: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        support: ArrayLike | None = None,
    ) -> None:
        checked = _structure.smaller_objects_left(_validation.check_merges(merges))
        n_merges = len(checked)
        fields = {
            "merges": _read_only(checked),
            "scores": _read_only(_validation.check_scores(scores, n_merges)),
            "tied": _read_only(_validation.check_tied(tied, n_merges)),
            "names": _validation.check_names(names, n_merges + 1),
            "method": _validation.check_method(method),
            "parameters": _validation.check_parameters(parameters),
            "support": _read_only(_validation.check_support(support, n_merges)),
        }
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    # --- what the tree is -------------------------------------------------------------------

    def with_origin(self, method: str, parameters: Mapping[str, Any]) -> Hierarchy:
        """Return the same tree with a note of how it was made."""
        return self._with(
            method=_validation.check_method(method),
            parameters=_validation.check_parameters(parameters),
        )

    def with_support(self, support: ArrayLike) -> Hierarchy:
        """Return the same tree with the support of each merge, which drawings and files show.

        Parameters
        ----------
        support : array-like of shape (N-1,)
            From 0 to 1, or NaN where it is not known; such as `ordlink.validation.branch_support`
            gives.

        Examples
        --------
        >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
        >>> tree = tree.with_support([0.97, 0.4, 1])
        >>> tree.to_newick()
        '((ant:1,bee:1)0.97:2,(cat:2,dog:2)0.4:1);'
        >>> tree.to_newick(min_support=0.5)
        '((ant:1,bee:1)0.97:2,cat:3,dog:3);'
        >>> print(tree.to_text(min_support=0.5))
        ant ─┬97───────────────┐
        bee ─┘                 │
        cat ───────────────────┤
        dog ───────────────────┘
        """
        n_merges = self.n_objects - 1
        return self._with(support=_read_only(_validation.check_support(support, n_merges)))

    def _with(self, **changed: Any) -> Hierarchy:
        """Return a copy with some fields changed, which have been checked."""
        noted = object.__new__(Hierarchy)
        noted.__dict__.update(self.__dict__ | changed)
        return noted

    @property
    def n_objects(self) -> int:
        """Number of objects, N."""
        return len(self.merges) + 1

    @property
    def n_tied_merges(self) -> int:
        """Number of merges that a tie decided."""
        return int(self.tied.sum())

    @cached_property
    def parents(self) -> Int32Array:
        """Parent of each node, -1 for the root; shape (2N-1,), dtype int32."""
        return _read_only(_structure.node_parents(self.merges))

    @cached_property
    def sizes(self) -> Int32Array:
        """Number of objects under each node (1 for a leaf); shape (2N-1,), dtype int32."""
        return _read_only(_structure.node_sizes(self.merges))

    @cached_property
    def leaf_order(self) -> Int32Array:
        """Objects in the order in which a drawing shows them; shape (N,), dtype int32."""
        order = np.empty(self.n_objects, dtype=np.int32)
        order[self._starts[: self.n_objects]] = np.arange(self.n_objects, dtype=np.int32)
        return _read_only(order)

    @cached_property
    def _starts(self) -> Int32Array:
        """Place in `leaf_order` of the first leaf under each node: its leaves are a slice."""
        return _read_only(_structure.node_starts(self.merges, self.sizes))

    @property
    def linkage(self) -> FloatArray:
        """The tree for `scipy.cluster.hierarchy`: children, height, size; shape (N-1, 4), float64.

        The height of merge t is t + 1: scores need not be monotone, so they stay apart. Each
        access gives a new array, since some functions of SciPy refuse read-only ones.
        """
        heights = np.arange(1, self.n_objects)
        columns = (self.merges, heights, self.sizes[self.n_objects :])
        return np.column_stack(columns).astype(np.float64)

    @property
    def labels_text(self) -> tuple[str, ...]:
        """What to write at each leaf: the names, or the object numbers where there are none."""
        return self.names or tuple(str(i) for i in range(self.n_objects))

    def name_of(self, i: int) -> str:
        """Return the name of object `i`, or its number where the tree has no names."""
        return self.names[i] if self.names is not None else str(i)

    # --- clusters ---------------------------------------------------------------------------

    def cut(self, n_clusters: int) -> LabelArray:
        """Return the partition into `n_clusters` clusters: the first N - n_clusters merges.

        Parameters
        ----------
        n_clusters : int
            From 1 to N.

        Returns
        -------
        ndarray of shape (N,), dtype intp
            Clusters are numbered by their smallest object, so object 0 has label 0.

        Examples
        --------
        >>> Hierarchy([[1, 2], [0, 3], [4, 5]]).cut(3)
        array([0, 1, 1, 2])
        """
        n = self.n_objects
        k = _validation.check_whole_number(
            n_clusters,
            "n_clusters",
            lowest=1,
            highest=n,
            remedy=f"a tree of {n} objects can be cut into 1 to {n} clusters",
        )
        existing = 2 * n - k  # nodes that exist after N - k merges
        parents = self.parents[:existing]
        tops = np.flatnonzero((parents >= existing) | (parents < 0))
        return _structure.label_clusters(self.leaf_order, self._starts[tops], self.sizes[tops])

    def levels(self, n_clusters: Sequence[int]) -> LabelArray:
        """Return one `cut` per entry of `n_clusters`, as the rows of a (n_levels, N) array.

        Examples
        --------
        >>> Hierarchy([[0, 1], [2, 3], [4, 5]]).levels([2, 3])
        array([[0, 0, 1, 1],
               [0, 0, 1, 2]])
        """
        given: object = n_clusters
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InputKindError(
                f"n_clusters: expected several numbers of clusters, such as [2, 4], got "
                f"{n_clusters!r}; for one, use cut."
            )
        cuts = [self.cut(k) for k in n_clusters]
        return np.array(cuts, dtype=np.intp).reshape(len(cuts), self.n_objects)

    def members(self, node: int) -> Int32Array:
        """Return the objects under `node` in increasing order, dtype int32."""
        node = self._check_node(node)
        start = int(self._starts[node])
        return np.sort(self.leaf_order[start : start + int(self.sizes[node])])

    def clusters(self) -> Iterator[tuple[int, Int32Array]]:
        """Iterate over (node, members) of the N-1 merged nodes, in the order of the merges."""
        for node in range(self.n_objects, 2 * self.n_objects - 1):
            yield node, self.members(node)

    def lca_ranks(self) -> Int32Array:
        """Return for each two objects the merge t that first joins them.

        Returns
        -------
        ndarray of shape (N, N), dtype int32
            Symmetric, with -1 on the diagonal. Costs O(N^2) time and memory.
        """
        return _structure.lca_ranks(self.merges, self.leaf_order, self._starts, self.sizes)

    def lca_sizes(self) -> Int32Array:
        """Return for each two objects the size of the smallest cluster that holds both.

        Returns
        -------
        ndarray of shape (N, N), dtype int32
            Symmetric, with 1 on the diagonal. Costs O(N^2) time and memory.
        """
        # Rank -1 (the diagonal) finds the 1 that is put last.
        sizes = np.append(self.sizes[self.n_objects :], np.int32(1))
        return sizes[self.lca_ranks()]

    def subtree(self, node: int) -> Hierarchy:
        """Return the tree of the objects under `node`, which keep their names and order."""
        return self.restrict(self.members(node))

    def restrict(self, objects: ArrayLike) -> Hierarchy:
        """Return the tree of some of the objects: all others are left out.

        Parameters
        ----------
        objects : array-like of int
            The objects to keep; ``objects[k]`` is object k of the new tree.

        Returns
        -------
        Hierarchy
            Merges keep their order, score, tie mark and support. Names are kept; where there are
            none, the numbers in this tree become the names (unless nothing was left out or moved).

        Examples
        --------
        >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
        >>> tree.restrict([0, 2, 3]).to_newick()
        '(ant:2,(cat:1,dog:1):1);'
        """
        kept = _validation.check_objects(objects, self.n_objects)
        if np.array_equal(kept, np.arange(self.n_objects)):
            return self
        merges, rows = _structure.restrict_merges(self.merges, kept)
        return Hierarchy(
            merges,
            scores=self.scores[rows],
            tied=self.tied[rows],
            names=[self.name_of(i) for i in kept.tolist()],
            method=self.method,
            parameters=self.parameters,
            support=self.support[rows],
        )

    # --- export -----------------------------------------------------------------------------

    def to_newick(self, *, min_support: float | None = None) -> str:
        """Return the tree in Newick format; a branch is as long as the merge ranks it spans.

        Names with blanks or special characters are quoted. Two objects may have the same name.
        The support of a merge, where it is known, is the label of its node.

        Parameters
        ----------
        min_support : float, optional
            Merges with less support are left out: their branches begin at the next one above.
        """
        return _newick.to_newick(self, self._collapsed(min_support))

    def to_networkx(self) -> Any:
        """Return the tree as a `networkx.DiGraph`, with edges from parents to children.

        Nodes are numbered as in `merges`. They carry `kind` ("object" or "merge"), `size`, `height`
        and `name` or `score`, `tied` and, where it is known, `support`; edges carry `length`.

        Raises
        ------
        MissingDependencyError
            If networkx is not installed.
        """
        return _networkx.to_networkx(self)

    def to_json(self) -> str:
        """Return the tree as JSON text in the format "ordlink-hierarchy", version 1."""
        return _json.to_json(self)

    @classmethod
    def from_json(cls, text: str) -> Hierarchy:
        """Read a tree from the text that `to_json` gives."""
        return cls._from_text(text, "the JSON text")

    def save(self, path: str | Path) -> None:
        """Write the tree to a JSON file, completely or not at all.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        write_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | Path) -> Hierarchy:
        """Read a tree from a file that `save` wrote.

        Raises
        ------
        InputError
            If the file cannot be read or does not hold a tree; the message names the file.
        """
        return cls._from_text(_json.read_text(Path(path)), str(path))

    @classmethod
    def _from_text(cls, text: str, source: str) -> Hierarchy:
        fields = _json.parse_fields(text, source)
        try:
            return cls(**fields)
        except OrdlinkError as error:
            raise InputError(f"{source}: {error}") from error

    def to_text(
        self,
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
            Brackets on the left show the clusters of this cut, with their labels.
        labels : bool
            Whether to write the names.
        ascii : bool
            Whether to draw the lines with ASCII characters only.
        min_support : float, optional
            Merges with less support are drawn as part of the next one above. Where support is
            known it is written on the branches in percent. Where the width does not suffice for
            all, it is written on those that are long enough.

        Examples
        --------
        >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
        >>> print(tree.to_text(n_clusters=2, ascii=True))
        0 , ant -+-----------------.
          ' bee -'                 |
        1 , cat ----------+--------'
          ' dog ----------'
        """
        return _text.to_text(
            self,
            width=width,
            n_clusters=n_clusters,
            labels=labels,
            ascii=ascii,
            collapsed=self._collapsed(min_support),
        )

    def plot(self, **options: Any) -> Any:
        """Draw the tree with Matplotlib; see `ordlink.plotting.plot_hierarchy` for the options.

        Returns
        -------
        matplotlib.axes.Axes
        """
        # Plotting is a higher layer: it is named here, and loaded only when a plot is asked for.
        return importlib.import_module("ordlink.plotting").plot_hierarchy(self, **options)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays come out of pickles and deep copies writable.
        for name, value in state.items():
            self.__dict__[name] = _read_only(value) if isinstance(value, np.ndarray) else value

    # --- the usual ----------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Say whether merges, scores, support (NaN equals NaN), tie marks and names are equal."""
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return (
            np.array_equal(self.merges, other.merges)
            and np.array_equal(self.scores, other.scores, equal_nan=True)
            and np.array_equal(self.tied, other.tied)
            and np.array_equal(self.support, other.support, equal_nan=True)
            and self.names == other.names
        )

    def __hash__(self) -> int:
        return hash((self.merges.tobytes(), self.names))

    def __repr__(self) -> str:
        objects = "1 object" if self.n_objects == 1 else f"{self.n_objects} objects"
        method = f", method={self.method!r}" if self.method else ""
        tied = f", {self.n_tied_merges} tied merges" if self.n_tied_merges else ""
        return f"Hierarchy({objects}{method}{tied})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Through __init__: arrays that come out of a pickle would be writable otherwise.
        return _rebuild, (
            self.merges,
            self.scores,
            self.tied,
            self.names,
            self.method,
            self.parameters,
            self.support,
        )

    def _collapsed(self, min_support: float | None) -> BoolArray:
        """Mark the merges that are left out for want of support; never the last one."""
        collapsed = np.zeros(self.n_objects - 1, dtype=np.bool_)
        if min_support is not None:
            collapsed[:-1] = self.support[:-1] < _validation.check_min_support(min_support)
        return _read_only(collapsed)

    def _check_node(self, node: int) -> int:
        last = 2 * self.n_objects - 2
        remedy = f"leaves are 0 to {self.n_objects - 1} and the root is {last}"
        return _validation.check_whole_number(node, "node", lowest=0, highest=last, remedy=remedy)


def _rebuild(
    merges: Int32Array,
    scores: FloatArray,
    tied: BoolArray,
    names: tuple[str, ...] | None,
    method: str | None,
    parameters: dict[str, Any],
    support: FloatArray | None = None,  # pickles of earlier versions have none
) -> Hierarchy:
    return Hierarchy(
        merges,
        scores=scores,
        tied=tied,
        names=names,
        method=method,
        parameters=parameters,
        support=support,
    )


def _read_only(array: Array) -> Array:
    array.setflags(write=False)
    return array
