"""The group of all commands; whatever goes wrong in them becomes one line."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

import click

from ordlink import __version__
from ordlink.cli import COMMANDS
from ordlink.cli._command import Group, refusal
from ordlink.errors import OrdlinkError


class LazyGroup(Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"ordlink.cli.{cmd_name}")
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


def run_app(arguments: Sequence[str] | None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, "ordlink", arguments)


def run_command(
    command: click.Command, program: str, arguments: Sequence[str] | None = None
) -> int:
    """Run a command and return its exit code; errors are one line on stderr."""
    words = None if arguments is None else list(arguments)
    try:
        code = command.main(args=words, prog_name=program, standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return 2
    except click.UsageError as error:
        return _refuse(_usage_message(error))
    except click.ClickException as error:
        return _refuse(error.message)
    except click.Abort as error:
        raise KeyboardInterrupt from error
    except SystemExit:
        # Click exits like this when the reader of a pipe (head, less) has closed it.
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


def _usage_message(error: click.UsageError) -> str:
    """Return Click's message in our style: one line, no capital, the remedy at the end."""
    message = " ".join(error.format_message().split()).rstrip(".")
    path = "ordlink" if error.ctx is None else error.ctx.command_path
    return f"{message[:1].lower()}{message[1:]}; try '{path} --help'"
