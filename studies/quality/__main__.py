"""`python -m studies.quality`: quality of all methods against the number of answers."""

from __future__ import annotations

import sys

import click

from ordlink.cli._console import warn_in_a_line
from ordlink.cli._output import check_folder
from studies.quality.groups import GROUPS
from studies.quality.page import QualitySection, write_page
from studies.reproduction.experiments import Grid
from studies.running import load_results
from studies.running._command import (
    choose_named,
    run,
    run_or_say_how_to_resume,
    say_what_ran,
    study_options,
)

_PARTS = (
    'A group is run in two parts: the methods of others, and ours ("-ours"), which is run again\n'
    "when our method changes."
)
_LIST = "\n".join(f"  {group.name:9} {group.title}" for group in GROUPS.values())


@click.command(
    "quality",
    epilog=f"\b\nGroups:\n{_LIST}\n\n\b\n{_PARTS}\n\n\b\nExamples:\n"
    "  python -m studies.quality --quick --out quality\n"
    "  python -m studies.quality planted people --full --data-home data --out quality",
)
@study_options(
    "group",
    grids="A part of the grid, 3 repetitions, in a few minutes; or all of it, mostly 10 "
    "repetitions, in about two hours of two cores.",
    out="ordlink-quality",
    page="quality.html",
    data="Car, faces and perceptual kernels",
)
def command(
    names: tuple[str, ...],
    only_list: bool,
    quick: bool | None,
    out: str,
    data_home: str | None,
    processes: int | None,
) -> None:
    """Compare all methods at the same numbers of answers (all groups of cells, or those named)."""
    if only_list:
        click.echo(_LIST)
        return
    groups = choose_named(names, GROUPS, "group")
    if quick is None:
        raise click.UsageError("give either --quick or --full")
    grid: Grid = "quick" if quick else "full"
    folder = check_folder(out)
    sections = []
    n_failed = 0
    for group in groups:
        experiments, notes = group.make(grid, data_home)
        for note in notes:
            warn_in_a_line(note)
        rows = []
        for experiment in experiments:
            summary = run_or_say_how_to_resume(experiment, folder / "results", processes)
            notes += say_what_ran(experiment.name, summary)
            n_failed += len(summary.failures)
            rows += load_results(experiment, folder / "results")
        sections.append(QualitySection(group, rows, notes))
    described = "the part of the grid of --quick" if quick else "the whole grid"
    page = write_page(sections, folder, grid=described)
    click.echo(f"wrote {page}, and the figures to {folder / 'figures'}")
    if n_failed:
        raise click.exceptions.Exit(1)


if __name__ == "__main__":
    sys.exit(run(command, "python -m studies.quality"))
