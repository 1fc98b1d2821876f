"""`python -m studies.reproduction`: the paper's experiments, run again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from ordlink.datasets import fetch_car
from studies.reproduction.experiments import STUDIES, Study
from studies.reproduction.report import write_report
from studies.running._command import Section, run, run_named, study_options

_LIST = "\n".join(f"  {study.name:17} {study.title}" for study in STUDIES.values())
_QUICK = "\n".join(f"  {study.name:17} {study.quick}" for study in STUDIES.values())


@click.command(
    "reproduce",
    epilog=f"\b\nExperiments:\n{_LIST}\n\n\b\nWhat --quick runs:\n{_QUICK}\n\n\b\nExamples:\n"
    "  python -m studies.reproduction --quick --out reproduction\n"
    "  python -m studies.reproduction planted standard --full --data-home data --out reproduction",
)
@study_options(
    "experiment",
    grids="A part of the grid in a few minutes, or the paper's grid with 10 repetitions.",
    out="ordlink-reproduction",
    page="report.html",
    data="20news and Car",
)
def command(
    names: tuple[str, ...],
    only_list: bool,
    quick: bool | None,
    data_home: str | None,
    **settings: Any,
) -> None:
    """Run the paper's experiments (all, or those named) and report which of its claims held."""
    if only_list:
        click.echo(_LIST)
        return
    sections, folder, all_ran = run_named(
        names, STUDIES, "experiment", quick=quick, data_home=data_home, **settings
    )
    described = "the part of the grid of --quick" if quick else "the paper's whole grid"
    page = write_report(sections, folder, grid=described, pictures=_pictures(sections, data_home))
    click.echo(f"wrote {page}, and the figures to {folder / 'figures'}")
    if not all_ran:
        raise click.exceptions.Exit(1)


def _pictures(sections: list[Section[Study]], data_home: str | None) -> list[Path] | None:
    """Return the pictures of the cars where their trees are drawn."""
    if not any(section.subject.name == "car" and section.rows for section in sections):
        return None
    pictures = fetch_car(data_home=data_home).pictures
    return None if pictures is None else list(pictures)


if __name__ == "__main__":
    sys.exit(run(command, "python -m studies.reproduction"))
