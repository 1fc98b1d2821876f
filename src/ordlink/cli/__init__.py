"""The command line: `ordlink`, one file per command.

Exit codes: 0 if all went well, 2 if the input or the call is wrong (one message says where and
what to do), 130 if interrupted.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

import click

from ordlink import __version__
from ordlink.errors import OrdlinkError

COMMANDS = {
    "demo": "Cluster the animals of the Zoo data from simulated answers.",
    "cluster": "Turn a file of answers into a tree.",
    "describe": "Say what a file of answers holds.",
    "evaluate": "Score a tree against classes, a true tree, similarities or answers.",
    "simulate": "Make answers and their truth, to try things out.",
}
"""Commands and their one-line help; each is loaded only when it runs, so help is instant."""


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        app.main(args=None if arguments is None else list(arguments), standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted; no half-written file was left", err=True)
        return 130
    except OrdlinkError as error:
        click.echo(f"error: {error}", err=True)
        return 2
    except BrokenPipeError:
        # The reader (head, less) has gone: nothing is left to say, not even at shutdown.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        click.echo(
            "error: not enough memory for this many objects or comparisons; try AddS-AL or a "
            "part of the answers",
            err=True,
        )
        return 2
    return 0
