"""`ordlink describe`: what is in a file of answers."""

from __future__ import annotations

from typing import Any

import click

from ordlink._text import counted
from ordlink.cli import _options
from ordlink.cli._answers import read_answers
from ordlink.cli._console import warn_in_a_line
from ordlink.comparisons import ListedComparisons

MOST_COMPARISONS = 1_000_000
"""Larger files get only the summary: the rest would take minutes."""


@_options.command("describe", "ordlink describe cars.csv --form most-central --one-based")
@_options.answers
def command(answers: str, **reading: Any) -> None:
    """Summarise ANSWERS: objects, comparisons, repeats, contradictions, gaps."""
    comparisons = read_answers(answers, **reading)
    summary = comparisons.summary()
    click.echo(str(summary))
    if 0 < comparisons.n_rows <= MOST_COMPARISONS:
        _print_agreement(comparisons)
    for message in summary.warnings():
        warn_in_a_line(message)


def _print_agreement(comparisons: ListedComparisons) -> None:
    """Print how far answers agree, if questions repeat or triads close."""
    from ordlink import validation

    repeats = validation.agreement_of_repeats(validation.answers_of(comparisons))
    cycles = validation.count_cycles(comparisons)
    if repeats.n_pairs:
        click.echo(
            f"repeats that agree      {repeats.agreement:.1%} of answers to the same question, "
            f"mean over {counted(repeats.n_questions, 'question')} ({repeats.chance:.0%} by chance)"
        )
    if cycles.n_triads:
        click.echo(
            f"circular triads         {cycles.share:.1%} of {cycles.n_triads:,} "
            f"({validation.CIRCULAR_BY_CHANCE:.0%} by chance)"
        )
