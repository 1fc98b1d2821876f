"""One node of a tree: a leaf, which is an object, or a branch, which is a merge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ordlink._text import counted, did_you_mean, quoted, shorten
from ordlink._typing import Int32Array
from ordlink._validate import check_whole_number
from ordlink.errors import InputError

if TYPE_CHECKING:
    from ordlink.hierarchy._hierarchy import Hierarchy


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """A leaf or a branch of a tree, from which its neighbours are reached.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
    >>> tree.root.children
    (Node(4, 2 objects: ant, bee), Node(5, 2 objects: cat, dog))
    >>> tree.node("cat").parent.leaves
    ('cat', 'dog')
    """

    tree: Hierarchy
    number: int
    """As in `Hierarchy.merges`: object i is leaf i, merge t creates node N + t."""

    @property
    def is_leaf(self) -> bool:
        """Whether this node is an object."""
        return self.number < self.tree.n_objects

    @property
    def name(self) -> str | None:
        """Name of the object or of the branch, which may have none."""
        if self.is_leaf:
            return self.tree.name_of(self.number)
        return self.tree.branch_name_of(self.number)

    @property
    def children(self) -> tuple[Node, ...]:
        """The two nodes that were merged; none under a leaf."""
        if self.is_leaf:
            return ()
        row = self.tree.merges[self.number - self.tree.n_objects]
        return tuple(Node(self.tree, child) for child in row.tolist())

    @property
    def parent(self) -> Node | None:
        """The node above; None for the root."""
        parent = int(self.tree.parents[self.number])
        return None if parent < 0 else Node(self.tree, parent)

    @property
    def size(self) -> int:
        """Number of objects under the node; 1 for a leaf."""
        return int(self.tree.sizes[self.number])

    @property
    def objects(self) -> Int32Array:
        """Numbers of the objects under the node, increasing."""
        return self.tree.members(self.number)

    @property
    def leaves(self) -> tuple[str, ...]:
        """Names of the objects under the node, in the order of their numbers."""
        return tuple(self.tree.name_of(i) for i in self.objects.tolist())

    @property
    def height(self) -> float:
        """Dissimilarity at which the node was merged, NaN if unknown; 0 for a leaf."""
        return 0.0 if self.is_leaf else self._of_merge("heights")

    @property
    def support(self) -> float:
        """Bootstrap support from 0 to 1; NaN if unknown, and for a leaf."""
        return self._of_merge("support")

    @property
    def score(self) -> float:
        """The method's own score of the merge; NaN if there is none, and for a leaf."""
        return self._of_merge("scores")

    def _of_merge(self, column: str) -> float:
        merge = self.number - self.tree.n_objects
        return float("nan") if merge < 0 else float(getattr(self.tree, column)[merge])

    def subtree(self) -> Hierarchy:
        """Return the tree of the objects under the node."""
        return self.tree.subtree(self.number)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return self.number == other.number and (self.tree is other.tree or self.tree == other.tree)

    def __hash__(self) -> int:
        return hash(self.number)

    def __int__(self) -> int:
        return self.number

    def __repr__(self) -> str:
        if self.is_leaf:
            return f"Node({self.number}, {self.name!r})"
        shown = [self.tree.name_of(i) for i in self.objects[:8].tolist()]
        names = shorten(", ".join(shown) + (", ..." if self.size > len(shown) else ""))
        name = "" if self.name is None else f"{self.name!r}, "
        return f"Node({self.number}, {name}{counted(self.size, 'object')}: {names})"


NodeKey: TypeAlias = int | str | Node
"""How a node is named: its number, the name of an object or a branch, or the node itself."""


