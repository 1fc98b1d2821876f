"""Newick, the text format of phylogenetic trees, which most programs for trees read.

Programs read quoted names differently: ape keeps the quotation marks, toytree removes blanks and
splits at commas. What all of them read alike are names without the characters that Newick itself
uses. So a blank is written as an underscore, as the format defines it, and the others as rare
characters that look like them; reading undoes it. Only names that contain such a rare character, or
a blank that is not the ordinary one, are quoted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn

from ordlink._text import quoted
from ordlink._validate import check_choice
from ordlink.errors import InputError, InputKindError
from ordlink.hierarchy._linkage import node_heights
from ordlink.hierarchy._rooted import RootedTree
from ordlink.hierarchy._structure import kept_parents

if TYPE_CHECKING:
    from ordlink.hierarchy._hierarchy import Hierarchy

# Small and fullwidth forms of the characters that Newick or its readers treat specially.
_RARE_FORMS = "\ufe50\ufe54\ufe55\ufe59\ufe5a\ufe5d\ufe5e\ufe5b\ufe5c\uff07\uff02\ufe66\ufe68\ufe4d"
LOOKALIKES = dict(zip(",;:()[]{}'\"=\\_", _RARE_FORMS, strict=True))
PLAIN, QUOTED = "plain", "quoted"
SPELLINGS = (PLAIN, QUOTED)
"""How names are written: without special characters, or in quotation marks."""
_WRITE = str.maketrans(LOOKALIKES | {" ": "_"})
_READ = str.maketrans({rare: usual for usual, rare in LOOKALIKES.items()} | {"_": " "})
_RARE = re.compile(rf"[{''.join(LOOKALIKES.values())}]|[^\S ]")
# A bare underscore means a blank in Newick, so a name with one is quoted like all the rest.
_BARE_NAME = re.compile(r"[A-Za-z0-9.+-]+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_SUPPORT = re.compile(r"[&:,]support=([0-9.eE+-]+)")
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<comment>\[[^\]]*\])|(?P<quoted>'(?:[^']|'')*'|\"[^\"]*\")"
    r"|(?P<sign>[(),;:])|(?P<word>[^\s()\[\],;:']+)"
)


def to_newick(
    tree: Hierarchy,
    *,
    min_support: float | None = None,
    heights: str | None = None,
    names: str = PLAIN,
) -> str:
    r"""Return the tree in Newick format.

    The lengths of branches are differences of `heights`: of the merges' "dissimilarity" (the
    default if the tree has it), or of their "rank" in the merge order, which is not a distance.
    The label of a node is the name of the branch, or else its support, where known; a branch with
    both has the support in a comment. Merges with less than `min_support` are left out: their
    branches begin at the next one above.

    `names` says how names with special characters are written. "plain": a blank becomes an
    underscore, and each of ``,;:()[]{}'"=\_`` a rare character that looks like it, so that ape,
    dendropy, ete and toytree read the same names; `from_newick` restores them. "quoted": in
    quotation marks, as the format defines it; ape keeps the marks, and toytree misreads them.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> tree = Hierarchy([[0, 1]], names=["polar bear", "fox, red"])
    >>> tree.to_newick(), tree.to_newick(names="quoted")
    ('(polar_bear:1,fox﹐_red:1);', "('polar bear':1,'fox, red':1);")
    """
    check_choice(names, "names", SPELLINGS)
    n = tree.n_objects
    at = node_heights(tree, heights)
    digits = 6 if at[-1] < n - 1 else 15  # ranks are whole numbers of any size
    collapsed = tree.collapsed(min_support)
    parents = kept_parents(tree.parents, collapsed)
    tokens: list[str] = []
    # What is still to be written, last first: a text, or a node. No recursion: chains are deep.
    pending: list[str | int] = [2 * n - 2]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            tokens.append(item)
            continue
        parent = int(parents[item])
        length = "" if parent < 0 else f":{at[parent] - at[item]:.{digits}g}"
        if item < n:
            tokens.append(_spell(tree.name_of(item), names) + length)
            continue
        left, right = tree.merges[item - n].tolist()
        if collapsed[item - n]:  # no brackets: its children stand among its siblings
            pending += [right, ",", left]
        else:
            pending += [f"){_branch_label(tree, item, names, length)}", right, ",", left, "("]
    return "".join(tokens) + ";"


def _branch_label(tree: Hierarchy, node: int, spelling: str, length: str) -> str:
    """Return what stands behind the bracket of a branch: name or support, length, comment."""
    support = float(tree.support[node - tree.n_objects])
    # Every tree has the root's cluster, so that its support says nothing.
    share = "" if not length or math.isnan(support) else f"{support:.4g}"
    name = tree.branch_name_of(node)
    if name is None:
        return share + length
    # A name that is a number would be read as support.
    text = _spell(name, QUOTED if _NUMBER.fullmatch(name) else spelling, bare_numbers=False)
    return f"{text}{length}" + (f"[&&NHX:support={share}]" if share else "")


def _spell(name: str, spelling: str, *, bare_numbers: bool = True) -> str:
    """Return a name as Newick text."""
    if spelling == PLAIN and not _RARE.search(name):
        return name.translate(_WRITE)
    if _BARE_NAME.fullmatch(name) and (bare_numbers or not _NUMBER.fullmatch(name)):
        return name
    return "'" + name.replace("'", "''") + "'"


def from_newick(
    tree_type: type[Hierarchy],
    text: str,
    *,
    names: Sequence[str] | None = None,
    underscores: bool = False,
) -> Hierarchy:
    """Return the tree that a Newick text describes.

    The height of a merge is the longest way down to a leaf. Lengths that are merge ranks, as
    `to_newick` writes them for a tree without dissimilarities, give back the order of merges.
    Numbers on branches are support (shares, or percent if one is above 1), other labels are names
    of branches. A node with more than two children becomes several merges, marked as tied and with
    support 0.

    Parameters
    ----------
    text : str
        One tree, which ends in a semicolon.
    names : sequence of str, optional
        The names in the order in which the objects are to be numbered. By default they are numbered
        as they appear; if the names are 0 to N-1, they are the numbers.
    underscores : bool
        Whether underscores in names stay. By default they are blanks, as the format defines it, and
        the characters by which `to_newick` replaces others are restored.

    Examples
    --------
    >>> from ordlink import Hierarchy
    >>> tree = Hierarchy.from_newick("((polar_bear:1,fox:1)0.9:2,'it''s':3);")
    >>> tree.names, tree.heights.tolist(), tree.support.tolist()
    (('polar bear', 'fox', "it's"), [1.0, 3.0], [0.9, nan])
    """
    given: object = text
    if not isinstance(given, str):
        problem = f"expected Newick text, got {type(given).__name__}"
        raise InputKindError(problem, parameter="text")
    return read_newick(tree_type, text, "the Newick text", names=names, underscores=underscores)


def read_newick(
    tree_type: type[Hierarchy],
    text: str,
    where: str,
    *,
    names: Sequence[str] | None = None,
    underscores: bool = False,
) -> Hierarchy:
    """Return the tree of a Newick text; `where` begins every message."""
    rooted = _parse(text, where, underscores=underscores)
    return rooted.to_hierarchy(tree_type, names, where)


def _parse(text: str, where: str, *, underscores: bool) -> RootedTree:
    tree = RootedTree()
    node = tree.add(-1)
    numbers: dict[int, str] = {}  # labels of branches that are numbers
    closed, has_label, is_length = False, False, False
    for kind, token, at in _tokens(text, where):
        if kind == "comment":
            found = _SUPPORT.search(token)
            if found and _NUMBER.fullmatch(found[1]):
                tree.support[node] = float(found[1])
        elif is_length:
            if kind != "word" or not _NUMBER.fullmatch(token):
                _refuse("a length after ':'", token, at, where)
            tree.lengths[node], is_length, has_label = float(token), False, True
        elif kind in ("word", "quoted"):
            if has_label:
                _refuse("',' or ')' after a name", token, at, where)
            has_label = True
            if closed and kind == "word" and _NUMBER.fullmatch(token):
                numbers[node] = token
            else:
                tree.labels[node] = _name(token, kind, underscores=underscores)
        elif token == "(":
            if closed or has_label:
                _refuse("',' or ')' before a new bracket", token, at, where)
            node = tree.add(node)
        elif token == ":":
            is_length = True
        elif token == ";":
            if tree.parents[node] >= 0:
                _refuse("')' for each '('", token, at, where)
            _set_support(tree, numbers)
            return tree
        else:
            node = tree.parents[node]
            if node < 0:
                _refuse("';' after the last bracket", token, at, where)
            closed, has_label = token == ")", False
            if token == ",":
                node = tree.add(node)
    remedy = "the text may be truncated"
    raise InputError("expected ';' at the end of the tree", where=where, remedy=remedy)


def _tokens(text: str, where: str) -> Iterator[tuple[str, str, int]]:
    """Iterate over (kind, token, place) up to the semicolon, after which nothing may follow."""
    at = 1 if text.startswith("\ufeff") else 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            _refuse("a closing quotation mark or bracket", text[at : at + 20], at, where)
        rest = text[found.end() :].strip() if found[0] == ";" else ""
        if rest:
            problem = f"expected one tree, but {quoted(rest)} follows the semicolon"
            raise InputError(problem, where=where)
        if found.lastgroup != "space":
            yield found.lastgroup, found[0], at
        at = found.end()


def _refuse(expected: str, token: str, at: int, where: str) -> NoReturn:
    place = f"{where}, character {at + 1}"
    raise InputError(f"expected {expected}, got {quoted(token)}", where=place)


def _name(token: str, kind: str, *, underscores: bool) -> str:
    if kind == "quoted":
        return token[1:-1].replace("''", "'")
    return token if underscores else token.translate(_READ)


def _set_support(tree: RootedTree, numbers: dict[int, str]) -> None:
    """Take numbers on branches for shares or percent; if one is beyond 100, they are names."""
    values = [float(number) for number in numbers.values()]
    highest, lowest = max(values, default=0.0), min(values, default=0.0)
    for node, value in zip(numbers, values, strict=True):
        if highest > 100 or lowest < 0:
            tree.labels[node] = numbers[node]
        else:
            tree.support[node] = value / 100 if highest > 1 else value
