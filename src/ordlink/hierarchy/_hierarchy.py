"""The binary tree over N objects that every method of the package returns."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordlink._text import counted
from ordlink._tree_view import notebook_view
from ordlink._typing import BoolArray, FloatArray, Int32Array
from ordlink._validate import check_names, check_number, check_objects
from ordlink.hierarchy import (
    _json,
    _linkage,
    _names,
    _networkx,
    _newick,
    _node,
    _partition,
    _text,
    _validation,
)
from ordlink.hierarchy._structure import MergeTree, read_only, restrict_merges, smaller_objects_left


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Hierarchy(MergeTree):
    """A binary tree: N objects and N-1 merges in the order in which they happened.

    Nodes are numbered as in SciPy: leaf i is object i, and merge t creates node N + t, so the
    last node, 2N - 2, is the root. Of the two children of a merge, the one with the smaller
    smallest object is stored (and drawn) first. The tree cannot be changed: the parameters become
    attributes, the arrays (int32, float64 and bool) read-only.

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
        Options of the method; values that JSON can represent.
    support : array-like of shape (N-1,), optional
        Bootstrap support of each merge, from 0 to 1; NaN where it is unknown.
    heights : array-like of shape (N-1,), optional
        Dissimilarity of each merge: the probability that two objects that it joins are judged less
        alike than a random pair. None is below that of a merge under it; NaN for all merges if it
        is unknown, as without answers.
    evidence : array-like of shape (N-1,), optional
        Evidence of the answers for splitting each merge's cluster in two, a log-likelihood ratio;
        NaN if unknown.
    branch_names : sequence of str or None, optional
        Name of the branch that each merge creates, None for none; see `name_branches`.

    Examples
    --------
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
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
    heights: FloatArray
    evidence: FloatArray
    branch_names: tuple[str | None, ...] | None

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
        heights: ArrayLike | None = None,
        evidence: ArrayLike | None = None,
        branch_names: Sequence[str | None] | None = None,
    ) -> None:
        checked = smaller_objects_left(_validation.check_merges(merges))
        n_merges = len(checked)
        risen = _validation.check_heights(heights, checked)
        self.__dict__.update(
            merges=read_only(checked),
            scores=read_only(_validation.check_per_merge(scores, n_merges, "scores")),
            tied=read_only(_validation.check_per_merge(tied, n_merges, "tied")),
            names=check_names(names, n_merges + 1),
            method=_validation.check_method(method),
            parameters=_validation.check_parameters(parameters),
            support=read_only(_validation.check_per_merge(support, n_merges, "support")),
            heights=read_only(risen),
            evidence=read_only(_validation.check_per_merge(evidence, n_merges, "evidence")),
            branch_names=_names.check_branch_names(branch_names, n_merges),
        )

    def with_origin(self, method: str, parameters: Mapping[str, Any]) -> Hierarchy:
        """Return the same tree with the method and parameters that built it."""
        checked = _validation.check_parameters(parameters)
        return self._with(method=_validation.check_method(method), parameters=checked)

    def with_names(self, names: Sequence[str] | None) -> Hierarchy:
        """Return the same tree with other object names."""
        return self._with(names=check_names(names, self.n_objects))

    def with_branch_names(self, branch_names: Sequence[str | None] | None) -> Hierarchy:
        """Return the same tree with a name or None for each merge; see also `name_branches`."""
        checked = _names.check_branch_names(branch_names, self.n_objects - 1)
        return self._with(branch_names=checked)

    def with_support(self, support: ArrayLike) -> Hierarchy:
        """Return the same tree with the support of each merge, which drawings and files show.

        Shape (N-1,), from 0 to 1 or NaN; for instance that of `ordlink.validation.branch_support`.

        Examples
        --------
        >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]]).with_support([0.97, 0.4, 1])
        >>> tree.to_newick(min_support=0.5)
        '((0:1,1:1)0.97:2,2:3,3:3);'
        """
        checked = _validation.check_per_merge(support, self.n_objects - 1, "support")
        return self._with(support=read_only(checked))

    def with_estimates(self, *, heights: ArrayLike, evidence: ArrayLike) -> Hierarchy:
        """Return the same tree with the dissimilarity of each merge and the evidence for it."""
        risen = _validation.check_heights(heights, self.merges)
        checked = _validation.check_per_merge(evidence, self.n_objects - 1, "evidence")
        return self._with(heights=read_only(risen), evidence=read_only(checked))

    def _with(self, **checked: Any) -> Hierarchy:
        """Return a copy with other notes on the same merges, which keeps what was computed."""
        copy = object.__new__(Hierarchy)
        copy.__dict__.update(self.__dict__ | checked)
        return copy

    @property
    def n_tied_merges(self) -> int:
        """Number of merges that a tie decided."""
        return int(self.tied.sum())

    @property
    def has_heights(self) -> bool:
        """Whether the dissimilarities of merges are known: the tree was built from answers."""
        return bool(np.isfinite(self.heights).all())

    @property
    def has_evidence(self) -> bool:
        """Whether the evidence of answers is known, from which `partition` finds clusters."""
        return bool(np.isfinite(self.evidence).all())

    @property
    def labels_text(self) -> tuple[str, ...]:
        """Label of each leaf: its name, or the object number if the tree has no names."""
        return self.names or tuple(str(i) for i in range(self.n_objects))

    def name_of(self, i: int) -> str:
        """Return the name of object `i`, or its number if the tree has no names."""
        return self.names[i] if self.names is not None else str(i)

    def branch_name_of(self, node: int) -> str | None:
        """Return the name of the branch `node`, from N on, or None if it has none."""
        return None if self.branch_names is None else self.branch_names[node - self.n_objects]

    def collapsed(self, min_support: float | None) -> BoolArray:
        """Return which merges have less support than required, shape (N-1,), dtype bool.

        The root and merges of unknown support are never collapsed; None collapses nothing.
        """
        collapsed = np.zeros(self.n_objects - 1, dtype=np.bool_)
        if min_support is not None:
            lowest = check_number(min_support, "min_support", lowest=0, highest=1)
            collapsed[:-1] = self.support[:-1] < lowest
        return collapsed

    def subtree(self, node: _node.NodeKey) -> Hierarchy:
        """Return the tree of the objects under a node, which keep their names and order."""
        return self.restrict(self.members(_node.find_node(self, node, "node")))

    def restrict(self, objects: ArrayLike) -> Hierarchy:
        """Return the tree of some of the objects: ``objects[k]`` is object k of the new tree.

        Merges keep their order, score, tie mark, support, height, evidence and name. Names of
        objects are kept; where there are none, the numbers in this tree become the names (unless
        all objects are kept in order).

        Examples
        --------
        >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
        >>> tree.restrict([0, 2, 3]).to_newick()
        '(ant:2,(cat:1,dog:1):1);'
        """
        kept = check_objects(objects, self.n_objects, "objects")
        if np.array_equal(kept, np.arange(self.n_objects)):
            return self
        merges, rows = restrict_merges(self.merges, kept)
        return Hierarchy(
            merges,
            scores=self.scores[rows],
            tied=self.tied[rows],
            names=[self.name_of(i) for i in kept.tolist()],
            method=self.method,
            parameters=self.parameters,
            support=self.support[rows],
            heights=self.heights[rows],
            evidence=self.evidence[rows],
            branch_names=self.branch_names and [self.branch_names[t] for t in rows.tolist()],
        )

    # What a tree can do is in other files: functions whose first argument is the tree.
    root = property(_node.root)
    node = _node.node
    nodes = _node.nodes
    lca = _node.lca
    rename = _names.rename
    name_branches = _names.name_branches
    prune = _names.prune
    reorder = _names.reorder
    cut = _partition.cut
    levels = _partition.levels
    partition = _partition.partition
    to_linkage = _linkage.to_linkage
    to_newick = _newick.to_newick
    to_networkx = _networkx.to_networkx
    to_pandas = _linkage.to_pandas
    to_dict = _node.to_dict
    to_text = _text.to_text
    to_json = _json.to_json
    save = _json.save
    merge_columns = _linkage.merge_columns

    from_linkage = classmethod(_linkage.from_linkage)
    from_newick = classmethod(_newick.from_newick)
    from_networkx = classmethod(_networkx.from_networkx)
    from_scikit = classmethod(_linkage.from_scikit)

    @classmethod
    def from_json(cls, text: str) -> Hierarchy:
        """Read a tree from the text that `to_json` returns."""
        return _json.read_tree(text, "the JSON text", cls)

    @classmethod
    def load(cls, path: str | Path) -> Hierarchy:
        """Read a tree from a file that `save` wrote, or from one in Newick format."""
        text = _json.read_text(Path(path))
        if text.lstrip().startswith(("(", "[&")):
            return _newick.read_newick(cls, text, str(path))
        return _json.read_tree(text, str(path), cls)

    def insert(self, data: Any, **options: Any) -> Any:
        """Return the tree with new objects; see `ordlink.methods.growing.insert`."""
        return importlib.import_module("ordlink.methods.growing").insert(self, data, **options)

    def update(self, comparisons: Any) -> Any:
        """Return the tree after new answers; see `ordlink.methods.growing.update`."""
        return importlib.import_module("ordlink.methods.growing").update(self, comparisons)

    def plot(self, **options: Any) -> Any:
        """Draw the tree with Matplotlib; see `ordlink.plotting.plot_hierarchy` for the options."""
        # Plotting is a higher layer, and is loaded only when a plot is requested.
        return importlib.import_module("ordlink.plotting").plot_hierarchy(self, **options)

    def to_svg(self, **options: Any) -> str:
        """Return a drawing as SVG text; the options are those of `plot`, except `ax`."""
        return str(importlib.import_module("ordlink.plotting").svg_text(self, **options))

    def _repr_html_(self) -> str | None:
        """Return the zoomable tree that notebooks show."""
        return notebook_view(self)

    def __eq__(self, other: object) -> bool:
        """Compare merges, scores, support (NaN equals NaN), tie marks and all names."""
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return (
            np.array_equal(self.merges, other.merges)
            and np.array_equal(self.scores, other.scores, equal_nan=True)
            and np.array_equal(self.tied, other.tied)
            and np.array_equal(self.support, other.support, equal_nan=True)
            and self.names == other.names
            and self.branch_names == other.branch_names
        )

    def __hash__(self) -> int:
        return hash((self.merges.tobytes(), self.names))

    def __repr__(self) -> str:
        method = f", method={self.method!r}" if self.method else ""
        n_tied = self.n_tied_merges
        tied = f", {counted(n_tied, 'tied merge')}" if n_tied else ""
        return f"Hierarchy({counted(self.n_objects, 'object')}{method}{tied})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Through __init__: arrays that come out of a pickle would be writable otherwise.
        return _rebuild, tuple(getattr(self, field.name) for field in fields(self))


def _rebuild(*values: Any) -> Hierarchy:
    named = zip(fields(Hierarchy), values, strict=False)  # old pickles lack the last
    return Hierarchy(**{field.name: value for field, value in named})
