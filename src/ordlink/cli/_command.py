"""Commands whose errors name their own options: the library speaks of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from ordlink.errors import OrdlinkError, ParameterNamer

NOT_OPTIONS = {
    "comparisons": "answers",
    "annotators": "annotators (a column 'annotator' in the file)",
}
"""Words for parameters of the library that the command line takes from the file of answers."""


def flag_namer(options: Sequence[click.Parameter]) -> ParameterNamer:
    """Return what names parameters as the options of a command.

    An option is found by its Python name, which is that of the library's parameter:
    ``click.option("--clusters", "n_clusters")``.

    Examples
    --------
    >>> name = flag_namer([click.Option(["--clusters", "n_clusters"])])
    >>> name("n_clusters", ""), name("n_clusters", "4"), name("comparisons", "")
    ('--clusters', '--clusters 4', 'answers')
    """
    known = {option.name: option for option in options}

    def name_parameter(parameter: str, value: str) -> str:
        if parameter not in known:
            return NOT_OPTIONS.get(parameter, parameter)
        option = known[parameter]
        if value == "False" and option.secondary_opts:
            return option.secondary_opts[0]
        words = [option.opts[0], "" if value in ("True", "False") else _plain(value)]
        return " ".join(filter(None, words))

    return name_parameter


def _plain(value: str) -> str:
    """Return a Python value as a word of the command line: ['a', 'b'] as a,b."""
    return value.strip("[]()").replace("'", "").replace('"', "").replace(", ", ",")


class _NamesItsOptions(click.Command):
    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors of the library name its options."""
        try:
            return super().invoke(ctx)
        except OrdlinkError as error:
            raise refusal(error, self) from error


class Command(_NamesItsOptions):
    """A command whose errors name its options."""


class Group(_NamesItsOptions, click.Group):
    """A group of commands whose errors name its options."""


def refusal(error: OrdlinkError, command: click.Command) -> click.ClickException:
    """Return an error of the library as one line in the words of a command."""
    message = error.render(flag_namer(command.params))
    return click.ClickException(" ".join(message.split()))


@contextmanager
def parameters_called(**options: str) -> Iterator[None]:
    """Give errors the parameter's name on the command line, where the library has another one."""
    try:
        yield
    except OrdlinkError as error:
        if error.parameter in options:
            error.parameter = options[error.parameter]
        raise
