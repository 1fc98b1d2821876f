"""The group of all commands; errors become one line and name the options of the command."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from ordlink import __version__
from ordlink.cli import COMMANDS
from ordlink.errors import OrdlinkError, ParameterNamer

WORDS = "ordlink.cli.words"  # key of the words of the command line
NOT_OPTIONS = {
    "comparisons": "answers",
    "annotators": "annotators (a column 'annotator' in the file)",
}
"""Words for parameters of the library that the command line takes from the file of answers."""


def flag_namer(options: Sequence[click.Parameter]) -> ParameterNamer:
    """Return a function that translates parameter names to the options of a command.

    An option is found by its Python name: ``click.option("--clusters", "n_clusters")``.
    """
    known = {option.name: option for option in options}

    def name_parameter(parameter: str, value: str) -> str:
        if parameter not in known:
            return NOT_OPTIONS.get(parameter, parameter)
        option = known[parameter]
        if value == "False" and option.secondary_opts:
            return option.secondary_opts[0]
        if value in ("", "True", "False"):
            return option.opts[0]
        word = re.sub(r"[][()'\"]", "", value).replace(", ", ",")  # ['a', 'b'] as a,b
        return f"{option.opts[0]} {word}"

    return name_parameter


class _NamesItsOptions(click.Command):
    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors of the library name its options."""
        try:
            return super().invoke(ctx)
        except OrdlinkError as error:
            raise refusal(error, self) from error


class Command(_NamesItsOptions):
    """A command whose errors name its options; it keeps its command-line arguments."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments before they are parsed."""
        ctx.meta[WORDS] = tuple(args)
        return super().parse_args(ctx, args)


class Group(_NamesItsOptions, click.Group):
    """A group of commands whose errors name its options."""


def refusal(error: OrdlinkError, command: click.Command) -> click.ClickException:
    """Return an error of the library as one line, with the command's option names."""
    message = error.render(flag_namer(command.params))
    return click.ClickException(" ".join(message.split()))


@contextmanager
def parameters_called(**options: str) -> Iterator[None]:
    """Make errors use command-line names of parameters that differ from the library's."""
    try:
        yield
    except OrdlinkError as error:
        if error.parameter in options:
            error.parameter = options[error.parameter]
        raise


class LazyGroup(Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"ordlink.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    epilog="Example: ordlink cluster answers.csv --form triplet --clusters 4 --out results",
)
@click.version_option(__version__, prog_name="ordlink")
def app() -> None:
    """Hierarchical clustering from comparisons: people say which objects are more alike."""


def run_command(
    command: click.Command, program: str, arguments: Sequence[str] | None = None
) -> int:
    """Run a command and return its exit code; print an error as one line on stderr."""
    words = None if arguments is None else list(arguments)
    try:
        code = command.main(args=words, prog_name=program, standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return 2
    except click.UsageError as error:
        message = " ".join(error.format_message().split()).rstrip(".")
        path = "ordlink" if error.ctx is None else error.ctx.command_path
        return _refuse(f"{message[:1].lower()}{message[1:]}; try '{path} --help'")
    except click.ClickException as error:
        return _refuse(error.message)
    except click.Abort as error:
        raise KeyboardInterrupt from error
    except SystemExit:  # the reader of a pipe (head, less) has closed it
        return 0
    except OrdlinkError as error:
        return _refuse(refusal(error, command).message)
    except MemoryError:
        return _refuse("not enough memory for this many objects or comparisons; try fewer of them")
    except OSError as error:
        reason = error.strerror or str(error)
        return _refuse(f"cannot write the output ({reason}); free some space or write elsewhere")


def _refuse(message: str) -> int:
    click.echo(f"error: {message}", err=True)
    return 2
