"""Every public name, command and method has its page."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import ordlink as ol
from ordlink.cli import COMMANDS
from studies.pages.reference import home_of, write_reference
from tests.test_public_names import NAMES, WITHOUT_ALL

DOCS = Path(__file__).parents[2] / "docs"
PUBLIC = {
    package: [name for name in names if f"{package}.{name}" not in {*NAMES, *WITHOUT_ALL}]
    for package, names in {**NAMES, **WITHOUT_ALL}.items()
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("reference")
    write_reference(folder)
    return folder


@pytest.mark.parametrize("package", PUBLIC)
def test_every_public_name_has_a_page_with_its_documentation(pages, package: str) -> None:
    listing = (pages / "api" / f"{package}.rst").read_text(encoding="utf-8")
    texts = [path.read_text(encoding="utf-8") for path in (pages / "api").glob("ordlink*.rst")]

    for name in PUBLIC[package]:
        home = home_of(package, name)
        row = re.search(rf"`{name} <{re.escape(home)}\.{name}>`\n     - (.*)", listing)
        assert row, f"{package}.{name} is not listed"
        assert row[1].strip(), f"{package}.{name} has no docstring"
        described = [t for t in texts if re.search(rf":: {re.escape(home)}\.{name}\n", t)]
        assert len(described) == 1, f"{package}.{name} has {len(described)} pages"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_page(pages, name: str) -> None:
    page = (pages / "commands" / f"{name}.rst").read_text(encoding="utf-8")

    assert f".. click:: ordlink.cli.{name.replace('-', '_')}:command" in page


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_shown_in_use(name: str) -> None:
    written = [p.read_text(encoding="utf-8") for p in [*DOCS.glob("*.md"), *DOCS.glob("*/*.md")]]

    assert any(re.search(rf"ordlink {name}\b", text) for text in written)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_that_a_page_shows_exists(name: str) -> None:
    command = import_module(f"ordlink.cli.{name.replace('-', '_')}").command
    commands = [command, *getattr(command, "commands", {}).values()]
    known = {word for one in commands for option in one.params for word in option.opts}
    known |= {word for one in commands for option in one.params for word in option.secondary_opts}
    shown = [
        (page.name, option)
        for page in [*DOCS.glob("*.md"), *DOCS.glob("*/*.md"), DOCS.parent / "README.md"]
        for line in page.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
        for words in re.findall(rf"ordlink {name}( [^`|]*)", line)
        for option in re.findall(r"(?<= )--[a-z-]+", words)
    ]

    assert [one for one in shown if one[1] not in {*known, "--help"}] == []


@pytest.mark.parametrize("name", ol.METHODS)
def test_every_method_is_in_the_table(name: str) -> None:
    assert f"| `{name}` |" in (DOCS / "concepts" / "methods.md").read_text(encoding="utf-8")
