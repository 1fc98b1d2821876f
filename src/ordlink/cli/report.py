"""`ordlink report`: one page that says how far the tree of the answers can be trusted."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ordlink._atomic import write_text
from ordlink._typing import Progress
from ordlink.cli._console import progress_bar, warnings_as_lines
from ordlink.cli._messages import counted
from ordlink.cli._options import answers_argument, read_answers, seed_option
from ordlink.cli._output import check_file, keep_answers
from ordlink.cli._pictures import find_pictures, picture_files

N_QUICK = 50
WORDS = "ordlink.cli.report.words"
"""Where the words of the command line are kept, for the page."""


class RememberingCommand(click.Command):
    """A command that knows the words it was called with."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words before they are taken apart."""
        ctx.meta[WORDS] = tuple(args)
        return super().parse_args(ctx, args)


@click.command(
    "report",
    cls=RememberingCommand,
    epilog="\b\nExamples:\n"
    "  ordlink report answers.csv --form triplet --out report.html\n"
    "  ordlink report cars.csv --form most-central --one-based --pictures images --out cars.html\n"
    "  ordlink report answers.csv --exclude ann --exclude bob --out without.html",
)
@answers_argument
@click.option(
    "--out", metavar="FILE", required=True, help="The page to write, such as report.html."
)
@click.option(
    "--pictures",
    metavar="DIR",
    help="Folder with pictures for the leaves: files named after the objects' names or numbers "
    "(1.jpg; also .png, .webp). Small copies become part of the page.",
)
@click.option(
    "--method",
    default="auto",
    show_default=True,
    help="Name of a method, or auto: what 'compare' recommends, or else what predicts held-out "
    "answers best of the methods whose replicates take about two minutes at most.",
)
@click.option(
    "--replicates",
    "n_replicates",
    type=click.IntRange(min=1),
    help="Replicates for the support of branches (default: 200, or fewer, down to 50, where they "
    "would take more than about two minutes).",
)
@click.option("--quick", is_flag=True, help=f"Only {N_QUICK} replicates, for a first look.")
@click.option(
    "--exclude",
    multiple=True,
    metavar="NAME",
    help="Leave out all answers of this person; may be given several times. The page says so, and "
    "compares the trees with and without them.",
)
@click.option(
    "--weigh-people",
    is_flag=True,
    help="Also show what difference it makes if answers count by how far each person can be relied "
    "on.",
)
@click.option("--title", default="What the answers say", show_default=True, help="The heading.")
@seed_option(default=0, show_default=True, help="Seed of all draws.")
@warnings_as_lines()
def command(
    answers: str,
    out: str,
    pictures: str | None,
    method: str,
    n_replicates: int | None,
    quick: bool,
    exclude: tuple[str, ...],
    weigh_people: bool,
    title: str,
    seed: int,
    one_based: bool | None,
    **reading: Any,
) -> None:
    """Write a page about ANSWERS: the tree, how firm it is, and how good the answers are.

    The page is one file that needs no network: to look into, to print, to put into a supplement.
    """
    from ordlink.report import Making, gather_evidence, making_time, report_page
    from ordlink.validation import firm_branches

    if quick and n_replicates is not None:
        raise click.UsageError("--quick goes without --replicates")
    check_file(out, "--out")
    keep_answers(answers, out)
    if pictures is not None:
        picture_files(pictures)
    comparisons = read_answers(answers, one_based=one_based, **reading)
    n_objects = comparisons.n_objects
    leaf_pictures = None
    if pictures is not None:
        leaf_pictures = find_pictures(
            pictures, n_objects=n_objects, names=comparisons.names, one_based=bool(one_based)
        )
    if one_based and comparisons.names is None:  # the page shows the numbers of the file
        numbers = tuple(str(i) for i in range(1, n_objects + 1))
        comparisons = replace(comparisons, names=numbers)
    with _bars() as stages:
        evidence = gather_evidence(
            comparisons,
            method=method,
            n_replicates=N_QUICK if quick else n_replicates,
            seed=seed,
            exclude=exclude,
            weigh_people=weigh_people,
            stages=stages,
        )
    making = Making(
        command=shlex.join(["ordlink", "report", *click.get_current_context().meta[WORDS]]),
        source="standard input" if answers == "-" else Path(answers).name,
        checksum="" if answers == "-" else _checksum(answers),
        made_at=making_time(os.environ.get("SOURCE_DATE_EPOCH")),
    )
    text = report_page(evidence, title=title, making=making, pictures=leaf_pictures)
    write_text(out, text)
    summary, n_branches = evidence.summary, max(evidence.summary.n_objects - 2, 0)
    click.echo(
        f"{counted(summary.n_objects, 'object')}, "
        f"{counted(summary.n_comparisons, 'comparison')}, {evidence.chosen.label}: "
        f"{len(firm_branches(evidence.tree))} of {n_branches:,} "
        f"{'branch' if n_branches == 1 else 'branches'} firm"
    )
    click.echo(f"wrote {out} ({len(text.encode()) / 1e6:.1f} MB)")


@contextmanager
def _bars() -> Iterator[Any]:
    """Yield what opens a bar on stderr for each part, once the one before it is done."""
    with contextlib.ExitStack() as stack:

        def begin(name: str) -> Progress:
            stack.close()
            if not sys.stderr.isatty():
                click.echo(f"{name} ...", err=True)
            return stack.enter_context(progress_bar(name))

        yield begin


def _checksum(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
