"""The versioned header of our own files: what the rows alone do not say."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from ordlink._text import shorten
from ordlink._validate import check_names
from ordlink.comparisons import ListedComparisons
from ordlink.comparisons._pairs import MAX_OBJECTS
from ordlink.errors import InputError
from ordlink.io._source import reading

MAGIC = "ordlink-comparisons"
"""Marks our own files; its value is the version."""
VERSION = 1
"""Version of the files that are written, and the newest that can be read."""


@dataclass(frozen=True)
class FileHeader:
    """Number of objects, their names, and the number of rows, which shows that none is missing."""

    n_objects: int
    names: tuple[str, ...] | None = None
    n_rows: int | None = None

    @staticmethod
    def of(comparisons: ListedComparisons) -> FileHeader:
        """Return the header of a file of these comparisons."""
        return FileHeader(comparisons.n_objects, comparisons.names, comparisons.n_rows)

    def to_json(self, **more: Any) -> str:
        """Return the header, and what a format adds to it, as one line of JSON."""
        return json.dumps({MAGIC: VERSION, **self._fields(), **more}, ensure_ascii=False)

    def to_comments(self) -> str:
        """Return the header as the lines at the top of a text file."""
        fields = self._fields().items()
        lines = [f"# {key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields]
        return f"# {MAGIC} {VERSION}\n" + "".join(lines)

    def _fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = (
            {"n_objects": self.n_objects} if self.names is None else {"objects": list(self.names)}
        )
        return fields if self.n_rows is None else {**fields, "n_rows": self.n_rows}

    def check_n_rows(self, n_rows: int, source: str) -> None:
        """Raise InputError if rows are missing or were added."""
        if self.n_rows is not None and n_rows != self.n_rows:
            raise InputError(
                f"the header announces {self.n_rows} rows, the file has {n_rows}",
                where=source,
                remedy="it may be cut off; if rows were changed on purpose, remove n_rows from the "
                "header",
            )


def header_from_comments(lines: list[str], source: str) -> FileHeader | None:
    """Return the header in the comment lines at the top of a text file, None if there is none.

    Other comments may stand among them.
    """
    if not lines or not lines[0].startswith(f"# {MAGIC}"):
        return None
    version = re.fullmatch(rf"# {MAGIC} ([0-9]{{1,9}})", lines[0].rstrip())
    if version is None:
        _refuse(source, f"its first line is not '# {MAGIC} {VERSION}'")
    fields: dict[str, Any] = {MAGIC: int(version[1])}
    for line in lines[1:]:
        field = re.fullmatch(r"# (objects|n_objects|n_rows):(.*)", line, flags=re.DOTALL)
        if field is None:
            continue
        if field[1] in fields:
            _refuse(source, f"'{field[1]}' occurs twice in it")
        fields[field[1]] = parse_json(field[2], source)
    return header_from_object(fields, source)


def header_from_object(fields: Any, source: str) -> FileHeader:
    """Return the header that was parsed from JSON."""
    if not isinstance(fields, dict) or MAGIC not in fields:
        _refuse(source, f"it is not an object with the key {MAGIC!r}")
    version = fields[MAGIC]
    if not _is_count(version) or version < 1:
        _refuse(source, f"its version is {version!r}")
    if version > VERSION:
        raise InputError(
            f"written by a newer ordlink (file version {version}, this one reads up to {VERSION})",
            where=source,
            remedy="update ordlink",
        )
    names, n_objects, n_rows = (fields.get(key) for key in ("objects", "n_objects", "n_rows"))
    if n_objects is not None and not (_is_count(n_objects) and n_objects <= MAX_OBJECTS):
        _refuse(
            source, f"n_objects is {shorten(repr(n_objects))}, not a number from 0 to {MAX_OBJECTS}"
        )
    if n_rows is not None and not _is_count(n_rows):
        _refuse(source, f"n_rows is {shorten(repr(n_rows))}, not a number")
    if names is None:
        if n_objects is None:
            _refuse(source, "it has neither objects nor n_objects")
        return FileHeader(n_objects, None, n_rows)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        _refuse(source, "objects is not a list of names")
    if len(names) > MAX_OBJECTS:
        _refuse(source, f"there are more than {MAX_OBJECTS} objects")
    try:
        return FileHeader(len(names), check_names(names, n_objects), n_rows)
    except InputError as error:
        _refuse(source, error.problem)


def parse_json(text: str, source: str) -> Any:
    """Parse strict JSON: no key twice, no NaN."""
    with reading(source, "JSON", "correct it or write it again"):
        return _DECODER.decode(text)


def parse_json_line(text: str, source: str, line: int) -> Any:
    """Parse one of many lines; :func:`parse_json` without its cost where nothing is wrong."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return parse_json(text, f"{source}, line {line}")


def _refuse(source: str, problem: str) -> NoReturn:
    raise InputError(
        f"the header of this ordlink file is damaged: {problem}",
        where=source,
        remedy="write the file again",
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} occurs twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_without_repeats, parse_constant=_no_constant)
