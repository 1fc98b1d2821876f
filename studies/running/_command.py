"""What the commands that run experiments share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import click

from ordlink.cli._app import run_command
from ordlink.cli._console import warn_in_a_line
from ordlink.cli._output import check_folder
from studies.running import Experiment, RunSummary, load_results, run_cells
from studies.running._experiment import Record

Named = TypeVar("Named")


@dataclass(frozen=True)
class Section(Generic[Named]):
    """A group or a study with its rows, and notes on what was left out or failed."""

    subject: Named
    rows: Sequence[Record]
    notes: tuple[str, ...] = ()


def study_options(
    kind: str, *, grids: str, out: str, page: str, data: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds what every study's command takes.

    Parameters
    ----------
    kind : str
        What is run: "experiment" or "group".
    grids : str
        Help of --quick/--full.
    out, page, data : str
        Default folder, name of the page in it, and the data that --data-home has.
    """
    options = (
        click.argument("names", metavar=f"[{kind.upper()}]...", nargs=-1),
        click.option("--list", "only_list", is_flag=True, help=f"List the {kind}s and leave."),
        click.option("--quick/--full", default=None, help=grids),
        click.option(
            "--out",
            default=out,
            show_default=True,
            metavar="DIR",
            help=f"Folder for results, figures and {page}. Started again with the same folder, an "
            "interrupted run resumes.",
        ),
        click.option(
            "--data-home",
            metavar="DIR",
            help=f"Folder with {data} (default: ORDLINK_DATA, else the user's cache; missing data "
            "is downloaded, or left out with a note).",
        ),
        click.option(
            "--processes",
            type=click.IntRange(min=1),
            help="Number of processes (default: all cores).",
        ),
    )

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def choose_named(names: tuple[str, ...], table: Mapping[str, Named], kind: str) -> list[Named]:
    """Return the entries of these names in the order of the table; all, if no name is given."""
    unknown = [name for name in names if name not in table]
    if unknown:
        raise click.UsageError(f"there is no {kind} {unknown[0]!r}; there are {', '.join(table)}")
    return [entry for name, entry in table.items() if not names or name in names]


def run_named(
    names: tuple[str, ...],
    table: Mapping[str, Named],
    kind: str,
    *,
    quick: bool | None,
    out: str,
    data_home: str | None,
    processes: int | None,
) -> tuple[list[Section[Named]], Path, bool]:
    """Run the entries of these names; return a section for each, the folder, whether all ran."""
    chosen: list[Any] = choose_named(names, table, kind)
    if quick is None:
        raise click.UsageError("give either --quick or --full")
    folder = check_folder(out)
    sections, n_failed = [], 0
    for subject in chosen:
        made, notes = subject.make("quick" if quick else "full", data_home)
        experiments = made if isinstance(made, tuple) else (made,) if made else ()
        for note in notes:
            warn_in_a_line(note)
        rows: list[Record] = []
        for experiment in experiments:
            summary = run_or_say_how_to_resume(experiment, folder / "results", processes)
            notes += say_what_ran(experiment.name, summary)
            n_failed += len(summary.failures)
            rows += load_results(experiment, folder / "results")
        sections.append(Section(subject, rows, notes))
    return sections, folder, n_failed == 0


def run_or_say_how_to_resume(
    experiment: Experiment, folder: Path, n_processes: int | None
) -> RunSummary:
    """Run the cells; if interrupted, say that the finished ones are kept."""
    try:
        return run_cells(experiment, folder, n_processes=n_processes)
    except KeyboardInterrupt:
        n_done = len({row["cell"] for row in load_results(experiment, folder)})
        n_all = len(experiment.cells)
        warn_in_a_line(
            f"{experiment.name}: {n_done} of {n_all} cells are saved in {folder}; the same command "
            "runs the others"
        )
        raise


def say_what_ran(name: str, summary: RunSummary) -> tuple[str, ...]:
    """Say what was run, and return a note on cells that failed."""
    n_before = summary.n_cells - summary.n_run
    before = f", {n_before} were there" if n_before else ""
    click.echo(f"{name}: {summary.n_cells} cells{before} ({summary.seconds / 60:.1f} minutes)")
    for failure in summary.failures:
        warn_in_a_line(f"{name}: {failure}")
    if not summary.failures:
        return ()
    return (f"{name}: {len(summary.failures)} cells failed; start again to try them again",)


def run(command: click.Command, program: str, arguments: Sequence[str] | None = None) -> int:
    """Run a study's command and return its exit code; errors are one line on stderr."""
    try:
        return run_command(command, program, arguments)
    except KeyboardInterrupt:
        print("interrupted; no half-written file was left", file=sys.stderr)
        return 130
