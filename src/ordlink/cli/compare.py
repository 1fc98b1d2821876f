"""`ordlink compare`: which method predicts held-out answers best."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ordlink import validation
from ordlink._atomic import write_text
from ordlink._html import escape, page
from ordlink._text import counted
from ordlink._threads import n_threads
from ordlink.cli import _options, _output
from ordlink.cli._answers import read_answers, source_name
from ordlink.cli._console import for_terminal, progress_bar, progress_flag
from ordlink.comparisons import ListedComparisons
from ordlink.errors import InputError, TooFewAnswersError
from ordlink.report import comparison_section, with_error

WORTH_PROCESSES = 10.0  # seconds of work; starting several processes takes about two
_HEADER = ("method", "held out", "behind the best", "revenue", "own answers", "agrees", "seconds")


@_options.command(
    "compare",
    "ordlink compare answers.csv --form triplet",
    "ordlink compare cars.csv --form most-central --one-based --html methods.html",
    "ordlink compare answers.csv --methods spectral,4-AL,FORTE-AL --repetitions 3",
    listing="\n  ".join(["\b\nMethods compared by default:", *validation.CANDIDATES]) + "\n\n",
)
@_options.answers
@click.option(
    "--methods",
    metavar="A,B,...",
    help="Methods to compare: from the list below, or methods of 'cluster' with their default "
    "options (default: all below that take at most about two minutes).",
)
@_options.count(
    "--folds",
    "n_folds",
    lowest=2,
    default=5,
    help="Number of cross-validation folds; all answers of an annotator are in the same fold.",
)
@_options.count(
    "--repetitions",
    "n_repetitions",
    default=1,
    help="Number of times to redraw the folds, for more stable means.",
)
@_options.seed(default=0, help="Random seed of the folds.")
@_options.parallel
@_options.file("--csv", "csv_file", help="Write the table to this file.")
@_options.file("--html", "html_file", help="Write a self-contained HTML page.")
@_options.folder(
    "--out",
    help="Folder for comparison.csv, comparison.html and the files of the recommended tree, as "
    "'cluster' writes them.",
)
@progress_flag
def command(
    answers: tuple[str, ...],
    reading: dict[str, Any],
    methods: str | None,
    n_jobs: int | None,
    csv_file: str | None,
    html_file: str | None,
    out: str | None,
    **settings: Any,
) -> None:
    """Compare methods by how well their trees predict answers held out from ANSWERS."""
    names = None if methods is None else [name.strip() for name in methods.split(",")]
    if names is not None:
        validation.find_candidates(names)  # refuses unknown ones before anything is read
    table_file, page_file = (
        _output.check_file(csv_file, "csv_file"),
        _output.check_file(html_file, "html_file"),
    )
    if table_file is not None and table_file == page_file:
        raise click.UsageError(f"--csv and --html are both {table_file}; choose two names")
    folder = None if out is None else _output.check_folder(out)
    written = (*_output.TREE_FILES, "comparison.csv", "comparison.html")
    in_folder = [] if folder is None else [folder / name for name in written]
    _output.refuse_overwrite(answers, [table_file, page_file, *in_folder])
    comparisons = read_answers(answers, **reading)
    n_folds, n_repetitions = settings["n_folds"], settings["n_repetitions"]
    n_jobs = n_jobs or _n_processes(comparisons, names, n_folds * n_repetitions + 1)
    try:
        with progress_bar("compare") as progress:
            found = validation.compare_methods(
                comparisons, names, n_jobs=n_jobs, progress=progress, **settings
            )
    except TooFewAnswersError as error:
        raise InputError(
            f"expected at least one answer for each of {n_folds} folds, got "
            f"{comparisons.n_answers}",
            where=source_name(answers),
            remedy="collect more, or reduce {n_folds}",
        ) from error
    about = (
        f"{counted(comparisons.n_objects, 'object')}, "
        f"{counted(comparisons.n_comparisons, 'comparison')}, {n_folds} folds by {found.folds_by}"
        + (f", {n_repetitions} times" if n_repetitions > 1 else "")
    )
    text = f"{about}\n{_text_table(found)}"
    click.echo(for_terminal(text, lambda: text.replace("±", "+-")))
    if folder is not None:
        _output.write_tree(found.tree, folder)
        table_file = table_file or folder / "comparison.csv"
        page_file = page_file or folder / "comparison.html"
    if table_file is not None:
        _write_table(found, table_file)
        click.echo(f"wrote {table_file}")
    if page_file is not None:
        title = f"Methods compared: {Path(source_name(answers)).name}"
        body = f"<h1>{escape(title)}</h1>\n<p>{escape(about)}.</p>\n{comparison_section(found)}"
        write_text(page_file, page(title, body))
        click.echo(f"wrote {page_file}")


def _n_processes(comparisons: ListedComparisons, names: list[str] | None, n_trees: int) -> int:
    """Return the number of cores, or one if the work is too short for more."""
    size = {"n_objects": comparisons.n_objects, "n_comparisons": comparisons.n_rows}
    candidates, _ = validation.choose_candidates(names, n_trees=n_trees, **size)
    seconds = sum(n_trees * validation.estimate_seconds(one.method, **size) for one in candidates)
    return n_threads() if seconds > WORTH_PROCESSES else 1


def _text_table(found: validation.MethodComparison) -> str:
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
    widths = [max(map(len, column)) for column in zip(_HEADER, *rows, strict=True)]
    lines = []
    for label, *cells in (_HEADER, *rows):
        mark = "*" if label == found.recommended else " "
        padded = (f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
        lines.append(f"{mark} {label:{widths[0]}}  {'  '.join(padded)}")
    lines.append(f"* recommended: {found.reason}")
    if len(found.scores) > 1:
        lines.append(
            "  agrees: share of the triples of objects in which the tree joins the same two first "
            "as the recommended tree (1/3 by chance)"
        )
    lines += [f"left out: {label}: {why}" for label, why in found.left_out.items()]
    return "\n".join(lines)


def _agreement(found: validation.MethodComparison) -> list[float]:
    """Return how far each tree agrees with the recommended one."""
    recommended = [one.label for one in found.scores].index(found.recommended)
    shares: list[float] = found.agreement[recommended].tolist()
    return shares


def _write_table(found: validation.MethodComparison, path: Path) -> None:
    header = [*found.best.as_row(), "agreement_with_recommended", "recommended"]
    rows = [
        [*one.as_row().values(), share, int(one.label == found.recommended)]
        for one, share in zip(found.scores, _agreement(found), strict=True)
    ]
    _output.write_csv(path, header, rows)
