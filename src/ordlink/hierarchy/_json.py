"""The file format "ordlink-hierarchy": one JSON object, version 1.

    {"format": "ordlink-hierarchy", "version": 1, "n_objects": 3, "names": ["a", "b", "c"],
     "merges": [[0, 1], [3, 2]], "scores": [0.5, null], "tied": [false, true],
     "method": "4-AL", "parameters": {}, "support": [0.9, 1.0]}

`merges` are node ids as in `Hierarchy.merges`; a `null` score means that the merge has none;
`names` and `method` may be `null`. `support` is there only where it is known, `null` for merges
without; so trees of earlier versions, which had none, are read as well.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ordlink.errors import InputError

if TYPE_CHECKING:
    from ordlink.hierarchy._hierarchy import Hierarchy

FORMAT = "ordlink-hierarchy"
VERSION = 1


def to_json(tree: Hierarchy) -> str:
    """Write the tree as JSON text, one merge per line."""
    head = {"format": FORMAT, "version": VERSION, "n_objects": tree.n_objects}
    lines = [f'"{key}": {_dump(value)}' for key, value in head.items()]
    lines.append(f'"names": {_dump(tree.names and list(tree.names))}')
    rows = ",\n  ".join(_dump(merge) for merge in tree.merges.tolist())
    lines.append(f'"merges": [\n  {rows}\n]' if rows else '"merges": []')
    scores = [None if math.isnan(score) else score for score in tree.scores.tolist()]
    lines.append(f'"scores": {_dump(scores)}')
    lines.append(f'"tied": {_dump(tree.tied.tolist())}')
    lines.append(f'"method": {_dump(tree.method)}')
    lines.append(f'"parameters": {_dump(tree.parameters)}')
    support = [None if math.isnan(share) else share for share in tree.support.tolist()]
    if any(share is not None for share in support):
        lines.append(f'"support": {_dump(support)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read_text(path: Path) -> str:
    """Read a UTF-8 file, with a message of its own for everything that is not one."""
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file; check the name and folder.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"{path}: the file cannot be read ({reason}); check its name and permissions."
        ) from error
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{path}: this file is in UTF-16; save it again as UTF-8.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: {_foreign('binary data or another encoding')}") from error
    if "\0" in text:
        raise InputError(f"{path}: {_foreign('binary data or UTF-16')}")
    return text


def parse_fields(text: str, source: str) -> dict[str, Any]:
    """Read the arguments of `Hierarchy` from JSON text; `source` begins every message."""
    if not text.strip():
        raise InputError(f"{source}: it is empty; expected a tree saved by Hierarchy.save.")
    try:
        content = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{source}, line {error.lineno}, column {error.colno}: this is not JSON ({error.msg}); "
            "the file may be cut off: save the tree again."
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{source}: this is not a saved tree ({error}); save the tree again."
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{source}: {_foreign('other JSON')}")
    version = content.get("version")
    if type(version) is not int or version != VERSION:
        raise InputError(
            f"{source}: the format has version {version!r}, but this ordlink reads version "
            f"{VERSION}; update ordlink, or save the tree again."
        )
    for field, (fits, expected) in FIELDS.items():
        if field not in content:
            raise InputError(f"{source}: {field!r} is missing; save the tree again.")
        if not fits(content[field]):
            raise InputError(
                f"{source}: {field!r} must be {expected}, got {_shorten(content[field])}; "
                "save the tree again."
            )
    if content["n_objects"] != len(content["merges"]) + 1:
        raise InputError(
            f"{source}: a tree of {content['n_objects']} objects needs one merge less than "
            f"objects, got {len(content['merges'])} merges; the file is incomplete."
        )
    scores = [math.nan if score is None else float(score) for score in content["scores"]]
    support = content.get("support")
    if support is not None:
        if not _list_of(_is_score)(support):
            raise InputError(
                f"{source}: 'support' must be a list of finite numbers or null, got "
                f"{_shorten(support)}; save the tree again."
            )
        support = [math.nan if share is None else float(share) for share in support]
    fields = {key: content[key] for key in FIELDS if key != "n_objects"}
    return fields | {"scores": scores, "support": support}


def _is_int(value: object) -> bool:
    return type(value) is int and abs(value) < 2**31


def _is_score(value: object) -> bool:
    return value is None or _is_int(value) or (type(value) is float and math.isfinite(value))


def _list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(fits(item) for item in value)


FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "n_objects": (lambda value: _is_int(value) and value >= 1, "a whole number of at least 1"),
    "names": (
        lambda value: value is None or _list_of(lambda name: isinstance(name, str))(value),
        "a list of texts or null",
    ),
    "merges": (
        _list_of(lambda row: _list_of(_is_int)(row) and len(row) == 2),
        "a list of pairs of node numbers",
    ),
    "scores": (_list_of(_is_score), "a list of finite numbers or null"),
    "tied": (_list_of(lambda value: isinstance(value, bool)), "a list of true and false"),
    "method": (lambda value: value is None or isinstance(value, str), "a text or null"),
    "parameters": (lambda value: isinstance(value, dict), "an object"),
}
"""Field -> (condition, what is expected); `Hierarchy` itself checks that the merges are a tree."""


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _foreign(what: str) -> str:
    return (
        f"this is {what}, not a saved tree; expected a JSON file with the "
        f'format "{FORMAT}", as Hierarchy.save writes it.'
    )


def _shorten(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."
