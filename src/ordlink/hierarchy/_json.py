"""The file format of a tree, and files of trees in general.

The file format "ordlink-hierarchy" is one JSON object, version 1:

    {"format": "ordlink-hierarchy", "version": 1, "n_objects": 3, "names": ["a", "b", "c"],
     "merges": [[0, 1], [3, 2]], "scores": [0.5, null], "tied": [false, true],
     "method": "4-AL", "parameters": {}, "support": [0.9, 1.0], "heights": [0.2, 0.6],
     "evidence": [3.1, 20.5], "branch_names": ["pets", null]}

`merges` are node numbers as in `Hierarchy.merges`; a `null` score means that the merge has none;
`names` and `method` may be `null`. `support`, `heights`, `evidence` and `branch_names` are present
only where they are known, `null` for merges without.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ordlink._atomic import write_text
from ordlink._text import counted, shorten
from ordlink.errors import InputError, OrdlinkError

if TYPE_CHECKING:
    from ordlink.hierarchy._hierarchy import Hierarchy


FORMAT = "ordlink-hierarchy"
VERSION = 1
LARGEST_FILE = 32 << 20
MOST_OBJECTS = 10_000_000
"""Limits of what is read: the bytes of a file, and as many objects as comparisons can have."""
_FIELDS = ("names", "merges", "scores", "tied", "method", "parameters")
_OPTIONAL = ("support", "heights", "evidence")  # one number per merge, where they are known
BRANCH_NAMES = "branch_names"


def to_json(tree: Hierarchy) -> str:
    """Return the tree as JSON text in the format "ordlink-hierarchy", version 1."""
    rows = ",\n  ".join(_dump(merge) for merge in tree.merges.tolist())
    fields = {
        "format": _dump(FORMAT),
        "version": _dump(VERSION),
        "n_objects": _dump(tree.n_objects),
        "names": _dump(tree.names),
        "merges": f"[\n  {rows}\n]" if rows else "[]",
        "scores": _dump(_nan_to_null(tree.scores.tolist())),
        "tied": _dump(tree.tied.tolist()),
        "method": _dump(tree.method),
        "parameters": _dump(tree.parameters),
    }
    for name in _OPTIONAL:
        values = _nan_to_null(getattr(tree, name).tolist())
        if any(value is not None for value in values):
            fields[name] = _dump(values)
    if tree.branch_names is not None:
        fields[BRANCH_NAMES] = _dump(tree.branch_names)
    return "{\n" + ",\n".join(f'"{field}": {text}' for field, text in fields.items()) + "\n}\n"


def save(tree: Hierarchy, path: str | Path) -> None:
    """Write the tree to a JSON file, completely or not at all."""
    write_text(path, to_json(tree))


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file."""
    where = str(path)
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=where) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"the file cannot be read ({reason})", where=where) from error
    if len(content) > LARGEST_FILE:
        problem = f"expected the file of a tree, at most {LARGEST_FILE >> 20} MB, got more"
        raise InputError(problem, where=where)
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError("this file is in UTF-16", where=where, remedy="save it again as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_a_tree("binary data or another encoding", where) from error
    if "\0" in text:
        raise _not_a_tree("binary data or UTF-16", where)
    return text


def read_tree(text: str, where: str, tree_type: type[Hierarchy]) -> Hierarchy:
    """Return the tree in a JSON text; `where` begins every message."""
    content = _parse(text, where)
    missing = [field for field in ("n_objects", *_FIELDS) if field not in content]
    if missing:
        raise InputError(f"{missing[0]!r} is missing", where=where, remedy="save the tree again")
    fields: dict[str, Any] = {
        field: content.get(field) for field in (*_FIELDS, *_OPTIONAL, BRANCH_NAMES)
    }
    # The tree checks its arguments, but converts what looks like text, which a file must not.
    names, merges, n_objects = fields["names"], fields["merges"], content["n_objects"]
    if names is not None and not (
        isinstance(names, list) and all(isinstance(name, str) for name in names)
    ):
        raise _wrong_field(names, "names", "a list of texts or null", where)
    if not isinstance(fields[BRANCH_NAMES], list | None):
        expected = "a list of texts, null for branches without a name"
        raise _wrong_field(fields[BRANCH_NAMES], BRANCH_NAMES, expected, where)
    if not (isinstance(merges, list) and all(map(_is_pair, merges))):
        raise _wrong_field(merges, "merges", "a list of pairs of node numbers", where)
    if len(merges) >= MOST_OBJECTS:
        n_given = counted(len(merges) + 1, "object")
        raise InputError(f"expected at most {MOST_OBJECTS:,} objects, got {n_given}", where=where)
    if type(n_objects) is not int or n_objects != len(merges) + 1:
        expected = f"a tree of {shorten(str(n_objects))} objects has one merge less than objects"
        problem = f"{expected}, got {counted(len(merges), 'merge')}"
        remedy = "the file is incomplete: save the tree again"
        raise InputError(problem, where=where, remedy=remedy)
    for field in ("scores", *_OPTIONAL):
        if isinstance(fields[field], list):
            fields[field] = [math.nan if value is None else value for value in fields[field]]
    try:
        return tree_type(**fields)
    except OrdlinkError as error:
        about = {"parameter": error.parameter, "remedy": error.remedy}
        raise InputError(error.problem, where=where, **about) from error


def _parse(text: str, where: str) -> dict[str, Any]:
    """Return the JSON object of a saved tree, whose fields are not checked yet."""
    if not text.strip():
        raise InputError("the file is empty; expected a tree saved by Hierarchy.save", where=where)
    try:
        content = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InputError(
            f"this is not JSON ({error.msg})",
            where=f"{where}, line {error.lineno}, column {error.colno}",
            remedy="the file may be truncated; save the tree again",
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not a saved tree ({error})", where=where) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _not_a_tree("other JSON", where)
    version = content.get("version")
    if type(version) is not int or version != VERSION:
        problem = f"the format has version {version!r}, but this ordlink reads version {VERSION}"
        raise InputError(problem, where=where, remedy="update ordlink, or save the tree again")
    return content


def _is_pair(row: object) -> bool:
    return isinstance(row, list) and len(row) == 2 and all(type(node) is int for node in row)


def _nan_to_null(values: list[float]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values]


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _not_a_tree(what: str, where: str) -> InputError:
    expected = f'a JSON file with the format "{FORMAT}", as Hierarchy.save writes it'
    return InputError(f"this is {what}, not a saved tree; expected {expected}", where=where)


def _wrong_field(value: object, field: str, expected: str, where: str) -> InputError:
    got = shorten(json.dumps(value), 40)
    return InputError(f"{field!r} must be {expected}, got {got}", where=where)
