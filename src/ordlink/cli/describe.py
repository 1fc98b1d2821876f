"""`ordlink describe`: what is in a file of answers."""

from __future__ import annotations

from typing import Any

import click

import ordlink as ol
from ordlink._text import counted
from ordlink.cli import _options
from ordlink.cli._answers import read_answers
from ordlink.cli._console import progress_bar, progress_flag, stage_bars, warn_in_a_line
from ordlink.cli._pieces import read_pieces, rows_beyond_memory
from ordlink.comparisons import ListedComparisons
from ordlink.methods import DEFAULT_METHOD

MOST_COMPARISONS = 1_000_000  # larger files get only the summary: the rest would take minutes


@_options.command(
    "describe",
    "ordlink describe cars.csv --form most-central --one-based",
    "ordlink describe cars.csv --form most-central --one-based --methods-text --quick",
)
@_options.answers
@_options.flag(
    "--methods-text",
    help="Print only the methods and results paragraphs of 'report'.",
)
@click.option("--method", default=None, help="With --methods-text: as in 'report'.")
@_options.flag("--quick", help="With --methods-text: as in 'report'.")
@_options.seed(default=None, help="With --methods-text: random seed (default: 0).")
@progress_flag
def command(
    answers: tuple[str, ...],
    reading: dict[str, Any],
    methods_text: bool,
    method: str | None,
    quick: bool,
    seed: int | None,
) -> None:
    """Summarise ANSWERS: objects, comparisons, repeats, contradictions, gaps."""
    if not methods_text and (method or quick or seed is not None):
        raise click.UsageError("--method, --quick and --seed require --methods-text")
    if n_rows := rows_beyond_memory(answers):
        _describe_pieces(answers, n_rows, reading, methods_text=methods_text)
        return
    comparisons = read_answers(answers, **reading)
    if methods_text:
        settings: Any = {"method": method or DEFAULT_METHOD, "quick": quick, "seed": seed or 0}
        with stage_bars() as stages:
            evidence = ol.report.gather_evidence(comparisons, **settings, stages=stages)
        click.echo(ol.report.paper_text(evidence))
        return
    summary = comparisons.summary()
    click.echo(str(summary))
    if 0 < comparisons.n_rows <= MOST_COMPARISONS:
        _print_agreement(comparisons)
    for message in summary.warnings():
        warn_in_a_line(message)


def _describe_pieces(
    answers: tuple[str, ...], n_rows: int, reading: dict[str, Any], *, methods_text: bool
) -> None:
    if methods_text:
        raise click.UsageError("--methods-text needs answers that fit into memory")
    with progress_bar("reading") as progress:
        pieces = read_pieces(answers, n_rows, progress, **reading)
        summary = ol.comparisons.summarise_chunks(pieces)
    click.echo(str(summary))
    for message in summary.warnings():
        warn_in_a_line(message)


def _print_agreement(comparisons: ListedComparisons) -> None:
    repeats = ol.validation.agreement_of_repeats(ol.validation.answers_of(comparisons))
    cycles = ol.validation.count_cycles(comparisons)
    if repeats.n_pairs:
        click.echo(
            f"repeats that agree      {repeats.agreement:.1%} of answers to the same question, "
            f"mean over {counted(repeats.n_questions, 'question')} ({repeats.chance:.0%} by chance)"
        )
    if cycles.n_triads:
        click.echo(
            f"circular triads         {cycles.share:.1%} of {cycles.n_triads:,} "
            f"({ol.validation.CIRCULAR_BY_CHANCE:.0%} by chance)"
        )
