"""`ordlink compare`: which method predicts held-out answers best."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ordlink._atomic import write_text
from ordlink._html import escape, page
from ordlink._threads import n_threads
from ordlink.cli._console import progress_bar, warnings_as_lines
from ordlink.cli._messages import counted
from ordlink.cli._options import answers_argument, read_answers, seed_option
from ordlink.cli._output import (
    TREE_FILES,
    check_file,
    check_folder,
    keep_answers,
    write_csv,
    write_tree,
)
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, TooFewAnswersError
from ordlink.validation import (
    CANDIDATES,
    MethodComparison,
    choose_candidates,
    compare_methods,
    comparison_section,
    estimate_seconds,
    find_candidates,
    with_error,
)

WORTH_PROCESSES = 10.0
"""Seconds of work from which on it pays to start processes, which take two seconds themselves."""


@click.command(
    "compare",
    epilog="\b\nMethods compared unless --methods names others:\n  "
    + "\n  ".join(CANDIDATES)
    + "\n\n\b\nExamples:\n"
    "  ordlink compare answers.csv --form triplet\n"
    "  ordlink compare cars.csv --form most-central --one-based --html methods.html\n"
    "  ordlink compare answers.csv --methods spectral,4-AL,FORTE-AL --repetitions 3",
)
@answers_argument
@click.option(
    "--methods",
    metavar="A,B,...",
    help="Methods to compare: those below, or names for 'cluster --method' with their default "
    "options. By default all of those below that take at most about two minutes.",
)
@click.option(
    "--folds",
    "n_folds",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    help="Number of parts, each of which is held out once; people stay together where they are "
    "known.",
)
@click.option(
    "--repetitions",
    "n_repetitions",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How often to draw the folds anew: steadier means.",
)
@seed_option(default=0, show_default=True, help="Seed of the folds.")
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    help="Number of processes (default: all cores, or one where the work is short).",
)
@click.option("--csv", "csv_file", metavar="FILE", help="Write the table to this file.")
@click.option("--html", "html_file", metavar="FILE", help="Write a page that needs nothing else.")
@click.option(
    "--out",
    metavar="DIR",
    help="Folder for comparison.csv, comparison.html, and the recommended tree as 'cluster' "
    "writes it.",
)
@warnings_as_lines()
def command(
    answers: str,
    methods: str | None,
    n_folds: int,
    n_repetitions: int,
    seed: int,
    processes: int | None,
    csv_file: str | None,
    html_file: str | None,
    out: str | None,
    one_based: bool | None,
    **reading: Any,
) -> None:
    """Compare methods by how well their trees predict held-out answers of ANSWERS."""
    names = None if methods is None else [name.strip() for name in methods.split(",")]
    if names is not None:
        find_candidates(names)  # unknown ones are refused before anything is read
    table_file = check_file(csv_file, "--csv")
    page_file = check_file(html_file, "--html")
    folder = None if out is None else check_folder(out)
    keep_answers(answers, table_file, page_file)
    if table_file is not None and table_file == page_file:
        raise click.UsageError(f"--csv and --html are both {table_file}; choose two names")
    if folder is not None:
        names_there = (*TREE_FILES, "comparison.csv", "comparison.html")
        keep_answers(answers, *(folder / name for name in names_there))
    comparisons = read_answers(answers, one_based=one_based, **reading)
    if one_based and comparisons.names is None:  # the tree shows the numbers of the file
        numbers = tuple(str(i) for i in range(1, comparisons.n_objects + 1))
        comparisons = replace(comparisons, names=numbers)
    if processes is None:
        processes = _n_processes(comparisons, names, n_folds * n_repetitions + 1)
    try:
        with progress_bar("compare") as progress:
            found = compare_methods(
                comparisons,
                names,
                n_folds=n_folds,
                n_repetitions=n_repetitions,
                seed=seed,
                n_jobs=processes,
                progress=progress,
            )
    except TooFewAnswersError as error:
        raise InputError(
            f"{answers}: expected at least one answer for each of {n_folds} folds, got "
            f"{comparisons.n_answers}; collect more, or ask for fewer with --folds"
        ) from error
    about = (
        f"{counted(comparisons.n_objects, 'object')}, "
        f"{counted(comparisons.n_comparisons, 'comparison')}, {n_folds} folds by {found.folds_by}"
        + (f", {n_repetitions} times" if n_repetitions > 1 else "")
    )
    click.echo(_for_terminal(f"{about}\n{_text_table(found)}"))
    if folder is not None:
        write_tree(found.tree, folder)
        table_file = table_file or folder / "comparison.csv"
        page_file = page_file or folder / "comparison.html"
    if table_file is not None:
        _write_table(found, table_file)
        click.echo(f"wrote {table_file}")
    if page_file is not None:
        title = f"Methods compared: {Path(answers).name if answers != '-' else 'standard input'}"
        body = f"<h1>{escape(title)}</h1>\n<p>{escape(about)}.</p>\n{comparison_section(found)}"
        write_text(page_file, page(title, body))
        click.echo(f"wrote {page_file}")


def _n_processes(comparisons: ListedComparisons, names: list[str] | None, n_trees: int) -> int:
    """Return all cores, or one where the work is too short for more."""
    size = {"n_objects": comparisons.n_objects, "n_comparisons": comparisons.n_rows}
    candidates, _ = choose_candidates(names, n_trees=n_trees, **size)
    seconds = sum(n_trees * estimate_seconds(one.method, **size) for one in candidates)
    return n_threads() if seconds > WORTH_PROCESSES else 1


def _text_table(found: MethodComparison) -> str:
    """Return the table, best first, the recommendation, and what was left out."""
    header = (
        "method",
        "held out",
        "behind the best",
        "revenue",
        "own answers",
        "agrees",
        "seconds",
    )
    rows = [
        (
            one.label,
            with_error(one.held_out.accuracy, one.held_out.accuracy_error),
            with_error(one.difference, one.difference_error),
            with_error(one.held_out.revenue, one.held_out.revenue_error),
            f"{one.in_sample_accuracy:.3f}",
            f"{share:.2f}",
            f"{one.seconds:.2f}",
        )
        for one, share in zip(found.scores, _agreement(found), strict=True)
    ]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for label, *cells in (header, *rows):
        mark = "*" if label == found.recommended else " "
        padded = (f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
        lines.append(f"{mark} {label:{widths[0]}}  {'  '.join(padded)}")
    lines.append(f"* recommended: {found.reason}")
    if len(found.scores) > 1:
        lines.append(
            "  agrees: share of the triples of objects of which the tree joins the same two first "
            "as the recommended one (1/3 by chance)"
        )
    lines += [f"left out: {label}: {why}" for label, why in found.left_out.items()]
    return "\n".join(lines)


def _agreement(found: MethodComparison) -> list[float]:
    """Return how far each tree agrees with the recommended one."""
    labels = [one.label for one in found.scores]
    return [float(share) for share in found.agreement[labels.index(found.recommended)]]


def _for_terminal(text: str) -> str:
    """Return the text, without the sign ± where the terminal cannot show it."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return text.replace("±", "+-")
    return text


def _write_table(found: MethodComparison, path: Path) -> None:
    rows = [
        {
            **one.as_row(),
            "agreement_with_recommended": share,
            "recommended": int(one.label == found.recommended),
        }
        for one, share in zip(found.scores, _agreement(found), strict=True)
    ]
    write_csv(path, list(rows[0]), [list(row.values()) for row in rows])
