"""Where the golden results are, and how they are written and compared."""

from __future__ import annotations

import hashlib
import json
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import ordlink as ol
from tests.golden import commands, files, trees, values
from tests.golden.codes import CLOSE, CLOSE_BY_BLAS, code, differences, text_differences

HERE = Path(__file__).parent
TREES, DATA_TREES, VALUES = HERE / "trees.json", HERE / "data_trees.json", HERE / "values.json"
COMMANDS, FILES = HERE / "commands.json", HERE / "files"
_GROUPS = {
    TREES: (trees.cases, trees.is_by_blas),
    DATA_TREES: (trees.data_cases, trees.is_by_blas),
    VALUES: (values.cases, values.is_by_blas),
}
ARITHMETIC = HERE / "arithmetic.txt"
"""The arithmetic of the machine on which the results were written."""
FILES_BY_BLAS = ("report", "compare")
"""Groups of files with numbers that depend a little on the linear algebra of the machine."""


def arithmetic() -> str:
    """Return a hash of what this machine's linear algebra and elementary functions give.

    Iterative fits follow the last bits of these to other trees, so their results can be compared
    only with those of a machine that rounds alike.
    """
    matrix = np.random.default_rng(0).normal(size=(60, 60))
    gram = matrix @ matrix.T
    parts = [gram, *np.linalg.eigh(gram), np.exp(matrix), np.log1p(np.abs(matrix))]
    return hashlib.sha256(b"".join(one.tobytes() for one in parts)).hexdigest()


def is_comparable(path: Path, name: str) -> bool:
    """Return whether a case gives the same on this machine as where the results were written."""
    return not _GROUPS[path][1](name) or rounds_alike()


def rounds_alike() -> bool:
    """Return whether this machine's arithmetic is that of the golden results."""
    return ARITHMETIC.read_text(encoding="utf-8").strip() == arithmetic()


def names(path: Path) -> list[str]:
    """Return the names of the cases of a group."""
    return [name for name, _ in _GROUPS[path][0]()]


def load(path: Path) -> dict[str, Any]:
    """Return the golden results of a group."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def make_case(path: Path, name: str) -> Any:
    """Return the result of a case as it is now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ol.errors.OrdlinkWarning)
        made = dict(_GROUPS[path][0]())[name]()
    return json.loads(json.dumps(code(made)))


def compare_case(path: Path, name: str, *, exact: bool = False) -> list[str]:
    """Return what differs between a case and its golden result."""
    close = CLOSE_BY_BLAS if _GROUPS[path][1](name) else CLOSE
    old = load(path).get(name)
    if old is None:
        return ["there is no golden result; write it with python -m tests.golden"]
    return list(differences(old, make_case(path, name), close=None if exact else close))


def file_groups() -> list[str]:
    """Return the names of the groups of files."""
    return [*(name for name, _ in files.makings()), "study"]


def make_files(group: str) -> dict[str, str]:
    """Return the texts of a group of files as they are now."""
    if group == "study":
        from tests.golden.study import show_study

        return show_study()
    return files.make(dict(files.makings())[group])


def compare_files(group: str, *, exact: bool = False) -> list[str]:
    """Return what differs between files and their golden texts."""
    close = None if exact else CLOSE_BY_BLAS if group in FILES_BY_BLAS else CLOSE
    new = make_files(group)
    old = {
        path.relative_to(FILES / group).as_posix().removesuffix(".golden"): path.read_bytes()
        for path in (FILES / group).rglob("*.golden")
    }
    found = [f"{name}: {'gone' if name in old else 'new'}" for name in sorted(old.keys() ^ new)]
    for name in sorted(old.keys() & new.keys()):
        found += [
            f"{name}, {line}"
            for line in text_differences(old[name].decode(), new[name], close=close)
        ]
    return found


def compare_commands() -> list[str]:
    """Return what differs between the options of the commands and the golden ones."""
    return list(differences(load(COMMANDS), commands.defaults(), close=None))


def groups_here() -> list[Path]:
    """Return the groups of cases that can be made here; some need public data."""
    return [TREES, VALUES, *([DATA_TREES] if trees.data_home() else [])]


def compare_all() -> Iterator[str]:
    """Yield all that is not the same to the last bit."""
    for path in groups_here():
        for name in names(path):
            yield from (
                f"{path.stem} {name}: {one}" for one in compare_case(path, name, exact=True)
            )
        for name in sorted(load(path).keys() - set(names(path))):
            yield f"{path.stem} {name}: gone"
    for group in file_groups():
        yield from (f"files {group}: {one}" for one in compare_files(group, exact=True))
    yield from (f"commands: {one}" for one in compare_commands())


def write_all() -> None:
    """Write all golden results again; those of data that is not here stay as they are."""
    ARITHMETIC.write_text(arithmetic() + "\n", encoding="utf-8")
    for path in groups_here():
        results = {name: make_case(path, name) for name in names(path)}
        _write_json(path, results)
    shutil.rmtree(FILES, ignore_errors=True)
    for group in file_groups():
        for name, text in make_files(group).items():
            target = FILES / group / f"{name}.golden"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
    _write_json(COMMANDS, commands.defaults())


def _write_json(path: Path, content: dict[str, Any]) -> None:
    """Write JSON with a line for each case."""
    lines = [f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in content.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
