"""`python -m studies.quality`: quality of all methods against the number of answers."""

from __future__ import annotations

import sys
from typing import Any

import click

from studies.quality.groups import GROUPS
from studies.quality.page import write_page
from studies.running._command import run, run_named, study_options

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
def command(names: tuple[str, ...], only_list: bool, quick: bool | None, **settings: Any) -> None:
    """Compare all methods at the same numbers of answers (all groups of cells, or those named)."""
    if only_list:
        click.echo(_LIST)
        return
    sections, folder, all_ran = run_named(names, GROUPS, "group", quick=quick, **settings)
    described = "the part of the grid of --quick" if quick else "the whole grid"
    page = write_page(sections, folder, grid=described)
    click.echo(f"wrote {page}, and the figures to {folder / 'figures'}")
    if not all_ran:
        raise click.exceptions.Exit(1)


if __name__ == "__main__":
    sys.exit(run(command, "python -m studies.quality"))
