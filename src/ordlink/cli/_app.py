"""The group of all commands, and how everything that goes wrong in them becomes one line."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

import click

from ordlink import __version__
from ordlink.cli import COMMANDS
from ordlink.cli._messages import in_words_of_the_command_line
from ordlink.errors import OrdlinkError


class LazyGroup(click.Group):
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
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: ordlink cluster answers.csv --form triplet --clusters 4 --out results",
)
@click.version_option(__version__, prog_name="ordlink")
def app() -> None:
    """Hierarchical clustering from comparisons: who is more alike than whom, answered by people."""


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
    except click.ClickException as error:
        return _refuse(_click_message(error))
    except click.Abort as error:
        raise KeyboardInterrupt from error
    except SystemExit:
        # Click leaves so where the reader of a pipe (head, less) has gone: nothing is left to say.
        return 0
    except OrdlinkError as error:
        return _refuse(in_words_of_the_command_line(str(error)))
    except MemoryError:
        return _refuse("not enough memory for this many objects or comparisons; try fewer of them")
    except OSError as error:
        reason = error.strerror or str(error)
        return _refuse(f"cannot write the output ({reason}); make room or write it elsewhere")


def _refuse(message: str) -> int:
    click.echo(f"error: {message}", err=True)
    return 2


def _click_message(error: click.ClickException) -> str:
    """Return Click's message in our style: one line that starts small and ends with the remedy."""
    message = " ".join(error.format_message().split()).rstrip(".")
    message = message[:1].lower() + message[1:]
    if isinstance(error, click.UsageError):
        path = "ordlink" if error.ctx is None else error.ctx.command_path
        message += f"; try '{path} --help'"
    return message
