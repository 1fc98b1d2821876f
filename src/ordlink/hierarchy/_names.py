"""Names of objects and of branches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ordlink._text import counted
from ordlink._validate import check_names
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy._linkage import node_heights
from ordlink.hierarchy._node import Node, NodeKey, find_node, find_objects, lca

if TYPE_CHECKING:
    from ordlink.hierarchy._hierarchy import Hierarchy

TYPICAL = "typical"


def check_branch_names(names: Any, n_merges: int) -> tuple[str | None, ...] | None:
    """Return one name or None per merge; None if no branch has a name."""
    if names is None:
        return None
    if isinstance(names, str | bytes | dict) or not isinstance(names, Iterable):
        problem = f"expected a list of names, None for none, got {type(names).__name__}"
        raise InputKindError(problem, parameter="branch_names")
    given = list(names)
    if len(given) != n_merges:
        problem = f"expected {counted(n_merges, 'name')}, one per merge, got {len(given):,}"
        raise InputError(problem, parameter="branch_names")
    wrong = [name for name in given if not isinstance(name, str | None)]
    if wrong:
        problem = f"expected texts, None for none, got {wrong[0]!r}"
        raise InputKindError(problem, parameter="branch_names")
    known = [name for name in given if name is not None]
    check_names(known, None)
    return tuple(given) if known else None


def rename(tree: Hierarchy, names: Mapping[Any, str] | Callable[[str], str]) -> Hierarchy:
    """Return the same tree with other names for some of the objects.

    `names` maps names or numbers of objects to new names, or is a function that is called with the
    name of each object. For all names at once see `with_names`, for branches `name_branches`.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> tree = Hierarchy([[0, 1]], names=["ant", "bee"])
    >>> tree.rename({"ant": "Ameise"}).names, tree.rename(str.upper).names
    (('Ameise', 'bee'), ('ANT', 'BEE'))
    """
    labels = list(tree.labels_text)
    given: object = names
    if isinstance(given, Mapping):
        for key, name in given.items():
            labels[find_objects(tree, [key], "names")[0]] = name
    elif callable(given):
        labels = [given(label) for label in labels]
    else:
        problem = f"expected a dict from old to new names or a function, got {type(given).__name__}"
        remedy = "for one name per object, use with_names"
        raise InputKindError(problem, parameter="names", remedy=remedy)
    return tree.with_names(labels)


def name_branches(
    tree: Hierarchy,
    names: Mapping[Any, str | None] | Callable[[Node], str | None] | str | Sequence[str | None],
) -> Hierarchy:
    """Return the same tree with names for branches, which all files keep.

    Parameters
    ----------
    names : mapping, function, "typical" or sequence
        A mapping from branches to names (None removes one): a branch is given by its number, its
        present name, its node, or a tuple of objects whose lowest common ancestor it is; other
        branches keep their names. A function is called with the `Node` of each branch and returns
        a name or None. "typical" names each branch by the object that is least dissimilar, on
        average, from the others in it. A sequence has a name or None for each merge.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
    >>> tree.name_branches({("ant", "bee"): "insects", 5: "pets"}).to_newick()
    '((ant:1,bee:1)insects:2,(cat:2,dog:2)pets:1);'
    >>> tree.name_branches(lambda node: f"{node.size} animals").root.name
    '4 animals'
    """
    n = tree.n_objects
    found: Sequence[str | None]
    if isinstance(names, str):
        if names != TYPICAL:
            remedy = "or give a dict or a function"
            raise InputError(f"expected 'typical', got {names!r}", parameter="names", remedy=remedy)
        found = [tree.name_of(i) for i in typical_objects(tree)]
    elif isinstance(names, Mapping):
        chosen = list(tree.branch_names or [None] * (n - 1))
        for key, name in names.items():
            chosen[_branch(tree, key) - n] = name
        found = chosen
    elif callable(names):
        found = [names(Node(tree, number)) for number in range(n, 2 * n - 1)]
    else:
        found = names
    return tree.with_branch_names(found)


def _branch(tree: Hierarchy, key: NodeKey | tuple[NodeKey, ...]) -> int:
    number = lca(tree, *key).number if isinstance(key, tuple) else find_node(tree, key, "names")
    if number < tree.n_objects:
        problem = f"expected a branch, got the object {key!r}"
        raise InputError(problem, parameter="names", remedy="for names of objects, use rename")
    return number


def typical_objects(tree: Hierarchy) -> list[int]:
    """Return for each merge the object with the least mean dissimilarity to the others under it.

    The dissimilarity of two objects is the height of the merge that joins them, its rank if there
    are no heights; of equally typical objects, the first.
    """
    n, heights = tree.n_objects, node_heights(tree, None)
    # Sum of dissimilarities to the others under the node, and the object that has the least.
    best = [(0.0, i) for i in range(n)]
    for node, pair in enumerate(tree.merges.tolist(), start=n):
        sums = []
        for child, other in (pair, pair[::-1]):
            total, i = best[child]
            sums.append((total + float(tree.sizes[other] * heights[node]), i))
        best.append(min(sums))
    return [i for _, i in best[n:]]


def prune(tree: Hierarchy, objects: Any) -> Hierarchy:
    """Return the tree without some objects, given by name or number.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
    >>> tree.prune(["bee"]).to_newick()
    '(ant:2,(cat:1,dog:1):1);'
    """
    gone = find_objects(tree, objects, "objects")
    kept = np.setdiff1d(np.arange(tree.n_objects), gone)
    if not len(kept):
        raise InputError("no object would be left", parameter="objects")
    return tree.restrict(kept)


def reorder(tree: Hierarchy, order: Any = "tree") -> Hierarchy:
    """Return the same tree with its objects numbered in another order.

    Branches are drawn in the order of their smallest object, so this changes drawings too.

    Parameters
    ----------
    order : "tree" or sequence
        Names or numbers of all objects in the new order; "tree" is `leaf_order`.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3]], names=["ant", "bee", "cat"])
    >>> tree.reorder(["cat", "bee", "ant"]).to_newick()
    '(cat:2,(bee:1,ant:1):1);'
    """
    if isinstance(order, str) and order == "tree":
        return tree.restrict(tree.leaf_order)
    wanted = find_objects(tree, order, "order")
    if len(wanted) != tree.n_objects:
        problem = f"expected all {counted(tree.n_objects, 'object')}, got {len(wanted):,}"
        remedy = "to leave some out, use prune"
        raise InputError(problem, parameter="order", remedy=remedy)
    return tree.restrict(wanted)
