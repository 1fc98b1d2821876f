"""`ordlink describe`: what a file of answers holds."""

from __future__ import annotations

from typing import Any

import click

from ordlink.cli._console import warn_in_a_line, warnings_as_lines
from ordlink.cli._options import answers_argument, read_answers


@click.command(
    "describe", epilog="Example: ordlink describe cars.csv --form most-central --one-based"
)
@answers_argument
@warnings_as_lines()
def command(answers: str, **reading: Any) -> None:
    """Say what ANSWERS holds: objects, comparisons, repeats, contradictions, gaps."""
    summary = read_answers(answers, **reading).summary()
    click.echo(str(summary))
    for message in summary.warnings():
        warn_in_a_line(message)
