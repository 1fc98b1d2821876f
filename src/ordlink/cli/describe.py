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
    for line in _agreement(comparisons):
        click.echo(line)
    for message in summary.warnings():
        warn_in_a_line(message)


def _agreement(comparisons: ListedComparisons) -> list[str]:
    """Return how far answers agree, if questions repeat or triads close."""
    if not 0 < comparisons.n_rows <= MOST_COMPARISONS:
        return []
    from ordlink.validation import (
        CIRCULAR_BY_CHANCE,
        agreement_of_repeats,
        answers_of,
        count_cycles,
    )

    lines = []
    repeats = agreement_of_repeats(answers_of(comparisons))
    if repeats.n_pairs:
        lines.append(
            f"repeats that agree      {repeats.agreement:.1%} of answers to the same question, "
            f"mean over {counted(repeats.n_questions, 'question')} ({repeats.chance:.0%} by chance)"
        )
    cycles = count_cycles(comparisons)
    if cycles.n_triads:
        lines.append(
            f"circular triads         {cycles.share:.1%} of {cycles.n_triads:,} "
            f"({CIRCULAR_BY_CHANCE:.0%} by chance)"
        )
    return lines
