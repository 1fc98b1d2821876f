"""`ordlink report`: one page on how far the tree of the answers can be trusted."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click

from ordlink._atomic import write_text
from ordlink._text import counted
from ordlink._typing import Progress
from ordlink.cli import _options
from ordlink.cli._answers import find_pictures, picture_files, read_answers, source_name
from ordlink.cli._app import WORDS, parameters_called
from ordlink.cli._console import progress_bar
from ordlink.cli._output import check_file, refuse_overwrite

N_QUICK = 50


@_options.command(
    "report",
    "ordlink report answers.csv --form triplet --out report.html",
    "ordlink report cars.csv --form most-central --one-based --pictures images --out cars.html",
    "ordlink report answers.csv --exclude ann --exclude bob --out without.html",
)
@_options.answers
@_options.file("--out", required=True, help="Page to write, such as report.html.")
@_options.pictures(", embedded as small copies")
@click.option(
    "--method",
    default="auto",
    help="Name of a method, or auto: what 'compare' recommends, or the most accurate of the "
    "methods whose bootstrap takes at most about two minutes.",
)
@_options.count(
    "--replicates",
    "n_bootstrap",
    help="Number of bootstrap samples (default: 200, or fewer, down to 50, if they would take more "
    "than about two minutes).",
)
@_options.flag("--quick", help=f"Only {N_QUICK} bootstrap samples, for a first look.")
@_options.exclude
@_options.flag(
    "--weigh-people", help="Also show the tree with annotators weighted by their reliability."
)
@click.option("--title", default="What the answers say", help="The heading.")
@_options.seed(default=0)
def command(
    answers: str,
    out: str,
    pictures: str | None,
    method: str,
    n_bootstrap: int | None,
    quick: bool,
    exclude: tuple[str, ...],
    weigh_people: bool,
    title: str,
    seed: int,
    **reading: Any,
) -> None:
    """Write a page about ANSWERS: the tree, its support, and the quality of the answers.

    The page is one self-contained HTML file, to read, print or add to a supplement.
    """
    from ordlink.report import Making, gather_evidence, making_time, report_page
    from ordlink.validation import firm_branches

    if quick and n_bootstrap is not None:
        raise click.UsageError("--quick cannot be combined with --replicates")
    check_file(out, "out")
    refuse_overwrite([answers], [out])
    if pictures is not None:
        picture_files(pictures)
    comparisons = read_answers(answers, **reading)
    leaf_pictures = find_pictures(pictures, comparisons, one_based=reading["one_based"])
    with _bars() as stages, parameters_called(names="exclude"):
        evidence = gather_evidence(
            comparisons,
            method=method,
            n_bootstrap=N_QUICK if quick else n_bootstrap,
            seed=seed,
            exclude=exclude,
            weigh_people=weigh_people,
            stages=stages,
        )
    making = Making(
        command=shlex.join(["ordlink", "report", *click.get_current_context().meta[WORDS]]),
        source=Path(source_name(answers)).name,
        checksum="" if answers == "-" else _checksum(answers),
        made_at=making_time(os.environ.get("SOURCE_DATE_EPOCH")),
    )
    text = report_page(evidence, title=title, making=making, pictures=leaf_pictures)
    write_text(out, text)
    summary = evidence.summary
    branches = counted(max(summary.n_objects - 2, 0), "branch", "branches")
    click.echo(
        f"{counted(summary.n_objects, 'object')}, "
        f"{counted(summary.n_comparisons, 'comparison')}, {evidence.chosen.label}: "
        f"{len(firm_branches(evidence.tree))} of {branches} firm"
    )
    click.echo(f"wrote {out} ({len(text.encode()) / 1e6:.1f} MB)")


@contextmanager
def _bars() -> Iterator[Any]:
    """Yield a function that opens the progress bar of a stage and closes the one before."""
    with ExitStack() as stack:

        def begin(name: str) -> Progress:
            stack.close()
            if not sys.stderr.isatty():
                click.echo(f"{name} ...", err=True)
            return stack.enter_context(progress_bar(name))

        yield begin


def _checksum(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
