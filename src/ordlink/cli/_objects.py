"""The objects that a model is asked about: names, descriptions or pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ordlink.cli._answers import picture_files
from ordlink.cli._tables import OBJECT_COLUMNS, read_rows
from ordlink.comparisons import natural_key
from ordlink.errors import InputError
from ordlink.io import read_names

TEXT_COLUMNS = ("description", "text")


def read_objects(path: str) -> tuple[Sequence[str | Path], list[str]]:
    """Return the objects of a file or a folder, and their names."""
    things: Sequence[str | Path]
    if Path(path).is_dir():
        files = picture_files(path)
        names = sorted(files, key=natural_key)
        things = [files[name] for name in names]
    else:
        described = _read_descriptions(path) or [(name, name) for name in read_names(path)]
        names, things = [name for name, _ in described], [text for _, text in described]
    repeated = [name for name, number in Counter(names).items() if number > 1]
    if repeated:
        problem = f"the name {repeated[0]!r} occurs twice"
        raise InputError(problem, where=path, remedy="give each object a name of its own")
    if len(names) < 3:
        raise InputError(f"expected at least three objects, got {len(names)}", where=path)
    return things, names


def _read_descriptions(path: str) -> list[tuple[str, str]]:
    """Return the names and texts of a table, if it has a column of texts."""
    if not path.lower().endswith((".csv", ".tsv")):
        return []
    rows = read_rows(path)
    titles = [cell.lower() for cell in rows[0][1]] if rows else [""]
    columns = [at for at, title in enumerate(titles) if title in TEXT_COLUMNS]
    if titles[0] not in OBJECT_COLUMNS or not columns:
        return []
    described = []
    for line, cells in rows[1:]:
        if len(cells) <= columns[0] or not cells[0] or not cells[columns[0]]:
            problem = f"the {titles[0]} or the {titles[columns[0]]} is missing"
            raise InputError(problem, where=f"{path}, line {line}")
        described.append((cells[0], cells[columns[0]]))
    return described
