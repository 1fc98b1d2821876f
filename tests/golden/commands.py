"""The options of every command, read from Click's own objects."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click

from ordlink.cli import run


def the_command_line() -> click.Group:
    """Return Click's group of all commands: what runs when `ordlink` does."""
    found: list[click.Group] = []

    def note(group: click.Group, *_: Any, **__: Any) -> int:
        found.append(group)
        return 0

    with patch.object(click.Group, "main", note):
        run(["--help"])
    (group,) = found
    return group


def commands() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield the words and the command of each command, also of those within a group."""
    yield from _within((), the_command_line())


def defaults() -> dict[str, dict[str, Any]]:
    """Return {command: {option: default}}; of a choice also what there is to choose."""
    found: dict[str, dict[str, Any]] = {}
    for words, command in commands():
        options: dict[str, Any] = {}
        for parameter in command.params:
            name = "/".join([*parameter.opts, *parameter.secondary_opts])
            options[name] = _plain(parameter.default)
            if getattr(parameter, "is_flag", False) and not parameter.secondary_opts:
                options[name] = bool(options[name])  # versions of Click differ: None or False
            if isinstance(parameter.type, click.Choice):
                options[f"{name} (choices)"] = [str(choice) for choice in parameter.type.choices]
            if parameter.required:
                options[f"{name} (required)"] = True
            if parameter.multiple:
                options[f"{name} (multiple)"] = True
        found[" ".join(["ordlink", *words])] = options
    return found


def _within(
    words: tuple[str, ...], command: click.Command
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield words, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _within((*words, name), below)


def _plain(default: Any) -> Any:
    """Return a default as JSON holds it; Click marks "none given" by a member of an Enum."""
    if default is None or (isinstance(default, enum.Enum) and default.name == "UNSET"):
        return None
    if isinstance(default, Path):
        return str(default)
    if isinstance(default, list | tuple):
        return [_plain(one) for one in default]
    assert isinstance(default, bool | int | float | str), default
    return default