def find_node(
    tree: Hierarchy, key: Any, parameter: str = "key", index: dict[str, list[int]] | None = None
) -> int:
    """Return the number of a node; a name is looked up among objects first, then branches."""
    if isinstance(key, Node):
        if key.tree is not tree and key.tree != tree:
            raise InputError("this node belongs to another tree", parameter=parameter)
        return key.number
    n = tree.n_objects
    if not isinstance(key, str):
        remedy = f"leaves are 0 to {n - 1} and the root is {2 * n - 2}; or give a name"
        return check_whole_number(key, parameter, lowest=0, highest=2 * n - 2, remedy=remedy)
    index = name_index(tree) if index is None else index
    if key not in index:
        problem = f"no object or branch is named {quoted(key)}{did_you_mean(key, index)}"
        raise InputError(problem, parameter=parameter)
    found = [number for number in index[key] if number < n] or index[key]
    if len(found) > 1:
        problem = (
            f"{len(found)} {'objects' if found[0] < n else 'branches'} are named {quoted(key)}"
        )
        remedy = f"give the number of one: {', '.join(map(str, found[:5]))}"
        raise InputError(problem, parameter=parameter, remedy=remedy)
    return found[0]


def name_index(tree: Hierarchy) -> dict[str, list[int]]:
    """Return the nodes that have each name."""
    index: dict[str, list[int]] = {}
    for number, name in enumerate((*tree.labels_text, *(tree.branch_names or ()))):
        if name is not None:
            index.setdefault(name, []).append(number)
    return index


def find_objects(tree: Hierarchy, keys: Any, parameter: str) -> list[int]:
    """Return the numbers of objects; a name or a number alone is a list of one."""
    single = isinstance(keys, int | str | Node) or not hasattr(keys, "__iter__")
    index = name_index(tree)
    found = []
    for key in [keys] if single else list(keys):
        number = find_node(tree, key, parameter, index)
        if number >= tree.n_objects:
            problem = f"expected objects, got the branch {key!r}"
            remedy = "list the objects under it: node.objects"
            raise InputError(problem, parameter=parameter, remedy=remedy)
        found.append(number)
    return found


def root(tree: Hierarchy) -> Node:
    """Return the node above all others."""
    return Node(tree, 2 * tree.n_objects - 2)


def node(tree: Hierarchy, key: NodeKey) -> Node:
    """Return a node by its number, or by the name of an object or a branch."""
    return Node(tree, find_node(tree, key))


def nodes(tree: Hierarchy) -> Iterator[Node]:
    """Iterate over all nodes from the root down, each before those under it."""
    pending = [2 * tree.n_objects - 2]
    while pending:
        number = pending.pop()
        yield Node(tree, number)
        if number >= tree.n_objects:
            pending += reversed(tree.merges[number - tree.n_objects].tolist())


def lca(tree: Hierarchy, *keys: NodeKey) -> Node:
    """Return the lowest common ancestor: the smallest cluster that contains all of these nodes.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> tree = Hierarchy([[0, 1], [2, 3], [4, 5]], names=["ant", "bee", "cat", "dog"])
    >>> tree.lca("ant", "bee").number, tree.lca("ant", "dog").number
    (4, 6)
    """
    if not keys:
        raise InputError("expected at least one object or branch, got none", parameter="keys")
    numbers = {find_node(tree, key, "keys") for key in keys}
    while len(numbers) > 1:  # a parent has a larger number than its children
        lowest = min(numbers)
        numbers.remove(lowest)
        numbers.add(int(tree.parents[lowest]))
    return Node(tree, numbers.pop())


def to_dict(tree: Hierarchy) -> dict[str, Any]:
    """Return the tree as nested dicts of plain values, as drawing libraries such as D3 take it.

    A leaf has `name` and `node`; a branch has `node`, `size`, `children` and, where they are known,
    `name`, `height` (the dissimilarity), `support` and `score`.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> Hierarchy([[0, 1]], names=["ant", "bee"]).to_dict()
    {'node': 2, 'size': 2, 'children': [{'node': 0, 'name': 'ant'}, {'node': 1, 'name': 'bee'}]}
    """
    made: list[dict[str, Any]] = [
        {"node": i, "name": name} for i, name in enumerate(tree.labels_text)
    ]
    for number in range(tree.n_objects, 2 * tree.n_objects - 1):
        branch = Node(tree, number)
        content: dict[str, Any] = {"node": number, "size": branch.size}
        if branch.name is not None:
            content["name"] = branch.name
        numbers = {"height": branch.height, "support": branch.support, "score": branch.score}
        content |= {key: value for key, value in numbers.items() if value == value}
        content["children"] = [made[child.number] for child in branch.children]
        made.append(content)
    return made[-1]
