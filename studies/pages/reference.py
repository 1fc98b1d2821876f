"""The pages of the API and of the commands, one for each name; `docs/conf.py` writes them."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import itertools
import pkgutil
import pprint
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import ordlink
from ordlink.cli import COMMANDS

LONGEST_VALUE = 25
"""Constants whose value takes more lines are shown without it."""


@functools.cache
def public_packages() -> list[str]:
    """Return the packages with public names; the package itself comes first."""
    named = [f"ordlink.{n}" for n in ordlink.__all__ if isinstance(getattr(ordlink, n), ModuleType)]
    methods = [
        f"ordlink.methods.{module.name}"
        for module in pkgutil.iter_modules(ordlink.methods.__path__)
        if not module.name.startswith("_")
    ]
    found = ["ordlink", *named, *methods, "ordlink.cli"]
    return [name for name in found if public_names(name)]


@functools.cache
def public_names(package: str) -> list[str]:
    """Return the public names of a package that are not packages themselves."""
    module = importlib.import_module(package)
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == package
    ]
    names = [name for name in names if not isinstance(getattr(module, name), ModuleType)]
    if package == "ordlink.cli":
        names.append("COMMANDS")
    return sorted(names)


@functools.cache
def home_of(package: str, name: str) -> str:
    """Return the package whose page describes a name that several packages offer."""
    value = getattr(importlib.import_module(package), name)
    offering = [
        other
        for other in public_packages()
        if name in public_names(other) and getattr(importlib.import_module(other), name) is value
    ]
    where = getattr(value, "__module__", "")
    inside = [other for other in offering if f"{where}.".startswith(f"{other}.")]
    defining = [other for other in offering if _constant_doc(other, name)]
    return max(inside or defining or offering, key=len)


def write_reference(folder: Path) -> None:
    """Write the pages of all public names and all commands to a folder, in place of old ones."""
    pages = {path: "\n".join(lines) + "\n" for path, lines in _pages()}
    for old in folder.glob("*/*.rst"):
        if str(old.relative_to(folder).as_posix()) not in pages:
            old.unlink()
    for path, text in pages.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists() or place.read_text(encoding="utf-8") != text:  # else nothing to build
            place.write_text(text, encoding="utf-8")


def _pages() -> Iterator[tuple[str, Iterator[str]]]:
    packages = public_packages()
    yield "api/index.rst", _index("Python", "The packages:", packages)
    for package in packages:
        yield f"api/{package}.rst", _package_page(package)
        for name in public_names(package):
            if home_of(package, name) == package:
                yield f"api/{_file_name(package, name)}.rst", _name_page(package, name)
    yield "commands/index.rst", _command_index()
    for name in COMMANDS:
        yield f"commands/{name}.rst", _command_page(name)


def _file_name(package: str, name: str) -> str:
    # A class and a package may differ in case only, which some file systems do not tell apart.
    return f"{package}.{name}" + ("-class" if name in ("Comparisons", "Hierarchy") else "")


def _title(text: str, mark: str = "=") -> list[str]:
    return [text, mark * len(text), ""]


def _index(title: str, text: str, pages: list[str]) -> Iterator[str]:
    yield from _title(title)
    yield from (text, "", ".. toctree::", "   :maxdepth: 1", "")
    yield from (f"   {page}" for page in pages)


def _package_page(package: str) -> Iterator[str]:
    module = importlib.import_module(package)
    yield from _title(package)
    yield from (f".. py:module:: {package}", "")
    yield from ((inspect.getdoc(module) or "").partition("\n\n")[0], "")
    yield from (".. list-table::", "   :widths: auto", "")
    homes = {name: home_of(package, name) for name in public_names(package)}
    for name, home in homes.items():
        yield f"   * - :py:obj:`{name} <{home}.{name}>`"
        yield f"     - {_summary(home, name)}"
    here = [name for name, home in homes.items() if home == package]
    if here:
        yield from ("", ".. toctree::", "   :hidden:", "")
        yield from (f"   {name} <{_file_name(package, name)}>" for name in here)


def _summary(package: str, name: str) -> str:
    text = _doc(package, name).partition("\n\n")[0]
    return " ".join(text.split())


def _doc(package: str, name: str) -> str:
    if name == "__version__":
        return "The version."
    value = getattr(importlib.import_module(package), name)
    if inspect.isclass(value) or inspect.isroutine(value):
        return inspect.getdoc(value) or ""
    return _constant_doc(package, name)


@functools.cache
def _constant_doc(package: str, name: str) -> str:
    """Return the string below the assignment of a constant, in the files of its package."""
    place = Path(inspect.getfile(importlib.import_module(package)))
    files = sorted(place.parent.glob("*.py")) if place.name == "__init__.py" else [place]
    if package == "ordlink":
        files = [place]
    for file in files:
        body = _statements(file)
        for node, after in itertools.pairwise(body):
            if not (isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)):
                continue
            targets = getattr(node, "targets", [getattr(node, "target", None)])
            names = [one for target in targets if target for one in ast.walk(target)]
            if any(isinstance(one, ast.Name) and one.id == name for one in names):
                return inspect.cleandoc(str(after.value.value))
    return ""


@functools.cache
def _statements(file: Path) -> list[ast.stmt]:
    return ast.parse(file.read_text(encoding="utf-8")).body


def _name_page(package: str, name: str) -> Iterator[str]:
    value = getattr(importlib.import_module(package), name)
    full = f"{package}.{name}"
    yield from _title(name)
    if inspect.isclass(value) and issubclass(value, Exception):
        yield from (f".. autoexception:: {full}", "   :show-inheritance:", "   :members:")
    elif inspect.isclass(value):
        yield from (f".. autoclass:: {full}", "   :members:")
    elif inspect.isroutine(value):
        yield f".. autofunction:: {full}"
    else:
        yield from (f".. py:data:: {full}", "")
        yield from (f"   {line}" for line in _doc(package, name).splitlines())
        shown = pprint.pformat(value, width=90, sort_dicts=False).splitlines()
        if len(shown) <= LONGEST_VALUE and " at 0x" not in "".join(shown):
            yield from ("", "   .. code-block:: python", "")
            yield from (f"      {line}" for line in shown)


def _command_page(name: str) -> Iterator[str]:
    module = f"ordlink.cli.{name.replace('-', '_')}"
    yield from (f".. click:: {module}:command", f"   :prog: ordlink {name}", "   :nested: full")


def _command_index() -> Iterator[str]:
    yield from _title("Commands")
    yield "``ordlink COMMAND --help`` shows the same text. The exit code is 0 on success, and 2 if"
    yield "the input or the arguments are wrong; the message says where and what to do."
    yield from ("", ".. list-table::", "   :widths: auto", "")
    for name, text in COMMANDS.items():
        yield from (f"   * - :doc:`ordlink {name} <{name}>`", f"     - {text}")
    yield from ("", ".. toctree::", "   :hidden:", "")
    yield from (f"   {name}" for name in COMMANDS)
