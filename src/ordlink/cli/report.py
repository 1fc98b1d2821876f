"""`ordlink report`: one page on how far the tree can be trusted."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import ordlink as ol
from ordlink._atomic import write_text
from ordlink._text import counted
from ordlink.cli import _options
from ordlink.cli._answers import find_pictures, picture_files, read_answers, source_name
from ordlink.cli._app import WORDS, parameters_called
from ordlink.cli._console import progress_flag, stage_bars
from ordlink.cli._groups import group_labels, grouping
from ordlink.cli._output import check_file, refuse_overwrite
from ordlink.methods import DEFAULT_METHOD


@_options.command(
    "report",
    "ordlink report answers.csv --form triplet --out report.html",
    "ordlink report cars.csv --form most-central --one-based --pictures images --out cars.html",
    "ordlink report answers.csv --exclude ann --exclude bob --out without.html",
    "ordlink report trials.csv --by condition --out groups.html",
)
@_options.answers
@_options.file("--out", required=True, help="Page to write, such as report.html.")
@_options.pictures(", embedded as small copies")
@click.option(
    "--method",
    default=DEFAULT_METHOD,
    help="Method of 'cluster' that builds the tree; auto is replaced by a faster one if its "
    "bootstrap would take more than about three minutes.",
)
@_options.count(
    "--replicates",
    "n_bootstrap",
    help="Number of bootstrap samples (default: 200, or fewer, down to 50, if they would take more "
    "than about two minutes).",
)
@_options.flag(
    "--quick",
    help="For a first look, in seconds: only fast methods, and 50 bootstrap samples, or 30 of a "
    "slow method.",
)
@_options.exclude
@_options.flag(
    "--weigh-people", help="Also show the tree with annotators weighted by their reliability."
)
@grouping()
@click.option("--title", default="What the answers say", help="The heading.")
@_options.seed(default=0)
@_options.parallel
@progress_flag
def command(
    answers: tuple[str, ...],
    reading: dict[str, Any],
    out: str,
    pictures: str | None,
    quick: bool,
    by: str | None,
    people: str | None,
    title: str,
    **settings: Any,
) -> None:
    """Write a page about ANSWERS: the tree, its support, and the quality of the answers.

    The page is one self-contained HTML file, to read, print or add to a supplement.
    """
    if quick and settings["n_bootstrap"] is not None:
        raise click.UsageError("--quick cannot be combined with --replicates")
    if people is not None and by is None:
        raise click.UsageError("--people needs --by, the column by which people are grouped")
    check_file(out, "out")
    refuse_overwrite(answers, [out])
    if pictures is not None:
        picture_files(pictures)  # refuses a folder that cannot be read
    comparisons = read_answers(answers, **reading)
    leaf_pictures = find_pictures(pictures, comparisons, one_based=reading["one_based"])
    if by is not None:
        where = source_name(answers)
        settings["groups"] = group_labels(comparisons, by, people or answers[0], where=where)
    with stage_bars() as stages, parameters_called(names="exclude"):
        evidence = ol.report.gather_evidence(comparisons, **settings, quick=quick, stages=stages)
    making = ol.report.Making(
        command=shlex.join(["ordlink", "report", *click.get_current_context().meta[WORDS]]),
        source=Path(source_name(answers)).name,
        checksum=_checksum(answers),
        made_at=ol.report.making_time(os.environ.get("SOURCE_DATE_EPOCH")),
    )
    text = ol.report.report_page(evidence, title=title, making=making, pictures=leaf_pictures)
    write_text(out, text)
    summary = evidence.summary
    branches = counted(max(summary.n_objects - 2, 0), "branch", "branches")
    click.echo(
        f"{counted(summary.n_objects, 'object')}, "
        f"{counted(summary.n_comparisons, 'comparison')}, {evidence.chosen.label}: "
        f"{len(ol.validation.firm_branches(evidence.tree))} of {branches} firm"
    )
    click.echo(f"wrote {out} ({len(text.encode()) / 1e3:,.0f} kB)")


def _checksum(answers: Sequence[str]) -> str:
    """Return the SHA-256 of a file; for standard input, a folder or several files there is none."""
    path = Path(answers[0])
    if len(answers) > 1 or not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
