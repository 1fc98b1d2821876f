"""Rules on imports that no import-linter contract can state: `python -m tests.import_rules`."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "ordlink"
WEB = ("fastapi", "starlette", "uvicorn", "sqlalchemy", "argon2")
USERS = ("cli", "collect", "report")
"""Packages that import nothing private from other packages; modules beside them are shared."""


def problems(source: Path = SOURCE) -> list[str]:
    """Return a line for each import that breaks a rule."""
    return [
        f"{path.relative_to(source)}:{line}: {problem}"
        for path in sorted(source.rglob("*.py"))
        for line, module in _imports(path)
        for problem in _problems(path.relative_to(source), module)
    ]


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module


def _problems(path: Path, module: str) -> Iterator[str]:
    package, library = path.parts[0], module.split(".")[0]
    if library == "numba" and not path.name.startswith("_kernels"):
        yield "Numba is imported only in files named _kernels*.py"
    if library == "matplotlib" and package != "plotting":
        yield "Matplotlib is imported only in plotting"
    if library in WEB and package != "collect":
        yield "the web framework and the database are imported only in collect"
    parts = module.split(".")
    is_foreign = library == "ordlink" and package in USERS and parts[1:2] != [package]
    if is_foreign and any(part.startswith("_") for part in parts[2:]):
        yield f"{package} imports public names only, not those of {module}"


if __name__ == "__main__":
    found = problems()
    print("\n".join(found) or "imports follow the rules")
    sys.exit(bool(found))
